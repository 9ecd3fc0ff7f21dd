trend-headline = { $name } 的 { $runs } 次运行中有 { $changes } 处变化
trend-few = { $name } 有 { $runs } 次运行：太少，无法找出变化，这需要约 { $least } 次运行
trend-none = { $name } 的 { $runs } 次运行中未发现变化
trend-change = { $place }：自运行 { $run }（{ $started }）起为 { $ratio }：之前 { $before }，之后 { $after }
trend-steady = { $place }：未发现变化；最近一次运行为 { $value }
trend-break = 运行 { $run } 之前有变化：{ $facts }
trend-point = 运行 { $run }，{ $started }：{ $value }
trend-more-facts = ；等等
trend-not-known = { $place }：尚未可知；最近一次运行为 { $value }
trend-question = { $name } 是否发生了变化？
trend-kicker = { $name } · { $runs } 次运行 · { $first } 至 { $last }
trend-reading = 每个点是一次运行；线：无变化的一段的均值。
trend-reading-whisker = 须线：一次运行各单元的 95 % 区间。
trend-reading-letters = 字母：运行的环境在该处发生了变化。
trend-title-change = 自运行 { $run } 起为 { $ratio }，是该指标 { $changes } 处变化中最大的
trend-axis-from = { $axis }（轴自 { $start } 起）
trend-axis-runs = 运行
trend-source = drivetrain · { $name } · { $place }
trend-tile-latest = 最新的运行 { $run }
trend-tile-stretch = 相对于上次变化以来 { $runs } 次运行的均值。一次运行不构成变化点；第二次运行才能决定。
trend-tile-no-change = 相对于此前 { $runs } 次运行的均值，其间无变化。一次运行不构成变化点；第二次运行才能决定。
trend-tile-changes = 找到的变化
trend-tile-of-series = { $series } 个序列中，变差 { $worse } 处。
trend-tile-runs = 同类运行
trend-tile-breaks =
    { $breaks ->
        [0] 名称、测量方式和规模相同的实验。环境和实验的键没有变化。
       *[other] 名称、测量方式和规模相同的实验。其中 { $breaks } 次之前环境或实验的键发生了变化。
    }
trend-others = 其他指标
trend-runs = 运行
trend-runs-caption = { $runs } 次运行，最新的在前
trend-breaks-lead = 字母与图中相同：运行环境中记录到的、与前一次运行不同之处。字母处的变化可能由此而来。
trend-column-run = 运行
trend-column-started = 开始，UTC
trend-column-before = 在其之前的变化
trend-here = 变化点：{ $ratio }
trend-facts = { $mark } · { $facts }
trend-steady-ones = { $count } 个没有变化的序列
trend-how = 如何找到变化点
trend-how-more = 以及何时画出中断
trend-how-changes = 变化是历史中的一个分割点：其前后的秩之差大于同样数值的 99 % 随机排列，且均值之差不小于实验声明的最小效应（按秩的最大 t 统计量做二分分割，并用置换检验）。每侧至少有两次运行。运行太少时无法显示变化：需要十次或更多。小于运行噪声的变化看不出来，因此“未发现变化”并不证明没有变化。
trend-how-breaks = 如果一次运行的环境（内核、处理器、程序版本、设置、下层硬盘）与前一次不同，则在其之前画出中断。均值线在该处断开。
trend-all-runs = 全部运行
trend-tile-too-few = 运行太少
trend-tile-least = 从 { $least } 次运行起才能发现变化。
