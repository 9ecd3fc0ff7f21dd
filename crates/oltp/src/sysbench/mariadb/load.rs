//! Loading into MariaDB: LOAD DATA LOCAL, or inserts of many rows where the server forbids it.

use database::mariadb::MariaDb;

use super::client::MySql;
use crate::sysbench::error::SysbenchError;
use crate::sysbench::load::{Job, Row};
use crate::sysbench::server::{PIECE_BYTES, doing, fill_piece};
use crate::sysbench::sql::{self, Dialect as _, table_name};
use crate::sysbench::wire::{Client as _, WireError};

/// The two ways of sending rows, in words.
pub(super) const AS_FILE: &str = "LOAD DATA LOCAL";
const AS_INSERTS: &str = "inserts of many rows";
/// The server's answers when LOAD DATA LOCAL is switched off there.
const LOCAL_IS_OFF: [u16; 3] = [1148, 3948, 4166];
/// The table exists already.
const EXISTS: u16 = 1050;

pub(super) async fn store(
    client: &mut MySql,
    job: &Job<'_>,
    table: u32,
) -> Result<&'static str, SysbenchError> {
    let on_table = || on_table(table);
    client.text(&sql::create::<MariaDb<'_>>(table)).await.map_err(on_table())?;
    let method = match load_data(client, job, table).await? {
        Sent::All => AS_FILE,
        Sent::Forbidden => {
            insert(client, job, table).await?;
            AS_INSERTS
        }
    };
    for sql in sql::finish::<MariaDb<'_>>(table, job.options.rows) {
        client.text(&sql).await.map_err(on_table())?;
    }
    client.row(&MariaDb::analyze(table)).await.map_err(on_table())?;
    Ok(method)
}

enum Sent {
    All,
    Forbidden,
}

async fn load_data(client: &mut MySql, job: &Job<'_>, table: u32) -> Result<Sent, SysbenchError> {
    let doing = || on_table(table);
    // The name is for the server's log only; the rows come from here.
    let sql = format!("LOAD DATA LOCAL INFILE 'rows' INTO TABLE {} (id, k, c, pad)", table_name(table));
    let mut load = match client.load_begin(&sql).await {
        Ok(load) => load,
        Err(WireError::Refused { number, .. }) if LOCAL_IS_OFF.contains(&number) => {
            return Ok(Sent::Forbidden);
        }
        Err(error) => return Err(doing()(error)),
    };
    let mut piece = Vec::with_capacity(PIECE_BYTES + 1024);
    let mut rows = job.rows_of(table).peekable();
    while rows.peek().is_some() {
        let count = fill_piece(&mut piece, &mut rows, |row, piece, _| row.put_line(piece));
        client.load_data(&mut load, &piece).await.map_err(doing())?;
        job.sent(count)?;
    }
    client.load_end(load).await.map_err(doing())?;
    Ok(Sent::All)
}

async fn insert(client: &mut MySql, job: &Job<'_>, table: u32) -> Result<(), SysbenchError> {
    let doing = || on_table(table);
    client.text("BEGIN").await.map_err(doing())?;
    let mut values = Vec::with_capacity(PIECE_BYTES + 1024);
    let mut rows = job.rows_of(table).peekable();
    while rows.peek().is_some() {
        let count = fill_piece(&mut values, &mut rows, Row::put_values);
        let sql = format!(
            "INSERT INTO {} (id, k, c, pad) VALUES {}",
            table_name(table),
            std::str::from_utf8(&values).expect("digits and punctuation are ASCII"),
        );
        client.text(&sql).await.map_err(doing())?;
        job.sent(count)?;
    }
    client.text("COMMIT").await.map_err(doing()).map(drop)
}

/// An existing table has an error of its own.
fn on_table(table: u32) -> impl FnOnce(WireError) -> SysbenchError {
    let name = table_name(table);
    move |error| match error {
        WireError::Refused { number: EXISTS, .. } => SysbenchError::Exists { table: name },
        error => doing::<MariaDb<'_>>(format!("loading {name}"))(error),
    }
}
