### The result of a load without an experiment, on a terminal.

load-title = { $rw } { $size } at { $at } on { $target }
load-title-replay = replay of { $trace } on { $target }
load-bursts = bursts of { $ios } I/Os every { $every }
load-no-drive = the null engine
load-modelled = MODELLED drive { $name } ({ $title }): these are the model's times in wall time, no drive was measured and no byte moved
load-modelled-virtual = MODELLED drive { $name } ({ $title }): these are the model's times in virtual time, no drive was measured and no byte moved
load-late = late: { $late } of { $all } answers ({ $percent } %) came more than { $after } µs after the model's time, the latest { $latest } µs: caused by this machine
load-verified = verified: { $found }
load-journal = journal: { $records } durable writes of blocks
load-warning = warning: { $warning }
load-note = note: { $note }

## All figures of a load. A row for each direction.

load-elapsed = { $ios } I/Os in { $elapsed } s
load-read = read
load-write = write
load-discard = discard
load-flush = flush
load-service = service
load-lag = lag
load-max = max (ms)
load-own-cost = our own cost: { $ns } ns of processor time per I/O
load-kept-pace = kept its pace of { $asked }; the highest rate was not measured
load-missed-pace = missed its pace: { $iops } IOPS of { $asked } requested; the latencies include the time for which I/Os waited to be started
load-after-end = { $ios } of { $due } I/Os that were due came back after the end of the phase: counted in latencies, not in rates
