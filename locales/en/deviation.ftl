### Where the order entry differs from the clauses of TPC-C.

deviation-1-3 = in SQLite, which has no exact decimal type, money is kept in whole cents, taxes and discounts in ten-thousandths and dates in milliseconds since 1970, all as integers; servers keep decimals and timestamps
deviation-2-2-2 = there is no terminal and no menu: a virtual user is a thread or a task that calls the database, SQLite in its own process
deviation-2-4-1-1 = with home = "all" a user draws its warehouse anew for each transaction from the warehouses that it serves (HammerDB's "use all warehouses"); home = "fixed" follows the clause
deviation-2-4-1-5 = a database of one warehouse has no remote lines and no remote payments
deviation-2-7-2 = Delivery is executed at once while its user waits: there is no queue, no result file and no 80 s limit; skipped districts are counted
deviation-3-4 = SQLite admits one writer at a time, so all transactions are serializable, and writers queue first come, first served; servers run at read committed with what is changed computed under its lock, which keeps the forbidden phenomena out of these transactions without serializable isolation
deviation-2-4-2 = in SQLite a transaction that has to wait for its turn to write reads the rows that it is going to change once before its turn, outside of the database transaction, so that the drive sees many users at once
deviation-4-2 = the number of virtual users is chosen freely, not ten terminals per warehouse, and throughput per warehouse is not limited
deviation-4-2-2 = a scaled experiment uses fewer warehouses than a configuration of its throughput would need
deviation-5-2-5 = unless the experiment paces them, users neither key nor think: each sends the next transaction as soon as the last is answered
deviation-5-2-5-3 = response time limits are not enforced; the latencies are reported instead
deviation-5-5-1-2 = the measured time is that of the experiment, not two hours of steady state with four checkpoints
deviation-3-5 = durability is tested by cutting the power of the emulated drive or by killing the server; there is no test of a lost medium, no 60-day space and no price
deviation-9 = nobody has audited it, and results are called NOPM and TPM
deviation-keyed-times = keying and think times are those of the clauses times the factor `keyed_times` of the experiment
deviation-hammerdb-2-1-6 = hammerdb-like: customers and items are drawn uniformly, so no item and no customer is hot
deviation-hammerdb-2-4-1-4 = hammerdb-like: no New-Order rolls back, as HammerDB's on PostgreSQL commit where they should not
deviation-hammerdb-2-5-1-2 = hammerdb-like: customers are never looked up by last name, as HammerDB's lookups by name find nobody in its default mode: about 29 % of all transactions skip that reading
deviation-hammerdb-5-2-4-2 = hammerdb-like: each transaction is drawn with odds of 10 : 10 : 1 : 1 : 1, without a deck, so that the mix of a short run strays
deviation-hammerdb-2-4-1-1 = hammerdb-like: with home = "fixed" each user draws its warehouse, so that several may share one and others have none
