//! Stores the generated rows with COPY, each table over a connection of its own.
//!
//! Each table is created, filled and indexed in one transaction: with `wal_level = minimal` neither rows nor
//! indexes are logged, and the commit syncs the files instead, so that the load is durable when it returns.
//! Rows are stored frozen: no run has to visit them again.

use bytes::Bytes;
use futures_util::SinkExt as _;
use futures_util::future::try_join_all;
use tokio::sync::mpsc::Receiver;
use tokio_postgres::CopyInSink;

use super::binary::{Binary, HEADER, TRAILER};
use super::schema::{NOTE, TABLES, Table};
use database::postgresql::PostgreSql;

use crate::admin::postgresql::words;
use crate::admin::{Server as _, blocking};
use crate::error::OltpError;
use crate::tpcc::data::generate::Plan;
use crate::tpcc::load::Load;
use crate::tpcc::load::encode::{self, Piece};
use crate::tpcc::load::lanes::{Done, Feeds, feed, tell};
use crate::tpcc::load::loaded::Loaded;
use crate::tpcc::load::options::{LoadOptions, LoadProgress, Stored};

/// For sorting an index's entries in memory.
const SESSION: &str =
    "SET maintenance_work_mem = '256MB'; SET max_parallel_maintenance_workers = 0; SET timezone = 'UTC'";

impl Load for PostgreSql<'_> {
    fn load(
        self,
        plan: &Plan,
        options: &LoadOptions,
        progress: &dyn Fn(LoadProgress),
    ) -> Result<Stored, OltpError> {
        feed::<Binary, _>(plan, |feeds| blocking(self, store(self, plan, options, progress, feeds)))
    }
}

async fn store(
    server: PostgreSql<'_>,
    plan: &Plan,
    options: &LoadOptions,
    progress: &dyn Fn(LoadProgress),
    mut feeds: Feeds,
) -> Result<Stored, OltpError> {
    refuse_existing(server).await?;
    let done = Done::default();
    let tables = try_join_all(TABLES.iter().map(|table| {
        let number = encode::TABLES.iter().position(|name| *name == table.name);
        fill(server, table, feeds.take(number.expect("both lists name the nine tables")), &done)
    }));
    let stored = tokio::select! {
        stored = tables => stored.map(|_| ()),
        stopped = tell(&done, plan, options, progress) => Err(stopped),
    };
    let index_elapsed = done.since_rows();
    let finished = match stored {
        Ok(()) => finish(server, plan).await,
        Err(error) => Err(error),
    };
    if let Err(error) = finished {
        drop_tables(server).await;
        return Err(error);
    }
    Ok(Stored { rows: done.rows(), index_elapsed })
}

/// Refuses a database that holds one of the tables already: nothing is ever replaced.
async fn refuse_existing(server: PostgreSql<'_>) -> Result<(), OltpError> {
    let client = server.connect().await?;
    for name in encode::TABLES.into_iter().chain(["drivetrain_load"]) {
        let sql = format!("SELECT 1 WHERE to_regclass('{name}') IS NOT NULL");
        let rows = client.query(sql.as_str(), &[]).await.map_err(refused("looking for tables"))?;
        if !rows.is_empty() {
            return Err(OltpError::HasTables { place: server.0.address(), table: name.to_owned() });
        }
    }
    Ok(())
}

/// One table from its creation to its statistics.
async fn fill(
    server: PostgreSql<'_>,
    table: &Table,
    mut feed: Receiver<Piece>,
    done: &Done,
) -> Result<(), OltpError> {
    let client = server.connect().await?;
    let Table { name, columns, with, indexes } = table;
    let create = format!("{SESSION}; BEGIN; CREATE TABLE {name} ({columns}) {with}");
    client.batch_execute(&create).await.map_err(refused("creating a table"))?;
    let copy = format!("COPY {name} FROM STDIN (FORMAT binary, FREEZE)");
    let sink: CopyInSink<Bytes> = client.copy_in(&copy).await.map_err(refused("beginning to copy rows"))?;
    let mut sink = std::pin::pin!(sink);
    let failed = refused("copying rows");
    sink.send(Bytes::from_static(HEADER)).await.map_err(&failed)?;
    while let Some(piece) = feed.recv().await {
        sink.send(Bytes::from(piece.bytes)).await.map_err(&failed)?;
        done.stored(piece.rows);
    }
    sink.send(Bytes::from_static(TRAILER)).await.map_err(&failed)?;
    sink.as_mut().finish().await.map_err(&failed)?;
    for index in *indexes {
        client.batch_execute(index).await.map_err(refused("building an index"))?;
    }
    client.batch_execute("COMMIT").await.map_err(refused("committing a table"))?;
    client.batch_execute(&format!("ANALYZE {name}")).await.map_err(refused("gathering statistics"))?;
    done.finished_table();
    Ok(())
}

/// Functions and note: from now on the database is loaded.
async fn finish(server: PostgreSql<'_>, plan: &Plan) -> Result<(), OltpError> {
    note(server, &Loaded::of(plan)).await
}

/// Adds our functions and the note of what the tables hold.
pub(crate) async fn note(server: PostgreSql<'_>, loaded: &Loaded) -> Result<(), OltpError> {
    let client = server.connect().await?;
    super::procedures::install(&client).await?;
    let note = loaded.insert();
    client
        .batch_execute(&format!("BEGIN; {NOTE}; {note}; COMMIT"))
        .await
        .map_err(refused("noting what was loaded"))
}

/// Leaves nothing of a load that failed: it began with none of these tables.
async fn drop_tables(server: PostgreSql<'_>) {
    let Ok(client) = server.connect().await else { return };
    let names = encode::TABLES.join(", ");
    // The failure that led here is the one to tell.
    let _ = client
        .batch_execute(&format!("SET lock_timeout = '5s'; DROP TABLE IF EXISTS {names}, drivetrain_load"))
        .await;
}

fn refused(doing: &'static str) -> impl Fn(tokio_postgres::Error) -> OltpError {
    move |error| OltpError::Server { doing, why: words(&error) }
}
