predict-nopm = NOPM
predict-latency-mean = latensi rata-rata, ms
predict-latency-p99 = latensi p99, ms
predict-commit-mean = commit rata-rata, ms
predict-commit-p99 = commit p99, ms
bed-of-one-drive = satu host dengan { $cores } core dan satu { $drive }
