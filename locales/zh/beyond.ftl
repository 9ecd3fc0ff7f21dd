### 机器无法呈现的建模硬盘时间。

beyond-layer = 快于本机所能呈现的：{ $operations }
    .heading = 快于本机所能呈现的
beyond-layer-operation =
    { $model_us } µs 的{ $operation ->
        [read] 读取
        [write] 写入
       *[sync] 同步
    }（这一层自身在 p99 就需要多达 { $layer_us } µs）
beyond-mount = 经挂载逐个执行的平均时间：{ $operations }
    .heading = 经挂载逐个执行的平均时间
    .rest = { $operations }
beyond-mount-operation =
    { $model_us } µs 的{ $operation ->
        [read] 读取
        [write] 写入
       *[sync] 同步
    }需要 { $mount_us } µs
