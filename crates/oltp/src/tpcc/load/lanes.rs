//! The load of a server: threads make the rows, and every table is fed over a connection of its own.
//!
//! One stream per table, not per warehouse: both engines load a table that its own transaction has just
//! created, or that is empty, without logging its rows, and only one stream per table can have that. Rows
//! come in the order of the primary key.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use ground::Clock;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::encode::{Format, Piece, encode};
use super::options::{LoadOptions, LoadProgress};
use crate::error::OltpError;
use crate::tpcc::data::generate::{Job, Plan};
use crate::tpcc::data::tables::TABLES;

/// Pieces that wait for a table's connection: a few, since one takes up to 3 MB.
const PIECES_AHEAD: usize = 3;
/// The interval at which progress is reported and the stop flag is checked.
const TELL: Duration = Duration::from_millis(100);
/// Share of the load's time that the rows take; keys, indexes and statistics take the rest.
const ROWS_SHARE: f64 = 0.7;

/// The progress of the tables' loaders.
#[derive(Debug, Default)]
pub(crate) struct Done {
    rows: AtomicU64,
    tables: AtomicUsize,
    /// When the last row was stored; 0 before.
    rows_at_ns: AtomicU64,
}

impl Done {
    pub(crate) fn stored(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
        self.rows_at_ns.store(Clock::Wall.now_ns(), Ordering::Relaxed);
    }

    pub(crate) fn finished_table(&self) {
        self.tables.fetch_add(1, Ordering::Relaxed);
    }

    /// Rows stored so far.
    pub(crate) fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Time since the last row.
    pub(crate) fn since_rows(&self) -> Duration {
        match self.rows_at_ns.load(Ordering::Relaxed) {
            0 => Duration::ZERO,
            at_ns => Clock::Wall.since(at_ns),
        }
    }
}

/// The pieces of every table, by its number in [`TABLES`]; each is taken once.
pub(crate) struct Feeds(Vec<Option<Receiver<Piece>>>);

impl Feeds {
    pub(crate) fn take(&mut self, table: usize) -> Receiver<Piece> {
        self.0[table].take().expect("each table has one loader")
    }
}

/// Makes the rows of `plan` on threads of their own while `store` takes them; `store` runs on the caller's
/// thread.
pub(crate) fn feed<F: Format + Default, T>(
    plan: &Plan,
    store: impl FnOnce(Feeds) -> Result<T, OltpError>,
) -> Result<T, OltpError> {
    let (senders, receivers): (Vec<_>, Vec<_>) = TABLES.iter().map(|_| channel(PIECES_AHEAD)).unzip();
    // The makers stop when the receivers are gone, or at an earlier request.
    let give_up = Arc::new(AtomicBool::new(false));
    thread::scope(|scope| {
        // As many threads on few processors as on many: every table must be fed while the others wait.
        for (name, belongs) in LANES {
            let (senders, stop) = (senders.clone(), Arc::clone(&give_up));
            let body = move || make::<F>(plan, belongs, &senders, &stop);
            let started = thread::Builder::new().name(format!("rows-{name}")).spawn_scoped(scope, body);
            if let Err(source) = started {
                give_up.store(true, Ordering::Release);
                return Err(OltpError::Thread { what: "a generating thread".to_owned(), source });
            }
        }
        drop(senders);
        let stored = store(Feeds(receivers.into_iter().map(Some).collect()));
        give_up.store(true, Ordering::Release);
        stored
    })
}

/// A thread's name and its jobs.
type Lane = (&'static str, fn(Job) -> bool);

/// The jobs of each thread. The three take about the same time.
const LANES: [Lane; 3] = [
    ("stock", |job| matches!(job, Job::Items { .. } | Job::Warehouse { .. } | Job::Stock { .. })),
    ("customers", |job| matches!(job, Job::Customers { .. })),
    ("orders", |job| matches!(job, Job::Orders { .. })),
];

fn make<F: Format + Default>(
    plan: &Plan,
    belongs: fn(Job) -> bool,
    senders: &[Sender<Piece>],
    give_up: &AtomicBool,
) {
    for job in plan.jobs().filter(|&job| belongs(job)) {
        for piece in encode::<F>(&plan.generate(job), plan.at_ms) {
            if give_up.load(Ordering::Acquire) || senders[piece.table].blocking_send(piece).is_err() {
                return;
            }
        }
    }
}

/// Tells progress until it is dropped or the load is to stop.
pub(crate) async fn tell(
    done: &Done,
    plan: &Plan,
    options: &LoadOptions,
    progress: &dyn Fn(LoadProgress),
) -> OltpError {
    loop {
        tokio::time::sleep(TELL).await;
        if options.stopped() {
            return OltpError::Stopped;
        }
        let (rows, rows_total) = (done.rows(), plan.rows().max(done.rows()));
        let tables = done.tables.load(Ordering::Relaxed) as f64 / TABLES.len() as f64;
        let share = ROWS_SHARE * (rows as f64 / rows_total as f64) + (1.0 - ROWS_SHARE) * tables;
        let step = if done.since_rows() > 2 * TELL { "keys, indexes and statistics" } else { "rows" };
        progress(LoadProgress { step, rows, rows_total, share: share.min(1.0) });
    }
}
