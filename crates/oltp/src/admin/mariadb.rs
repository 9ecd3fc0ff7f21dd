//! Admin connections to MariaDB and MySQL, and the way in that order entry shares.

use std::time::Duration;

use database::mariadb::MariaDb;
use database::{Endpoint, bounded_text};
use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, Error, Row};

use super::{Server, TextRow};
use crate::error::OltpError;

/// An attempt takes no longer than this.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// Prepared statements that a connection keeps: every one that order entry has, whatever its number of lines.
const STATEMENTS_MAX: usize = 256;

/// Opens a connection.
pub(crate) async fn open(server: MariaDb<'_>) -> Result<Conn, Error> {
    let options = server.options().stmt_cache_size(STATEMENTS_MAX).tcp_nodelay(true);
    match tokio::time::timeout(CONNECT_MAX, Conn::new(options)).await {
        Ok(opened) => opened,
        Err(_) => Err(Error::Io(mysql_async::IoError::Io(std::io::ErrorKind::TimedOut.into()))),
    }
}

impl Server for MariaDb<'_> {
    type Connection = Conn;

    const SCHEMA: &'static str = "database()";
    const TEXT_TYPE: &'static str = "char";
    const CHECK_SESSION: &'static str =
        "SET SESSION sort_buffer_size = 67108864, SESSION join_buffer_size = 67108864";
    const INTEGERS: &'static [&'static str] = &["tinyint", "smallint", "mediumint", "int", "bigint"];
    const MOMENTS: &'static [&'static str] = &["datetime", "timestamp"];

    fn endpoint(&self) -> &Endpoint {
        self.0
    }

    async fn connect(&self) -> Result<Conn, OltpError> {
        let opened = open(*self).await;
        opened.map_err(|error| OltpError::Server { doing: "connecting to MariaDB", why: words(&error) })
    }

    async fn text_rows(
        connection: &mut Conn,
        doing: &'static str,
        sql: &str,
    ) -> Result<Vec<TextRow>, OltpError> {
        let rows: Vec<Row> =
            connection.query(sql).await.map_err(|error| OltpError::Server { doing, why: words(&error) })?;
        let text = |mut row: Row| -> TextRow {
            (0..row.len()).map(|column| row.take::<Option<String>, _>(column).flatten()).collect()
        };
        Ok(rows.into_iter().map(text).collect())
    }

    async fn disconnect(connection: Conn) {
        // The answers have been read; how the farewell goes changes nothing.
        let _ = connection.disconnect().await;
    }

    fn summary(name: &str, key: &str, content: &str) -> Vec<String> {
        vec![
            format!("DROP TEMPORARY TABLE IF EXISTS {name}"),
            format!("CREATE TEMPORARY TABLE {name} (PRIMARY KEY ({key})) {content}"),
        ]
    }
}

/// The server's words alone where there are any.
pub(crate) fn words(error: &Error) -> String {
    match error {
        Error::Server(answer) => format!("{} (error {})", bounded_text(&answer.message), answer.code),
        other => bounded_text(&other.to_string()),
    }
}
