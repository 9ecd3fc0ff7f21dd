### Cold scans of fragmented files.

reading-one-allocation = { $marks } At 0 the file was allocated in one step. Lower is better.
reading-fragments = Pieces that are not contiguous on the drive, as the file system reports them (FIEMAP).
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
