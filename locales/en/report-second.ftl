### Series that are drawn second by second: titles and the texts of their axes.

second-tpm = Transactions per minute, second by second
second-cpu-idle = CPU idle, second by second
second-drive-reads = Reads at the drive, second by second
second-drive-writes = Writes at the drive, second by second
second-tps = Transactions per second, second by second
second-iops = I/O operations per second, second by second
second-p99 = p99 latency, second by second
second-bandwidth = Bandwidth, second by second
second-read-bandwidth = Read from the drive, second by second
second-write-bandwidth = Written to the drive, second by second
second-read-latency = Mean read latency of the drive, second by second
second-write-latency = Mean write latency of the drive, second by second
second-neighbour = The neighbour's own progress, second by second

second-axis-tpm = transactions per minute
second-axis-cpu = % of CPU time
second-axis-reads = reads per second
second-axis-writes = writes per second
second-axis-tps = transactions per second
second-axis-iops = I/O operations per second
second-axis-mb = MB per second
second-axis-ms = ms
