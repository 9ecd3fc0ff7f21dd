### Levels and cells in words, and the assumptions and needs of a plan.

level-workers-depth = { $workers } x depth { $depth }
needs-file-system = making and mounting a file system { $system } in an image
level-in-one-piece = in one piece
level-arm = arm { $arm }
needs-available = available here: { $drive }
needs-mitigation = the mitigation { $mitigation } on { $bed }: { $found }
plan-server = { $engine }: { $own_mb } MB of its own files and { $log_mb } MB of log in every copy, { $copied_mb } MB copied per second
plan-cell = { $bed }, { $name }{ $load }, repeat { $repeat }
plan-transactions = { $per_second } transactions/s per bed, { $written_kb } kB written by each
plan-warehouses = { $mb } MB per warehouse, { $per_minute } warehouses loaded per minute
plan-block = a block load without a rate writes at most what its modelled drive takes, or { $iops } IOPS and { $most_mb_per_s } MB/s where the drive is not known; files filled at { $mb_per_s } MB/s
plan-limits = limits of each instance of { $bed }: { $rules }: { $found }
plan-overwritten = everything on { $path } (needs --destroy)
plan-room-files = the files of the block loads need at least { $needed } GB; { $path } has { $free } GB free
plan-room = the loaded data and the copy of the bed that runs need at least { $needed } GB; { $path } has { $free } GB free
share-own = bed { $bed } of its own, with the whole load
share-own-drive = { $share }; the modelled drive is its own, no other rank meets it there
share-dealt = bed { $bed } of its own, with the part of { $own } of { $all } machines
share-victims = bed { $bed } of its own: the victims { $first } to { $last } of { $all }
share-neighbours = bed { $bed } of its own: { $own } of { $all } neighbours
share-of-users = on the shared bed { $bed } users { $users }
