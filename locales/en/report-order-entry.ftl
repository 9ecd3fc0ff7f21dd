### Order entry.

reading-tpm = All five transactions, committed, counted at the client; rollbacks are left out.
reading-tpm-per-user = Throughput of one user. A falling line: users wait for storage, for a processor or for each other.
reading-latency-of-five = From sending a transaction to its answer, all five kinds. Lower is better.
reading-p99 = One transaction in a hundred takes longer. Each dot is the p99 of one cell; p99s are never averaged within a cell.
reading-cpu-idle-load = Unused processor time. Processors that stay idle under load wait for storage or something else.
reading-ios = Reads, writes and syncs that reached the drive, per committed transaction.
reading-bytes = Bytes read and written at the drive, the log included, per committed transaction.
reading-pool-misses = Pages that the server requested from the operating system, per transaction; more memory would save them. The operating system's own cache may have answered.
distribution-all = Latency distribution, all transactions
distribution-new-orders = Latency distribution, new orders
