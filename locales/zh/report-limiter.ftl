limiter-drive = 等待硬盘读写占用了最大部分的时间
limiter-log-flush = 等待日志写到硬盘占用了最大部分的时间
limiter-locks = 等待其他事务的锁占用了最大部分的时间
limiter-cpu = 计算占用了最大部分的时间，或处理器没有余下的时间供数据库及其客户端使用
limiter-client = 负载生成器占用了处理器，因此没有测到存储
limiter-kernel = 内核的存储栈占用了处理器
limiter-other-programs = 其他程序占用了处理器；请在它们空闲时重新测量
limiter-pacing = 达到了设定速率；没有测量可能的最高速率
limiter-no-answer = 有请求等待时，十分之一或更多的时间里没有任何请求得到应答
limiter-fixed-waits = 模型引擎内部的等待，每个批次都相同，与硬盘、处理器和用户数无关
limiter-network = 等待客户端与服务器之间的网络占用了最大部分的时间
limiter-not-known = 没有单元记录其瓶颈

limiter-meaning = { $limiter }：{ $meaning }。
limiter-no-valid-cell = 无有效单元
observed-limited-by = 瓶颈为 { $limiter }：{ $figures }
limiter-missed-pace = { $limiter }，未达到设定速率
limiter-missed-pace-in = { $limiter }，{ $cells } 个单元中有 { $missed } 个未达到设定速率
