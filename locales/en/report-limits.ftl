### What a run does not show, and how to repeat it.

limits-emulated = Behaviour of the real drives outside the model: ageing, wear, heat, firmware housekeeping over hours, power-saving states. The model holds the numbers of data sheets and studies, with their errors; `drivetrain drives` shows each with its source.
limits-simulated = Anything outside the model: locks on rows, checkpoints in bursts, wear and heat of drives, faults of the software, and details of the set-up that the study does not give. Parameters were fitted to printed numbers; a fitted number is no prediction.
limits-imported = Anything that the file of the results does not state: the state of drive and data before each load, the cost of the load generator, other load on the host, errors that the program did not count. drivetrain measured none of it.
limits-scale = The full size. A shrunk database, fewer users and shorter phases change how much is cached and how often users meet; ratios between beds carry over better than absolute numbers, and neither is a measurement of the full size.
limits-crashes = The loss of a drive's own cache in a power cut: on real storage processes were killed, and the operating system keeps its cache. Under a modelled drive the power itself is cut.
limits-nuisances = The effect of the treatment alone: the beds differ in other factors, too, which are named above.
limits-few-repeats = Anything final where repeats are few: such verdicts are hints.
limits-heading = What this does not show
limits-think = Users with think time: virtual users send the next transaction as soon as the last is answered, so latency is that of a saturated system, not that of people at a counter.
limits-deviations = Deviations from TPC-C
page-reproduce = How to reproduce
page-reproduce-lead = Save the experiment below as experiment.toml; it is the one that was run, after scaling and settings. The seed fixes the order of the cells and every random choice; times vary with the machine.
page-repeat-lead = This command made the run. The experiment below records its load, after all options; the seed fixes every random choice, and times vary with the machine.
limits-loads = Loads above the highest level, long runs and full or aged drives: every cell is short.
limits-loads-database = Loads above the highest level, long runs and full or aged drives: every cell starts from the same fresh copy and is short.
limits-machine = More than this machine: one host, one load generator.
limits-machine-database = More than this machine: one host, one load generator on the same processors as the database.
limits-machine-fleet = More hosts than those of this run, which the section on hosts lists.
limits-embedded = Another database engine. This one is { $engine }, which lets one transaction write at a time; servers that write in parallel put more I/O in flight and can gain more, or less, from a faster drive.
limits-server = Another database engine. This one is { $engine }, which has its own buffer pool, log and write-back; another server can gain more, or less, from a faster drive.
limits-clauses = Clauses that it does not follow:
page-imported = The source of the numbers
page-imported-lead = The loads that the file states are below. Imported results are not repeated by drivetrain: run the program again and import its output.
page-imported-run = { $version }, begun { $begun } UTC, { $mark }, { $cells }.
page-reproduce-run = drivetrain { $version }, begun { $begun } UTC, ended { $ended } UTC, { $mark }, { $cells }.
page-reproduce-open-run = drivetrain { $version }, begun { $begun } UTC, { $mark }, { $cells }.
