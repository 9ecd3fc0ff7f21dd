//! Loading into PostgreSQL: a binary COPY.

use database::postgresql::PostgreSql;

use super::client::Postgres;
use crate::sysbench::error::SysbenchError;
use crate::sysbench::load::{COPY_HEADER, COPY_TRAILER, Job};
use crate::sysbench::server::{PIECE_BYTES, doing};
use crate::sysbench::sql::{self, Dialect as _, table_name};
use crate::sysbench::wire::{Client as _, WireError};

/// The table exists already (SQLSTATE).
const EXISTS: &str = "42P07";

pub(super) async fn store(client: &mut Postgres, job: &Job<'_>, table: u32) -> Result<(), SysbenchError> {
    copy(client, job, table).await?;
    let mut rest = sql::finish::<PostgreSql<'_>>(table, job.options.rows);
    rest.extend(["COMMIT".to_owned(), PostgreSql::analyze(table)]);
    for sql in rest {
        client.text(&sql).await.map_err(on_table(table))?;
    }
    Ok(())
}

/// Table and rows in one transaction, which is left open: so the rows are frozen as they are written, and the
/// table is whole or absent.
async fn copy(client: &mut Postgres, job: &Job<'_>, table: u32) -> Result<(), SysbenchError> {
    let name = table_name(table);
    let doing = || on_table(table);
    client.text("BEGIN").await.map_err(doing())?;
    client.text(&sql::create::<PostgreSql<'_>>(table)).await.map_err(doing())?;
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

/// An existing table has an error of its own.
fn on_table(table: u32) -> impl FnOnce(WireError) -> SysbenchError {
    let name = table_name(table);
    move |error| match error.state() {
        Some(state) if state == EXISTS => SysbenchError::Exists { table: name },
        _ => doing::<PostgreSql<'_>>(format!("loading {name}"))(error),
    }
}
