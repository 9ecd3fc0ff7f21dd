//! The settings that force MariaDB to use an access path.

use database::mariadb::MariaDb;

use super::query::question;
use super::{INDEX, Path, ScanServer};

impl ScanServer for MariaDb<'_> {
    const TABLE_OPTIONS: &'static str = " ENGINE = InnoDB";
    const STATISTICS: &'static str = "ANALYZE TABLE scanned";
    const PLAN_WORDS: [&'static str; 2] = ["ALL", INDEX];

    fn settings(_path: Path) -> Vec<String> {
        Vec::new()
    }

    fn question(path: Path, asked: u32) -> String {
        let hint = match path {
            Path::Scan => format!("IGNORE INDEX ({INDEX})"),
            Path::Lookup => format!("FORCE INDEX ({INDEX})"),
        };
        question(&hint, asked)
    }
}
