### 시스템이 보여 줄 수 없는 모델 드라이브의 시간.

beyond-layer = 이 시스템이 보여 줄 수 있는 것보다 빠름: { $operations }
    .heading = 이 시스템이 보여 줄 수 있는 것보다 빠름
beyond-layer-operation =
    { $model_us } µs의 { $operation ->
        [read] 읽기
        [write] 쓰기
       *[sync] 동기화
    } (계층 자체가 p99에서 최대 { $layer_us } µs 소요)
beyond-mount = 마운트를 거쳐 하나씩 실행한 평균: { $operations }
    .heading = 마운트를 거쳐 하나씩 실행한 평균
    .rest = { $operations }
beyond-mount-operation =
    { $model_us } µs의 { $operation ->
        [read] 읽기
        [write] 쓰기
       *[sync] 동기화
    }에 { $mount_us } µs 소요
