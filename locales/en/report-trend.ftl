### The history of an experiment over runs.

# A day, a day without its year, and a time (strftime).
trend-day = %Y-%m-%d
trend-day-short = %m-%d
trend-clock = %H:%M
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
trend-no-values =
    { $runs ->
        [one] { $runs } run of { $name }, but no series has { $least } runs with a value: too few to find a change
       *[other] { $runs } runs of { $name }, but no series has { $least } runs with a value: too few to find a change
    }
trend-none = No change was found in { $runs } runs of { $name }
trend-change-means = { $place }: changed since run { $run } ({ $started }): { $before } before, { $after } after
trend-means = { $before } to { $after }
trend-change = { $place }: { $ratio } since run { $run } ({ $started }): { $before } before, { $after } after
trend-in-latest = { $value } in the latest run
trend-in-run = { $value } in run { $run }, the latest with a value
trend-label = { $metric } at { $at }
trend-steady = { $place }: no change found; { $value }
trend-turn = before run { $run } changed: { $facts }
trend-break = break before run { $run }, the machine or its software changed: { $facts }
trend-point = run { $run }, { $started }: { $value }
trend-not-known = { $place }: not known yet; { $value }
trend-question = Has { $name } changed?
trend-kicker =
    { $runs ->
        [one] { $name } · { $runs } run · { $first } to { $last }
       *[other] { $name } · { $runs } runs · { $first } to { $last }
    }
trend-kicker-day =
    { $runs ->
        [one] { $name } · { $runs } run · { $day }
       *[other] { $name } · { $runs } runs · { $day }
    }

# The size of a change with its 95 % interval; what happened to a value; the sentence of both.
trend-size = { $value } ({ $interval })
trend-moved-lost = lost { $size }
trend-moved-gained = gained { $size }
trend-moved-fell = fell by { $size }
trend-moved-rose = rose by { $size }
trend-moved-times = went to { $size } of its former value
trend-moved-means = went from { $size }
trend-moved = { $place } { $moved } at run { $run } on { $day }: { $verdict }
trend-moved-when = { $place } { $moved } when { $facts } changed before run { $run } on { $day }: { $verdict }
trend-size-open = size not certain
trend-not-compared = not comparable
trend-more =
    { $more ->
        [one] { $more } more change was found
       *[other] { $more } more changes were found
    }
trend-at-break = The machine or its software changed there, so this need not be the tested drive
trend-beside-break = Since run { $run } the machine or its software is different ({ $facts }): no mean is carried across

# What changed around the runs.
trend-fact = { $name } { $before } to { $after }
trend-of-bed = { $fact } of { $bed }
trend-and-more = { $told } and { $more } more
trend-things =
    { $count ->
        [one] { $count } thing changed
       *[other] { $count } things changed
    }
trend-break-note = break: { $facts }
trend-factor-engine = engine
trend-factor-kernel = kernel
trend-factor-kernel-build = kernel build
trend-factor-processor = processor
trend-factor-processors = processors
trend-factor-main-memory = main memory
trend-factor-system = operating system
trend-factor-machine = machine
trend-factor-hypervisor = hypervisor
trend-factor-bios = BIOS
trend-factor-microcode = microcode
trend-factor-governor = frequency governor
trend-factor-turbo = turbo
trend-factor-order = order of the cells
trend-factor-storage = storage
trend-factor-log = log
trend-factor-memory = memory
trend-factor-buffer = buffer pool
trend-factor-drive = drive model
trend-factor-firmware = drive firmware
trend-factor-capacity = capacity
trend-factor-read-latency = read latency at { $size }
trend-factor-write-latency = write latency at { $size }
trend-factor-read-rate = read rate at { $size }
trend-factor-write-rate = write rate at { $size }
trend-factor-read-bandwidth = read bandwidth
trend-factor-write-bandwidth = write bandwidth
trend-factor-queue-limit = queue limit
trend-factor-write-ack = write acknowledgement
trend-factor-write-buffer = write buffer
trend-factor-flush = flush time
trend-factor-protection = power-loss protection

trend-reading = One dot per run.
trend-reading-mean = Line: mean of a stretch without a change.
trend-reading-band = Line and band: mean of a stretch without a change.
trend-reading-whisker = Whisker: 95 % interval of the cells of a run.
trend-reading-letters = Letter: something around the runs changed there.
trend-title-change =
    { $changes ->
        [1] { $label }: { $ratio } since run { $run }, the only change of this metric
       *[other] { $label }: { $ratio } since run { $run }, the largest of its { $changes } changes
    }
trend-axis-from = { $axis } (axis starts at { $start })
trend-axis-runs = run
trend-axis-day = { $day }, UTC
trend-source = drivetrain · { $mark } · runs { $first } to { $last } · { $name } · { $place }
trend-tile-latest = Latest run, { $run }
trend-tile-latest-value = Latest run with a value, { $run }
trend-tile-mean =
    { $runs ->
        [one] The run before it, since { $since }: { $mean }.
       *[other] The mean of the { $runs } runs before it, since { $since }: { $mean }.
    }
trend-tile-stretch =
    { $runs ->
        [one] Against the run before it, of { $since }.
       *[other] Against the mean of the { $runs } runs since { $since }.
    }
trend-tile-within = Within the noise.
trend-tile-second = One run is no change; a second one decides.
trend-tile-alone = The first run with a value: there is nothing to compare it with.
trend-tile-first = The first run since the break: there is nothing to compare it with.
trend-tile-noise = Noise of a run
trend-tile-noise-detail = Standard deviation of a run from the mean of its stretch, from { $runs } runs. A smaller change stays unseen.
trend-tile-changes = Changes found
trend-tile-too-few = too few runs
trend-tile-least = A change can be found from { $least } runs on.
trend-tile-too-few-values = too few values
trend-tile-least-values = A change can be found from { $least } runs with a value on.
trend-tile-noise-none = It needs positive values, at least three in one stretch.
trend-tile-held = In { $notebook }
trend-tile-runs =
    { $runs ->
        [one] { $runs } run
       *[other] { $runs } runs
    }
trend-tile-series = · { $series } series
trend-tile-no-break = Since { $since }, { $mark }. No break: machine and software stayed the same.
trend-tile-breaks =
    { $breaks ->
        [one] Since { $since }, { $mark }. { $breaks } break: the machine or its software changed.
       *[other] Since { $since }, { $mark }. { $breaks } breaks: the machine or its software changed.
    }
trend-others = Other metrics
trend-runs = Runs
trend-runs-caption =
    { $runs ->
        [one] { $runs } run, the latest first
       *[other] { $runs } runs, the latest first
    }
trend-runs-latest = the latest { $shown } of { $runs } runs
trend-breaks-lead = Letters are those of the figures: what was recorded around a run and differs from the run before it. A change at a letter may come from there.
trend-column-run = run
trend-column-started = started, UTC
trend-column-before = changed before it
trend-column-value = value ({ $unit })
trend-column-interval = 95 % interval
trend-column-mean = mean of the stretch
trend-column-change = change before it
trend-column-day = day, UTC
trend-column-fact = what
trend-column-key = key
trend-column-earlier = before
trend-column-later = from this run on
trend-here = change: { $ratio }
trend-here-of = { $place }: { $ratio }
trend-facts = { $mark } · { $facts }
trend-break-facts = break · { $facts }
trend-steady-ones =
    { $count ->
        [one] { $count } series without a change
       *[other] { $count } series without a change
    }
trend-all-values = All runs and all metrics
trend-values-count =
    { $values ->
        [one] { $values } value
       *[other] { $values } values
    }
trend-keys = What changed around the runs, by its keys
trend-keys-count =
    { $count ->
        [one] { $count } fact
       *[other] { $count } facts
    }
trend-how = How change points are found
trend-how-more = and when a break is drawn
trend-how-changes = A change is a place in the history before and after which the ranks of the values differ by more than in 99 % of random orders of the same values, and the means by no less than the smallest effect that the experiment declares. It is searched as a split in two and, for a change that goes back, as a window against the rest (binary and circular binary segmentation on ranks, with permutation tests). Its place is that of the most likely step: the least sum of distances from the medians of both sides. When all changes are known, each is placed and tested once more between its neighbours. At least two runs lie on each side. Few runs show no change: ten or more are needed. A change that is smaller than the noise of the runs stays unseen, so "no change found" is no proof that nothing changed.
trend-how-sizes = The size of a change is the ratio of the geometric means of the runs on both sides, up to the next change or break, with Welch's 95 % interval on logarithms. Where a mean is zero or negative there is no ratio, and the means are given. The interval assumes that the place of the change is known. That of the latest run is the 95 % prediction interval of one more run of its stretch. A band is the 95 % interval of the mean of a stretch, from four runs on.
trend-how-breaks = A break is drawn as a zigzag before a run whose machine, kernel, engine or processor is not that of the run before it; means have a gap there. A letter marks any other change: a setting, a key of the experiment, the drive.
trend-all-runs = All runs
