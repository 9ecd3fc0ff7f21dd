predict-nopm = NOPM
predict-latency-mean = 平均延迟，ms
predict-latency-p99 = p99 延迟，ms
predict-commit-mean = 平均提交，ms
predict-commit-p99 = p99 提交，ms

bed-of-one-drive = 一台 { $cores } 核主机，一块 { $drive }
predict-tps = 事务/s
predict-observed = { $server }：{ $clients } 个客户端，在 { $from } 上观察，在 { $to } 上预测（95 % 区间：观察与模型合计）
predict-observed-line = { $title }：观察 { $observed }，预测 { $value }（{ $low } 到 { $high }）
