//! The load of a server: every table over a connection of its own.

use std::sync::Arc;

use futures_util::future::try_join_all;
use tokio::sync::mpsc::Receiver;

use super::Load;
use super::encode::{Format, Piece};
use super::lanes::{Done, Feeds, feed, tell};
use super::loaded::Loaded;
use super::options::{LoadOptions, LoadProgress, Stored};
use crate::admin::{Server, blocking};
use crate::error::OltpError;
use crate::tpcc::data::generate::Plan;
use crate::tpcc::data::tables::TABLES;

/// A server that stores generated rows.
pub(crate) trait LoadServer: Server {
    /// The form in which rows are sent.
    type Rows: Format + Default;

    /// Refuses a database that holds one of the tables already: nothing is ever replaced.
    async fn refuse_existing(self) -> Result<(), OltpError>;

    /// One table, by its number in [`TABLES`], from its creation to its statistics.
    async fn fill(self, table: usize, feed: Receiver<Piece>, done: Arc<Done>) -> Result<(), OltpError>;

    /// Adds our routines and the note about the tables' contents: from now on the database is loaded.
    async fn note(self, loaded: &Loaded) -> Result<(), OltpError>;

    /// Leaves nothing of a load that failed: it began with none of these tables.
    async fn drop_tables(self);
}

impl<S: LoadServer> Load for S {
    fn load(
        self,
        plan: &Plan,
        options: &LoadOptions,
        progress: &dyn Fn(LoadProgress),
    ) -> Result<Stored, OltpError> {
        feed::<S::Rows, _>(plan, |feeds| blocking(self, store(self, plan, options, progress, feeds)))
    }
}

async fn store(
    server: impl LoadServer,
    plan: &Plan,
    options: &LoadOptions,
    progress: &dyn Fn(LoadProgress),
    mut feeds: Feeds,
) -> Result<Stored, OltpError> {
    server.refuse_existing().await?;
    let done = Arc::new(Done::default());
    let tables = (0..TABLES.len()).map(|table| server.fill(table, feeds.take(table), Arc::clone(&done)));
    let stored = tokio::select! {
        stored = try_join_all(tables) => stored.map(|_| ()),
        stopped = tell(&done, plan, options, progress) => Err(stopped),
    };
    let index_elapsed = done.since_rows();
    let finished = match stored {
        Ok(()) => server.note(&Loaded::of(plan)).await,
        Err(error) => Err(error),
    };
    if let Err(error) = finished {
        server.drop_tables().await;
        return Err(error);
    }
    Ok(Stored { rows: done.rows(), index_elapsed })
}
