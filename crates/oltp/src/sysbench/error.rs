//! Errors that prevent a load, a run or a check. Errors inside a run are counted in its outcome instead.

use database::DatabaseError;

use super::wire::WireError;

/// An error: the event and the next step.
#[derive(Debug, thiserror::Error)]
pub enum SysbenchError {
    /// The options contradict themselves.
    #[error("{0}")]
    Options(String),
    /// A table is not there, or is not sysbench's.
    #[error(
        "table `{table}` cannot be used ({why}); load the tables first, with drivetrain or with `sysbench oltp_common prepare`"
    )]
    NotLoaded {
        /// The table.
        table: String,
        /// The fault.
        why: String,
    },
    /// The tables were loaded with another number of rows.
    #[error(
        "table `{table}` holds ids {low} to {high}, a run over {rows} rows was asked for; load it again or change `rows`"
    )]
    OtherSize {
        /// The table.
        table: String,
        /// Its lowest id.
        low: u64,
        /// Its highest id.
        high: u64,
        /// Rows that the run expects.
        rows: u32,
    },
    /// A load found tables where it was to make them.
    #[error(
        "table `{table}` exists already and was left as it is; name an empty database, or remove the table"
    )]
    Exists {
        /// The table.
        table: String,
    },
    /// The load was stopped by the user; the data written so far is not complete.
    #[error("the load was stopped before it was complete")]
    Stopped,
    /// The instance or its storage failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// SQLite refused a statement.
    #[error("{doing}: {source}")]
    Sqlite {
        /// The failed action.
        doing: String,
        /// SQLite's answer.
        source: rusqlite::Error,
    },
    /// A server refused a statement, or the connection to it failed.
    #[error("{engine}, {doing}: {why}")]
    Server {
        /// The engine.
        engine: &'static str,
        /// The failed action.
        doing: String,
        /// The server's words, or the system's.
        why: String,
    },
    /// A thread or a runtime could not be started.
    #[error("starting {what}: {source}")]
    Thread {
        /// The part that did not start.
        what: &'static str,
        /// The system's answer.
        source: std::io::Error,
    },
    /// The run could not begin.
    #[error(transparent)]
    Drive(#[from] crate::error::OltpError),
}

impl SysbenchError {
    pub(crate) fn sqlite(doing: impl Into<String>) -> impl FnOnce(rusqlite::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Sqlite { doing, source }
    }

    pub(crate) fn server(engine: &'static str, doing: impl Into<String>) -> impl FnOnce(WireError) -> Self {
        let doing = doing.into();
        move |error| Self::Server { engine, doing, why: error.to_string() }
    }
}
