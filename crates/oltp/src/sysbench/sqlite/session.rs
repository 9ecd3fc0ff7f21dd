//! A session on SQLite, whose calls wait for its files.

use std::sync::Arc;

use database::sqlite::{Connection, Sqlite};
use database::{Instance as _, WriteTurn};
use rusqlite::{ErrorCode, params};

use crate::driver::{Connect, Failure, Session};
use crate::sysbench::options::Test;
use crate::sysbench::query::Query;
use crate::sysbench::session::{Answer, DEADLOCK, DUPLICATE, Ignored, Statements, transact};
use crate::sysbench::sql;
use crate::sysbench::statement::Statement;
use crate::sysbench::wire::Outcome;

/// Opens the connections of threads.
pub(crate) struct Connector<'a> {
    pub(crate) instance: &'a Sqlite,
    pub(crate) test: Test,
    pub(crate) tables: u32,
}

impl<'a> Connect for Connector<'a> {
    const BLOCKS: bool = true;

    type Session = SqliteSession<'a>;

    async fn connect(&self) -> Result<SqliteSession<'a>, Failure> {
        let Connector { instance, test, tables } = *self;
        let connection = instance.connect().map_err(|error| Failure::Fatal(error.to_string()))?;
        // One of each statement stays prepared.
        connection.set_prepared_statement_cache_capacity(tables as usize * Statement::OF_TABLES.len() + 4);
        let texts = (1..=tables)
            .flat_map(|table| {
                Statement::OF_TABLES.iter().map(move |&statement| sql::statement::<&Sqlite>(statement, table))
            })
            .collect();
        let inside =
            Inside { instance, connection, writes: test.writes(), permit: None, waited_ns: None, texts };
        Ok(SqliteSession { inside, ignored: Ignored::default() })
    }
}

/// One connection.
pub(crate) struct SqliteSession<'a> {
    inside: Inside<'a>,
    ignored: Ignored,
}

impl Session for SqliteSession<'_> {
    type Request = Arc<[Query]>;
    type Answer = Answer;

    async fn execute(&mut self, request: &Arc<[Query]>) -> Result<Answer, Failure> {
        transact(&mut self.inside, request, &mut self.ignored).await
    }
}

/// SQLite's own side of a session.
struct Inside<'a> {
    instance: &'a Sqlite,
    connection: Connection,
    writes: bool,
    /// Held from before a writing transaction begins until after it ended.
    permit: Option<WriteTurn<'a>>,
    waited_ns: Option<u64>,
    /// By their [places](Statement::place).
    texts: Vec<String>,
}

impl Statements for Inside<'_> {
    async fn run(&mut self, query: &Query) -> Result<Outcome, Failure> {
        let alone = self.writes && self.permit.is_none();
        if alone {
            let permit = self.instance.gate().enter();
            self.waited_ns = Some(permit.waited_ns());
            self.permit = Some(permit);
        }
        let result = self.execute(query);
        // Every statement is a transaction of its own where none was begun.
        if alone && *query != Query::Begin || *query == Query::Commit && result.is_ok() {
            self.permit = None;
        }
        result.map_err(|error| self.failure(&error))
    }

    async fn roll_back(&mut self) -> Result<(), Failure> {
        // SQLite has rolled back by itself after some errors.
        let result =
            if self.connection.is_autocommit() { Ok(()) } else { self.connection.execute_batch("ROLLBACK") };
        self.permit = None;
        result.map_err(|error| Failure::Fatal(format!("rolling back: {error}")))
    }

    fn take_wait_ns(&mut self) -> Option<u64> {
        self.waited_ns.take()
    }
}

impl Inside<'_> {
    fn execute(&self, query: &Query) -> rusqlite::Result<Outcome> {
        match query {
            Query::Begin if self.writes => self.once("BEGIN IMMEDIATE"),
            Query::Begin => self.once("BEGIN"),
            Query::Commit => self.once("COMMIT"),
            Query::Point { table, id } => self.read(query, *table, params![id]),
            Query::Range { table, low, high, .. } => self.read(query, *table, params![low, high]),
            Query::IndexUpdate { table, id } | Query::Delete { table, id } => {
                self.write(query, *table, params![id])
            }
            Query::NonIndexUpdate { table, id, c } => self.write(query, *table, params![c.as_str(), id]),
            Query::Insert { table, id, k, c, pad } => {
                self.write(query, *table, params![id, k, c.as_str(), pad.as_str()])
            }
        }
    }

    fn text(&self, query: &Query, table: u32) -> &str {
        &self.texts[query.statement().place(table)]
    }

    fn once(&self, sql: &str) -> rusqlite::Result<Outcome> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(Outcome::default())
    }

    fn read(&self, query: &Query, table: u32, values: &[&dyn rusqlite::ToSql]) -> rusqlite::Result<Outcome> {
        let mut statement = self.connection.prepare_cached(self.text(query, table))?;
        let mut rows = statement.query(values)?;
        let mut count = 0;
        while let Some(row) = rows.next()? {
            row.get_ref(0)?;
            count += 1;
        }
        Ok(Outcome { rows: count, changed: 0 })
    }

    fn write(&self, query: &Query, table: u32, values: &[&dyn rusqlite::ToSql]) -> rusqlite::Result<Outcome> {
        let changed = self.connection.prepare_cached(self.text(query, table))?.execute(values)?;
        Ok(Outcome { rows: 0, changed: changed as u64 })
    }

    fn failure(&self, error: &rusqlite::Error) -> Failure {
        let message = match self.instance.first_storage_error() {
            Some(below) => format!("{error} (below it: {below})"),
            None => error.to_string(),
        };
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Failure::Retry(DEADLOCK),
            Some(ErrorCode::ConstraintViolation) => Failure::Retry(DUPLICATE),
            Some(
                ErrorCode::SystemIoFailure
                | ErrorCode::DatabaseCorrupt
                | ErrorCode::DiskFull
                | ErrorCode::CannotOpen
                | ErrorCode::NotADatabase
                | ErrorCode::ReadOnly
                | ErrorCode::OutOfMemory,
            ) => Failure::Fatal(message),
            _ => Failure::Error { kind: "statement refused", message },
        }
    }
}
