### Limiters: the meaning of each, after its name and a colon.

limiter-drive = the largest part of the time went into waiting for reads or writes of the drive
limiter-log-flush = the largest part of the time went into waiting for the log of transactions to reach the drive
limiter-locks = the largest part of the time went into waiting for locks of other transactions
limiter-cpu = the processors had no time left for the database and its clients
limiter-client = the load generator took the processors, so the storage was not measured
limiter-kernel = the kernel's storage stack took the processors
limiter-other-programs = other programs took the processors; measure again when they are idle
limiter-pacing = the requested rate was met; the highest possible rate was not measured
limiter-no-answer = no request was answered for a tenth of the time or more while requests waited
limiter-fixed-waits = waits inside the modelled engine, the same for every batch at any drive, processor and number of users
limiter-network = the largest part of the time went into waiting for the network between client and server
limiter-not-known = no cell recorded its limiter

limiter-meaning = { $limiter }: { $meaning }.
limiter-no-valid-cell = no valid cell
