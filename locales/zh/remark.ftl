remark-told = { $text }
remark-doctor = { $check }：{ $read }（{ $why }）
remark-of-host = 进程 { $rank }（{ $host }）：{ $found }
remark-hosts-differ = 各主机的 { $fact } 不同：{ $values }
remark-disclaimer = 此工作负载源自 TPC-C Benchmark。由于此实现并不符合 TPC-C Benchmark 的全部要求，其结果不可与已公布的 TPC-C Benchmark 结果比较。
remark-deviation = { $clause }：{ $what }
remark-confound = { $factor }：{ $side_a } 对 { $side_b }：{ $effect }
remark-data-left = 本次运行的部分数据无法删除：{ $error }
remark-measured-again = 用 `resume --cells` 重新测量的单元，其先前的结果不再计入：{ $cells }
remark-storage-shared = 另一次运行同时在同一存储上工作：{ $folder }；两者可能互相拖慢

remark-loaded = 在 { $load_s } s 内装入 { $data }（{ $rows } 行，{ $size_mb } MB）；所有一致性条件成立，检查用时 { $check_s } s
remark-loaded-on-server = 在 { $server } 上装入并检查 { $data }，用时 { $elapsed_s } s；那里不重置单元：每个单元从前一个单元的数据开始
remark-found-on-server = 在 { $server } 上找到并检查 { $data }，用时 { $elapsed_s } s；那里不重置单元：每个单元从前一个单元的数据开始

remark-guesses = { $drive }：其模型的 { $numbers } 个数值中有 { $guesses } 个是猜测
remark-drive-profiled = { $drive }：由延迟图拟合；在拟合未见的 { $points } 个点上模型的误差：p50 { $p50 } %（中位数），十分之九在 { $p50_nine } % 以内；p95 { $p95 } %，十分之九在 { $p95_nine } % 以内；其 { $numbers } 个数值中有 { $open } 个未能识别
remark-drive-profiled-loads = { $drive }：已做特性测定；在拟合未见的 { $points } 个点上模型的误差：均值 { $mean } %（中位数），十分之九在 { $mean_nine } % 以内；p99 { $p99 } %，十分之九在 { $p99_nine } % 以内；其 { $numbers } 个数值中有 { $open } 个未能识别
remark-drive-inaccurate = { $drive } 的模型不准确：在拟合未见的点上，其{ $figure ->
        [mean] 均值
       *[other] { $figure }
    }预测有十分之一偏差达 { $percent } % 或更大。`drivetrain drives { $see }` 显示其误差；更长时间的特性测定可能减小误差
remark-drive-model-error = 模型的精度：在有实测数值的七块硬盘中，写负载下的平均读延迟有四块吻合在 1.2 % 之内，第五块在 16 % 之内。它不能吻合另外两块的垃圾回收突发，并且对 p99.9 以上不作任何保证
remark-virtual-time = 时间是虚拟的：硬盘按模型的时间应答，精确到纳秒，负载生成器没有开销
remark-simulated-beds = 这里的一切都是模拟的：虚拟时间中的用户、处理器、缓冲池、日志、数据存储和硬盘，其参数按研究印出的数值拟合（`drivetrain published` 连同误差一起列出）。拟合出的数值不是预测；`drivetrain calibrate --leave-one-out` 显示模型对未参与拟合的测试的误差
remark-no-io = 没有执行 I/O：数字是程序自身的开销
remark-replayed = I/O 来自跟踪文件 { $trace }（{ $format }，{ $lines } 行）
remark-replayed-own-time = 它们在录制的时刻开始
remark-replayed-scaled = 它们之间的时间经过缩放：为录制速度的 { $speed } 倍
remark-replayed-fast = 忽略录制的时刻：未完成的 I/O 少于 { $depth } 次时立即开始
remark-replay-skipped = 略去 { $ios } 次 I/O：只读重放中的写入、丢弃和刷新
remark-replay-wrapped = { $ios } 次 I/O 超出目标末尾，移入目标之内
remark-replay-rounded = { $ios } 次 I/O 按直接 I/O 的块大小取整
remark-replay-cut = { $ios } 次 I/O 截短为 1 MiB
remark-replay-broken = 跟踪文件有 { $lines } 行无法读取，第一处是第 { $first } 行：{ $why }

data-warehouses = { $warehouses } 个仓库
data-sysbench-tables = { $tables } 张 sysbench 表，各 { $rows } 行
data-scanned-table = 1 张 { $rows } 行的表
remark-imported-from = 由 { $program } { $version } 测量，从 { $file } 导入：数字为该程序所报告，仅单位换成 drivetrain 的单位。测量条件未作任何检查
remark-imported-without-zone = 文件中的时间没有时区，按 { $zone } 处理。可用 `drivetrain import --zone` 指定其他时区
remark-imported-without-time = 文件未给出时间：开始时间取文件最后修改时间减去测试时长。可用 `drivetrain import --started` 指定其他时间
remark-imported-fio-latency = 延迟是 fio 的完成延迟（clat），从提交 I/O 到其完成。drivetrain 自己的延迟从预定的开始时刻算起
remark-imported-fio-total-latency = fio 未给出 { $jobs } 的完成延迟；采用了总延迟（lat）
remark-imported-fio-mixed = { $jobs }：此输出没有读写合计的百分位数，只有各自的百分位数。`fio --output-format=json+` 会写出其所依据的分布
remark-imported-fio-clones = fio 逐个报告了作业 { $job } 的 { $count } 个副本：每一行是一个负载的一部分。`group_reporting` 会把它们合为一行
remark-imported-fio-depth = { $job } 要求队列深度 { $asked }，而 fio 输出的实际深度为 { $kept }：其引擎会等待 I/O，或其速率过低。负载按实际深度记录
remark-imported-fio-several-jobs = { $job } 的负载是 { $jobs } 个队列深度为 { $depth } 的作业之和
remark-imported-fio-times = fio 未给出各作业的开始时间：它们被依次排列，最后一个结束于输出的末尾
remark-imported-fio-documents = 文件中有 { $count } 份 fio 输出，如 `--status-interval` 所写；导入了最后一份
remark-imported-hammerdb-percentiles = HammerDB 的响应时间包含预热阶段，其百分位数来自抽样
remark-imported-percentile = sysbench 报告的百分位数 { $percent } 不被 drivetrain 保留；`--percentile=95` 或 99 会被保留
remark-imported-pgbench-scripts = { $count } 个脚本一起运行；数字是它们的合计
remark-observed-at = 在 { $server } 上对他人的负载观察了 { $elapsed_s } 秒
remark-observed-cut-short = 在要求的 { $asked_s } 秒之前应请求结束；数值取自到那时为止的时间
remark-observed-away = 服务器停止应答且没有恢复：{ $error }。数值取自此前的时间
remark-observed-broken = 服务器重新启动、没有应答或计数器被重置共 { $times } 次：其中 { $lost_s } 秒未计入
remark-observed-caught-up = 负载停顿了 { $times } 次，共 { $still_s } 秒，随后以最高 { $burst_per_s } 事务/s 追赶（平时为 { $usual_per_s }）：客户端按自己的节奏发送。速率是两者的均值；工作中的客户端数和延迟不是平稳负载的值。请重新观察更长时间
remark-observed-all-programs = 每事务 CPU 是这台机器的处理器所做的一切，不含 drivetrain 本身：同一机器上的客户端属于负载，无法与其他程序区分
remark-observed-other-programs = 其他程序也占用了处理器：这台机器上的客户端最多按与服务器相同的 CPU 计入。请在它们空闲时重新观察
remark-observed-elsewhere = 服务器在另一台机器上：每事务 CPU 是观察到的无等待客户端的时间，并假定它有 { $processors } 个处理器；可用 `observe --processors` 指明
remark-observed-drive = 每事务读次数是到达硬盘 { $device } 的读，所有程序合计。其余缓冲池未命中的页来自内核的页缓存
remark-observed-other-drive = 数据位于 { $data }，而按 `--storage` 观察的是硬盘 { $device }：读写次数是 { $device } 的
remark-observed-pages = 不知道哪些读到达了硬盘：缓冲池未命中的页都计为读，尽管内核的页缓存可能已作答。如果数据在这台机器的硬盘上，可用 `observe --storage` 指明路径
remark-observed-unsynced = { $writing_percent } % 的事务有写入，而日志至多为 { $waiting_percent } % 刷写：其余事务不等待日志
remark-observed-thinking = 在事务之间，客户端有 { $percent } % 的时间在做别的事：部分负载保持自己的节奏。预测原样保留这些停顿
remark-observed-statements = 没有客户端自己结束事务：每条语句计为一个事务
