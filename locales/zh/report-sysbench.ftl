reading-qps = 已完成事务的全部语句，包括 BEGIN 和 COMMIT，与 sysbench 的计数方式相同。
reading-transaction-latency = 从发出事务到得到应答的时间。越低越好。
reading-transaction-cpu = 负载生成器自身为一个事务花费的处理器时间。
distribution = 延迟分布
