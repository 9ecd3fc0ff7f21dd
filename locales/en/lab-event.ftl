### Events of cells.

event-layout = { $filesystem }: { $as_copied } fragments as copied, { $as_laid_out } as laid out ({ $extents } extents, { $kib } KiB each)
event-no-file-system = file system not known
event-load-ended = the load ended with: { $why }
purge-modelled = a modelled drive begins each cell in its steady state: there was nothing to purge
purge-discarded = all blocks of the device were discarded
purge-given-back = the blocks of the file were given back to its filesystem, which tells the drive only where it is mounted to discard; blocks outside the file keep what they hold
purge-new-file = the file is a new one, written in full; the drive was not purged, which takes a raw device: blocks outside the file keep what they hold
event-trace = { $ios } I/Os in { $path }, { $left_out } left out
search-wanted = { $percentile } within { $latency }
search-deepest = deepest load with { $wanted }: { $point }
search-none = no load has { $wanted }, not even the smallest one tried
simulated-until-narrow = every load runs in virtual time until the 95 % interval of its rate is within 1 %, or for the whole time that was asked for
simulated-steady = a modelled drive begins in its steady state: nothing was filled before, and one round says what all would
simulated-patterns = the model's drives answer a random request alike wherever it lies: all random patterns count as uniform
simulated-stands-for-slow = { $virtual } s of virtual time stand for { $whole } s; slow state passes { $haste } times as fast meanwhile, so that backups begin, end and leave their traces as often as in the whole time
simulated-stands-for = { $virtual } s of virtual time stand for { $whole } s: the 95 % interval of the throughput is { $precision } % wide on either side
event-input-outside = { $name } is { $value } { $unit }, outside of { $low } to { $high }
event-reset = { $method } in { $reset_s } s
reset-none-on-existing = not reset: an existing server holds what the cells before left
floor-flag = bed { $bed }: { $flag }
published-batch-requests = Batch requests, 4.6 for each new order, in both.
