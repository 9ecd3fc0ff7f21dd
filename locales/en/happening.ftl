### What happened in a cell, as its events tell it.

## A text that is no data: of an older notebook, an error in its own words, a setting.

happening-told = { $text }
happening-why = { $why }
happening-unmeasurable = { $metric } had no possible value ({ $value })
happening-reset = { $method } in { $reset_s } s
happening-not-reset = not reset: an existing server keeps the data of the cells before
happening-trace = { $ios } I/Os in { $path }, { $left_out } left out

## Hosts of a fleet.

happening-host-client = rank { $rank } ({ $host }) was bounded by its load generator: the storage could have done more
happening-host-slow = rank { $rank } ({ $host }) did { $share_percent } % of the mean of the hosts
happening-host-late = rank { $rank } ({ $host }) started { $late_ms } ms after the agreed moment

## Loads on databases.

happening-standstill = no request was answered for { $length_s } s, from { $from_s } s of the measure phase on, while requests waited
happening-standstills = no request was answered for { $length_s } s, from { $from_s } s of the measure phase on, while requests waited ({ $times } times, { $together_s } s together)
happening-requests-unfinished = { $requests } requests were not finished at the drain limit ({ $drain_s } s after the measure phase); their latency is a lower bound
happening-connections-lost = the connections of { $requests } requests were lost under way: they may have been committed or not; their latency is a lower bound
happening-input-outside = { $name } is { $value } { $unit }, outside of { $low } to { $high }
happening-tpm-differs = TPM by the server's counters is { $server }, by the client's { $client }: the server counts every commit and rollback of every session, ours and others', and reports them up to a second late; MariaDB leaves out single statements, which commit by themselves
happening-nopm-differs = NOPM by the server's counters is { $server }, by the client's { $client }: the sum of D_NEXT_O_ID has no orders that were rolled back, and is read while transactions are under way
happening-load-ended = the load ended with: { $error }
happening-layout = { $file_system }: { $as_copied } fragments as copied, { $as_laid_out } as laid out ({ $extents } extents, { $piece_kib } KiB each)
# In place of `$file_system` of the message before.
file-system-named = { $name }
file-system-unknown = file system not known
happening-plan-of-scan = scan: { $plan }
happening-plan-of-lookup = lookup: { $plan }

## Arms of a noisy neighbour. `$neighbour` is a word of experiments: `backup`, `database`.

happening-arm-alone = each of { $victims } victims by itself
happening-arm-together = { $victims } victims together
happening-arm-with-neighbour = { $victims } victims beside { $neighbours } x { $neighbour }
happening-arm-mitigated = { $victims } victims beside { $neighbours } x { $neighbour }, mitigated by { $mitigation }
happening-arm-neighbour-alone = { $neighbours } x { $neighbour } without victims

## Cycles of backup and restore.

happening-cycle = cycle { $number }: backup of { $database_mb } MB in { $backup_s } s ({ $files } files of { $files_mb } MB, { $tool }); the checksums of all files match; restored in { $restore_s } s (files { $copied_s } s, start { $start_s } s); { $proof }
# In place of `$proof` of the message before.
proof-tables = { $conditions }; { $rows } rows in { $tables } tables checksummed; the proof took { $took_s } s
proof-tables-and-orders = { $conditions }; { $rows } rows in { $tables } tables checksummed; { $there } of { $all } acknowledged orders are present; the proof took { $took_s } s
# In place of `$conditions` of the messages before.
conditions-hold = all consistency conditions hold
conditions-violated = { $count } consistency conditions are violated
happening-cycle-simulated = cycle { $number }: backup of { $backup_mb } MB in { $backup_s } s; restored in { $restore_s } s
happening-drill-caught = bit { $bit } of byte { $byte } of { $file } was flipped and caught: { $error }

## Block I/O.

happening-purge-modelled = a modelled drive begins each cell in its steady state: there was nothing to purge
happening-purge-discarded = all blocks of the device were discarded
happening-purge-given-back = the blocks of the file were released to its file system, which passes this on to the drive only if it is mounted with `discard`; blocks outside the file keep their contents
happening-purge-new-file = the file is new and was written in full; the drive was not purged, which needs a raw device: blocks outside the file keep their contents
happening-search-deepest = highest load with { $percentile } within { $latency }: { $point }
happening-search-none = no load has { $percentile } within { $latency }, not even the smallest one tried
happening-settled = ended after { $measured_s } s of { $most_s } s: the rate had fallen and was stable

## The steady state of a block cell.

happening-steady-attained = steady state attained after { $rounds } rounds ({ $end })
happening-steady-attained-window = steady state attained after { $rounds } rounds ({ $end }), window of rounds { $first } to { $last }
happening-steady-missed = steady state not attained after { $rounds } rounds ({ $end })
happening-steady-missed-window = steady state not attained after { $rounds } rounds ({ $end }), window of rounds { $first } to { $last }
# In place of `$end` of the messages before.
rounds-steady = steady
rounds-enough-written = enough was written
rounds-no-more = no more rounds were allowed
happening-steady-few-rounds = { $figure }: { $rounds } rounds are fewer than a window
happening-steady-figure = { $figure }: average { $average } { $unit }; excursion { $excursion } of { $excursion_allowed } allowed; slope { $slope } of { $slope_allowed } allowed; fit { $fit } x R + { $base }
# In place of `$figure` of the messages before, alone or with the points that are tracked.
steady-iops = IOPS
steady-bandwidth = bandwidth
steady-mean-latency = mean latency
tracked-at = { $figure } at { $points }
tracked-reads = { $read } read

## Simulations.

happening-simulated-until-narrow = every load runs in virtual time until the 95 % interval of its rate is within 1 %, or for the full time requested
happening-simulated-steady = a modelled drive begins in its steady state: nothing was filled first, and one round gives the result of all
happening-simulated-patterns = the modelled drives answer random requests alike at every offset: all random patterns count as uniform
happening-simulated-copies = the model moved every byte of every copy in virtual time; nothing was written, so no restore was proven and no bit was flipped
happening-simulated-for = { $virtual_s } s of virtual time stand for { $whole_s } s: the half width of the throughput's 95 % interval is { $precision_percent } %
happening-simulated-slow-for = { $virtual_s } s of virtual time stand for { $whole_s } s; slow state changes { $haste } times as fast in it, so that backups begin, end and leave their effects as often as in the whole time
