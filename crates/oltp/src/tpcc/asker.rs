//! Questions to a server outside of the workload, in SQL that both engines speak, with answers as text.

use std::future::Future;
use std::time::Duration;

use database::{Access, Endpoint, HangUp, Instance};
use tokio::runtime::Builder;
use tokio::task::LocalSet;

use super::error::OltpError;
use super::{mariadb, postgresql};

/// One row: its columns as text, `None` for null.
pub(crate) type TextRow = Vec<Option<String>>;

/// A server that is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    Postgresql(&'a Endpoint),
    Mariadb(&'a Endpoint),
}

impl<'a> Place<'a> {
    /// The server behind `access`, unless it is our own process.
    pub(crate) fn of(access: Access<'a>) -> Option<Self> {
        match access {
            Access::Sqlite(_) => None,
            Access::PostgreSql(endpoint) => Some(Self::Postgresql(endpoint)),
            Access::MariaDb(endpoint) => Some(Self::Mariadb(endpoint)),
        }
    }

    /// Ends the waits for it.
    fn hang_up(&self) -> &'a HangUp {
        match self {
            Self::Postgresql(endpoint) | Self::Mariadb(endpoint) => &endpoint.hang_up,
        }
    }
}

/// A connection for questions.
pub(crate) enum Asker {
    Postgresql(postgresql::Client),
    Mariadb(Box<mariadb::Conn>),
}

impl Asker {
    pub(crate) async fn enter(place: Place<'_>) -> Result<Self, OltpError> {
        let entering = async {
            Ok(match place {
                Place::Postgresql(endpoint) => Self::Postgresql(postgresql::enter(endpoint).await?),
                Place::Mariadb(endpoint) => Self::Mariadb(Box::new(mariadb::enter(endpoint).await?)),
            })
        };
        tokio::time::timeout(ENTER_MAX, entering).await.map_err(|_| no_answer("connecting", ENTER_MAX))?
    }

    /// The schema in which tables are made, as an expression.
    pub(crate) fn schema(&self) -> &'static str {
        match self {
            Self::Postgresql(_) => "current_schema()",
            Self::Mariadb(_) => "database()",
        }
    }

    /// The type of texts in a CAST.
    pub(crate) fn text_type(&self) -> &'static str {
        match self {
            Self::Postgresql(_) => "text",
            Self::Mariadb(_) => "char",
        }
    }

    /// What a session needs before it checks: sorts in memory, and in MariaDB `||` for joining texts.
    pub(crate) fn check_session(&self) -> &'static str {
        match self {
            Self::Postgresql(_) => "SET work_mem = '256MB'",
            Self::Mariadb(_) => {
                "SET SESSION sql_mode = CONCAT(@@sql_mode, ',PIPES_AS_CONCAT'), SESSION sort_buffer_size = 67108864,
                SESSION join_buffer_size = 67108864"
            }
        }
    }

    /// What makes the temporary table `name` with the rows of `content`.
    pub(crate) fn summary(&self, name: &str, key: &str, content: &str) -> Vec<String> {
        let drop = format!("DROP TABLE IF EXISTS {name}");
        match self {
            Self::Postgresql(_) => {
                vec![drop, format!("CREATE TEMPORARY TABLE {name} AS {content}"), format!("ANALYZE {name}")]
            }
            Self::Mariadb(_) => vec![
                format!("DROP TEMPORARY TABLE IF EXISTS {name}"),
                format!("CREATE TEMPORARY TABLE {name} (PRIMARY KEY ({key})) {content}"),
            ],
        }
    }

    /// Executes one statement.
    pub(crate) async fn run(&mut self, doing: &'static str, sql: &str) -> Result<(), OltpError> {
        self.rows(doing, sql).await.map(drop)
    }

    /// The rows of one statement.
    pub(crate) async fn rows(&mut self, doing: &'static str, sql: &str) -> Result<Vec<TextRow>, OltpError> {
        match self {
            Self::Postgresql(client) => postgresql::text_rows(client, doing, sql).await,
            Self::Mariadb(connection) => mariadb::text_rows(connection, doing, sql).await,
        }
    }

    /// Ends the connection in good order.
    pub(crate) async fn leave(self) {
        if let Self::Mariadb(connection) = self {
            // The answers have been read; how the farewell goes changes nothing.
            let _ = connection.disconnect().await;
        }
    }
}

/// Checks that a server takes a new connection and answers on it within `limit`. The embedded engine always
/// does.
///
/// # Errors
/// When it does not.
pub fn answers(instance: &dyn Instance, limit: Duration) -> Result<(), OltpError> {
    let Some(place) = Place::of(instance.access()) else { return Ok(()) };
    blocking(place, async {
        let asked = tokio::time::timeout(limit, greet(place)).await;
        asked.map_err(|_| no_answer("asking whether it still answers", limit))?
    })
}

/// Enters a server and asks it something easy.
async fn greet(place: Place<'_>) -> Result<(), OltpError> {
    let mut asker = Asker::enter(place).await?;
    asker.run("asking whether it still answers", "SELECT 1").await?;
    asker.leave().await;
    Ok(())
}

fn no_answer(doing: &'static str, limit: Duration) -> OltpError {
    OltpError::Server { doing, why: format!("no answer within {} s", limit.as_secs()) }
}

/// How often somebody who waits for a long statement looks whether to stop.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// How long a server may take to let somebody in.
const ENTER_MAX: Duration = Duration::from_secs(30);
/// A statement may take hours. Meanwhile the server is greeted so often on a connection of its own, and has
/// so long to answer.
const GREET_EVERY: Duration = Duration::from_secs(30);

/// [`blocking`] until `is_over` becomes true, or the server at `place` falls silent: the connection is
/// dropped then, and the server ends the statement at the latest when it is stopped itself.
pub(crate) fn blocking_until<T>(
    place: Place<'_>,
    is_over: impl Fn() -> bool,
    future: impl Future<Output = Result<T, OltpError>>,
) -> Result<T, OltpError> {
    let over = async {
        while !is_over() {
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    };
    let silent = async {
        // One that refuses the greeting has answered.
        loop {
            tokio::time::sleep(GREET_EVERY).await;
            if tokio::time::timeout(GREET_EVERY, greet(place)).await.is_err() {
                return;
            }
        }
    };
    blocking(place, async {
        tokio::select! {
            done = future => done,
            () = over => Err(OltpError::Stopped),
            () = silent => Err(no_answer("waiting for a long statement", GREET_EVERY)),
        }
    })
}

/// [`blocking_until`] the server falls silent.
pub(crate) fn blocking_while_it_answers<T>(
    place: Place<'_>,
    future: impl Future<Output = Result<T, OltpError>>,
) -> Result<T, OltpError> {
    blocking_until(place, || false, future)
}

/// Runs `future` to its end on this thread, unless the waits for `place` are to end; tasks that it spawns
/// locally run beside it.
pub(crate) fn blocking<T>(
    place: Place<'_>,
    future: impl Future<Output = Result<T, OltpError>>,
) -> Result<T, OltpError> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| OltpError::Thread { what: "a runtime".to_owned(), source })?;
    let ended = LocalSet::new().block_on(&runtime, async {
        tokio::select! {
            done = future => done,
            () = place.hang_up().asked() => Err(OltpError::Stopped),
        }
    });
    // A look-up of a host's name that nobody waits for any more does not end before its time.
    runtime.shutdown_background();
    ended
}
