### The page.

page-running = { $title } · { $mark } · seed { $seed }
page-origin = drivetrain · { $mark } · run { $run } of { $name }
page-kicker = { $name } · run { $run } · { $start } UTC
page-footer-imported = { $version }, imported by drivetrain · run { $run } of { $name } · { $cells }.
page-footer-observed = { $version }, observed by drivetrain · run { $run } of { $name } · { $cells }.
page-footer = drivetrain { $version } · run { $run } of { $name } · seed { $seed } · { $cells }.

## The kind of the numbers.

basis-scaled = { $scale }: { $statement } No number here equals one of the full size.
basis-emulated = Emulated drives: the bytes, the transactions and the database are real; the time of each I/O comes from a model of the drive, waited for in real time.
basis-emulated-block = Emulated drives: no byte moves; the time of each I/O comes from a model of the drive, waited for in real time.
basis-emulated-block-virtual = Emulated drives: no byte moves; the time of each I/O comes from a model of the drive, in virtual time.
basis-real = Real storage: every I/O went to the path that each bed names.
basis-null = Null engine: no I/O reached any storage; the numbers show the cost of drivetrain itself.
basis-simulated = Simulated: no byte was moved and no database ran; users, processors, memory, log and storage of whole test beds are models in virtual time.
basis-imported = Imported: another program measured and reported these numbers; drivetrain changed their units and nothing else.
basis-observed = Observed: somebody else's load on a server, by its own counters and those of its machine; drivetrain ran nothing.
basis-mixed = Some beds use real storage and some emulated drives, whose times come from a model: the two kinds are measured in different ways.
mark-imported = imported from { $program }
mark-observed = observed on { $program }
page-swatch = line and marker of { $bed } in every figure
page-bed-short = short: “{ $bed }”
page-baseline = the baseline
page-no-nuisance = The beds differ in { $treatment } only: everything else that was recorded of host, file system and database is the same.
treatment-storage = storage
treatment-memory = memory
treatment-log = log
page-nuisances = Factors in which the beds differ besides the treatment
cell-not-run = not run
page-crashes = Crashes and recovery
page-crashes-lead = The database was crashed under load and recovered; then every order whose commit had returned was looked up with all its lines (clause 3.5.4).
page-crashes-caption = The durability test, by bed ({ $mark })
page-instances = Instances side by side
page-instances-lead = Equal instances on one storage, started at one moment and driven by one process. The fairness index of Jain, Chiu and Hawe is 1 when all got the same share, and 1 divided by the number of instances when one got everything.
page-instances-caption = Rates of the instances, means over repeats ({ $mark })
page-pace = Pace of the load generator
page-pace-lead = The delay is the time from the moment at which a request was due to its start. The connection wait is the time in which a user has no connection of the pool. The latencies contain both: a large delay is of the load generator and its machine, not of the storage.
page-pace-caption = Delays and waits, means over repeats ({ $mark })
page-hosts = Hosts
page-hosts-lead = Each host ran its share of the load and kept its own cells. Rates are summed; percentiles come from the merged histograms of all hosts. "late" is the time from the agreed moment to the start of the load, "clock" the date of the host minus that of the lead, "clock error" the bound of its error. The fairness index of Jain is 1 when all hosts did the same.
page-hosts-caption = Figures of the hosts, means over repeats ({ $mark })
page-scale-out = Throughput against ranks
page-scale-out-lead = The level is the number of ranks, each with the same load. Efficiency is the rate of each rank in % of that at the fewest ranks; gain is the rate that the last ranks added, in % of the rate of as many ranks before them. The knee is the last number of ranks before a gain below 50 %. In brackets is the 95 % interval of a gain from its repeats; a knee is a finding from four repeats on, if no interval up to it contains 50 %.
page-scale-out-caption = Throughput, efficiency and limiter against ranks ({ $mark })
page-inputs = Transaction input
page-inputs-lead = The shares of clause 5.5.1.5 as they were submitted, over all valid cells. A generator outside these limits measures another workload.
page-inputs-caption = Input and its limits ({ $mark })
page-limiters-caption = { $workload }: limiter by { $level_name }; a number where repeats disagree ({ $mark })
page-limiters-detail = { $workload }: a typical cell of each bed and { $level_name } ({ $mark })
page-limiters = Limiter of each cell
page-limiters-lead = The limiter took the largest part of the time, or left no processor idle. A difference between drives shows in full only where the drive or the log was the limiter, elsewhere in proportion to its part of the time. The table of all cells has the limiter of each.
page-cells-caption = { $workload }: every cell in the order in which it was run ({ $mark })
page-order-interleaved = Order: randomised complete blocks, every bed and level once in each block.
page-order-sequential = Order: one bed after the other, not randomised.
page-cells = All cells
page-order = The cells in the order in which they ran
page-held = Limits of the instances
page-held-lead = Each instance ran in a control group of its own. Memory includes the page cache that it filled, so its files are cached by no more than its limit; held back is the time for which it was denied processors, summed over the instances of a cell.
page-held-caption = Limits and their effect ({ $mark })
page-written-by-log = The drive's own log counts the writes that it received in the whole cell.
page-written-no-log = No drive's own log could be read here: that needs root and an NVMe drive.
page-written = Bytes written to the drives
page-written-lead = Means of the valid cells, for the drive's endurance: divide its rated bytes written by the bytes of a transaction. Host counters include the writes of other programs; the whole cell includes its reset and its check. With a neighbour, the bytes of a transaction are the victims' own. { $log }
page-written-caption = Written in a cell ({ $mark })
page-operation-caption = { $workload }: every figure ({ $mark })
page-operation = In figures
page-operation-of = In figures: { $workload }
page-place = { $bed }, { $level }, repeat { $repeat }
page-floor = Floor of the emulation
page-floor-not-recorded = The cost of the emulation layer itself was not recorded in this run.
page-floor-caption = The layer with a drive that costs nothing ({ $mark })
page-floor-lead = The cost of the layer under the database when the modelled drive takes no time. A modelled time near this floor cannot be reproduced.
page-treatment-caption = The treatment: intended differences between the beds
page-fact-database = Database settings
page-facts-caption = { $title }; bold where beds differ
page-facts-of = Facts of the { $scope }
page-facts-count = { $count } facts of the { $scope }
page-fingerprint-lead = Facts of host, storage and configuration that could change a result, as read when the run began.
tile-crashes = Crashes under load
tile-passed = { $passed } passed
tile-orders-lost = Acknowledged orders lost
tile-of = of { $number }
tile-longest-recovery = Longest recovery
tile-recovery-span = from the crash to the first connection
tile-at = { $title } at { $at }
tile-p99 = p99 latency at { $at }
tile-not-known = not known
tile-on-beds = on { $beds }
tile-limiter-on-beds = { $name } on { $beds }
tile-limiter-on-part = { $bed } ({ $count } of { $cells } cells)
tile-limiter = Limiter
tile-noise = How sure
tile-noise-detail = Typical coefficient of variation of the { $metric } of one bed; the largest is { $most }.
tile-noise-small = noise of a repeat
tile-rests = { $basis }; { $cells }
tile-of-bed = of { $bed }
tile-no-noise = no bed has two valid repeats of one cell
tile-valid-cells = Valid cells
page-limiters-figures = The figures of each limiter
page-left-out = Left out of every figure and verdict:
page-all-cells =
    { $cells ->
        [one] All { $cells } cell
       *[other] All { $cells } cells
    }
page-written-table = Bytes written, by bed and load
page-noted = Notes of each cell
page-fact-beds = Beds
page-fact-drives = Drives
page-doctor = Findings of the doctor before the run:
page-fingerprint = Fingerprint
tile-hint = { $compared }; too few repeats for more than a hint

## The frame of the page.

theme = Theme
theme-system = system
theme-light = light
theme-dark = dark
page-beds = The beds
page-about = About the experiment
page-file = The experiment is the file { $path }.
page-table = Table

## The order of the page.

page-meaning = what that means
page-link = link
copy-table = copy table
copy-figure = copy figure
copy-done = copied
copy-failed = not copied
page-why = Why
page-basis = The kind of these numbers
page-no-grave = no warning changes the verdicts
page-grave =
    { $count ->
        [one] { $count } thing changes how far the answer holds
       *[other] { $count } things change how far the answer holds
    }
page-grave-more = { $count } more
page-notes =
    { $count ->
        [one] Note ({ $count }):
       *[other] Notes ({ $count }):
    }
page-verdict-count = { $count } { $verdict }
page-open =
    { $count ->
        [one] What is not settled: { $count } contrast
       *[other] What is not settled: { $count } contrasts
    }
page-verdicts-told =
    { $count ->
        [one] { $count } declared contrast: { $told }
       *[other] { $count } declared contrasts: { $told }
    }
fold-figures = All figures
fold-more = { $count } more: { $first } …
fold-numbers = All numbers
fold-published = Beside the published numbers
fold-published-more = each printed number, what was measured here, and why the two differ
fold-how = How this was measured
fold-how-imported = kind of numbers, beds, host, limits, the loads
fold-how-more = kind of numbers, beds, order, seed { $seed }, fingerprint, limits, how to repeat it

## Counters of other programs.

fold-counters = Counters of other programs
counters-lead = Imported from other programs and placed on the clock of the cells by the time of day, to about a second. drivetrain measured none of them.
counters-more = { $count } more counters are not drawn; `drivetrain export --format series-csv` has them.
counters-reading = One cell of each bed at { $at }.
counters-no-unit = value
page-in-numbers = In numbers
page-in-numbers-of = { $heading }: { $workload }
page-in-numbers-caption = { $workload }: geometric mean of the repeats; ratios of rates to those of the baseline, with the interval that decided the verdict ({ $mark })
page-in-numbers-caption-once = { $workload }: one repeat of each cell ({ $mark })
page-about-simulated = The description is of the run on this machine. A simulated run has the published beds in their place, with every difference between them.
