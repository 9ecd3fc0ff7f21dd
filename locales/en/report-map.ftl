### Read latency over the load, as a figure: texts on its axes and how to read it.

map-median = Median
map-p95 = 95th percentile
map-title = { $percentile } of the read latency over the load: { $drive }
map-reading = Each square is a rate of random reads beside a bandwidth of sequential writes. Darker is slower. White: the load was not kept.
map-source-measured = measured: { $from }; model: in virtual time
map-source-model = model, in virtual time
map-measured = measured
map-model = model
map-hint = { $reads } reads/s, { $writes } MB/s written: { $ms } ms
map-reads = reads per second
map-writes = MB/s written
map-key = ms
