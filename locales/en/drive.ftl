### The names of the numbers of a drive, by their keys in its file without the unit.

drive-read-tail_ratio = tail of single reads: p99 over median
drive-read-rate_4k = 4KiB reads at unbounded depth
drive-read-rate_8k = 8KiB reads at unbounded depth
drive-read-rate_depth = depth of the highest read rate
drive-read-units = units that read at once
drive-read-piece = piece that one unit reads
drive-read-sequential_latency = latency of a sequential read
drive-read-slowdown_by_writes = slowdown of reads by writes
drive-link-duplex = reads and writes on the interface
drive-link-queue_limit = commands in the queue
drive-link-read_bandwidth = read bandwidth
drive-link-write_bandwidth = write bandwidth
drive-write-ack = acknowledgement of a write
drive-write-tail_ratio = tail of single writes: p99 over median
drive-write-rate_4k = steady 4KiB writes
drive-write-rate_8k = steady 8KiB writes
drive-write-buffer = write buffer
drive-flush-cost = cost of a flush
drive-flush-tail_ratio = tail of single flushes: p99 over median
drive-flush-write_back = write-back in a flush: its time over that of the medium
drive-flush-held_writes = share of writes that wait for a flush
drive-flush-power_loss_protection = power-loss protection
drive-interference-delay = delay of a read that meets a write
drive-interference-exponent = growth of that delay with the writes
drive-interference-turnaround = change between reads and writes, which take turns
drive-interference-queued_write_share = share of queued writes that reads wait for
drive-map = measured map

## Limits in front of a drive.

drive-limit-operations = limit: operations
drive-limit-operations_burst = limit: operations of a burst
drive-limit-bandwidth = limit: bandwidth
drive-limit-bandwidth_burst = limit: bytes of a burst
drive-limit-read_operations = limit: reads
drive-limit-read_operations_burst = limit: reads of a burst
drive-limit-read_bandwidth = limit: read bandwidth
drive-limit-read_bandwidth_burst = limit: bytes read in a burst
drive-limit-write_operations = limit: writes
drive-limit-write_operations_burst = limit: writes of a burst
drive-limit-write_bandwidth = limit: write bandwidth
drive-limit-write_bandwidth_burst = limit: bytes written in a burst
drive-limit-slice = limit: slice of time in which it works
drive-limit-shared = limit that reads and writes share
drive-limit-shared_per_read = of it, a read takes
drive-limit-shared_per_write_mb = of it, a written MB takes
drive-limit-shared_burst = burst of that limit
