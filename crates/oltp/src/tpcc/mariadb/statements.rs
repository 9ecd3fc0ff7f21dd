//! Requests over one connection: the common handling of every transaction's statements.

use mysql_async::prelude::{FromRow, Queryable as _};
use mysql_async::{Conn, Params, Row};

use super::failure::{failure, missing};
use super::sql::COMMIT;
use crate::driver::Failure;
use crate::tpcc::ask::commit::CommitClock;

/// The statements of one connection, prepared at their first use and kept.
pub(super) struct Statements {
    connection: Conn,
    commits: CommitClock,
}

impl Statements {
    pub(super) fn over(connection: Conn) -> Self {
        Self { connection, commits: CommitClock::default() }
    }

    /// Executes a statement without parameters and rows.
    pub(super) async fn run(&mut self, sql: &str) -> Result<(), Failure> {
        self.connection.query_drop(sql).await.map_err(failure)
    }

    /// Commits, and keeps how long that took.
    pub(super) async fn commit(&mut self) -> Result<(), Failure> {
        self.commits.alone(self.connection.query_drop(COMMIT)).await.map_err(failure)
    }

    /// Time of the last commit, once.
    pub(super) fn take_commit_ns(&self) -> Option<u64> {
        self.commits.take_ns()
    }

    /// True if the server answers.
    pub(super) async fn is_alive(&mut self) -> bool {
        self.connection.ping().await.is_ok()
    }

    /// Executes a prepared statement that gives no rows; gives the number of rows that it found.
    pub(super) async fn execute_prepared(
        &mut self,
        sql: &str,
        parameters: impl Into<Params> + Send,
    ) -> Result<u64, Failure> {
        self.connection.exec_drop(sql, parameters).await.map_err(failure)?;
        Ok(self.connection.affected_rows())
    }

    /// The rows of a prepared statement.
    pub(super) async fn rows(
        &mut self,
        sql: &str,
        parameters: impl Into<Params> + Send,
    ) -> Result<Vec<Row>, Failure> {
        self.connection.exec(sql, parameters).await.map_err(failure)
    }

    /// The one row of a prepared statement that must have one.
    pub(super) async fn row<T: FromRow + Send + 'static>(
        &mut self,
        what: &str,
        sql: &str,
        parameters: impl Into<Params> + Send,
    ) -> Result<T, Failure> {
        let row: Option<T> = self.connection.exec_first(sql, parameters).await.map_err(failure)?;
        row.ok_or_else(|| missing(what))
    }
}
