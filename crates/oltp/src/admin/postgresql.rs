//! Admin connections to PostgreSQL, and the way in that its workloads share.

use std::time::Duration;

use database::postgresql::{OpeningError, PostgreSql};
use database::{Endpoint, with_causes};
use tokio_postgres::{Client, SimpleQueryMessage};

use super::{Server, TextRow};
use crate::error::OltpError;

/// An attempt takes no longer than this.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// Opens a connection; its other half runs as a task beside the caller's, on the same thread.
pub(crate) async fn open(server: PostgreSql<'_>) -> Result<Client, OpeningError> {
    let opened = server.open("drivetrain", CONNECT_MAX).await?;
    tokio::task::spawn_local(opened.connection);
    Ok(opened.client)
}

impl Server for PostgreSql<'_> {
    type Connection = Client;

    const SCHEMA: &'static str = "current_schema()";
    const TEXT_TYPE: &'static str = "text";
    const CHECK_SESSION: &'static str = "SET work_mem = '256MB'";
    /// Its protocol does not convert integers of one width into another.
    const INTEGERS: &'static [&'static str] = &["integer"];
    const MOMENTS: &'static [&'static str] = &["timestamp without time zone"];

    fn endpoint(&self) -> &Endpoint {
        self.0
    }

    async fn connect(&self) -> Result<Client, OltpError> {
        let opened = open(*self).await;
        opened.map_err(|error| OltpError::Server {
            doing: "connecting to PostgreSQL",
            why: with_causes(&error),
        })
    }

    async fn text_rows(
        client: &mut Client,
        doing: &'static str,
        sql: &str,
    ) -> Result<Vec<TextRow>, OltpError> {
        let failed = |error: tokio_postgres::Error| OltpError::Server { doing, why: with_causes(&error) };
        let messages = client.simple_query(sql).await.map_err(failed)?;
        let rows = messages.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => {
                Some((0..row.len()).map(|column| row.get(column).map(str::to_owned)).collect())
            }
            _ => None,
        });
        Ok(rows.collect())
    }

    /// The client says goodbye when it is dropped.
    async fn disconnect(_client: Client) {}

    fn summary(name: &str, _key: &str, content: &str) -> Vec<String> {
        vec![
            format!("DROP TABLE IF EXISTS {name}"),
            format!("CREATE TEMPORARY TABLE {name} AS {content}"),
            format!("ANALYZE {name}"),
        ]
    }
}
