//! Errors that prevent a load, a run or a check. Errors inside a run are counted in its outcome instead.

/// An error: the event and the next step.
#[derive(Debug, thiserror::Error)]
pub enum OltpError {
    /// The options contradict themselves.
    #[error("{0}")]
    Options(String),
    /// The database holds no complete order-entry data.
    #[error("the database holds no complete order-entry data ({why}); load it first")]
    NotLoaded {
        /// The missing item.
        why: String,
    },
    /// The database was loaded with another number of warehouses.
    #[error(
        "the database holds {loaded} warehouses, {asked} were asked for; load it again or change `warehouses`"
    )]
    OtherSize {
        /// Warehouses in the database.
        loaded: u32,
        /// Warehouses that the run expects.
        asked: u32,
    },
    /// Stopped by the user; the data that a load has written so far is not a database.
    #[error("stopped before it was complete")]
    Stopped,
    /// The engine or its storage failed.
    #[error(transparent)]
    Database(#[from] database::DatabaseError),
    /// A statement failed.
    #[error("{doing}: {source}{below}", below = below.as_deref().map(|b| format!(" (below it: {b})")).unwrap_or_default())]
    Sql {
        /// The failed action.
        doing: &'static str,
        /// The engine's answer.
        source: rusqlite::Error,
        /// The first error of the storage below, where there was one.
        below: Option<String>,
    },
    /// There are tables where new ones were to be loaded.
    #[error(
        "{place} holds a table `{table}` already; drop the old tables, name another database, or keep what is there and only run"
    )]
    HasTables {
        /// The server's address.
        place: String,
        /// The table.
        table: String,
    },
    /// A server refused, or cannot be reached.
    #[error("{doing}: {why}")]
    Server {
        /// The failed action.
        doing: &'static str,
        /// The server's words.
        why: String,
    },
    /// A thread could not be started.
    #[error("starting {what}: {source}; fewer virtual users may fit")]
    Thread {
        /// The thread.
        what: String,
        /// The system's answer.
        source: std::io::Error,
    },
}

impl OltpError {
    pub(crate) fn sql(doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Self {
        move |source| match source.sqlite_error_code() {
            // Nobody interrupts statements but who was asked to stop.
            Some(rusqlite::ErrorCode::OperationInterrupted) => Self::Stopped,
            _ => Self::Sql { doing, source, below: None },
        }
    }

    /// Adds the first error of the storage below, if there was one.
    pub(crate) fn with_cause(self, first: Option<String>) -> Self {
        match self {
            Self::Sql { doing, source, below: None } => Self::Sql { doing, source, below: first },
            other => other,
        }
    }
}
