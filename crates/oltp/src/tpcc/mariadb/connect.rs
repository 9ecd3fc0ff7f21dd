//! The way into a MariaDB server.

use std::time::Duration;

use database::Endpoint;
use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, OptsBuilder, Row};

use super::failure::words;
use crate::tpcc::asker::TextRow;
use crate::tpcc::error::OltpError;

/// An attempt takes no longer than this.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// Prepared statements that a connection keeps: every one that order entry has, whatever its number of lines.
const STATEMENTS_MAX: usize = 256;

/// Opens a connection.
pub(super) async fn open(endpoint: &Endpoint) -> Result<Conn, mysql_async::Error> {
    let socket = endpoint.socket.as_ref().map(|path| path.display().to_string());
    let options = OptsBuilder::default()
        .ip_or_hostname(endpoint.host.clone())
        .tcp_port(endpoint.port)
        .socket(socket)
        .prefer_socket(false)
        .user(Some(endpoint.user.clone()))
        .pass(endpoint.password.as_ref().map(|password| password.reveal().to_owned()))
        .db_name(Some(endpoint.database.clone()))
        .stmt_cache_size(STATEMENTS_MAX)
        .tcp_nodelay(true);
    match tokio::time::timeout(CONNECT_MAX, Conn::new(options)).await {
        Ok(opened) => opened,
        Err(_) => Err(mysql_async::Error::Io(mysql_async::IoError::Io(std::io::ErrorKind::TimedOut.into()))),
    }
}

/// The same for set-up and checks.
pub(crate) async fn enter(endpoint: &Endpoint) -> Result<Conn, OltpError> {
    let opened = open(endpoint).await;
    opened.map_err(|error| OltpError::Server { doing: "connecting to MariaDB", why: words(&error) })
}

/// The rows of `sql` as text.
pub(crate) async fn text_rows(
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
