predict-nopm = NOPM
predict-latency-mean = 평균 지연 시간, ms
predict-latency-p99 = p99 지연 시간, ms
predict-commit-mean = 평균 커밋, ms
predict-commit-p99 = p99 커밋, ms

bed-of-one-drive = { $cores }코어 호스트 하나, { $drive } 하나
predict-tps = 트랜잭션/s
predict-observed = { $server }: 클라이언트 { $clients }개, { $from }에서 관찰하고 { $to }에서 예측함 (95 % 구간: 관찰과 모델을 합친 것)
predict-observed-line = { $title }: 관찰 { $observed }, 예측 { $value } ({ $low } ~ { $high })
