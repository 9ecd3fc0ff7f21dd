### The answer at the head of a report.

answer-nothing-yet =
    { $cells ->
        [one] Nothing can be said yet: the only planned cell is not valid.
       *[other] Nothing can be said yet: none of the { $cells } planned cells is valid.
    }
answer-no-verdict = No verdict: { $reason }
answer-no-common-level = no bed has valid cells at a level of the baseline.
answer-in-short = { $value }, { $verdict }
answer-no-common-cell = No verdict: no cell of the two runs could be compared.
answer-side-by-side = At { $at }, { $treatment } reached { $value } against { $other } of { $baseline } ({ $basis }).
basis-one-each = one repeat each, so without an interval
basis-few-each = { $above } and { $below } repeats, too few for an interval
answer-no-throughput = { $bed } has valid cells, but none with a throughput.
answer-one-bed =
    { $repeats ->
        [one] At { $at }, { $bed } reached { $reached } (95 % interval { $interval }, { $repeats } repeat). There is one bed only, so nothing is compared.
       *[other] At { $at }, { $bed } reached { $reached } (95 % interval { $interval }, { $repeats } repeats). There is one bed only, so nothing is compared.
    }
answer-one-bed-no-interval =
    { $repeats ->
        [one] At { $at }, { $bed } reached { $reached } ({ $repeats } repeat, so without an interval). There is one bed only, so nothing is compared.
       *[other] At { $at }, { $bed } reached { $reached } ({ $repeats } repeats, so without an interval). There is one bed only, so nothing is compared.
    }
answer-one-bed-no-useful-interval = At { $at }, { $bed } reached { $reached } ({ $repeats } repeats, no useful interval). There is one bed only, so nothing is compared.
answer-question-of-runs = Does { $run } differ from { $baseline }?
answer-bed-in-run = { $bed } in { $run }

## Databases that crash under load. `$outcome` is one of the two sentences after it.

crash-promises-kept =
    { $rounds ->
        [one] { $bed } kept its promises: after { $rounds } crash under load { $outcome }.
       *[other] { $bed } kept its promises: after { $rounds } crashes under load { $outcome }.
    }
crash-promises-broken =
    { $rounds ->
        [one] { $bed } did not keep its promises: after { $failed } of { $rounds } crash under load { $outcome } or the data were damaged; every such round is listed with its reason.
       *[other] { $bed } did not keep its promises: after { $failed } of { $rounds } crashes under load { $outcome } or the data were damaged; every such round is listed with its reason.
    }
crash-none-lost = none of { $acknowledged } acknowledged orders was lost
crash-orders-lost = { $lost } of { $acknowledged } acknowledged orders were lost
crash-never-recovered = never
## The comparison of two beds or runs at one level. `$value` and `$verdict` are set apart on the page.

answer-verdict = { $compared }: { $verdict }, { $why }.
answer-nopm = At { $at }, { $treatment } completed { $value } the new orders per minute of { $baseline } { $sure }
answer-tps = At { $at }, { $treatment } completed { $value } the transactions per second of { $baseline } { $sure }
answer-iops = At { $at }, { $treatment } delivered { $value } the I/O operations per second of { $baseline } { $sure }
answer-metric = At { $at }, the { $metric } of { $treatment } was { $value } that of { $baseline } { $sure }
answer-sure = ({ $interval }, { $basis })
basis-pairs =
    { $pairs ->
        [one] { $pairs } interleaved pair
       *[other] { $pairs } interleaved pairs
    }
basis-cells = { $treatment } and { $baseline } cells, not paired
why-different = by more than the declared smallest effect of { $smallest }
why-equivalent = any difference is within the declared smallest effect of { $smallest }
why-direction-only = as a difference below the declared smallest effect of { $smallest } is not excluded
why-nothing-shown = neither a difference beyond { $smallest } nor its absence is shown
why-more-pairs =
    { $more ->
        [one] { $why }; about { $more } more pair would settle it
       *[other] { $why }; about { $more } more pairs would settle it
    }
why-more-cells =
    { $more ->
        [one] { $why }; about { $more } more cell on each side would settle it
       *[other] { $why }; about { $more } more cells on each side would settle it
    }
why-few-repeats = { $why }; too few repeats to be more than exploratory
open-contrast = { $metric } at { $at }, { $bed }: { $verdict }, { $why }.
answer-same-bed = { $treatment } and { $baseline } are the same bed twice (A/A): at { $at } the ratio of their { $metric } is { $value } ({ $interval }), { $verdict }; differences within this interval are noise.
unjudged = { $metric } of { $treatment } at { $at } could not be compared: { $why }.
unjudged-too-few =
    { $cells ->
        [one] { $treatment } has { $cells } valid cell with this metric and { $baseline } { $baseline_cells }; an interval needs two or more of each
       *[other] { $treatment } has { $cells } valid cells with this metric and { $baseline } { $baseline_cells }; an interval needs two or more of each
    }
unjudged-not-positive = a cell measured { $value }, and a ratio needs values above 0

## The figure of a durability test.

axis-crashes = crash
crash-axis-orders = orders acknowledged before the crash
crash-axis-recovery = seconds of the recovery
crash-reading = One column for each crash. Red: orders that were acknowledged and lost. Cross: the crash was not survived as promised.
crash-hint = crash { $crash }: { $lost } of { $acknowledged } acknowledged orders lost
crash-hint-recovery = crash { $crash }: { $seconds } s
crash-title-none = No acknowledged order was lost in { $rounds } crashes
crash-title-lost = { $lost } of { $acknowledged } acknowledged orders lost, in { $failed } of { $rounds } crashes
crash-title-bed = { $bed }: { $told }
answer-scaled = Measured at { $scale }: the full size may answer otherwise.
answer-late = Without the completions that this machine made late, the verdict would be “{ $verdict }”.
answer-simulated = The interval is the spread of the simulation and does not contain the error of the model.
answer-points = The figure is the mean of unlike points of the matrix: { $points }.
