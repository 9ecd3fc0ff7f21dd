floor-flag = testbed { $bed }: { $flag }
published-batch-requests = Permintaan batch, 4.6 untuk setiap pesanan baru, pada keduanya.
mount-over-device = FUSE melalui /dev/fuse, { $threads } thread
mount-over-rings = FUSE melalui io_uring, { $rings } ring
