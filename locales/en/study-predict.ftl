### Figures of a prediction.

predict-nopm = NOPM
predict-latency-mean = latency mean, ms
predict-latency-p99 = latency p99, ms
predict-commit-mean = commit mean, ms
predict-commit-p99 = commit p99, ms

## The title of a bed.

bed-of-one-drive = one host of { $cores } cores with one { $drive }
predict-tps = transactions/s
predict-observed = { $server }: { $clients } clients, observed on { $from } and predicted on { $to } (95 % interval: observation and model together)
predict-observed-line = { $title }: { $observed } observed, { $value } predicted ({ $low } to { $high })
