### Waktu drive yang dimodelkan yang tidak dapat ditampilkan mesin.

beyond-layer = lebih cepat daripada yang dapat ditampilkan mesin ini: { $operations }
    .heading = lebih cepat daripada yang dapat ditampilkan mesin ini
beyond-layer-operation =
    { $operation ->
        [read] pembacaan
        [write] penulisan
       *[sync] sinkronisasi
    } { $model_us } µs (lapisan itu sendiri memerlukan hingga { $layer_us } µs pada p99)
beyond-mount = rata-rata satu per satu melalui mount: { $operations }
    .heading = rata-rata satu per satu melalui mount
    .rest = { $operations }
beyond-mount-operation =
    { $operation ->
        [read] pembacaan
        [write] penulisan
       *[sync] sinkronisasi
    } { $model_us } µs memerlukan { $mount_us } µs
