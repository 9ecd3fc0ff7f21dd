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
trend-none = No change in { $runs } runs of { $name }
trend-change = { $place }: { $ratio } since run { $run } ({ $started }): { $before } before, { $after } after
trend-steady = { $place }: no change; { $value } in the latest run
trend-break = before run { $run } changed: { $facts }
trend-breaks = Changes around the runs
trend-point = run { $run }, { $started }: { $value }
trend-axis = run { $run }, { $started }
trend-more-facts = ; and more
trend-not-known = { $place }: not known yet; { $value } in the latest run
