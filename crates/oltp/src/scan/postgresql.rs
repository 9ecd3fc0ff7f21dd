//! The settings that force PostgreSQL to use an access path.

use database::postgresql::PostgreSql;

use super::query::question;
use super::{Path, ScanServer};

/// Settings for both ways; parallel workers would read for the scan alone.
const BOTH_WAYS: [&str; 3] = [
    "SET max_parallel_workers_per_gather = 0",
    "SET enable_bitmapscan = off",
    "SET enable_indexonlyscan = off",
];

impl ScanServer for PostgreSql<'_> {
    const TABLE_OPTIONS: &'static str = "";
    /// Vacuumed too: else the first scan would write to every page.
    const STATISTICS: &'static str = "VACUUM ANALYZE scanned";
    const PLAN_WORDS: [&'static str; 2] = ["Seq Scan", "Index Scan"];

    fn settings(path: Path) -> Vec<String> {
        let (on, off) = match path {
            Path::Scan => ("enable_seqscan", "enable_indexscan"),
            Path::Lookup => ("enable_indexscan", "enable_seqscan"),
        };
        let mut settings = BOTH_WAYS.map(str::to_owned).to_vec();
        settings.extend([format!("SET {on} = on"), format!("SET {off} = off")]);
        settings
    }

    fn question(_path: Path, asked: u32) -> String {
        question("", asked)
    }
}
