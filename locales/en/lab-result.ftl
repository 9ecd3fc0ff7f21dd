### A finished cell in one line.

result-none-lost = none of { $orders } acknowledged orders lost, recovered in { $recovery } s
result-bounded-by = bounded by { $l }
result-behind = missed its pace, bounded by { $l }
result-lookup-lost = slower, stopped after { $lost } s
result-scan = cold: scan { $scan } s, lookup { $lookup }
result-layout = cold scan { $time } s, { $fragments } pieces
result-neighbour = neighbour alone at { $rate } MB/s
result-p99 = p99 { $latency }
result-backup = backup { $backup } s, restore { $restore } s
result-backup-proven = backup { $backup } s, restore { $restore } s, { $proven } of { $cycles } restores proven
