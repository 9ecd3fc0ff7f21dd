//! Admin connections: questions to a server outside of the workload, in SQL that all servers speak, with
//! answers as text.

pub(crate) mod mariadb;
pub(crate) mod postgresql;

use std::future::Future;
use std::time::Duration;

use database::sqlite::Sqlite;
use database::{Endpoint, Instance};
use tokio::runtime::Builder;
use tokio::task::LocalSet;

use crate::error::OltpError;

/// One row: its columns as text, `None` for null.
pub(crate) type TextRow = Vec<Option<String>>;

/// A database server, and the words in which its SQL differs from that of others.
pub(crate) trait Server: Copy {
    /// A connection of its client library.
    type Connection;

    /// The schema in which tables are made, as an expression.
    const SCHEMA: &'static str;
    /// The type of texts in a CAST.
    const TEXT_TYPE: &'static str;
    /// The settings of a session for checks: sorts in memory.
    const CHECK_SESSION: &'static str;
    /// The types of columns, as its catalogue names them, that order entry can use for integers.
    const INTEGERS: &'static [&'static str];
    /// The same for moments.
    const MOMENTS: &'static [&'static str];

    /// Its address.
    fn endpoint(&self) -> &Endpoint;

    /// Opens a connection.
    async fn connect(&self) -> Result<Self::Connection, OltpError>;

    /// The rows of one statement.
    async fn text_rows(
        connection: &mut Self::Connection,
        doing: &'static str,
        sql: &str,
    ) -> Result<Vec<TextRow>, OltpError>;

    /// Ends a connection in good order.
    async fn disconnect(connection: Self::Connection);

    /// The statements that create the temporary table `name`, keyed by `key`, with the rows of `content`.
    fn summary(name: &str, key: &str, content: &str) -> Vec<String>;
}

/// A connection for questions.
pub(crate) struct Admin<S: Server>(S::Connection);

impl<S: Server> Admin<S> {
    pub(crate) async fn enter(server: S) -> Result<Self, OltpError> {
        let entered = tokio::time::timeout(ENTER_MAX, server.connect()).await;
        entered.map_err(|_| no_answer("connecting", ENTER_MAX))?.map(Self)
    }

    /// Executes one statement.
    pub(crate) async fn run(&mut self, doing: &'static str, sql: &str) -> Result<(), OltpError> {
        self.rows(doing, sql).await.map(drop)
    }

    /// The rows of one statement.
    pub(crate) async fn rows(&mut self, doing: &'static str, sql: &str) -> Result<Vec<TextRow>, OltpError> {
        S::text_rows(&mut self.0, doing, sql).await
    }

    /// Ends the connection in good order.
    pub(crate) async fn leave(self) {
        S::disconnect(self.0).await;
    }
}

/// The test of an engine's readiness for new connections.
trait Answers {
    fn answers(self, limit: Duration) -> Result<(), OltpError>;
}

impl Answers for &Sqlite {
    fn answers(self, _limit: Duration) -> Result<(), OltpError> {
        Ok(())
    }
}

impl<S: Server> Answers for S {
    fn answers(self, limit: Duration) -> Result<(), OltpError> {
        blocking(self, async {
            let asked = tokio::time::timeout(limit, greet(self)).await;
            asked.map_err(|_| no_answer("asking whether it still answers", limit))?
        })
    }
}

/// Checks that a server takes a new connection and answers on it within `limit`. The embedded engine always
/// does.
///
/// # Errors
/// When it does not.
pub fn answers(instance: &dyn Instance, limit: Duration) -> Result<(), OltpError> {
    database::on_engine!(instance.access(), engine => engine.answers(limit))
}

/// Enters a server and asks it something easy.
async fn greet(server: impl Server) -> Result<(), OltpError> {
    let mut admin = Admin::enter(server).await?;
    admin.run("asking whether it still answers", "SELECT 1").await?;
    admin.leave().await;
    Ok(())
}

fn no_answer(doing: &'static str, limit: Duration) -> OltpError {
    OltpError::Server { doing, why: format!("no answer within {} s", limit.as_secs()) }
}

/// The interval at which a client that waits for a long statement checks for a stop.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// The time limit of a connection.
const ENTER_MAX: Duration = Duration::from_secs(30);
/// A statement may take hours. Meanwhile the server is greeted so often on a connection of its own, and has
/// so long to answer.
const GREET_EVERY: Duration = Duration::from_secs(30);

/// [`blocking`] until `is_over` becomes true, or the server falls silent: the connection is dropped then, and
/// the server ends the statement at the latest when it is stopped itself.
pub(crate) fn blocking_until<T>(
    server: impl Server,
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
            if tokio::time::timeout(GREET_EVERY, greet(server)).await.is_err() {
                return;
            }
        }
    };
    blocking(server, async {
        tokio::select! {
            done = future => done,
            () = over => Err(OltpError::Stopped),
            () = silent => Err(no_answer("waiting for a long statement", GREET_EVERY)),
        }
    })
}

/// [`blocking_until`] the server falls silent.
pub(crate) fn blocking_while_it_answers<T>(
    server: impl Server,
    future: impl Future<Output = Result<T, OltpError>>,
) -> Result<T, OltpError> {
    blocking_until(server, || false, future)
}

/// Runs `future` to its end on this thread, unless the waits for `server` are to end; tasks that it spawns
/// locally run beside it.
pub(crate) fn blocking<T>(
    server: impl Server,
    future: impl Future<Output = Result<T, OltpError>>,
) -> Result<T, OltpError> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| OltpError::Thread { what: "a runtime".to_owned(), source })?;
    let ended = LocalSet::new().block_on(&runtime, async {
        tokio::select! {
            done = future => done,
            () = server.endpoint().hang_up.asked() => Err(OltpError::Stopped),
        }
    });
    // A look-up of a host's name that nobody waits for any more does not end before its time.
    runtime.shutdown_background();
    ended
}
