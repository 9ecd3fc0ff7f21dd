### The conditions on each table of sysbench.

condition-rows = the number of rows is what was loaded
condition-ids = the ids are 1 to the number of rows
condition-k = every k is at least 1
condition-texts = every text has its pattern
condition-index = the index on k agrees with the table
