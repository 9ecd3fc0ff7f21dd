predict-nopm = NOPM
predict-latency-mean = 평균 지연 시간, ms
predict-latency-p99 = p99 지연 시간, ms
predict-commit-mean = 평균 커밋, ms
predict-commit-p99 = p99 커밋, ms

bed-of-one-drive = { $cores }코어 호스트 하나, { $drive } 하나
