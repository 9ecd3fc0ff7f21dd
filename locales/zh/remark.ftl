remark-told = { $text }
remark-doctor = { $check }：{ $read }（{ $why }）
remark-deviation = { $clause }：{ $what }
remark-confound = { $factor }：{ $side_a } 对 { $side_b }：{ $effect }
remark-data-left = 本次运行的部分数据无法删除：{ $error }

remark-loaded = 在 { $load_s } s 内装入 { $data }（{ $rows } 行，{ $size_mb } MB）；所有一致性条件成立，检查用时 { $check_s } s
remark-loaded-on-server = 在 { $server } 上装入并检查 { $data }，用时 { $elapsed_s } s；那里不重置单元：每个单元从前一个单元的数据开始
remark-found-on-server = 在 { $server } 上找到并检查 { $data }，用时 { $elapsed_s } s；那里不重置单元：每个单元从前一个单元的数据开始

remark-guesses = { $drive }：其模型的 { $numbers } 个数值中有 { $guesses } 个是猜测
remark-drive-model-error = 模型的精度：在有实测数值的七块硬盘中，写负载下的平均读延迟有四块吻合在 1.2 % 之内，第五块在 16 % 之内。它不能吻合另外两块的垃圾回收突发，并且对 p99.9 以上不作任何保证
remark-virtual-time = 时间是虚拟的：硬盘按模型的时间应答，精确到纳秒，负载生成器没有开销
remark-simulated-beds = 这里的一切都是模拟的：虚拟时间中的用户、处理器、缓冲池、日志、数据存储和硬盘，其参数按研究印出的数值拟合（`drivetrain published` 连同误差一起列出）。拟合出的数值不是预测；`drivetrain calibrate --leave-one-out` 显示模型对未参与拟合的测试的误差

data-warehouses = { $warehouses } 个仓库
data-sysbench-tables = { $tables } 张 sysbench 表，各 { $rows } 行
data-scanned-table = 1 张 { $rows } 行的表
