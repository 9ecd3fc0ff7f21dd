### What a machine cannot show of a modelled drive.

beyond-layer = faster than this machine can show: { $operations }
    .heading = faster than this machine can show
beyond-layer-operation =
    { $operation ->
        [read] reads
        [write] writes
       *[sync] syncs
    } of { $model_us } µs (the layer itself takes up to { $layer_us } µs at p99)
beyond-mount = through the mount, one at a time, { $operations } on average
    .heading = through the mount
    .rest = one at a time, { $operations } on average
beyond-mount-operation =
    { $operation ->
        [read] reads
        [write] writes
       *[sync] syncs
    } of { $model_us } µs take { $mount_us } µs
