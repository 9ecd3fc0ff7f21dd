### 订单录入负载与 TPC-C 条款的不同之处。

deviation-1-3 = SQLite 没有精确的十进制类型，因此金额按整数分、税率和折扣按万分之一、日期按自 1970 年起的毫秒保存，全部为整数；服务器使用十进制数和时间戳
deviation-2-2-2 = 没有终端和菜单：虚拟用户是调用数据库的线程或任务，SQLite 在其自身进程中
deviation-2-4-1-1 = home = "all" 时，用户在每个事务中从其服务的仓库里重新抽取一个（HammerDB 的 "use all warehouses"）；home = "fixed" 遵循该条款
deviation-2-4-1-5 = 只有一个仓库的数据库没有远程订单行，也没有远程付款
deviation-2-7-2 = Delivery 在用户等待期间立即执行：没有队列，没有结果文件，也没有 80 s 的限制；跳过的地区会计数
deviation-3-4 = SQLite 一次只允许一个写入者，因此所有事务都是可串行化的，写入者先到先得；服务器以 read committed 运行，要改变的值在其锁之下计算，从而在没有可串行化隔离的情况下使这些事务不出现被禁止的现象
deviation-2-4-2 = 在 SQLite 中，需要等待轮到自己写入的事务会在此之前、在数据库事务之外，把将要改变的行先读一遍，使硬盘能同时看到许多用户
deviation-4-2 = 虚拟用户数可自由选择，不是每个仓库十个终端，每个仓库的吞吐量也不受限制
deviation-4-2-2 = 缩放后的实验使用的仓库数少于其吞吐量所要求的配置
deviation-5-2-5 = 除非实验设定了节奏，用户既不键入也不思考：上一个事务得到应答后立即发出下一个
deviation-5-2-5-3 = 不强制响应时间限制；改为报告延迟
deviation-5-5-1-2 = 测量时间由实验规定，不是含四个检查点的两小时稳态
deviation-3-5 = 持久性通过切断仿真硬盘的电源或杀死服务器来检验；不检验介质丢失，没有 60 天空间，也没有价格
deviation-9 = 未经任何人审计，结果称为 NOPM 和 TPM
deviation-keyed-times = 键入时间和思考时间为条款规定的时间乘以实验的因子 `keyed_times`
deviation-hammerdb-2-1-6 = hammerdb-like：客户和商品均匀抽取，因此没有热点商品和热点客户
deviation-hammerdb-2-4-1-4 = hammerdb-like：没有 New-Order 回滚，因为 HammerDB 在 PostgreSQL 上的 New-Order 在本应回滚时提交
deviation-hammerdb-2-5-1-2 = hammerdb-like：从不按姓氏查找客户，因为 HammerDB 在默认模式下按姓名查找找不到任何人：约 29 % 的事务略去该读取
deviation-hammerdb-5-2-4-2 = hammerdb-like：每个事务按 10 : 10 : 1 : 1 : 1 的比例抽取，不用牌组，因此短运行的混合比例会偏离
deviation-hammerdb-2-4-1-1 = hammerdb-like：home = "fixed" 时每个用户抽取其仓库，因此可能几个用户共用一个仓库，而另一些仓库没有用户
