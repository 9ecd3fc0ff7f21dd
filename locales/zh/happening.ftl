happening-told = { $text }
happening-why = { $why }
happening-unmeasurable = { $metric } 没有可能的值（{ $value }）
happening-reset = { $method }，用时 { $reset_s } s
happening-not-reset = 未重置：现有的服务器保留之前各单元的数据
happening-trace = { $path } 中有 { $ios } 次 I/O，略去 { $left_out } 次

happening-host-client = 进程 { $rank }（{ $host }）受限于其负载发生器：存储本可完成更多
happening-host-slow = 进程 { $rank }（{ $host }）完成了各主机平均值的 { $share_percent } %
happening-host-late = 进程 { $rank }（{ $host }）比约定时刻晚 { $late_ms } ms 启动

happening-standstill = 从测量阶段的 { $from_s } s 起，在有请求等待时，{ $length_s } s 内没有任何请求得到应答
happening-standstills = 从测量阶段的 { $from_s } s 起，在有请求等待时，{ $length_s } s 内没有任何请求得到应答（共 { $times } 次，合计 { $together_s } s）
happening-requests-unfinished = { $requests } 个请求到排空时限（测量阶段之后 { $drain_s } s）仍未完成；其延迟为下界
happening-connections-lost = { $requests } 个请求的连接在处理途中断开：它们可能已提交，也可能没有；其延迟为下界
happening-input-outside = { $name } 为 { $value } { $unit }，在 { $low } 至 { $high } 之外
happening-tpm-differs = TPM 按服务器的计数为 { $server }，按客户端的计数为 { $client }：服务器计入所有会话（我们的和其他的）的每次提交和回滚，最多晚一秒给出，而 MariaDB 不计自行提交的单条语句
happening-nopm-differs = NOPM 按服务器的计数为 { $server }，按客户端的计数为 { $client }：D_NEXT_O_ID 之和不含已回滚的订单，并且是在事务进行中读取的
happening-load-ended = 负载结束，原因：{ $error }
happening-layout = { $file_system }：复制后 { $as_copied } 个碎片，布局后 { $as_laid_out } 个（{ $extents } 个区段，各 { $piece_kib } KiB）
file-system-named = { $name }
file-system-unknown = 文件系统未知
happening-plan-of-scan = 扫描：{ $plan }
happening-plan-of-lookup = 查找：{ $plan }

happening-arm-alone = { $victims } 个受害者各自单独
happening-arm-together = { $victims } 个受害者同时
happening-arm-with-neighbour = { $victims } 个受害者与 { $neighbours } x { $neighbour }
happening-arm-mitigated = { $victims } 个受害者与 { $neighbours } x { $neighbour }，以 { $mitigation } 缓解
happening-arm-neighbour-alone = { $neighbours } x { $neighbour }，没有受害者

happening-cycle = 循环 { $number }：备份 { $database_mb } MB 用时 { $backup_s } s（{ $files } 个文件，{ $files_mb } MB，{ $tool }）；所有文件的校验和吻合；还原用时 { $restore_s } s（文件 { $copied_s } s，启动 { $start_s } s）；{ $proof }
proof-tables = { $conditions }；对 { $tables } 张表中的 { $rows } 行计算了校验和；验证用时 { $took_s } s
proof-tables-and-orders = { $conditions }；对 { $tables } 张表中的 { $rows } 行计算了校验和；{ $all } 个已确认订单中有 { $there } 个存在；验证用时 { $took_s } s
conditions-hold = 所有一致性条件成立
conditions-violated = 违反了 { $count } 个一致性条件
happening-cycle-simulated = 循环 { $number }：备份 { $backup_mb } MB 用时 { $backup_s } s；还原用时 { $restore_s } s
happening-drill-caught = { $file } 第 { $byte } 字节的第 { $bit } 位被翻转并被发现：{ $error }

happening-purge-modelled = 模型硬盘的每个单元都从稳态开始：没有需要清除的内容
happening-purge-discarded = 设备的所有块都已丢弃
happening-purge-given-back = 文件的块已释放给其文件系统，只有以 `discard` 挂载时，文件系统才会将此传给硬盘；文件之外的块保留其内容
happening-purge-new-file = 文件是新建并完整写入的；硬盘没有清除，那需要裸设备：文件之外的块保留其内容
happening-search-deepest = 最高负载（{ $percentile } 在 { $latency } 之内）：{ $point }
happening-search-none = 没有负载满足要求（{ $percentile } 在 { $latency } 之内），连所试的最小负载也不满足
happening-settled = 在 { $most_s } s 中的 { $measured_s } s 后结束：速率已下降并保持稳定

happening-steady-attained = { $rounds } 轮后达到稳态（{ $end }）
happening-steady-attained-window = { $rounds } 轮后达到稳态（{ $end }），窗口为第 { $first } 至 { $last } 轮
happening-steady-missed = { $rounds } 轮后未达到稳态（{ $end }）
happening-steady-missed-window = { $rounds } 轮后未达到稳态（{ $end }），窗口为第 { $first } 至 { $last } 轮
rounds-steady = 稳定
rounds-enough-written = 已写入足够数据
rounds-no-more = 不允许更多轮
happening-steady-few-rounds = { $figure }：{ $rounds } 轮少于一个窗口
happening-steady-figure = { $figure }：平均 { $average } { $unit }；偏移 { $excursion }，允许 { $excursion_allowed }；斜率 { $slope }，允许 { $slope_allowed }；拟合 { $fit } x R + { $base }
steady-iops = IOPS
steady-bandwidth = 带宽
steady-mean-latency = 平均延迟
tracked-at = { $figure }（{ $points }）
tracked-reads = { $read } 读

happening-simulated-until-narrow = 每个负载在虚拟时间中运行，直到其速率的 95 % 置信区间在 1 % 之内，或达到所要求的全部时间
happening-simulated-steady = 模型硬盘从稳态开始：没有预先填充，一轮即给出全部结果
happening-simulated-patterns = 模型硬盘对每个偏移处的随机请求应答相同：所有随机模式都按均匀分布处理
happening-simulated-copies = 模型在虚拟时间中移动了每份副本的每个字节；没有写入任何数据，因此没有验证还原，也没有翻转任何位
happening-simulated-for = { $virtual_s } s 虚拟时间代表 { $whole_s } s：吞吐量的 95 % 置信区间的半宽为 { $precision_percent } %
happening-simulated-slow-for = { $virtual_s } s 虚拟时间代表 { $whole_s } s；其中缓慢的状态变化加快为 { $haste } 倍，使备份的开始、结束和留下的影响与在全部时间内一样频繁
