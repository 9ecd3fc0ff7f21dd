### sysbench's tests.

reading-qps = All statements of completed transactions, BEGIN and COMMIT among them, as sysbench counts.
reading-transaction-latency = From sending a transaction to its answer. Lower is better.
reading-transaction-cpu = Processor time that the load generator itself spent on one transaction.
distribution = Latency distribution
