figures-told = { $text }
figures-users = 用户时间：硬盘读 { $drive_reads_percent } %，日志 { $log_percent } %，等待唯一的写入者 { $writer_percent } %，引擎与客户端 { $rest_percent } %；{ $processors }
figures-sessions =
    { $samples ->
        [0] 服务器会话：未观察到正在工作的会话；{ $processors }
       *[other] 服务器会话：日志 { $log_percent } %，硬盘 { $drive_percent } %，行锁 { $locks_percent } %，处理器及其余 { $rest_percent } %（{ $samples } 个样本）；{ $processors }
    }
figures-sessions-few = 服务器会话：只有 { $samples } 个样本见到工作中的会话，不足以给出比例；{ $processors }
figures-model = 模型中的用户时间：处理器 { $processor_percent } %，等待处理器 { $queue_percent } %，硬盘读 { $drive_reads_percent } %，日志 { $log_percent } %，引擎内的固定等待 { $fixed_percent } %，网络 { $network_percent } %；CPU 空闲 { $cpu_idle_percent } %
figures-workers = 每个工作线程：负载生成器占一个处理器的 { $generator_percent } %，内核占 { $kernel_percent } %
figures-workers-paced = 设定 { $asked_iops } IOPS，达到 { $iops }；每个工作线程：负载生成器占一个处理器的 { $generator_percent } %，内核占 { $kernel_percent } %
figures-model-paced = 设定 { $asked_iops } IOPS，达到 { $iops }
figures-model-behind = 未达到设定速率：设定 { $asked_iops } IOPS，达到 { $iops }；其余的在等待模型的存储
figures-model-unpaced = 块负载的模型只包含其存储
figures-no-answer = 在 { $measured_s } s 中有 { $still_s } s（{ $still_percent } %）请求在等待，却没有任何请求得到应答；其余时间（{ $moving }）：{ $rest }
figures-pace-kept = 达到设定速率：{ $per_s }，设定 { $asked_per_s }/s；{ $rest }
figures-pace-missed = 未达到设定速率：{ $per_s }，设定 { $asked_per_s }/s；{ $rest }
figures-pace-above = 高于设定速率：{ $per_s }，设定 { $asked_per_s }/s；{ $rest }
figures-with-processors = { $rest }；{ $processors }

processors-known = CPU 空闲 { $idle_percent } %，其他程序占忙碌时间的 { $others_percent_of_busy } %，steal { $steal_percent } %
processors-others-not-known = CPU 空闲 { $idle_percent } %，其他程序未知，steal { $steal_percent } %
processors-elsewhere = CPU 未知，服务器在另一台机器上
figures-workers-behind = 未达到设定速率：设定 { $asked_iops } IOPS，达到 { $iops }；每个工作线程：负载生成器占一个处理器的 { $generator_percent } %，内核占 { $kernel_percent } %
