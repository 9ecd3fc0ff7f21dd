//! A session on SQLite: a thread for each, since SQLite waits for its files in the calls themselves.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use database::sqlite::{Connection, Sqlite};
use database::{Instance as _, WriteTurn};
use futures_util::FutureExt as _;
use parking_lot::Mutex;
use rusqlite::{ErrorCode, params};
use tokio::sync::oneshot;

use crate::driver::{Connect, Failure, Session};
use crate::sysbench::options::Test;
use crate::sysbench::query::Query;
use crate::sysbench::session::{Answer, DEADLOCK, DUPLICATE, Ignored, Statements, transact};
use crate::sysbench::sql;
use crate::sysbench::statement::Statement;
use crate::sysbench::wire::Outcome;

/// One transaction on its way to a thread, and the way back.
type Order = (Arc<[Query]>, oneshot::Sender<Result<Answer, Failure>>);

/// The threads that have a connection and no session yet.
#[derive(Default)]
pub(crate) struct IdleThreads(Mutex<Vec<Sender<Order>>>);

/// A session: the way to its thread, which ends when the session is dropped.
pub(crate) struct SqliteSession(Sender<Order>);

impl IdleThreads {
    /// A thread for one more thread, which is to [`serve`] it.
    pub(crate) fn add(&self) -> Receiver<Order> {
        let (sender, receiver) = channel();
        self.0.lock().push(sender);
        receiver
    }

    /// No more sessions: threads without one go home.
    pub(crate) fn close(&self) {
        self.0.lock().clear();
    }
}

impl Connect for IdleThreads {
    type Session = SqliteSession;

    async fn connect(&self) -> Result<SqliteSession, Failure> {
        let thread = self.0.lock().pop();
        thread.map(SqliteSession).ok_or_else(|| Failure::Fatal("a thread of SQLite ended early".to_owned()))
    }
}

impl Session for SqliteSession {
    type Request = Arc<[Query]>;
    type Answer = Answer;

    async fn execute(&mut self, request: &Arc<[Query]>) -> Result<Answer, Failure> {
        let gone = || Failure::Fatal("a thread of SQLite ended early".to_owned());
        let (reply, answer) = oneshot::channel();
        self.0.send((Arc::clone(request), reply)).map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }
}

/// A thread's whole working life: executes what comes over the thread.
pub(crate) fn serve(
    instance: &Sqlite,
    connection: &Connection,
    test: Test,
    tables: u32,
    orders: &Receiver<Order>,
) {
    // One of each statement stays prepared.
    connection.set_prepared_statement_cache_capacity(tables as usize * Statement::OF_TABLES.len() + 4);
    let texts = (1..=tables)
        .flat_map(|table| {
            Statement::OF_TABLES.iter().map(move |&statement| sql::statement::<&Sqlite>(statement, table))
        })
        .collect();
    let mut inside =
        Inside { instance, connection, writes: test.writes(), permit: None, waited_ns: None, texts };
    let mut ignored = Ignored::default();
    while let Ok((queries, reply)) = orders.recv() {
        let answer = transact(&mut inside, &queries, &mut ignored).now_or_never();
        // A session that does not wait any more does not want the answer.
        let _ = reply.send(answer.expect("nothing in here is ever pending"));
    }
}

/// SQLite's own side of a session.
struct Inside<'a> {
    instance: &'a Sqlite,
    connection: &'a Connection,
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
