floor-flag = 平台 { $bed }：{ $flag }
published-batch-requests = 批请求，每个新订单 4.6 次，两者相同。
mount-over-device = 经 /dev/fuse 的 FUSE，{ $threads } 个线程
mount-over-rings = 经 io_uring 的 FUSE，{ $rings } 个环
