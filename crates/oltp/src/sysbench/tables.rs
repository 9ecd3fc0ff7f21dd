//! Questions to the tables: are they what a run expects, and do they still add up.

use database::{Access, Instance as _};
use tokio::runtime::{Builder, Runtime};

use super::error::SysbenchError;
use super::sql::{Dialect, table_name};
use super::wire::{MySql, Postgres, Row, Waiting};

/// A connection for questions that have one row as their answer.
pub(crate) struct Questions(Inner);

enum Inner {
    Sqlite(database::sqlite::Connection),
    PostgreSql(Runtime, Postgres),
    MariaDb(Runtime, MySql),
}

impl Questions {
    pub(crate) fn connect(access: Access<'_>) -> Result<Self, SysbenchError> {
        let runtime = || {
            let runtime = Builder::new_current_thread().enable_all().build();
            runtime.map_err(|source| SysbenchError::Thread { what: "a runtime", source })
        };
        let failed = |dialect: Dialect| SysbenchError::server(dialect.title(), "connecting");
        Ok(Self(match access {
            Access::Sqlite(instance) => Inner::Sqlite(instance.connect()?),
            Access::PostgreSql(endpoint) => {
                let runtime = runtime()?;
                let client = runtime.block_on(Postgres::connect(endpoint, Waiting::Alone));
                Inner::PostgreSql(runtime, client.map_err(failed(Dialect::PostgreSql))?)
            }
            Access::MariaDb(endpoint) => {
                let runtime = runtime()?;
                let client = runtime.block_on(MySql::connect(endpoint, Waiting::Alone));
                Inner::MariaDb(runtime, client.map_err(failed(Dialect::MariaDb))?)
            }
        }))
    }

    pub(crate) fn dialect(&self) -> Dialect {
        match &self.0 {
            Inner::Sqlite(_) => Dialect::Sqlite,
            Inner::PostgreSql(..) => Dialect::PostgreSql,
            Inner::MariaDb(..) => Dialect::MariaDb,
        }
    }

    /// The first row; an error in the engine's words. Nothing is asked that takes an unbounded answer.
    pub(crate) fn row(&mut self, sql: &str) -> Result<Row, String> {
        match &mut self.0 {
            Inner::Sqlite(connection) => sqlite_row(connection, sql).map_err(|error| error.to_string()),
            Inner::PostgreSql(runtime, client) => {
                runtime.block_on(client.row(sql)).map_err(|error| error.to_string())
            }
            Inner::MariaDb(runtime, client) => {
                runtime.block_on(client.row(sql)).map_err(|error| error.to_string())
            }
        }
    }

    /// The first row as whole numbers, NULL as 0.
    pub(crate) fn numbers<const N: usize>(&mut self, sql: &str) -> Result<[i64; N], String> {
        let row = self.row(sql)?;
        let mut numbers = [0; N];
        if row.len() != N {
            return Err(format!("`{sql}` gave {} values", row.len()));
        }
        for (number, value) in numbers.iter_mut().zip(row) {
            if let Some(text) = value {
                *number = text.parse().map_err(|_| format!("`{sql}` gave `{text}`"))?;
            }
        }
        Ok(numbers)
    }
}

fn sqlite_row(connection: &rusqlite::Connection, sql: &str) -> rusqlite::Result<Row> {
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    let Some(row) = rows.next()? else { return Ok(Row::new()) };
    (0..columns)
        .map(|column| {
            Ok(match row.get_ref(column)? {
                rusqlite::types::ValueRef::Null => None,
                rusqlite::types::ValueRef::Integer(number) => Some(number.to_string()),
                rusqlite::types::ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
                other => Some(format!("{other:?}")),
            })
        })
        .collect()
}

/// Checks that every table is there with the columns and the ids that a run expects, whoever made it.
pub(crate) fn accept(access: Access<'_>, tables: u32, rows: u32) -> Result<(), SysbenchError> {
    if let Access::Sqlite(instance) = access
        && instance.size_bytes() == 0
    {
        return Err(SysbenchError::NotLoaded {
            table: table_name(1),
            why: "the database is empty".to_owned(),
        });
    }
    let mut questions = Questions::connect(access)?;
    for table in 1..=tables {
        let name = table_name(table);
        let not_loaded = |why| SysbenchError::NotLoaded { table: name.clone(), why };
        // One row is enough to see that every column is there.
        questions.row(&format!("SELECT id, k, c, pad FROM {name} WHERE id=1")).map_err(not_loaded)?;
        let [low, high] =
            questions.numbers(&format!("SELECT MIN(id), MAX(id) FROM {name}")).map_err(not_loaded)?;
        if (low, high) != (1, i64::from(rows)) {
            let (low, high) = (low.max(0) as u64, high.max(0) as u64);
            return Err(SysbenchError::OtherSize { table: name, low, high, rows });
        }
    }
    Ok(())
}
