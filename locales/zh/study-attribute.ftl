factor-driver = 负载驱动程序的位置
factor-rest = 其余（主机、存储栈、控制器、等待）
factor-of-drive = 硬盘
factor-of-processor = 处理器
factor-of-network = 网络
factor-of-memory = 内存
