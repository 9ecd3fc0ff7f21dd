### Reasons why a cell does not count, or why its figures must be read with care.

## Texts that are no data: a sentence of an older notebook, an error of a layer below in its words.

reason-told = { $text }
reason-error = { $error }
reason-failed = { $step }: { $error }
# In place of `$step` of the message before.
word-step-reset = reset
word-step-start = start
word-step-laying-out = laying out
word-step-emptying-the-caches = emptying the caches
word-step-mitigation = mitigation
word-step-backup = backup
word-step-verifying-the-backup = verifying the backup
word-step-restore = restore
word-step-proving-the-restored-instance = proving the restored instance
word-step-drill = drill
word-step-writing-the-trace-of-a-cell = writing the trace of a cell

## Of whom, and beside what.

reason-instance = instance { $instance }: { $why }
reason-neighbour = the neighbour: { $why }
reason-of-host = rank { $rank } ({ $host }): { $why }
reason-fleet-not-started = no host started: { $why }
reason-in-cycle = cycle { $cycle }, { $why }
reason-of-cycle = cycle { $cycle }: { $why }
reason-with-server-log =
    { $why }
    last lines of the server's log:
    { $log }

## Stopped before the end.

reason-stopped-at-once = stopped at once: { $why }
reason-stopped-unchecked = stopped at once, consistency not checked
reason-stopped-measuring = stopped by the user before the measure phase was over
reason-stopped-in-round = stopped by the user before the round was over
reason-stopped-after-reads = stopped by the user after { $done } of { $all } reads
reason-stopped-after-scans = stopped by the user after { $done } of { $all } scans
reason-stopped-after-cycles = stopped by the user after { $done } cycles
reason-program-ended = the program ended before the cell did

## Cells that cannot be run as they are.

reason-not-simulated = workloads of this kind are not simulated
reason-no-instance = the bed has no instance
reason-one-instance = the durability test crashes one instance
reason-foreign-server = the server is not ours
reason-no-database = it has no database
reason-no-file = it has no file
reason-no-stream = the workload has no stream
reason-no-load = the workload has no load
reason-block-too-large = a block of { $size } is too large
reason-streams-need-level = streams without a load of their own need a level
reason-curve-needs-depth = a curve needs a depth
reason-search-needs-level = a search needs a level to search up to
reason-log-not-shared = one load cannot be shared between data and a log on a drive of its own: give the stream on the log a load of its own (`depth`, `rate` or `burst`)
reason-log-needs-storage = a log beside files by name needs a `log` storage of the bed
reason-model-needs-drive = engine `modelled` needs an emulated storage
reason-server-is-no-target = block I/O needs a drive or a path, and this bed is the server at { $url }
reason-file-unreadable = { $path } cannot be read: { $error }
reason-file-without-size = { $path } does not exist, and the workload gives no size for it
reason-arm-unknown = the arm is not in the experiment
reason-arm-idle = nothing uses the storage in this arm: the neighbour is idle
reason-no-victims = there are no victims
reason-pieces-unknown = { $file }: { $error }: the file system does not report the extents of a file
reason-load-failed = the thread of its load failed
reason-crasher-failed = the thread that crashes failed
reason-watcher-failed = the watcher of the load failed

## Loads on databases.

reason-nothing-completed = nothing was completed in the measure phase
reason-load-not-begun = the load did not begin
reason-unanswered = { $requests } requests were not answered, and { $why }
reason-silent = the server stopped answering ({ $error })
reason-only-session-lost = the only session lost its connection { $at_s } s after the start of the load
reason-all-sessions-lost = all { $sessions } sessions lost their connections at once, { $at_s } s after the start of the load: the server stopped, crashed or was cut off
reason-started-again = the server was restarted under the load
reason-crashed-and-recovered = the server crashed and recovered under the load
reason-killed-for-memory = the kernel killed { $processes } of its processes because memory ran out; raise `memory_limit`

## Checks of data.

reason-not-checked = consistency could not be checked: { $why }
reason-violated = consistency violated: { $conditions }
reason-condition = condition { $number } ({ $clause }): { $detail }
reason-sysbench-condition = table { $table }: { $condition }: violated by { $rows } rows: { $detail }
reason-scanned-rows = the table has { $rows } rows instead of { $expected }
reason-scanned-places = the places add up to { $sum } instead of { $expected }
reason-scanned-bytes = the payloads have { $bytes } bytes instead of { $expected }
reason-other-rows = a { $way } and a { $first } found different rows: { $found } instead of { $expected }
# In place of `$found` and `$expected` of the message before.
reason-rows-read = { $rows } rows of { $bytes } bytes with places that add up to { $sum_of_places }

## Crashes.

reason-nothing-acknowledged = no order was acknowledged before the crash, so nothing is proven; load longer
reason-not-recovered = it did not recover: { $error }
reason-damaged = the database is damaged after the crash, and all { $orders } acknowledged orders are lost: { $why }
reason-orders-lost = { $lost } of { $acknowledged } acknowledged orders are lost: (warehouse, district, order) { $named }

## Backups.

reason-restored-otherwise = a restored instance differs from its source: { $found }
reason-orders-missing = { $missing } of { $acknowledged } orders that were acknowledged before the backup are missing
reason-table-missing = table { $table } is missing
reason-table-rows = table { $table } has { $rows } rows instead of { $expected }
reason-table-differs = table { $table } holds other rows: the checksums differ
reason-table-added = table { $table } was not in the source
reason-drill-unnoticed = drill: bit { $bit } of byte { $byte } of { $file } was flipped, and no check noticed

## Block I/O.

reason-nothing-measured = nothing that counts was measured
reason-ios-failed = { $ios } I/Os failed with { $error }
reason-ios-short = { $ios } I/Os moved fewer bytes than requested
reason-ios-unfinished = { $ios } I/Os were not finished at the drain limit; their latency is a lower bound
reason-run-stopped = the run was stopped before its end
reason-target-failing = the target answers nothing but errors (last: { $error }); the run was cut short
reason-target-deleted = { $path } was deleted while it was in use
reason-target-moved = { $path } was moved to { $now } while it was in use
reason-target-unmounted = { $path } cannot be reached any more: its file system (device { $device }) was unmounted, or another was mounted over it; what the run did not remove is still on that device
reason-workers-stuck = { $workers } workers hang in a system call that never returned; their I/Os are missing
reason-program-stood-still = drivetrain itself did not run for { $seconds } s from second { $from_second } of the load on: it was stopped, or its machine stood still; latencies of that time are not the drive's
reason-coarse-seconds = in a run of this length percentiles of single seconds are up to { $error_percent } % off; those of the whole run are not
reason-journal-ended = the journal ended early: { $error }
reason-journal-incomplete = { $writes } durable writes are not in the journal
reason-blocks-wrong = { $blocks } written blocks are wrong: { $kinds }
# In place of `$kinds` of the message before, one for each kind.
fault-flipped = { $blocks } flipped
fault-torn = { $blocks } torn
fault-lost = { $blocks } lost
fault-stale = { $blocks } stale
fault-misplaced = { $blocks } misplaced
fault-unreadable = { $blocks } unreadable
fault-none = no faults
reason-not-verified = the verification of the written data did not finish
