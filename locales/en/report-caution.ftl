### What a reader should know before using the figures.

## The run as a whole.

caution-not-run =
    { $open ->
        [one] { $open } cell of the plan was not run.
       *[other] { $open } cells of the plan were not run.
    }
caution-running =
    { $done ->
        [one] The run is not complete: { $done } cell of { $all } is recorded.
       *[other] The run is not complete: { $done } cells of { $all } are recorded.
    }
caution-interrupted =
    { $done ->
        [one] The run was interrupted after { $done } cell of { $all }; `drivetrain resume { $run }` completes it.
       *[other] The run was interrupted after { $done } cells of { $all }; `drivetrain resume { $run }` completes it.
    }
caution-killed =
    { $done ->
        [one] The run was killed after { $done } cell of { $all }; `drivetrain resume { $run }` completes it.
       *[other] The run was killed after { $done } cells of { $all }; `drivetrain resume { $run }` completes it.
    }
caution-failed =
    { $done ->
        [one] The run failed after { $done } cell of { $all }; fix the cause, then `drivetrain resume { $run }` continues it.
       *[other] The run failed after { $done } cells of { $all }; fix the cause, then `drivetrain resume { $run }` continues it.
    }
caution-failed-why =
    { $done ->
        [one] The run failed after { $done } cell of { $all }: { $why }; fix the cause, then `drivetrain resume { $run }` continues it.
       *[other] The run failed after { $done } cells of { $all }: { $why }; fix the cause, then `drivetrain resume { $run }` continues it.
    }
caution-stopped = The load was stopped before its end: its figures cover the part that ran.
caution-not-whole = Some measurements of this load were not kept.
caution-order = The order was not randomised: each bed ran as a block, so a drift of the machine looks like a difference of beds.
# `$direction` is `up` or `down`.
caution-drift =
    { $metric } { $direction ->
        [up] rose
       *[down] fell
    } by { $by } from the first repeat to the last on all beds alike; { $order ->
        [sequential] and the order of cells does not cancel it
       *[other] interleaved pairs cancel most of it
    }.
caution-of-run = Of { $run }: { $warning }
caution-named-but-same = `{ $name }` was named as varied, but is the same in both runs.

## Cells.

caution-left-out =
    { $invalid } invalid and { $interrupted } interrupted cells are left out of every figure and verdict; the reasons are listed.
caution-left-out-invalid =
    { $invalid ->
        [one] { $invalid } invalid cell is left out of every figure and verdict; the reasons are listed.
       *[other] { $invalid } invalid cells are left out of every figure and verdict; the reasons are listed.
    }
caution-left-out-interrupted =
    { $interrupted ->
        [one] { $interrupted } interrupted cell is left out of every figure and verdict; the reasons are listed.
       *[other] { $interrupted } interrupted cells are left out of every figure and verdict; the reasons are listed.
    }
caution-warned =
    { $cells ->
        [one] One valid cell, of { $bed } at { $at }, has a warning: { $first }
       *[other] { $cells } valid cells have warnings; the first, of { $bed } at { $at }: { $first }
    }
caution-inputs =
    { $cells ->
        [one] In { $cells } valid cell the inputs were outside the limits of clause 5.5.1.5, as happens by chance in short cells; the first: { $first }
       *[other] In { $cells } valid cells the inputs were outside the limits of clause 5.5.1.5, as happens by chance in short cells; the first: { $first }
    }
caution-errors = { $errors } errors were counted in valid cells.
caution-errors-first = { $errors } errors were counted in valid cells, the first: { $first }
caution-few-samples = The p99 of some cells rests on as few as { $fewest } latencies; a bound on a p99 needs at least { $least }.

## Beds.

caution-generator = The load generator limited { $bed } at { $levels }: its storage was not measured there.
caution-place = { $bed } at { $levels }
caution-and-more = { $told } and { $more } more
caution-generator-several = The load generator was the limit of { $places }: storage was not measured there.
caution-unlike-points = Each figure of { $workload } is taken from unlike points of its matrix together: { $points }. It answers no question about one of them. The report and `drivetrain show { $run } --full` list the points.
caution-all-points = all { $count }
caution-behind-several = { $places } missed the pace: they answered fewer requests than were due, so the latency there includes the time for which requests waited to be started, and depends on the length of the phase.
caution-paced-several = The requested rate was met by { $places }: the latency is that at this rate, and the highest rate was not measured.
caution-behind = { $bed } missed its pace at { $levels }: it answered fewer requests than were due, so its latency there includes the time for which requests waited to be started, and depends on the length of the phase.
caution-paced = { $bed } met the requested rate at { $levels }: its latency is that at this rate, and its highest rate was not measured.
caution-above-pace = { $bed } ran more than a tenth above the requested rate at { $levels }: the ramp-up is too short (with keyed users, the first keying and think times were not over), so neither throughput nor latency is that of the requested rate.
caution-above-pace-several = { $places } ran more than a tenth above the requested rate: the ramp-up is too short (with keyed users, the first keying and think times were not over), so neither throughput nor latency is that of the requested rate.
caution-late = I/O completed later than the drive model requires: { $beds }. This machine could not keep up, so a bed looks slower there than its modelled drive.
caution-late-of = up to { $percent } % on { $bed } at { $at }
caution-late-verdict = Completions that came later than the drive's model took { $percent } % of the callers' time with { $bed } and { $baseline_percent } % with { $baseline } at { $at }. Without them the ratio of { $metric } would be { $without } instead of { $ratio }, and its verdict { $verdict_without } instead of { $verdict }: this machine decides, not the drive, and more repeats do not change that.
caution-off-model = The means of modelled drives are not those of their models: { $beds }. Differences of that size can come from this machine rather than from a drive.
caution-off-model-of =
    { $kind ->
        [read] reads
        [write] writes
       *[sync] syncs
    } took { $by } { $direction ->
        [longer] longer
       *[shorter] less
    } on { $bed } at { $at }
caution-on-bed = On { $bed }: { $sentence }
caution-on-beds = { $what }: { $beds }
caution-on-one = on { $bed } { $what }
caution-others = Other programs took processor time meanwhile: { $beds }. Figures include their interference.
caution-others-of = up to { $percent } % beside { $bed } at { $at }
caution-others-apart = Other programs took { $percent } % of the processor time in { $run } and { $baseline_percent } % in { $baseline } ({ $bed } at { $at }): this alone can cause a difference. Measure both on an otherwise idle machine.
caution-one-drive = { $beds } keep their data on one file system ({ $source }, mounted at { $mount }): a difference between them does not come from their drives.

## Contrasts.

caution-few-repeats = { $few } of { $all } primary contrasts rest on too few repeats (fewer than 6 pairs, or 4 and 4 unpaired cells) and are exploratory: a hint, no finding.
caution-unjudged = { $count } primary contrasts could not be judged. The first: { $first }
caution-below-noise = The difference is smaller than the spread of one bed from cell to cell ({ $variation }).
caution-buffered = The I/O of { $jobs } is buffered (`direct` is off): the page cache of the kernel answered a part of it, possibly all. The figures are of memory and storage together, and the limiter “drive” means both.
