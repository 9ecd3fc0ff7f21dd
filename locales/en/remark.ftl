### Sentences that are kept with a run.

## A text that is no data: of an older notebook, of an experiment, or an error in its own words.

remark-told = { $text }
remark-doctor = { $check }: { $read } ({ $why })
remark-deviation = { $clause }: { $what }
remark-confound = { $factor }: { $side_a } against { $side_b }: { $effect }
remark-data-left = some data of this run could not be removed: { $error }

## Data sets.

remark-loaded = loaded { $data } ({ $rows } rows, { $size_mb } MB) in { $load_s } s; all consistency conditions hold, checked in { $check_s } s
remark-loaded-on-server = loaded { $data } on { $server } and checked it in { $elapsed_s } s; cells are not reset there: each starts from the data of the one before
remark-found-on-server = found { $data } on { $server } and checked it in { $elapsed_s } s; cells are not reset there: each starts from the data of the one before

## Models.

remark-guesses = { $drive }: { $guesses } of the { $numbers } numbers of its model are guesses
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

data-warehouses = { $warehouses } warehouses
data-sysbench-tables = { $tables } sysbench tables of { $rows } rows
data-scanned-table = a table of { $rows } rows
