### Limiters: the meaning of each, after its name and a colon.

limiter-drive = waits for reads or writes of the drive took the largest part of the time
limiter-log-flush = waits for the log to reach the drive took the largest part of the time
limiter-locks = waits for locks of other transactions took the largest part of the time
limiter-cpu = computing took the largest part of the time, or the processors had no time left for the database and its clients
limiter-client = the load generator took the processors, so the storage was not measured
limiter-kernel = the kernel's storage stack took the processors
limiter-other-programs = other programs took the processors; measure again when they are idle
limiter-pacing = the requested rate was met; the highest possible rate was not measured
limiter-no-answer = no request was answered for a tenth of the time or more while requests waited
limiter-fixed-waits = waits inside the modelled engine, the same for every batch, regardless of drive, processors and number of users
limiter-network = waits for the network between client and server took the largest part of the time
limiter-not-known = no cell recorded its limiter

limiter-meaning = { $limiter }: { $meaning }.
# `$limiter` is the word of one or several of them.
limiter-missed-pace = { $limiter }, missed its pace
limiter-missed-pace-in = { $limiter }, missed its pace in { $missed } of { $cells } cells
limiter-no-valid-cell = no valid cell
observed-limited-by = limited by { $limiter }: { $figures }
