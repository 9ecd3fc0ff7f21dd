### Events of cells.

event-layout = { $filesystem }: { $as_copied } fragments as copied, { $as_laid_out } as laid out ({ $extents } extents, { $kib } KiB each)
event-no-file-system = file system not known
event-load-ended = the load ended with: { $why }
event-host-client = rank { $rank } ({ $host }) was bounded by its load generator: the storage could have done more
event-host-slow = rank { $rank } ({ $host }) did { $share } % of the mean of the hosts
event-host-late = rank { $rank } ({ $host }) started { $late_ms } ms after the agreed moment
purge-modelled = a modelled drive begins each cell in its steady state: there was nothing to purge
purge-discarded = all blocks of the device were discarded
purge-given-back = the blocks of the file were released to its file system, which passes this on to the drive only if it is mounted with `discard`; blocks outside the file keep their contents
purge-new-file = the file is new and was written in full; the drive was not purged, which needs a raw device: blocks outside the file keep their contents
event-trace = { $ios } I/Os in { $path }, { $left_out } left out
search-wanted = { $percentile } within { $latency }
search-deepest = highest load with { $wanted }: { $point }
search-none = no load has { $wanted }, not even the smallest one tried
simulated-until-narrow = every load runs in virtual time until the 95 % interval of its rate is within 1 %, or for the full time requested
simulated-steady = a modelled drive begins in its steady state: nothing was filled first, and one round gives the result of all
simulated-patterns = the modelled drives answer random requests alike at every offset: all random patterns count as uniform
simulated-stands-for-slow = { $virtual } s of virtual time stand for { $whole } s; slow state changes { $haste } times as fast in it, so that backups begin, end and leave their effects as often as in the whole time
simulated-stands-for = { $virtual } s of virtual time stand for { $whole } s: the half width of the throughput's 95 % interval is { $precision } %
event-input-outside = { $name } is { $value } { $unit }, outside of { $low } to { $high }
event-reset = { $method } in { $reset_s } s
reset-none-on-existing = not reset: an existing server keeps the data of the cells before
floor-flag = bed { $bed }: { $flag }
published-batch-requests = Batch requests, 4.6 for each new order, in both.
mount-over-device = FUSE over /dev/fuse, { $threads } threads
mount-over-rings = FUSE over io_uring, { $rings } rings
