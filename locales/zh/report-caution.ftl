caution-not-run = 计划中有 { $open } 个单元没有运行。
caution-running = 运行尚未完成：{ $all } 个单元中已记录 { $done } 个。
caution-interrupted = 运行在完成 { $done } 个单元（共 { $all } 个）之后中断；`drivetrain resume { $run }` 可将其完成。
caution-killed = 运行在完成 { $done } 个单元（共 { $all } 个）之后被杀死；`drivetrain resume { $run }` 可将其完成。
caution-failed = 运行在完成 { $done } 个单元（共 { $all } 个）之后失败；请先排除原因，再用 `drivetrain resume { $run }` 继续。
caution-failed-why = 运行在完成 { $done } 个单元（共 { $all } 个）之后失败：{ $why }；请先排除原因，再用 `drivetrain resume { $run }` 继续。
caution-stopped = 负载在结束之前被停止：其数字只涉及已运行的部分。
caution-not-whole = 此负载测得的结果没有全部保存。
caution-order = 顺序没有随机化：每个平台作为一个整块运行，因此机器的漂移看起来会像平台之间的差异。
caution-drift =
    从第一次重复到最后一次重复，{ $metric } 在所有平台上同样{ $direction ->
        [up] 上升
       *[down] 下降
    }了 { $by }；{ $order ->
        [sequential] 单元的顺序不能将其抵消
       *[other] 交错配对抵消了其中大部分
    }。
caution-of-run = 关于{ $run }：{ $warning }
caution-named-but-same = `{ $name }` 被声明为有意改变，但在两次运行中相同。

caution-left-out = { $invalid } 个无效单元和 { $interrupted } 个中断的单元被排除在所有数值和结论之外；原因已列出。
caution-left-out-invalid = { $invalid } 个无效单元被排除在所有数值和结论之外；原因已列出。
caution-left-out-interrupted = { $interrupted } 个中断的单元被排除在所有数值和结论之外；原因已列出。
caution-warned = { $cells } 个有效单元有警告；第一个（{ $bed }，{ $at }）：{ $first }
caution-inputs = { $cells } 个有效单元的输入超出第 5.5.1.5 条的限度，这在短单元中会偶然发生；第一个：{ $first }
caution-errors = 有效单元中共计有 { $errors } 个错误。
caution-errors-first = 有效单元中共计有 { $errors } 个错误，第一个：{ $first }
caution-few-samples = 某些单元的 p99 仅基于 { $fewest } 个延迟样本；界定 p99 至少需要 { $least } 个。

caution-generator = 负载生成器限制了 { $bed }（{ $levels }）：该处没有测到它的存储。
caution-place = { $bed }（{ $levels }）
caution-and-more = { $told }，另有 { $more } 项
caution-generator-several = 负载生成器是瓶颈：{ $places }。该处没有测到存储。
caution-unlike-points = { $workload } 的每个数字由矩阵中不同的点合并得出：{ $points }。它不能回答其中任何一点的问题。报告和 `drivetrain show { $run } --full` 列出了各点。
caution-all-points = 全部 { $count } 个
caution-behind-several = 未达到设定速率：{ $places }。所要求的请求多于能应答的，因此该处的延迟包含请求等待开始的时间，并取决于阶段的长度。
caution-paced-several = 达到了设定速率：{ $places }。延迟是该速率下的延迟，没有测量最高速率。
caution-paced = { $bed } 达到了设定速率（{ $levels }）：其延迟是该速率下的延迟，没有测量其最高速率。
caution-above-pace = { $bed } 在 { $levels } 超过设定速率 10 % 以上：升载太短（对有键入时间的用户，首次键入和思考时间尚未结束），因此吞吐量和延迟都不是设定速率下的值。
caution-above-pace-several = 超过设定速率 10 % 以上：{ $places }。升载太短（对有键入时间的用户，首次键入和思考时间尚未结束），因此吞吐量和延迟都不是设定速率下的值。
caution-late = I/O 晚于硬盘模型给出的时间完成：{ $beds }。本机跟不上，因此这些平台看起来比所建模的硬盘更慢。
caution-late-of = { $bed } 多达 { $percent } %（最多：{ $at }）
caution-late-verdict = 在 { $at } 下，晚于硬盘模型的完成占用了调用方时间的 { $percent } %（{ $bed }）和 { $baseline_percent } %（{ $baseline }）。除去这些，{ $metric } 的比值为 { $without } 而非 { $ratio }，判定为{ $verdict_without }而非{ $verdict }：起决定作用的是本机，而不是硬盘，增加重复次数也不会改变这一点。
caution-off-model = 建模硬盘的平均时间与其模型不符：{ $beds }。这种大小的差异可能来自本机而非硬盘。
caution-off-model-of =
    { $bed } { $kind ->
        [read] 读取
        [write] 写入
       *[sync] 同步
    }{ $direction ->
        [longer] 长
       *[shorter] 短
    } { $by }（{ $at }）
caution-on-bed = 在 { $bed } 上：{ $sentence }
caution-on-beds = { $what }：{ $beds }
caution-on-one = { $bed } { $what }
caution-others = 测量期间其他程序占用了处理器时间：{ $beds }。数值包含它们的干扰。
caution-others-of = { $bed } 多达 { $percent } %（{ $at }）
caution-others-apart = 其他程序在{ $run } 中占用了 { $percent } % 的处理器时间，在{ $baseline } 中占用了 { $baseline_percent } %（{ $bed }，{ $at }）：仅此一项就可能造成差异。请在没有其他活动的机器上测量两者。
caution-one-drive = { $beds } 的数据位于同一个文件系统（{ $source }，挂载于 { $mount }）：它们之间的差异并非来自硬盘。

caution-few-repeats = { $all } 项主要对比中有 { $few } 项的重复次数太少（少于 6 组配对，或未配对时少于 4 个和 4 个单元），属于探索性结果：只是线索，不是定论。
caution-unjudged = 有 { $count } 项主要对比无法判定。第一项：{ $first }
caution-below-noise = 差异小于同一平台在单元之间的波动（{ $variation }）。
caution-behind = { $bed } 在 { $levels } 未达到设定速率：所要求的请求多于其能应答的，因此该处的延迟包含请求等待开始的时间，并取决于阶段的长度。
caution-buffered = { $jobs } 的 I/O 是带缓存的（`direct` 已关闭）：其中一部分、甚至全部由内核的页缓存应答。数字是内存与存储合在一起的结果，瓶颈“硬盘”指两者。
