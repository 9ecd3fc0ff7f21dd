### Limiters: the meaning of each, after its name and a colon.

limiter-drive = most waited for reads or writes of the drive
limiter-log-flush = most waited until the log of transactions was on the drive
limiter-locks = most waited for each other
limiter-cpu = the processors had no time left for the database and its clients
limiter-client = the program that makes the load took the processors, so the storage was not measured
limiter-kernel = the kernel's way to the storage took the processors
limiter-other-programs = programs that are no part of the measurement took the processors; measure again when they are quiet
limiter-pacing = the rate that was asked for was kept; how much more is possible was not measured
limiter-no-answer = nothing was answered for a tenth of the time or more while requests waited
limiter-fixed-waits = waits inside the modelled engine that every batch has, whatever the drive, the processors and the number of users
limiter-network = most waited for the network between client and server
limiter-not-known = no cell said what bounded it

limiter-meaning = { $limiter }: { $meaning }.
limiter-no-valid-cell = no valid cell
