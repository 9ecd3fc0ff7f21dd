### Figures of users that load a database.

lead-limiters = limiter
lead-reading = { $better } Ratios and intervals are relative to { $baseline }.
lead-title = { $what }: { $bed } has { $range } that of { $baseline }
lead-title-partly = { $what }: { $bed } has { $range } that of { $baseline } over { $loads } loads; at { $open } of them the difference is not distinguishable
lead-title-at = { $what } at { $at }: { $bed } has { $range } that of { $baseline }
lead-title-open = { $what }: { $bed } and { $baseline } are not distinguishable
rows-ratio = { $metric } ratio
rows-baseline = baseline
rows-reading = Geometric means of the repeats. Within one load and column the longest bar is the largest value.

## The parts of a transaction's time.

parts-hint = { $bed }, { $part }: { $value }
parts-whole = whole ({ $unit })
part-reads = drive reads
part-log = log flush
part-processor = processor
part-queue = waiting for a processor
part-locks = locks
part-network = network
part-fixed = fixed waits
part-connection = waiting for a connection
part-delay = delay of the load generator
part-rest = processor and client
time-reading = Mean response time (geometric) by part. The shares come from samples of the users' states. A drive can change drive reads and log flush alone.
time-reading-simulated = Mean response time by part, from the model. A drive can change drive reads and log flush alone.
time-unseen = { $beds }: too few sessions were seen at work for shares, so there is no bar.
time-title = At { $at } the drive takes { $part } of { $all } ms on { $bed }, and { $other_part } of { $other_all } ms on { $other }
time-title-one = At { $at } the drive takes { $part } of { $all } ms on { $bed }
