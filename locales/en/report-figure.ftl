### Figures: texts on axes and marks, titles, and the lines that say how to read them.

curve-knee = { $job }, { $bed }: knee at { $load }, { $iops } I/Os per second in { $ms } ms.
curve-no-knee = { $job }, { $bed }: latency does not double.
curve-few-loads = { $job }, { $bed }: too few loads for a knee.
curve-axis = mean latency at the drive, ms
curve-rate-and-time = { $rate } · { $ms } ms
curve-most = max { $what }
curve-result = full load { $what }
axis-iops = I/Os per second
curve-hint = { $bed }, { $load }: { $iops } I/Os per second, mean { $ms } ms
axis-ratio = ratio (log scale)
forest-zone = too small to matter: { $low }x to { $high }x
axis-level-log = { $level_name } (log scale)
levels-hint =
    { $repeats ->
        [one] { $bed }, { $at }: { $value }, { $repeats } repeat
       *[other] { $bed }, { $at }: { $value }, { $repeats } repeats
    }
percentile-pooled = pooled { $name }
percentile-end = { $name } { $ms } ms
percentile-value = { $name } { $ms } ms
axis-share = share of { $counted } that were at least as fast, log-odds scale
percentile-hint = { $bed }, { $name }: { $ms } ms
percentile-too-few = too few
axis-seconds = seconds since the start of the cell
seconds-rates = { $during } during, { $otherwise } otherwise
seconds-too-short = windows too short for a rate
seconds-phase = { $phase }, { $from } to { $to } s
page-exploratory-caption = Exploratory contrasts ({ $mark })
page-no-primary = No primary metric could be compared; the reasons are given above.
side-left-worse = ← worse
side-right-better = better →
side-left-better = ← better
side-right-worse = worse →
forest-described = { $bed } at { $at }: { $value }, { $interval }, { $verdict }.
forest-title = { $metric } relative to { $baseline }
page-seconds-reading = One cell of each bed at { $at }, the one with the median throughput ({ $repeats }). { $shaded }
page-seconds-reading-again = The same cells as above, at { $at }. { $shaded }
page-seconds-described =
    { $lines ->
        [one] { $lines } line over { $seconds } seconds; the table holds the values.
       *[other] { $lines } lines over { $seconds } seconds; the table holds the values.
    }
page-distribution-reading = At { $at }, the latencies of all valid repeats, pooled. Tables and tiles show the geometric mean of the repeats' own percentiles instead, which can differ. A curve ends where the sample no longer bounds the percentile.
curve-knee-mark = knee { $what }
percentile-mean = mean
percentile-longest = longest
ways-hint = { $way }, { $share } %: { $time } s
ways-end = { $way } { $time } s
ways-crossing = { $share }
axis-round = round
page-exploratory =
    { $count ->
        [one] { $count } exploratory contrast
       *[other] { $count } exploratory contrasts
    }
page-verdicts = Verdicts
page-bed-repeat = { $bed } repeat { $repeat }
forest-reading = Ratio with the interval that decided its verdict ({ $decision } %; { $interval } % for equivalent and where repeats are few), one row for each bed and level. Within the grey zone (±{ $smallest }) a difference is too small to matter. In the table, means are geometric.
forest-reading-not-drawn = Ratio with the interval that decided its verdict ({ $decision } %; { $interval } % for equivalent and where repeats are few), one row for each bed and level. Intervals from fewer than four repeats are in the table only. Within the grey zone (±{ $smallest }) a difference is too small to matter. In the table, means are geometric.
reading-no-valid-cell = { $reading } No valid cell: { $beds }.
line-value = { $value } { $unit } at { $at }
line-from-to = { $bed }: from { $start } to { $end }.
line-at = { $bed }: { $end }.

## The meaning of marks, `$marks` of other messages.

marks-line-band = Line: mean of the repeats. Dots: every repeat. Band: 95 % interval of the mean, from four repeats on.
marks-line = Line: mean of the repeats. Dots: every repeat.
marks-marker-bar = Marker: mean of the repeats. Dots: every repeat. Bar: 95 % interval of the mean, from four repeats on.
marks-marker = Marker: mean of the repeats. Dots: every repeat.

## The seconds of a cell, and the plan of a run, as figures.

course-title = The cell second by second
course-latency = latency, ms
course-mean = mean
course-caption = Cell { $cell }, second by second
course-now = { $bed }: { $rate } { $unit } now
course-mean-rate = { $bed }: { $rate } { $unit } on average
course-stalls =
    { $count ->
        [one] { $told }; one stall of { $longest } s
       *[other] { $told }; { $count } stalls, { $longest } s at most
    }
course-cell = cell { $number }: { $bed }, { $level }, repeat { $repeat }: { $state }
course-repeat = repeat { $repeat }
