//! Stores the generated rows with COPY, each table over a connection of its own.
//!
//! Each table is created, filled and indexed in one transaction: with `wal_level = minimal` neither rows nor
//! indexes are logged, and the commit syncs the files instead, so that the load is durable when it returns.
//! Rows are stored frozen: no run has to visit them again.

use std::sync::Arc;

use bytes::Bytes;
use database::postgresql::PostgreSql;
use database::with_causes;
use futures_util::SinkExt as _;
use tokio::sync::mpsc::Receiver;
use tokio_postgres::CopyInSink;

use super::binary::{Binary, HEADER, TRAILER};
use super::schema::{NOTE, create, indexes};
use crate::admin::Server as _;
use crate::error::OltpError;
use crate::tpcc::data::tables::{NAMES, TABLES};
use crate::tpcc::load::encode::Piece;
use crate::tpcc::load::lanes::Done;
use crate::tpcc::load::loaded::Loaded;
use crate::tpcc::load::server::LoadServer;

/// For sorting an index's entries in memory.
const SESSION: &str =
    "SET maintenance_work_mem = '256MB'; SET max_parallel_maintenance_workers = 0; SET timezone = 'UTC'";

impl LoadServer for PostgreSql<'_> {
    type Rows = Binary;

    async fn refuse_existing(self) -> Result<(), OltpError> {
        let client = self.connect().await?;
        for name in NAMES.into_iter().chain(["drivetrain_load"]) {
            let sql = format!("SELECT 1 WHERE to_regclass('{name}') IS NOT NULL");
            let rows = client.query(sql.as_str(), &[]).await.map_err(refused("looking for tables"))?;
            if !rows.is_empty() {
                return Err(OltpError::HasTables { place: self.0.address(), table: name.to_owned() });
            }
        }
        Ok(())
    }

    async fn fill(self, table: usize, mut feed: Receiver<Piece>, done: Arc<Done>) -> Result<(), OltpError> {
        let client = self.connect().await?;
        let table = &TABLES[table];
        let name = table.name;
        let begin = format!("{SESSION}; BEGIN; {}", create(table));
        client.batch_execute(&begin).await.map_err(refused("creating a table"))?;
        let copy = format!("COPY {name} FROM STDIN (FORMAT binary, FREEZE)");
        let sink: CopyInSink<Bytes> =
            client.copy_in(&copy).await.map_err(refused("beginning to copy rows"))?;
        let mut sink = std::pin::pin!(sink);
        let failed = refused("copying rows");
        sink.send(Bytes::from_static(HEADER)).await.map_err(&failed)?;
        while let Some(piece) = feed.recv().await {
            sink.send(Bytes::from(piece.bytes)).await.map_err(&failed)?;
            done.stored(piece.rows);
        }
        sink.send(Bytes::from_static(TRAILER)).await.map_err(&failed)?;
        sink.as_mut().finish().await.map_err(&failed)?;
        for index in indexes(table) {
            client.batch_execute(&index).await.map_err(refused("building an index"))?;
        }
        client.batch_execute("COMMIT").await.map_err(refused("committing a table"))?;
        client.batch_execute(&format!("ANALYZE {name}")).await.map_err(refused("gathering statistics"))?;
        done.finished_table();
        Ok(())
    }

    async fn note(self, loaded: &Loaded) -> Result<(), OltpError> {
        let client = self.connect().await?;
        super::procedures::install(&client).await?;
        let note = loaded.insert();
        client
            .batch_execute(&format!("BEGIN; {NOTE}; {note}; COMMIT"))
            .await
            .map_err(refused("noting what was loaded"))
    }

    async fn drop_tables(self) {
        let Ok(client) = self.connect().await else { return };
        let names = NAMES.join(", ");
        // The failure that led here is the one to tell.
        let _ = client
            .batch_execute(&format!("SET lock_timeout = '5s'; DROP TABLE IF EXISTS {names}, drivetrain_load"))
            .await;
    }
}

fn refused(doing: &'static str) -> impl Fn(tokio_postgres::Error) -> OltpError {
    move |error| OltpError::Server { doing, why: with_causes(&error) }
}
