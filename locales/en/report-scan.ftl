### Scans against lookups.

reading-lookup-over-scan = { $marks } Above 1 the scan is faster.
scan-cold-cache = cold cache
scan-warm-cache = warm cache
scan-share = { $share } % of the rows
scan-limit = Pages are counted by the engine: PostgreSQL has no counter of the pages that the operating system reads ahead for it.
scan-ended = { $name }: lookups of { $smallest } % of the rows and more were stopped after ten times the time of the scan; their full time is not known, and their curve ends before them.
scan-share-of-rows = % of the rows
scan-sentence = On { $bed }, from a cold cache, lookups by the index lose to a full scan above { $share }.
scan-always-lookup = the lookup was faster at every share that was asked for
scan-always-scan = the scan was faster at every share that was asked for
scan-repeats-disagree = the repeats disagree on it
scan-no-break-even = { $name }, { $words }: no break-even; { $why }.
scan-no-break-even-sentence = On { $name }, from a cold cache, there is no break-even: { $why }.
scan-reading = The lookup becomes slower than the scan where the two lines of a bed cross. Dots: every repeat. Lower is better.
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
