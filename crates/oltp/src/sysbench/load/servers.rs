//! Loading into servers: a binary COPY on PostgreSQL, LOAD DATA LOCAL on MariaDB or inserts of many rows
//! where the server forbids it.

use std::sync::atomic::Ordering;

use database::Endpoint;
use tokio::runtime::Builder;

use super::rows::{COPY_HEADER, COPY_TRAILER, Row};
use super::{Job, SysbenchError};
use crate::sysbench::sql::{Dialect, table_name};
use crate::sysbench::wire::{MySql, Postgres, Waiting, WireError};

/// Rows are sent in pieces of about this size: large enough to cost little, small enough that both sides work
/// at the same time.
const PIECE_BYTES: usize = 128 << 10;
/// MariaDB's answers when LOAD DATA LOCAL is switched off at the server.
const LOCAL_IS_OFF: [u16; 3] = [1148, 3948, 4166];

/// Takes tables until there are no more.
pub(super) fn fill_postgres(endpoint: &Endpoint, job: &Job<'_>) -> Result<&'static str, SysbenchError> {
    alone(async {
        let connect = Postgres::connect(endpoint, Waiting::Alone).await;
        let mut client = connect.map_err(doing(Dialect::PostgreSql, "connecting"))?;
        while let Some(table) = job.claim() {
            copy(&mut client, job, table).await?;
            for sql in Dialect::PostgreSql.finish(table, job.options.rows) {
                client.text(&sql).await.map_err(on_table(Dialect::PostgreSql, table))?;
            }
            client.text("COMMIT").await.map_err(on_table(Dialect::PostgreSql, table))?;
            let analyze = Dialect::PostgreSql.analyze(table);
            client.text(&analyze).await.map_err(on_table(Dialect::PostgreSql, table))?;
            job.tables.fetch_add(1, Ordering::Relaxed);
        }
        Ok("binary COPY")
    })
}

/// Table and rows in one transaction, which is left open: so the rows are frozen as they are written, and the
/// table is whole or absent.
async fn copy(client: &mut Postgres, job: &Job<'_>, table: u32) -> Result<(), SysbenchError> {
    let name = table_name(table);
    let doing = || on_table(Dialect::PostgreSql, table);
    client.text("BEGIN").await.map_err(doing())?;
    client.text(&Dialect::PostgreSql.create(table)).await.map_err(doing())?;
    let copy = format!("COPY {name} (id, k, c, pad) FROM STDIN WITH (FORMAT binary, FREEZE)");
    client.copy_begin(&copy).await.map_err(doing())?;
    let mut piece = COPY_HEADER.to_vec();
    let mut count = 0;
    for row in job.rows_of(table) {
        row.put_copy(&mut piece);
        count += 1;
        if piece.len() >= PIECE_BYTES {
            client.copy_data(&piece).await.map_err(doing())?;
            piece.clear();
            job.sent(std::mem::take(&mut count))?;
        }
    }
    piece.extend_from_slice(COPY_TRAILER);
    client.copy_data(&piece).await.map_err(doing())?;
    client.copy_end().await.map_err(doing())?;
    job.sent(count)
}

/// Takes tables until there are no more.
pub(super) fn fill_mariadb(endpoint: &Endpoint, job: &Job<'_>) -> Result<&'static str, SysbenchError> {
    alone(async {
        let connect = MySql::connect(endpoint, Waiting::Alone).await;
        let mut client = connect.map_err(doing(Dialect::MariaDb, "connecting"))?;
        // Nothing in the rows can violate them.
        let relax = client.text("SET SESSION unique_checks=0, foreign_key_checks=0").await;
        relax.map_err(doing(Dialect::MariaDb, "getting ready to load"))?;
        let mut method = "LOAD DATA LOCAL";
        while let Some(table) = job.claim() {
            let on_table = || on_table(Dialect::MariaDb, table);
            client.text(&Dialect::MariaDb.create(table)).await.map_err(on_table())?;
            match load_data(&mut client, job, table).await? {
                Sent::All => {}
                Sent::Forbidden => {
                    method = "inserts of many rows";
                    insert(&mut client, job, table).await?;
                }
            }
            for sql in Dialect::MariaDb.finish(table, job.options.rows) {
                client.text(&sql).await.map_err(on_table())?;
            }
            client.row(&Dialect::MariaDb.analyze(table)).await.map_err(on_table())?;
            job.tables.fetch_add(1, Ordering::Relaxed);
        }
        Ok(method)
    })
}

enum Sent {
    All,
    Forbidden,
}

async fn load_data(client: &mut MySql, job: &Job<'_>, table: u32) -> Result<Sent, SysbenchError> {
    let doing = || on_table(Dialect::MariaDb, table);
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
    let doing = || on_table(Dialect::MariaDb, table);
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

/// Rows for one piece; tells how many.
fn fill_piece(
    piece: &mut Vec<u8>,
    rows: &mut impl Iterator<Item = Row>,
    put: impl Fn(&Row, &mut Vec<u8>, bool),
) -> u64 {
    piece.clear();
    let mut count = 0;
    while piece.len() < PIECE_BYTES
        && let Some(row) = rows.next()
    {
        put(&row, piece, count == 0);
        count += 1;
    }
    count
}

/// Runs `work` on this thread, which has nothing else to do.
fn alone<T>(work: impl Future<Output = Result<T, SysbenchError>>) -> Result<T, SysbenchError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|source| SysbenchError::Thread { what: "a runtime", source })?;
    runtime.block_on(work)
}

fn doing(dialect: Dialect, what: &str) -> impl FnOnce(WireError) -> SysbenchError {
    SysbenchError::server(dialect.title(), what)
}

/// An existing table has an error of its own.
fn on_table(dialect: Dialect, table: u32) -> impl FnOnce(WireError) -> SysbenchError {
    let name = table_name(table);
    move |error| match error {
        WireError::Refused { number: 1050, .. } => SysbenchError::Exists { table: name },
        error if error.state().as_deref() == Some("42P07") => SysbenchError::Exists { table: name },
        error => SysbenchError::server(dialect.title(), format!("loading {name}"))(error),
    }
}
