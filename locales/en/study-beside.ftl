### Remarks beside published numbers, by the number of each.

beside-no-reason = no reason is known: the model misses it
beside-K012 = 142 in flight by Little's law on the printed IOPS; the setting is 192
beside-K013 = 107 in flight by Little's law on the printed IOPS; the setting is 192
beside-K018 = 255 in flight by Little's law on the printed IOPS; no more than 192 can be
beside-K019 = 203 in flight by Little's law on the printed IOPS; no more than 192 can be
beside-K024 = 122 in flight by Little's law on the printed throughput; the setting is 192
beside-K025 = 94 in flight by Little's law on the printed throughput; the setting is 192
beside-K094 = 181 GB in 129 s, but the database has 157 GB
beside-I042 = 65,000 reads of 8 KiB are 532 MB/s and 46,000 writes 377 MB/s; one number stands for both
beside-I070 = 2,790 late pages of 1,006,198 where the scans have 13 in 1,000: the lookup's prefetch is another mechanism
beside-S007 = 128 requests of 64 KiB at 2.8 GB/s take 3.0 ms
beside-K011 = the model has one delay of reads that meet writes: test 5 needs a longer one on these drives, HCIBench a shorter one
beside-K017 = the model has one share of work for destaging, for small and large writes; small ones need more in test 5
beside-K022 = the model has one work of the disk group for each KiB: large reads need less, the mix at 64k needs more
beside-K095 = 3.7 MB in flight by the printed bandwidth, where the model's seven buffers of 1 MiB keep 2.2 MB on the database's disk
beside-K096 = the model's SATA bed writes a backup too slowly: what its buffer does not hold yet is destaged over the same half-duplex links
beside-K107 = printed to the nearest ten thousand: 1.1 to 1.4 reads a batch, where the model's pool has 1.1
