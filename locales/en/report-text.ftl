### The comparison and the summary on a terminal. The page has the sentences on beds and cells, too.

text-varied =
    { $count ->
        [one] { $count } thing was varied between the runs on purpose:
       *[other] { $count } things were varied between the runs on purpose:
    }
text-no-nuisance = The beds differ in no recorded factor besides the treatment.
text-no-nuisance-of-runs = The recorded surroundings of the two runs are the same.
text-nuisances =
    { $count ->
        [one] The beds differ in { $count } factor besides the treatment. So they are named by letters, and no difference can be attributed to the treatment alone.
       *[other] The beds differ in { $count } factors besides the treatment. So they are named by letters, and no difference can be attributed to the treatment alone.
    }
text-nuisances-of-runs =
    { $count ->
        [one] The surroundings of the two runs differ in { $count } factor; a difference may come from it.
       *[other] The surroundings of the two runs differ in { $count } factors; a difference may come from any of them.
    }
text-lettered-bed = { $bed } is `{ $name }` in the experiment ({ $storage })
text-metric = { $title } ({ $unit }, { $direction }; smallest effect { $smallest }; means are geometric)
text-exploratory =
    { $count ->
        [one] Exploratory: { $count } contrast in metrics that were not declared before the run; a difference counts only if p, raised by Holm's rule for their number, stays at or below 0.05.
       *[other] Exploratory: { $count } contrasts in metrics that were not declared before the run; a difference counts only if p, raised by Holm's rule for their number, stays at or below 0.05.
    }
text-highest-level-only = Shown at the highest level only.
text-noise =
    { $groups ->
        [one] { $workload } { $metric }: coefficient of variation { $variation } (median of { $groups } bed and level), largest { $most }; largest (max - min) / median { $range }
       *[other] { $workload } { $metric }: coefficient of variation { $variation } (median of { $groups } beds and levels), largest { $most }; largest (max - min) / median { $range }
    }
left-out-cell = Cell { $cell }: { $bed } at { $at }, repeat { $repeat }, { $state }: { $reason }
left-out-no-reason = no reason was recorded

## Headings.

heading-durability = The durability test (clause 3.5.4)
heading-in-figures = { $workload } in figures
heading-not-concluded = Limits of these figures
heading-instances = Instances side by side (means over repeats)
heading-pace = Pace of the load generator (means over repeats)
heading-hosts = Hosts (means over repeats)
hosts-sum = { $bed }, { $load }: together { $all } { $metric } on { $hosts ->
        [one] { $hosts } host
       *[other] { $hosts } hosts
    }, fairness { $fairness }, slowest { $slowest }, fastest { $fastest }; started within { $skew } ms, measured from within { $measured } ms on, done { $first } to { $last } s after the start
hosts-beside = { $sum }; beside them { $count ->
    [one] { $count } neighbour with { $rate } MB/s
   *[other] { $count } neighbours with { $rate } MB/s together
}
host-neighbour = { $host } (neighbour)
heading-scale-out = Throughput against ranks (means over repeats)
scale-out-curve = { $bed }: { $fewest ->
    [one] { $fewest } rank
   *[other] { $fewest } ranks
} did { $few } { $metric } and { $most } did { $many }, { $efficiency } % of the rate at full efficiency
scale-out-knee = { $curve }. The knee is at { $knee ->
    [one] { $knee } rank
   *[other] { $knee } ranks
}: the step to { $next } gained { $gain } % of a proportional increase, limited by { $limiter }.
scale-out-no-knee = { $curve }. There is no knee: each step gained at least half of a proportional increase, so further ranks may gain more; limited by { $limiter }.
scale-out-few = { $said } A hint, no finding: fewer than four repeats.
scale-out-open = { $said } A hint, no finding: the interval of a step contains 50 %.
scale-out-own-drives = { $said } Each rank had a modelled drive of its own: this is the scaling of load generators with their drives, not of one shared drive.
heading-limits = Limits of the instances (means over repeats)
heading-inputs = Transaction input (all valid cells)
heading-limiters = Limiters of the cells of { $workload }, by { $level }
heading-noise = Noise: one bed against itself, from repeat to repeat
heading-left-out = Left out
heading-careful = Cautions
heading-open = What is not settled

## The summary of a run.

summary-title = { $title } ({ $name }), run { $run }
summary-run =
    { $cells ->
        [one] { $state }, begun { $start } UTC, { $valid } of { $cells } cell valid, seed { $seed }, { $realm }, { $scale }
       *[other] { $state }, begun { $start } UTC, { $valid } of { $cells } cells valid, seed { $seed }, { $realm }, { $scale }
    }
summary-imported =
    { $cells ->
        [one] { $state }, begun { $start } UTC, { $valid } of { $cells } cell valid, { $realm } from { $program }
       *[other] { $state }, begun { $start } UTC, { $valid } of { $cells } cells valid, { $realm } from { $program }
    }
summary-observed =
    { $cells ->
        [one] { $state }, begun { $start } UTC, { $valid } of { $cells } cell valid, observed on { $program }
       *[other] { $state }, begun { $start } UTC, { $valid } of { $cells } cells valid, observed on { $program }
    }
summary-means = { $workload }: geometric mean over repeats and half width of its 95 % interval
summary-points = { $workload }, { $bed }: averages over the repeats and rounds that count
