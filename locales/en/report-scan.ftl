### Scans against lookups.

scan-cold-cache = cold cache
scan-warm-cache = warm cache
scan-share = { $share } % of the rows
scan-limit = Pages are counted by the engine: PostgreSQL has no counter of the pages that the operating system reads ahead for it.
scan-ended = { $name }: lookups of { $smallest } % of the rows and more were stopped after ten times the time of the scan; their full time is not known, and their curve ends before them.
scan-share-of-rows = % of the rows
scan-sentence = On { $bed }, from a cold cache, lookups by the index lose to a full scan above { $share }.
scan-always-lookup = the lookup was faster at every share that was asked for
scan-always-scan = the scan was faster at every share that was asked for
scan-repeats-differ = { $name }, { $words }: the break-even is that of the means; { $crossed } of { $repeats } repeats have one of their own, with all of their cells.
scan-no-break-even = { $name }, { $words }: no break-even; { $why }.
scan-no-break-even-sentence = On { $name }, from a cold cache, there is no break-even: { $why }.
scan-scan = scan
scan-lookup = lookup
scan-break-even = break-even
scan-read-cpu = { $read }: processor time
scan-read-logical = { $read }: logical reads
scan-read-physical = { $read }: physical reads
scan-read-ahead = { $read }: read ahead
scan-reading = Time for the same rows by the index (lookup) and by a full scan, for each bed. Ring: the share from which on the scan is faster. Dots: every repeat.
scan-title = Share of the rows below which lookups win, { $state }: { $beds }
scan-title-bed = { $share } % on { $bed }
scan-title-none = With a { $state }, no break-even between lookups and a scan was found
scan-axis = seconds
