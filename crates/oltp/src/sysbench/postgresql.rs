//! sysbench's tests on PostgreSQL.

mod client;
mod load;
mod session;

use database::Engine;
use database::postgresql::PostgreSql;

use super::error::SysbenchError;
use super::load::Job;
use super::server::SysbenchServer;
use super::sql::{Dialect, regular, table_name};
use client::Postgres;
#[cfg(any(test, fuzzing))]
pub(super) use client::converse;
use session::PostgresStatements;

impl Dialect for PostgreSql<'_> {
    const ENGINE: Engine = Engine::PostgreSql;
    /// The primary key comes after the rows.
    const DEFINITIONS: [&'static str; 2] = ["SERIAL", ")"];
    const SETTINGS: [&'static [&'static str]; 2] = [
        &[
            "SET enable_indexonlyscan = off",
            "SET enable_indexscan = off",
            "SET enable_bitmapscan = off",
            "SET enable_seqscan = on",
        ],
        &["SET enable_indexonlyscan = on", "SET enable_indexscan = on", "SET enable_seqscan = off"],
    ];

    fn placeholder(number: usize) -> String {
        format!("${number}")
    }

    fn around_index(table: u32, rows: u32) -> [Option<String>; 2] {
        let name = table_name(table);
        let key = format!("ALTER TABLE {name} ADD PRIMARY KEY (id)");
        // As if the sequence had numbered the rows.
        let sequence = format!("SELECT setval('{name}_id_seq', {rows})");
        [Some(key), Some(sequence)]
    }

    fn analyze(table: u32) -> String {
        format!("VACUUM (ANALYZE) {}", table_name(table))
    }

    fn whole(name: &str) -> String {
        name.to_owned()
    }

    fn by_index(name: &str, _index: &str) -> String {
        name.to_owned()
    }

    fn count_indexes(name: &str, index: &str) -> String {
        format!("SELECT COUNT(*) FROM pg_indexes WHERE tablename='{name}' AND indexname='{index}'")
    }

    fn has_groups(column: &str, groups: usize) -> String {
        format!("{column} ~ '{}'", regular(groups))
    }
}

impl SysbenchServer for PostgreSql<'_> {
    type Client = Postgres;
    type Prepared = PostgresStatements;

    const METHOD: &'static str = "binary COPY";

    async fn store(client: &mut Postgres, job: &Job<'_>, table: u32) -> Result<&'static str, SysbenchError> {
        load::store(client, job, table).await?;
        Ok(Self::METHOD)
    }
}
