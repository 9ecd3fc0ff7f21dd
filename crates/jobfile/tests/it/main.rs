//! Files of other tools through the crate's own door: results, counters, and what is wrong with files.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test with its place.

mod counters;
mod damage;
mod jobs;
mod results;

/// A test file: real output where its tool runs on Linux, else written after the form of the tool.
fn data(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Every result among the test files.
const RESULTS: [(&str, jobfile::ResultFormat); 11] = {
    use jobfile::ResultFormat::{Fio, HammerDb, Pgbench, Sysbench};
    [
        ("hammerdb.json", HammerDb),
        ("fio.json", Fio),
        ("fio-plus.json", Fio),
        ("fio-clones.json", Fio),
        ("sysbench-levels.txt", Sysbench),
        ("sysbench-p99.txt", Sysbench),
        ("sysbench-p80.txt", Sysbench),
        ("sysbench-rate.txt", Sysbench),
        ("pgbench-levels.txt", Pgbench),
        ("pgbench-rate.txt", Pgbench),
        ("pgbench-scripts.txt", Pgbench),
    ]
};

/// Every file of counters among the test files.
const COUNTERS: [(&str, jobfile::CounterFormat); 5] = {
    use jobfile::CounterFormat::{Esxtop, Perfmon, Sadf, Sar};
    [
        ("perfmon.csv", Perfmon),
        ("typeperf.csv", Perfmon),
        ("esxtop.csv", Esxtop),
        ("sadf.csv", Sadf),
        ("sar.txt", Sar),
    ]
};
