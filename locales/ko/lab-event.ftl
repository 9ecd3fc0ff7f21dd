floor-flag = 베드 { $bed }: { $flag }
published-batch-requests = 배치 요청, 둘 다 신규 주문 1건당 4.6건.
mount-over-device = /dev/fuse 기반 FUSE, 스레드 { $threads }개
mount-over-rings = io_uring 기반 FUSE, 링 { $rings }개
