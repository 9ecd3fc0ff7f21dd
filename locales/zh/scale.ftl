### 实验如何被缩小。

## 说明。`s` 是系数。

scale-told = { $text }
scale-as-written = 按原样以完整大小运行。
scale-nothing-shrunk = 请求的比例为 { $factor }，但没有需要缩小的部分：按原样运行。
scale-shrunk = 以比例 { $factor } 运行：{ $changes }（{ $rule }）。
scale-rule = { $clauses }；{ $stays }保持原样

## 改动。

change-part = { $part } { $before } 变为 { $after }
change-matrix = 矩阵的点 { $before } 变为 { $after }
change-unscaled = { $part } { $size } 不缩放
change-not-settled = 不等待负载趋于稳定

## 规则的各项。

clause-sizes = { $parts } x s
clause-memory = 内存与数据库同比
clause-loads = { $parts } x s^(1/2)
clause-points = 矩阵、曲线或稳态的各点时间 x s（至少 100 ms，曲线的测量点至少 500 ms；在 1/600 及以下至多 200 ms，每两轮查看一次，矩阵的每个轴只保留第一个、最后一个以及被跟踪的值或一个中间值）
clause-bursts = 突发的 I/O 数与突发间隔同比
clause-keyed = 有输入和思考时间的用户 x s（升载至少 30 s，测量至少 60 s）
clause-neighbours = 负载时间 x s，间隔 x s^(3/4)，限制 x s^(1/4)
clause-victims = 受害者在 1/60 及以下为 4 个，在 1/600 及以下为 2 个
clause-times = 时间 x s^(3/4)
clause-instances = 实例在 1/60 及以下为 4 个，在 1/600 及以下为 2 个

## 各部分的名称。

word-scaled-warehouses = 仓库
word-scaled-virtual-users = 虚拟用户
word-scaled-users = 用户
word-scaled-threads = 线程
word-scaled-arrivals-per-second = 每秒到达数
word-scaled-arrivals = 到达数
word-scaled-rows = 表的行
word-scaled-memory = 内存
word-scaled-memory-limit = 全部内存的限制
word-scaled-instances = 实例
word-scaled-file = 文件大小
word-scaled-files = 文件
word-scaled-ramp-up = 升载
word-scaled-measuring = 测量
word-scaled-point-ramp-up = 单点的升载
word-scaled-point-measuring = 单点的测量
word-scaled-curve-point-measuring = 曲线单点的测量
word-scaled-settled-window = 速率稳定的窗口
word-scaled-rounds-between-looks = 两次查看之间的轮数
word-scaled-rounds-most = 最多轮数
word-scaled-preconditioning = 预处理
word-scaled-region = 区域
word-scaled-stream-bytes = 流的字节数
word-scaled-stream-start = 流的开始时刻
word-scaled-stream-time = 流的时间
word-scaled-burst-every = 突发间隔
word-scaled-burst-ios = 突发的 I/O 数
word-scaled-interval = 间隔
word-scaled-limit = 限制
word-scaled-neighbours = 邻居
word-scaled-victims = 受害者
word-scaled-pause = 停顿
word-scaled-before-crash = 崩溃之前的时间
word-scaled-depths = 队列深度
word-scaled-rates = 速率
word-scaled-cycles = 循环
word-scaled-rounds = 轮数
word-scaled-tables = 表
word-scaled-shares-and-pieces = 比例和片段
word-scaled-repeats = 重复次数
