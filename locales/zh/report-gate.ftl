gate-reason = { $place }：为基线的 { $value }（{ $interval }，{ $above } + { $below } 个单元），{ $verdict }；{ $settles }
gate-place = { $workload } 的 { $metric }（{ $bed }，{ $at }）
gate-hint = 目前{ $verdict }：只是线索，不是定论
gate-smallest-effect = 最小效应为 { $smallest }
gate-more-repeats = 每次运行约 { $repeats } 次重复即可判定（--set design.repeats={ $repeats }）
gate-no-repeats-settle = 即使再增加 500 次重复也无法判定：就其噪声而言，差异过于接近最小效应
gate-no-metric = 没有一个声明的指标在两次运行中都测量过
gate-not-judged = 无法判定 { $place }：{ $reason }
gate-not-counted = 该运行有 { $cells } 个单元不计入，因此缺少其结果；第一个：{ $first }

gate-passed = { $verdict }：{ $run } 不比{ $baseline } 差
gate-failed = { $verdict }：{ $run } 比{ $baseline } 差
gate-open = { $verdict }：既未显示{ $run } 比{ $baseline } 差，也未显示两者相等或前者更优
gate-open-passes = { $verdict }，按通过处理：既未显示{ $run } 比{ $baseline } 差，也未显示两者相等或前者更优
gate-refused = 未比较：{ $run } 与{ $baseline }
gate-exit-code = 退出码 { $exit_code }
gate-counts = 检查了 { $checked } 项声明的结果：{ $worse } 项更差，{ $equal } 项相等，{ $better } 项更优，{ $undecided } 项未定。
gate-columns = 结果 | 比值、区间和最小效应
gate-more = 另有 { $left } 项：`drivetrain check --full`
