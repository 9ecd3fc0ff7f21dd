factor-differ = { $a } 与 { $b } 在{ $factor }上不同
factor-effect = { $x } 对 { $y }：{ $effect }
factor-count = { $nodes } 个节点 x { $each } = { $total }
factor-no-mirror = 没有经网络的镜像写入：不是生产环境的设置；它美化了每个平台，并掩盖了网络的开销
factor-no-replica = { $name }：没有副本 (FTT=0)
factor-processor = 处理器
    .effect = 同样的工作占用不同的处理器时间
factor-nodes = 节点
    .effect = 更多的主机、链路和磁盘组
factor-drives = 硬盘数量
    .effect = 更多的硬盘承担负载
factor-drive = 硬盘及其容量
    .effect = 被测硬盘及其大小
factor-storage-network = 存储网络
    .effect = 主机之间的带宽和延迟
factor-memory = 内存
    .effect = 一个事务的处理器开销和缓存数据的份额
factor-storage-path = 存储路径
    .effect = 控制器的队列和延迟只属于一方
factor-server = 服务器
    .effect = 另一台机器
factor-software = 软件
    .effect = 另一个版本的行为不同
factor-none = 无
