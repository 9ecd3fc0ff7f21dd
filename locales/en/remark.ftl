### Sentences that are kept with a run.

## A text that is no data: of an older notebook, of an experiment, or an error in its own words.

remark-told = { $text }
remark-doctor = { $check }: { $read } ({ $why })
remark-of-host = rank { $rank } ({ $host }): { $found }
remark-hosts-differ = the hosts differ in { $fact }: { $values }
# The wording that TPC policy asks of work derived from its benchmarks.
remark-disclaimer = This workload is derived from the TPC-C Benchmark and is not comparable to published TPC-C Benchmark results, as this implementation does not comply with all requirements of the TPC-C Benchmark.
remark-deviation = { $clause }: { $what }
remark-confound = { $factor }: { $side_a } against { $side_b }: { $effect }
remark-data-left = some data of this run could not be removed: { $error }
remark-measured-again = cells measured again, by `resume --cells` or because other programs were busy beside them; their earlier results no longer count: { $cells }
remark-storage-shared = another run was at work on the same storage: { $folder }; the two may have slowed each other

## Data sets.

remark-loaded = loaded { $data } ({ $rows } rows, { $size_mb } MB) in { $load_s } s; all consistency conditions hold, checked in { $check_s } s
remark-loaded-on-server = loaded { $data } on { $server } and checked it in { $elapsed_s } s; cells are not reset there: each starts from the data of the one before
remark-found-on-server = found { $data } on { $server } and checked it in { $elapsed_s } s; cells are not reset there: each starts from the data of the one before

## Models.

remark-guesses =
    { $guesses ->
        [one] { $drive }: one of the { $numbers } numbers of its model is a guess
       *[other] { $drive }: { $guesses } of the { $numbers } numbers of its model are guesses
    }
remark-drive-profiled = { $drive }: fitted to a latency map; error of its model at { $points } points that the fit did not see: p50 { $p50 } % (median), nine in ten within { $p50_nine } %; p95 { $p95 } %, nine in ten within { $p95_nine } %; { $open } of its { $numbers } numbers are not identified
remark-drive-profiled-loads = { $drive }: profiled; error of its model at { $points } points that the fit did not see: mean { $mean } % (median), nine in ten within { $mean_nine } %; p99 { $p99 } %, nine in ten within { $p99_nine } %; { $open } of its { $numbers } numbers are not identified
remark-drive-inaccurate = The model of { $drive } is inaccurate: one in ten of its predictions of { $figure ->
        [mean] the mean
       *[other] { $figure }
    } was off by { $percent } % or more, at points that its fit did not see. `drivetrain drives { $see }` shows its errors; a longer profile may reduce them
# By the figures of `crates/device/tests/model` against the seven measured drives of the facts.
remark-drive-model-error = Accuracy of the model: of seven drives with measured numbers, it meets the mean read latency under write load of four within 1.2 % and of a fifth within 16 %. It does not meet the bursts of garbage collection of the other two, and promises nothing beyond p99.9
remark-virtual-time = Time was virtual: drives answer at the model's time to the nanosecond, and the generator costs nothing
remark-simulated-beds = Everything here is simulated: users, processors, buffer pool, log, datastore and drives in virtual time, with parameters fitted to the studies' printed numbers (`drivetrain published` prints them with the errors). A fitted number is no prediction; `drivetrain calibrate --leave-one-out` shows the model's error for tests that it was not fitted to
remark-no-io = No I/O was done: the figures are the program's own cost

## Replays of traces.

remark-replayed = The I/Os are those of the trace { $trace } ({ $format }, { $lines } lines)
remark-replayed-own-time = They started at their recorded times
remark-replayed-scaled = The times between them were scaled: { $speed } times as fast as recorded
remark-replayed-fast = Their recorded times were ignored: they started as soon as fewer than { $depth } were outstanding
remark-replay-skipped =
    { $ios ->
        [one] { $ios } I/O left out: a write, discard or flush in a replay that only reads
       *[other] { $ios } I/Os left out: writes, discards and flushes in a replay that only reads
    }
remark-replay-wrapped =
    { $ios ->
        [one] { $ios } I/O beyond the end of the target, moved into it
       *[other] { $ios } I/Os beyond the end of the target, moved into it
    }
remark-replay-rounded =
    { $ios ->
        [one] { $ios } I/O rounded to the block size of direct I/O
       *[other] { $ios } I/Os rounded to the block size of direct I/O
    }
remark-replay-cut =
    { $ios ->
        [one] { $ios } I/O cut to 1 MiB
       *[other] { $ios } I/Os cut to 1 MiB
    }
remark-replay-broken =
    { $lines ->
        [one] { $lines } line of the trace could not be read, line { $first }: { $why }
       *[other] { $lines } lines of the trace could not be read, the first is line { $first }: { $why }
    }

## Results of other programs.

remark-imported-from = Measured by { $program } { $version } and imported from { $file }: the figures are those that the program reports, in the units of drivetrain. None of the conditions was checked
remark-imported-without-zone = The file states its times without a time zone; they were taken as { $zone }. `drivetrain import --zone` states another
remark-imported-without-time = The file states no time: the start is the time of the file's last change less the length of the test. `drivetrain import --started` states another
remark-imported-fio-latency = Latencies are fio's completion latencies (clat), from the submission of an I/O to its completion. drivetrain counts its own from the intended start
remark-imported-fio-total-latency = fio gave no completion latencies of { $jobs }; its total latencies (lat) were taken
remark-imported-fio-mixed = { $jobs }: percentiles of reads and writes together are not in this output, only those of each. `fio --output-format=json+` writes the distributions from which they come
remark-imported-fio-clones = fio reported { $count } copies of the job { $job } one by one: each row is a part of one load. `group_reporting` makes one row of them
remark-imported-fio-depth = { $job } asked for queue depth { $asked } and kept { $kept }, as fio printed: its engine waits for I/Os, or its rate was too low. Its load is that of the depth kept
remark-imported-fio-several-jobs = The load of { $job } is { $jobs } jobs of queue depth { $depth } together
remark-imported-fio-times = fio did not state when each job began: they were placed one after the other, the last one before the end of the output
remark-imported-fio-documents = The file holds { $count } outputs of fio, as `--status-interval` writes them; the last one was imported
remark-imported-hammerdb-percentiles = HammerDB's response times include the ramp-up, and its percentiles come from a sample
remark-imported-percentile = sysbench reported percentile { $percent }, which drivetrain does not keep; `--percentile=95` or 99 is kept
remark-imported-pgbench-scripts = { $count } scripts ran together; the figures are those of all of them
remark-observed-at = Observed on { $server } for { $elapsed_s } s, under somebody else's load
remark-observed-cut-short = Ended on request before the { $asked_s } s that were asked for; the figures are those of the time until then
remark-observed-away = The server stopped answering and did not come back: { $error }. The figures are those of the time before
remark-observed-broken =
    { $times ->
        [one] The server was restarted, did not answer, or had its counters reset: { $lost_s } s are left out
       *[other] { $times } times the server was restarted, did not answer, or had its counters reset: { $lost_s } s are left out
    }
remark-observed-caught-up =
    { $times ->
        [one] The load stood still once, for { $still_s } s, and caught up at up to { $burst_per_s } transactions/s, where { $usual_per_s } are usual: clients keep a pace of their own. The rate is the mean of both; clients at work and latency are not those of the steady load. Observe again, for longer
       *[other] The load stood still { $times } times, for { $still_s } s in all, and caught up at up to { $burst_per_s } transactions/s, where { $usual_per_s } are usual: clients keep a pace of their own. The rate is the mean of both; clients at work and latency are not those of the steady load. Observe again, for longer
    }
remark-observed-all-programs = CPU per transaction is everything that the machine's processors did, drivetrain itself left out: clients on the same machine belong to the load, and other programs cannot be distinguished from them
remark-observed-other-programs = Other programs took the processors as well: clients on this machine are counted with as much CPU as the server, and not more. Observe again while they are idle
remark-observed-elsewhere = The server runs on another machine: CPU per transaction is the time of clients seen without a wait, and it was taken to have { $processors } processors; `observe --processors` states them
remark-observed-drive = Reads per transaction are those that reached the drive { $device }, of all programs together. The pages that the buffer pool did not hold beyond them came from the kernel's page cache
remark-observed-other-drive = The data lie on { $data }, and the drive { $device } was observed, as `--storage` says: reads and writes are those of { $device }
remark-observed-pages = It is not known which reads reached a drive: pages that the buffer pool did not hold are counted as reads, although the kernel's page cache may have answered. If a drive of this machine holds the data, `observe --storage` names their path
remark-observed-unsynced = { $writing_percent } % of the transactions wrote, and the log was flushed for { $waiting_percent } % at most: the others do not wait for it
remark-observed-thinking = Between transactions clients did something else for { $percent } % of their time: part of the load keeps a pace of its own. A prediction keeps these pauses as they are
remark-observed-statements = No client ended transactions itself: each statement counts as a transaction

data-warehouses =
    { $warehouses ->
        [one] { $warehouses } warehouse
       *[other] { $warehouses } warehouses
    }
data-sysbench-tables = { $tables } sysbench tables of { $rows } rows
data-scanned-table = a table of { $rows } rows
