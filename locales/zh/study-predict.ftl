predict-nopm = NOPM
predict-latency-mean = 平均延迟，ms
predict-latency-p99 = p99 延迟，ms
predict-commit-mean = 平均提交，ms
predict-commit-p99 = p99 提交，ms

bed-of-one-drive = 一台 { $cores } 核主机，一块 { $drive }
