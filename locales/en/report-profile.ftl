### A profiled drive: the error of its model, its numbers, and its twin.

## The answer. `$mean`, `$p99` and `$error` are set apart on the page.

profile-answer = The model of { $drive } predicts left-out points with a median error of { $mean } in the mean and { $p99 } in p99; nine in ten are within { $mean_nine } and { $p99_nine } ({ $points } points that the fit did not see).
profile-answer-mean = The model of { $drive } predicts left-out points with a median error of { $mean } in the mean; nine in ten are within { $mean_nine } ({ $points } points that the fit did not see, too short for a p99).
profile-answer-unjudged =
    { $loads ->
        [one] A model of { $drive } is fitted to { $loads } load. Its error is not judged: each load is the only source of some numbers, so none could be left out.
       *[other] A model of { $drive } is fitted to { $loads } loads. Its error is not judged: each load is the only source of some numbers, so none could be left out.
    }
profile-answer-not-fitted = The loads of a profile are measured in { $cells }; no model is fitted to them yet. `drivetrain profile --from-run { $run }` fits one.

## Errors and numbers.

profile-errors = Error at points that the fit did not see
profile-errors-caption = Error at points that the fit did not see: every tenth load left out, then the next ones ({ $mark })
profile-numbers = Fitted numbers
profile-numbers-caption = The numbers of { $drive } as its file has them ({ $mark })
profile-numbers-lead = The error of the model comes first: no number of the drive is more accurate than the model as a whole. "Not identified" is a number that these loads do not determine; the model then takes a stand-in.
profile-not-identified = not identified
profile-stand-in = { $value } (stand-in)
profile-stand-in-why = { $number }, not identified: { $reason }
profile-inaccurate = The model is inaccurate: one in ten of its predictions of { $figure ->
        [mean] the mean
       *[other] { $figure }
    } was off by { $error } or more, at points that its fit did not see. A longer profile may reduce its errors.
profile-systematic = Systematic: { $what }
profile-worst = Predicted worst: { $loads }
profile-not-judged = Not judged, because no other load determines their numbers: { $loads }
profile-not-judged-p99 = p99 not judged, because of too few operations: { $loads }
profile-at-queue = { $rate } 4KiB reads/s is the limit at unbounded depth: the drive accepts { $depth } commands at once, and reaches about { $per_s } reads/s with them (Little's law)
profile-mean = mean
profile-column-figure = latency
profile-column-median = median error
profile-column-nine = nine in ten within
profile-column-points = points
profile-column-number = number
profile-column-unit = unit
profile-column-key = key in the file

## The numbers of a drive.

profile-number-read-latency = latency of a { $size } read
profile-no-limit = no limit

## Facts beside the first figure.

profile-tile-p99 = Error of p99
profile-tile-median = median
profile-tile-nine = Nine in ten points are within { $nine }.
profile-tile-numbers = Numbers that the loads determine
profile-tile-all = None is a stand-in.
profile-tile-open = Not identified: { $numbers }.
profile-tile-points = Points that were left out
profile-tile-loads =
    { $loads ->
        [one] Each was predicted by a fit to the others. { $loads } load in all; a mixed load is two points, its reads and its writes.
       *[other] Each was predicted by a fit to the others. { $loads } loads in all; a mixed load is two points, its reads and its writes.
    }

## Predicted against measured.

profile-predicted-title = Left-out loads are predicted with a median error of { $median } in the mean, nine in ten within { $nine }
profile-predicted-reading = Each marker is one load that the fit did not see. On the line the prediction is the measured value; in the band it is within 0.8x to 1.25x.
profile-axis-predicted = predicted, ms
profile-axis-measured = measured, ms
profile-hint = { $load }, { $side }: measured { $measured } ms, predicted { $predicted } ms
profile-reads = reads
profile-writes = writes
profile-flushes = flushes
profile-column-of = of
profile-column-mean-measured = mean measured (ms)
profile-column-mean-predicted = mean predicted (ms)
profile-column-p99-measured = p99 measured (ms)
profile-column-p99-predicted = p99 predicted (ms)

## The measured loads.

profile-loads = Measured loads
profile-loads-caption = Measured loads; latencies in microseconds ({ $mark })
profile-missing =
    { $count ->
        [one] { $count } cell is missing: not begun, cut short or invalid (`drivetrain show --full` says why)
       *[other] { $count } cells are missing: not begun, cut short or invalid (`drivetrain show --full` says why)
    }
profile-column-reads = reads/s
profile-column-writes = writes/s
profile-column-read-p50 = read p50 (µs)
profile-column-read-p99 = read p99 (µs)
profile-column-write-p50 = write p50 (µs)
profile-column-write-p99 = write p99 (µs)
profile-column-flush-p50 = flush p50 (µs)

## A drive beside its emulated twin.

profile-twin = The twin beside the drive
twin-answer = The largest error of the twin of { $drive } is { $error } in { $metric } of { $load }; { $within } of { $all } figures are shown to be within { $good } of the drive.
twin-answer-none = Nothing can be said yet of the twin of { $drive }: no load has two pairs of cells that count.
twin-column-figure = figure
twin-column-drive = drive
twin-column-twin = twin
twin-column-error = error
twin-column-pairs = pairs
twin-commit-mean = mean of commits
twin-commit-p99 = p99 of commits
twin-in-unit = { $name } ({ $unit })
twin-title = Largest error { $error } ({ $metric } of { $load }); { $within } of { $all } figures of the twin are shown to be within { $good } of the drive
twin-reading = Twin to drive, by pairs of cells that ran one after the other. Whisker: 95 % interval. Shaded: within { $good }. An arrow: the interval goes on.
twin-side-lower = twin lower
twin-side-higher = twin higher
twin-caption = { $drive } and its emulated twin ({ $mark })
twin-lead = The same loads on the drive and on its model, which keeps its bytes on the same path; cells of one load ran right after each other. Error: twin against drive.
twin-tile = Error of { $metric }
twin-tile-most = the largest of all loads
twin-tile-where = { $load }; 95 % interval { $interval }.
twin-tile-pairs = Pairs of each load
twin-tile-interleaved = Drive and twin took turns, so that drift of the machine hits both.
profile-alone =
    { $count ->
        [one] { $count } load was not judged: no other load determines its numbers
       *[other] { $count } loads were not judged: no other load determines their numbers
    }
