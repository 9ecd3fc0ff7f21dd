reason-told = { $text }
reason-error = { $error }
reason-failed = { $step }：{ $error }
word-step-reset = 重置
word-step-start = 启动
word-step-laying-out = 布局
word-step-emptying-the-caches = 清空缓存
word-step-mitigation = 缓解
word-step-backup = 备份
word-step-verifying-the-backup = 验证备份
word-step-restore = 还原
word-step-proving-the-restored-instance = 证明还原的实例
word-step-drill = 演练
word-step-writing-the-trace-of-a-cell = 写入单元的跟踪文件

reason-instance = 实例 { $instance }：{ $why }
reason-neighbour = 邻居：{ $why }
reason-of-host = 进程 { $rank }（{ $host }）：{ $why }
reason-fleet-not-started = 没有主机启动：{ $why }
reason-in-cycle = 循环 { $cycle }，{ $why }
reason-of-cycle = 循环 { $cycle }：{ $why }
reason-with-server-log =
    { $why }
    服务器日志的最后几行：
    { $log }

reason-stopped-at-once = 立即停止：{ $why }
reason-stopped-unchecked = 立即停止，未检查一致性
reason-stopped-measuring = 在测量阶段结束之前被用户停止
reason-stopped-in-round = 在本轮结束之前被用户停止
reason-stopped-after-reads = 在完成 { $all } 次读取中的 { $done } 次之后被用户停止
reason-stopped-after-scans = 在完成 { $all } 次扫描中的 { $done } 次之后被用户停止
reason-stopped-after-cycles = 在 { $done } 个循环之后被用户停止
reason-program-ended = 程序先于单元结束

reason-not-simulated = 不模拟这种工作负载
reason-no-instance = 平台没有实例
reason-one-instance = 持久性测试只使一个实例崩溃
reason-foreign-server = 服务器不是 drivetrain 启动的
reason-no-database = 它没有数据库
reason-no-file = 它没有文件
reason-no-stream = 工作负载没有流
reason-no-load = 工作负载没有负载
reason-block-too-large = 大小为 { $size } 的块太大
reason-streams-need-level = 没有自身负载的流需要一个级别
reason-curve-needs-depth = 曲线需要队列深度
reason-search-needs-level = 搜索需要一个作为上限的级别
reason-log-not-shared = 数据与位于独立硬盘上的日志不能共用一个负载：请为日志上的流指定自身的负载（`depth`、`rate` 或 `burst`）
reason-log-needs-storage = 使用按名称指定的文件时，日志需要平台的 `log` 存储
reason-model-needs-drive = 引擎 `modelled` 需要仿真存储
reason-server-is-no-target = 块 I/O 需要硬盘或路径，而此平台是位于 { $url } 的服务器
reason-file-unreadable = 无法读取 { $path }：{ $error }
reason-file-without-size = { $path }：文件不存在，并且工作负载没有给出创建它的大小
reason-arm-unknown = 实验中没有这个组别
reason-arm-idle = 在这个组别中没有任何东西使用存储：邻居处于空闲
reason-no-victims = 没有受害者
reason-pieces-unknown = { $file }：{ $error }：文件系统不提供文件各碎片的位置
reason-load-failed = 其负载的线程失败
reason-crasher-failed = 引发崩溃的线程失败
reason-watcher-failed = 监视负载的线程失败

reason-nothing-completed = 在测量阶段没有完成任何工作
reason-load-not-begun = 负载没有开始
reason-unanswered = { $requests } 个请求没有得到应答；{ $why }
reason-silent = 服务器停止应答（{ $error }）
reason-only-session-lost = 唯一的会话在负载开始 { $at_s } s 后失去连接
reason-all-sessions-lost = 全部 { $sessions } 个会话在负载开始 { $at_s } s 后同时失去连接：服务器停止、崩溃或被切断
reason-started-again = 服务器在负载下重新启动过
reason-crashed-and-recovered = 服务器在负载下崩溃并恢复过
reason-killed-for-memory = 因内存耗尽，内核杀死了其 { $processes } 个进程；请提高 `memory_limit`

reason-not-checked = 无法检查一致性：{ $why }
reason-violated = 违反一致性：{ $conditions }
reason-condition = 条件 { $number }（{ $clause }）：{ $detail }
reason-sysbench-condition = 表 { $table }：{ $condition }：{ $rows } 行违反：{ $detail }
reason-scanned-rows = 表有 { $rows } 行，而不是 { $expected } 行
reason-scanned-places = 各位置之和为 { $sum }，而不是 { $expected }
reason-scanned-bytes = 有效载荷有 { $bytes } 字节，而不是 { $expected } 字节
reason-other-rows = { $way } 与 { $first } 找到的行不同：{ $found }，而不是 { $expected }
reason-rows-read = { $rows } 行，{ $bytes } 字节，各位置之和为 { $sum_of_places }

reason-nothing-acknowledged = 崩溃之前没有任何订单得到确认，因此什么也没有验证；请延长负载时间
reason-not-recovered = 没有恢复：{ $error }
reason-damaged = 数据库在崩溃之后受损，全部 { $orders } 个已确认订单丢失：{ $why }
reason-orders-lost = { $acknowledged } 个已确认订单中丢失 { $lost } 个：（仓库，地区，订单）{ $named }

reason-restored-otherwise = 还原的实例与其来源不同：{ $found }
reason-orders-missing = 备份之前已确认的 { $acknowledged } 个订单中缺少 { $missing } 个
reason-table-missing = 缺少表 { $table }
reason-table-rows = 表 { $table } 有 { $rows } 行，而不是 { $expected } 行
reason-table-differs = 表 { $table } 包含其他的行：校验和不同
reason-table-added = 表 { $table } 在来源中不存在
reason-drill-unnoticed = 演练：{ $file } 第 { $byte } 字节的第 { $bit } 位被翻转，没有任何检查发现

reason-nothing-measured = 没有测到任何可计入的结果
reason-ios-failed = { $ios } 次 I/O 失败：{ $error }
reason-ios-short = { $ios } 次 I/O 传输的字节少于所请求的字节
reason-ios-unfinished = { $ios } 次 I/O 到排空时限仍未完成；其延迟为下界
reason-run-stopped = 运行在结束之前被停止
reason-target-failing = 目标只返回错误（最后一个：{ $error }）；运行被提前终止
reason-target-deleted = { $path } 在使用中被删除
reason-target-moved = { $path } 在使用中被移动到 { $now }
reason-target-unmounted = { $path } 已无法访问：其文件系统（设备 { $device }）已被卸载，或被另一个文件系统覆盖；运行未能删除的内容仍在该设备上
reason-workers-stuck = { $workers } 个工作线程挂在一个从未返回的系统调用中；缺少它们的 I/O
reason-program-stood-still = 从负载的第 { $from_second } 秒起，drivetrain 自身有 { $seconds } s 没有运行：它被暂停，或其机器停顿；这段时间的延迟不属于驱动器
reason-coarse-seconds = 在这样长度的运行中，单个秒的百分位数误差可达 { $error_percent } %；整个运行的百分位数则没有
reason-journal-ended = 写入日志提前结束：{ $error }
reason-journal-incomplete = { $writes } 次持久写入不在写入日志中
reason-blocks-wrong = { $blocks } 个已写入的块有误：{ $kinds }
fault-flipped = { $blocks } 个位翻转
fault-torn = { $blocks } 个撕裂
fault-lost = { $blocks } 个丢失
fault-stale = { $blocks } 个过期
fault-misplaced = { $blocks } 个错位
fault-unreadable = { $blocks } 个不可读
fault-none = 没有错误
reason-not-verified = 对已写入数据的校验没有完成
