//! sysbench's tests on SQLite.

mod load;
mod session;

use database::sqlite::{Connection, Sqlite};
use database::{Engine, Instance as _};
use rusqlite::types::ValueRef;

use super::error::SysbenchError;
use super::load::{Job, Load};
use super::options::Options;
use super::outcome::RunOutcome;
use super::run::{Run, go};
use super::sql::{Dialect, table_name};
use super::tables::{Ask, Questions};
use super::wire::Row;
use crate::driver::Control;
use session::Connector;

impl Dialect for &Sqlite {
    const ENGINE: Engine = Engine::Sqlite;
    const DEFINITIONS: [&'static str; 2] = ["INTEGER NOT NULL PRIMARY KEY", ")"];

    fn analyze(table: u32) -> String {
        format!("ANALYZE {}", table_name(table))
    }

    fn whole(name: &str) -> String {
        format!("{name} NOT INDEXED")
    }

    fn by_index(name: &str, index: &str) -> String {
        format!("{name} INDEXED BY {index}")
    }

    fn count_indexes(_name: &str, index: &str) -> String {
        format!("SELECT COUNT(*) FROM sqlite_schema WHERE type='index' AND name='{index}'")
    }

    fn has_groups(column: &str, groups: usize) -> String {
        format!("{column} GLOB '{}'", vec!["[0-9]".repeat(11); groups].join("-"))
    }
}

impl Ask for &Sqlite {
    type Questions = Connection;

    fn ask(self) -> Result<Connection, SysbenchError> {
        if self.size_bytes() == 0 {
            let why = "the database is empty".to_owned();
            return Err(SysbenchError::NotLoaded { table: table_name(1), why });
        }
        Ok(self.connect()?)
    }
}

impl Questions for Connection {
    fn row(&mut self, sql: &str) -> Result<Row, String> {
        first_row(self, sql).map_err(|error| error.to_string())
    }
}

fn first_row(connection: &rusqlite::Connection, sql: &str) -> rusqlite::Result<Row> {
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    let Some(row) = rows.next()? else { return Ok(Row::new()) };
    (0..columns)
        .map(|column| {
            Ok(match row.get_ref(column)? {
                ValueRef::Null => None,
                ValueRef::Integer(number) => Some(number.to_string()),
                ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
                other => Some(format!("{other:?}")),
            })
        })
        .collect()
}

impl Load for &Sqlite {
    const CONNECTIONS_MAX: u32 = 1;

    fn fill(self, job: &Job<'_>) -> Result<&'static str, SysbenchError> {
        load::fill(self, job)
    }
}

impl Run for &Sqlite {
    fn run(self, options: &Options, control: &Control) -> Result<RunOutcome, SysbenchError> {
        go(&Connector { instance: self, test: options.test, tables: options.tables }, options, control)
    }
}
