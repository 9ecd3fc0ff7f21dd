### Events of cells.

floor-flag = bed { $bed }: { $flag }
published-batch-requests = Batch requests, 4.6 for each new order, in both.
mount-over-device = FUSE over /dev/fuse, { $threads } threads
mount-over-rings = FUSE over io_uring, { $rings } rings
