//! sysbench's tests on MariaDB and MySQL.

mod client;
mod load;
mod session;

use database::Engine;
use database::mariadb::MariaDb;

use super::error::SysbenchError;
use super::load::Job;
use super::server::SysbenchServer;
use super::sql::{Dialect, regular, table_name};
use client::MySql;
#[cfg(any(test, fuzzing))]
pub(super) use client::converse;
use session::MySqlStatements;

impl Dialect for MariaDb<'_> {
    const ENGINE: Engine = Engine::MariaDb;
    const DEFINITIONS: [&'static str; 2] =
        ["INTEGER NOT NULL AUTO_INCREMENT", ", PRIMARY KEY (id)) ENGINE=innodb"];

    fn analyze(table: u32) -> String {
        format!("ANALYZE TABLE {}", table_name(table))
    }

    fn whole(name: &str) -> String {
        format!("{name} FORCE INDEX (PRIMARY)")
    }

    fn by_index(name: &str, index: &str) -> String {
        format!("{name} FORCE INDEX ({index})")
    }

    fn count_indexes(name: &str, index: &str) -> String {
        format!(
            "SELECT COUNT(*) FROM information_schema.statistics \
             WHERE table_schema=DATABASE() AND table_name='{name}' AND index_name='{index}'"
        )
    }

    fn has_groups(column: &str, groups: usize) -> String {
        format!("{column} REGEXP '{}'", regular(groups))
    }
}

impl SysbenchServer for MariaDb<'_> {
    type Client = MySql;
    type Prepared = MySqlStatements;

    const METHOD: &'static str = load::AS_FILE;
    // Nothing in the rows can violate them.
    const LOAD_SETTINGS: &'static [&'static str] = &["SET SESSION unique_checks=0, foreign_key_checks=0"];

    async fn store(client: &mut MySql, job: &Job<'_>, table: u32) -> Result<&'static str, SysbenchError> {
        load::store(client, job, table).await
    }
}
