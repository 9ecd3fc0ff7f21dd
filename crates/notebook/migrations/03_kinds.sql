-- The kind of every cell's workload: tpcc, sysbench, block and so on. Until now readers had to guess it from the figures.
ALTER TABLE cell ADD COLUMN kind TEXT NOT NULL DEFAULT '';
