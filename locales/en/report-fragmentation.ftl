### Cold scans of fragmented files.

fragments-as-copied = fragments as copied
fragments-as-laid-out = fragments as laid out
fragments-mean-piece = mean piece
fragments-cold-scan = cold scan
fragments-cold-scan-rate = cold scan, of the table's files
fragments-against-one = { $at } / in one piece
fragments-time-of-scan = time of a cold scan
fragments-sentence = On { $bed }, a cold scan of a file grown in { $at } took { $times } the time of a scan of a contiguous file.
fragments-limit = The bytes are the same in every layout, and every scan begins with an empty buffer pool and without the files in the host's page cache; the drive's own cache is not emptied.
fragments-one-piece = in one piece
fragments-mib = pieces of { $size } MiB
fragments-kib = pieces of { $size } KiB
fragments-bars-reading = Cold scan of the same bytes, mean of the repeats, and its ratio to the file in one piece with the 95 % interval.
fragments-bars-axis = seconds of a cold scan
fragments-bars-times = { $value } ({ $low } to { $high })
fragments-title = A scan in { $pieces } takes { $times } the time of one piece
fragments-title-none = In { $pieces } a scan is not distinguishable from one in one piece, at most { $most } % slower
fragments-title-alone = Cold scans by layout of the file
