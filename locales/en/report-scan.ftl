### Scans against lookups.

reading-lookup-over-scan = { $marks } Above 1 the scan is faster.
scan-cold-cache = cold cache
scan-warm-cache = warm cache
scan-share = { $share } % of the rows
scan-limit = Pages are counted as the engine counts them: what PostgreSQL has the operating system read ahead is in no counter of its own.
scan-ended = { $name }: lookups of { $smallest } % of the rows and more were ended when they had taken ten times as long as the scan; how long they would have taken is not known, and their curve ends before.
scan-share-of-rows = % of the rows
scan-sentence = On { $bed }, from a cold cache, lookups by the index lose to a full scan above { $share }.
scan-always-lookup = the lookup was faster at every share that was asked for
scan-always-scan = the scan was faster at every share that was asked for
scan-repeats-disagree = repeats disagree whether there is one
scan-no-break-even = { $name }, { $words }: no break-even; { $why }.
scan-no-break-even-sentence = On { $name }, from a cold cache, there is no break-even: { $why }.
scan-reading = Where the two lines of a bed cross, the lookup begins to lose. Dots: every repeat. Lower is better.
scan-description = { $lines } lines over the share of the rows; the table holds the values.
scan-scan = scan
scan-lookup = lookup
scan-break-even = break-even
scan-title-cold = The same rows by a scan and by the index, from a cold cache
scan-title-warm = The same rows by a scan and by the index, from a warm cache
scan-read-cpu = { $read }: processor time
scan-read-logical = { $read }: logical reads
scan-read-physical = { $read }: physical reads
scan-read-ahead = { $read }: read ahead
