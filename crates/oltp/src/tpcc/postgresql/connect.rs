//! The way into a PostgreSQL server.

use std::time::Duration;

use database::Endpoint;
use tokio_postgres::{Client, Config, NoTls, SimpleQueryMessage};

use super::PostgresqlSession;
use super::failure::{failure, words};
use crate::driver::{Connect, Failure};
use crate::tpcc::ask::mode::Mode;
use crate::tpcc::asker::TextRow;
use crate::tpcc::error::OltpError;

/// An attempt takes no longer than this.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// Opens a connection; its other half runs as a task beside the caller's, on the same thread.
pub(super) async fn open(endpoint: &Endpoint) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = config(endpoint).connect(NoTls).await?;
    // Its errors reach the client's calls too.
    tokio::task::spawn_local(async move { connection.await.is_ok() });
    Ok(client)
}

/// The same for set-up and checks.
pub(crate) async fn enter(endpoint: &Endpoint) -> Result<Client, OltpError> {
    let opened = open(endpoint).await;
    opened.map_err(|error| OltpError::Server { doing: "connecting to PostgreSQL", why: words(&error) })
}

/// The rows of `sql` as text.
pub(crate) async fn text_rows(
    client: &Client,
    doing: &'static str,
    sql: &str,
) -> Result<Vec<TextRow>, OltpError> {
    let failed = |error| OltpError::Server { doing, why: words(&error) };
    let messages = client.simple_query(sql).await.map_err(failed)?;
    let rows = messages.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => {
            Some((0..row.len()).map(|column| row.get(column).map(str::to_owned)).collect())
        }
        _ => None,
    });
    Ok(rows.collect())
}

fn config(endpoint: &Endpoint) -> Config {
    let mut config = Config::new();
    config.user(&endpoint.user).dbname(&endpoint.database).port(endpoint.port);
    config.application_name("drivetrain").connect_timeout(CONNECT_MAX);
    match endpoint.socket_dir() {
        Some(dir) => config.host_path(dir),
        None => config.host(&endpoint.host),
    };
    if let Some(password) = &endpoint.password {
        config.password(password.reveal());
    }
    config
}

/// Where virtual users come in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Door<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) mode: Mode,
}

impl Connect for Door<'_> {
    type Session = PostgresqlSession;

    async fn connect(&self) -> Result<PostgresqlSession, Failure> {
        let client = open(self.endpoint).await.map_err(failure)?;
        PostgresqlSession::prepare(client, self.mode).await
    }
}
