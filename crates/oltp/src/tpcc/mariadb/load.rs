//! Stores the generated rows with LOAD DATA LOCAL from memory, each table over a connection of its own.
//!
//! Rows come in the order of the primary key, so that every page is filled once; secondary indexes are sorted
//! and built when the rows are there. `unique_checks` stays on: switching it off as well makes InnoDB (10.7
//! and newer) buffer and sort each index before it builds it, which costs twice the time for rows that are
//! sorted already (4.6 s instead of 2.3 s of processor time for 900,000 order lines). No binary log is
//! written where the user may leave it out. What is committed is in the redo log: the load is durable when it
//! returns.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use database::mariadb::MariaDb;
use futures_util::StreamExt as _;
use futures_util::stream::unfold;
use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, Error};
use tokio::sync::mpsc::Receiver;

use super::schema::{NOTE, OPTIONS, create, index};
use super::text::Tabs;
use crate::admin::Server as _;
use crate::admin::mariadb::words;
use crate::error::OltpError;
use crate::tpcc::data::tables::{NAMES, TABLES};
use crate::tpcc::load::encode::Piece;
use crate::tpcc::load::lanes::Done;
use crate::tpcc::load::loaded::Loaded;
use crate::tpcc::load::server::LoadServer;

/// For each loading session.
const SESSION: &str = "SET SESSION foreign_key_checks = 0";
/// Switches the binary log off, if the user may: loaded data can be loaded again.
const NO_BINARY_LOG: &str = "SET SESSION sql_log_bin = 0";

impl LoadServer for MariaDb<'_> {
    type Rows = Tabs;

    async fn refuse_existing(self) -> Result<(), OltpError> {
        let mut connection = self.connect().await?;
        let names: Vec<String> =
            NAMES.into_iter().chain(["drivetrain_load"]).map(|name| format!("'{name}'")).collect();
        let sql = format!(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = database() AND table_name IN ({})",
            names.join(", ")
        );
        let found: Option<String> =
            connection.query_first(sql).await.map_err(refused("looking for tables"))?;
        // The answer has been read; how the farewell goes changes nothing.
        let _ = connection.disconnect().await;
        match found {
            Some(table) => Err(OltpError::HasTables { place: self.0.address(), table }),
            None => Ok(()),
        }
    }

    async fn fill(self, table: usize, feed: Receiver<Piece>, done: Arc<Done>) -> Result<(), OltpError> {
        let mut connection = self.connect().await?;
        let table = &TABLES[table];
        let name = table.name;
        run(&mut connection, "getting ready to load", SESSION).await?;
        // Takes a privilege that not everybody has, and matters only where there is a binary log.
        let _ = connection.query_drop(NO_BINARY_LOG).await;
        run(&mut connection, "creating a table", &create(table)).await?;
        let stored = Arc::clone(&done);
        connection.set_infile_handler(async move {
            let pieces = unfold((feed, stored), |(mut feed, stored)| async move {
                let piece = feed.recv().await?;
                stored.stored(piece.rows);
                Some((Ok::<_, io::Error>(Bytes::from(piece.bytes)), (feed, stored)))
            });
            Ok(pieces.boxed())
        });
        // The name is of no file: the rows come from the handler above.
        let load = format!("LOAD DATA LOCAL INFILE 'rows' INTO TABLE {name} CHARACTER SET ascii");
        run(&mut connection, "loading rows", &load).await?;
        if let Some(index) = index(table) {
            run(&mut connection, "building an index", &index).await?;
        }
        run(&mut connection, "gathering statistics", &format!("ANALYZE TABLE {name}")).await?;
        done.finished_table();
        let _ = connection.disconnect().await;
        Ok(())
    }

    async fn note(self, loaded: &Loaded) -> Result<(), OltpError> {
        let mut connection = self.connect().await?;
        super::procedures::install(&mut connection).await?;
        let note = format!("{NOTE} {OPTIONS}");
        run(&mut connection, "noting what was loaded", &note).await?;
        run(&mut connection, "noting what was loaded", &loaded.insert()).await?;
        let _ = connection.disconnect().await;
        Ok(())
    }

    async fn drop_tables(self) {
        let Ok(mut connection) = self.connect().await else { return };
        let names = NAMES.join(", ");
        // The failure that led here is the one to tell.
        let _ = connection.query_drop("SET SESSION lock_wait_timeout = 5").await;
        let _ = connection.query_drop(format!("DROP TABLE IF EXISTS {names}, drivetrain_load")).await;
        let _ = connection.disconnect().await;
    }
}

async fn run(connection: &mut Conn, doing: &'static str, sql: &str) -> Result<(), OltpError> {
    connection.query_drop(sql).await.map_err(refused(doing))
}

fn refused(doing: &'static str) -> impl Fn(Error) -> OltpError {
    move |error| OltpError::Server { doing, why: words(&error) }
}
