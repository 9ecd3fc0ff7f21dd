### The history of an experiment over runs.

trend-headline =
    { $changes ->
        [one] { $changes } change in { $runs } runs of { $name }
       *[other] { $changes } changes in { $runs } runs of { $name }
    }
trend-few =
    { $runs ->
        [one] { $runs } run of { $name }: too few to find a change, which takes about { $least } runs
       *[other] { $runs } runs of { $name }: too few to find a change, which takes about { $least } runs
    }
trend-none = No change was found in { $runs } runs of { $name }
trend-change = { $place }: { $ratio } since run { $run } ({ $started }): { $before } before, { $after } after
trend-steady = { $place }: no change found; { $value } in the latest run
trend-break = before run { $run } changed: { $facts }
trend-point = run { $run }, { $started }: { $value }
trend-more-facts = ; and more
trend-not-known = { $place }: not known yet; { $value } in the latest run
trend-question = Has { $name } changed?
trend-kicker =
    { $runs ->
        [one] { $name } · { $runs } run · { $first } to { $last }
       *[other] { $name } · { $runs } runs · { $first } to { $last }
    }
trend-reading = One dot per run; line: mean of a stretch without a change.
trend-reading-whisker = Whisker: 95 % interval of the cells of a run.
trend-reading-letters = Letters: something around the runs changed there.
trend-title-change =
    { $changes ->
        [one] { $ratio } since run { $run }, the only change of this metric
       *[other] { $ratio } since run { $run }, the largest of its { $changes } changes
    }
trend-axis-from = { $axis } (axis starts at { $start })
trend-axis-runs = run
trend-source = drivetrain · { $name } · { $place }
trend-tile-latest = Latest run, { $run }
trend-tile-stretch =
    { $runs ->
        [one] Against the one run since the last change. A change is called one from two runs on.
       *[other] Against the mean of the { $runs } runs since the last change. A change is called one from two runs on.
    }
trend-tile-no-change =
    { $runs ->
        [one] Against the one run before it. A change is called one from two runs on.
       *[other] Against the mean of the { $runs } runs before it, without a change between them. A change is called one from two runs on.
    }
trend-tile-changes = Changes found
trend-tile-of-series =
    { $series ->
        [one] { $worse } for the worse, in { $series } series.
       *[other] { $worse } for the worse, in { $series } series.
    }
trend-tile-runs = Runs of one kind
trend-tile-breaks =
    { $breaks ->
        [0] Experiments of one name, of the same realm and scale. Machine, engine, storage and keys of the experiment stayed the same.
        [one] Experiments of one name, of the same realm and scale. Machine, engine, storage or keys of the experiment changed before { $breaks } of them.
       *[other] Experiments of one name, of the same realm and scale. Machine, engine, storage or keys of the experiment changed before { $breaks } of them.
    }
trend-others = Other metrics
trend-runs = Runs
trend-runs-caption =
    { $runs ->
        [one] { $runs } run, the latest first
       *[other] { $runs } runs, the latest first
    }
trend-breaks-lead = Letters are those of the figures: what was recorded around a run and differs from the run before it. A change at a letter may come from there.
trend-column-run = run
trend-column-started = started, UTC
trend-column-before = changed before it
trend-here = change point: { $ratio }
trend-facts = { $mark } · { $facts }
trend-steady-ones =
    { $count ->
        [one] { $count } series without a change
       *[other] { $count } series without a change
    }
trend-how = How change points are found
trend-how-more = and when a break is drawn
trend-how-changes = A change is a split of the history at which the ranks before and after differ by more than in 99 % of random orders of the same values, and the means by no less than the smallest effect that the experiment declares (binary segmentation by the largest t statistic of the ranks, with a permutation test). At least two runs lie on each side. Few runs show no change: ten or more are needed. A change that is smaller than the noise of the runs stays unseen, so "no change found" is no proof that nothing changed.
trend-how-breaks = A break is drawn before a run whose surroundings differ from those of the run before it: kernel, processor, version of a program, settings, the drive below. The line of means has a gap there.
trend-all-runs = All runs
trend-tile-too-few = too few runs
trend-tile-least = A change can be found from { $least } runs on.
