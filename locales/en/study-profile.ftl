### Loads of a profile, and the parts of the model whose error leans to one side.

profile-random-reads = random { $size } reads
profile-random-writes = random { $size } writes
profile-random-mix = random { $size }, { $percent } % reads
profile-sequential-reads = sequential { $size } reads
profile-sequential-writes = sequential { $size } writes
profile-sequential-mix = sequential { $size }, { $percent } % reads
profile-at-depth = { $what }, depth { $depth }
profile-at-rate = { $what }, { $rate }/s
profile-flush-each = { $load }, a flush after each
profile-flush-after = { $load }, a flush after { $writes }
profile-from-rest = { $load }, from rest
profile-worst-load = { $load }: { $figure } { $error }
profile-worst-side = { $load }, { $side }: { $figure } { $error }

## What the model takes for these points.

profile-form-read-latency = the mean of single reads, on straight lines between sizes
profile-form-read-tail = the log-normal distribution of single reads
profile-form-units = reads at once, on units of constant time
profile-form-write-rates = the mean of writes, one steady rate behind one buffer
profile-form-acknowledgement = the distribution of writes, log-normal while the buffer has room
profile-form-flush = flushes, a log-normal time beside the time of the bytes left to write
profile-form-interference = the mean of reads beside writes, c x rho^e and a share of the queue
profile-form-meeting = the distribution of reads beside writes
profile-lean-above = { $form }: { $figure } is { $percent } % above the measured one ({ $points } points)
profile-lean-below = { $form }: { $figure } is { $percent } % below the measured one ({ $points } points)
