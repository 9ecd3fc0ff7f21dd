audit-two-of = { $system } 的 { $throughput } 和 { $latency }
audit-needs-latency = 并发数相等时，{ $faster }x 的吞吐量需要延迟低至 1/{ $faster }（降低 { $lower } %）；印出的延迟低至 1/{ $shorter }（{ $printed } %）
audit-drives-needed = { $ratio }x 需要 { $needed }
audit-of-two-tests = { $first } 和 { $second } 的 { $metric }
audit-printed-twice = 两者都是 { $value }：同一次运行报告了两次，不算重复
audit-no-metric = 没有数值具有其指标；已有的指标为 { $metrics }
audit-no-number = 没有数值 `{ $id }`
audit-did-you-mean = 是否指 `{ $id }`？
audit-numbers-names-two = `numbers` 必须指明两个 id：该数值自身和与之比较的数值
audit-units-differ = { $a } 的单位是 { $a_unit }，{ $b } 的单位是 { $b_unit }
audit-none-measured = 没有测得的数值
audit-none-measured-of-test = 没有测试 `{ $test }` 测得的数值
audit-against-which = 没有说明与 { $systems } 中的哪一个比较
audit-names-no-two = `{ $system }` 没有指明 { $systems } 中的两个
audit-which-two = 没有说明是 { $systems } 中的哪两个
audit-only-one = 只有 { $system } 有其数值
audit-one-system = 一个系统
audit-units-apart = 其数值的单位无法比较
audit-no-common-level = 没有测试和级别同时有 { $left } 和 { $right } 的该指标
audit-no-other = 没有其他
audit-many-of-them = 其中 { $many } 个
judge-times = { $division }，即 { $times }x
judge-literal = { $check }：只有再加上原来的一份，才是 { $n } 倍之多，而很少有读者这样理解
judge-share-more = { $division }：为另一方的 { $of } %（{ $more }）
judge-share = { $division }：为另一方的 { $of } %
judge-not-lower = { $said }，而不是 { $p } %：任何量都不可能降低超过 100 %
judge-way-back = { $said }：{ $p } % 是相反方向的变化
judge-not = { $said }，而不是 { $p } %
judge-ratio-as-increase = { $said }，而不是 { $p } %：把比值当成了增幅
judge-percent-of = { $division }：为另一方的 { $of } %，变化 { $more }
judge-plus-ratio-as-increase = { $said }，而不是 +{ $p } %：把比值当成了增幅
judge-plus-other-lower = { $said }，而不是 +{ $p } %：这是另一方降低的百分比
judge-not-plus = { $said }，而不是 +{ $p } %
audit-no-one-figure = 文本中没有唯一合适的数字：请给出 `printed`，以及 `unit`
audit-a-percentage = 是百分比吗？文本写的是 { $said } %：若是，请给出 unit = "%"
audit-not = 而不是 { $said }
audit-formula-units = { $a } 的单位是 { $a_unit }，{ $b } 的单位是 { $b_unit }，而公式不换算单位：请在公式中换算其中一个
audit-divides-by-zero = `{ $text }` 为 0，与之相比的比值没有意义
audit-ratio-to-itself = `{ $id }` 与自身之比说明不了什么：请指明两个数值
formula-not-finite = `{ $text }` 没有有限的值
formula-not-understood = 公式 `{ $text }` 中的 `{ $rest }` 无法理解；请使用 + - * / ( ) ceil()、数字和 id
formula-too-deep = 公式嵌套过深
formula-open-bracket = 有一个括号没有闭合
formula-missing = 缺少数字或 id
claim-no-unit = 其数字没有单位：请给出 unit = "%" 或 "x"
claim-states-value = 它以 { $other } 陈述一个值，没有作比较
claim-no-figure = 其中没有作比较的数字：请给出 `printed` 和 `unit`、一个 `formula`，或自定的 `verdict`
claim-several-figures = 其中有多个数字：请为每个数字写一条陈述
claim-place = { $a } 和 { $b } 的 { $metric }
claim-place-in = { $test } 中 { $place }
claim-so-do = ；另有 { $more } 对也是如此
claim-and-more = 另有 { $more } 个
claim-not-same = 其可能的含义给出不同的结果：{ $checks }
law-little = Little 定律：{ $per_s }/s x { $ms } ms = 在途 { $in_flight }；设置为 { $set }（{ $why }）
law-bytes = { $time } s x { $gb_per_s } GB/s = { $moved } GB，数据库有 { $size_gb }（{ $off } %）；在 { $time } s 内 { $size_gb } GB 为 { $needed } GB/s
law-bytes-claim = { $what }：{ $s } s 内 { $size_gb } GB，速率 { $rate } { $unit }
law-counts-claim = { $test } 的 TPM { $tpm } 和 NOPM { $nopm }
law-counts = NOPM / TPM = { $share }，其他各对为 { $median }：两者之一可疑
rating-not-alike = 不可同比
rating-not-matched = 未匹配
judge-speed = 速度
judge-not-higher = { $division }：{ $a } 的 { $what } 并不高于 { $b }，而是更低
judge-not-lower-than = { $division }：{ $a } 的 { $what } 并不低于 { $b }，而是更高
judge-times-more = { $check }（从字面上说，“times more”还要再加一份）
judge-understates = { $check }（说小了）
judge-overstates = { $check }（说大了）
judge-time-lower = { $division }：{ $metric } 低 { $by } %，即速度高 { $faster } %
judge-lower = { $division }：{ $metric } 低 { $by } %；另一方高 { $faster } %
judge-as-speed =
    { $division }：{ $metric } { $time ->
        [lower] 低
       *[higher] 高
    } { $by } %，即速度{ $speed ->
        [lower] 低
       *[higher] 高
    } { $gain } %
law-more-than-can-be = 超过可能的上限
law-fewer-than-set = 少于设置
law-as-set = 与设置一致
rating-wrong = 错误
rating-inconsistent = 不一致
rating-unsupported = 无依据
rating-loose = 不严谨
rating-right = 正确
