//! The load: tables as sysbench makes them, several at a time on servers, the index on `k` after the rows,
//! statistics at the end.

mod rows;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use database::Access;
use ground::{Clock, Stopwatch};

use super::distribution::Distribution;
use super::error::SysbenchError;
use super::options;
use super::sql::Dialect;
use rows::Rows;
pub(super) use rows::{COPY_HEADER, COPY_TRAILER, Row};

/// The interval between reports of progress.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// The data to load.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Number of tables.
    pub tables: u32,
    /// Rows of each.
    pub rows: u32,
    /// The distribution of the values of `k`; sysbench uses that of the run.
    pub distribution: Distribution,
    /// Seed of every random value. The same seed makes the same rows on every engine, however many
    /// connections load.
    pub seed: u64,
    /// Connections that load, each a table at a time; an engine that admits one writer ignores it.
    pub connections: u32,
    /// Ends the load early when it becomes true.
    pub stop: Option<Arc<AtomicBool>>,
}

impl LoadOptions {
    /// A load that nobody stops, with a connection for each processor and one more, as the client and the
    /// server take turns.
    #[must_use]
    pub fn new(tables: u32, rows: u32, seed: u64) -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from) as u32;
        Self {
            tables,
            rows,
            distribution: Distribution::default(),
            seed,
            connections: processors + 1,
            stop: None,
        }
    }
}

/// The progress of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadProgress {
    /// Rows sent.
    pub rows: u64,
    /// Rows in all.
    pub rows_total: u64,
    /// Tables that are complete, their index and statistics included.
    pub tables: u32,
    /// Time since the beginning.
    pub elapsed: Duration,
}

impl LoadProgress {
    /// Time left at the present pace; `None` while there is no pace yet. Indexes are built table by table, so
    /// it holds for them too.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        (self.rows > 0)
            .then(|| self.elapsed.mul_f64((self.rows_total as f64 / self.rows as f64 - 1.0).max(0.0)))
    }
}

/// The result of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadReport {
    /// Rows stored.
    pub rows: u64,
    /// The method of sending rows.
    pub method: &'static str,
    /// From the first statement to the last.
    pub elapsed: Duration,
}

/// An engine that stores the rows.
pub(crate) trait Load: Dialect {
    /// The most connections that can load at the same time.
    const CONNECTIONS_MAX: u32;

    /// Takes tables until there are no more, on a connection of its own; tells how the rows were sent.
    fn fill(self, job: &Job<'_>) -> Result<&'static str, SysbenchError>;
}

/// The shared state of the loaders.
pub(crate) struct Job<'a> {
    pub(super) options: &'a LoadOptions,
    next_table: AtomicU32,
    rows: AtomicU64,
    tables: AtomicU32,
    /// Somebody failed; the others may stop.
    failed: AtomicBool,
}

impl Job<'_> {
    /// The next table that nobody loads.
    pub(super) fn claim(&self) -> Option<u32> {
        let table = self.next_table.fetch_add(1, Ordering::Relaxed);
        (table <= self.options.tables).then_some(table)
    }

    pub(super) fn rows_of(&self, table: u32) -> Rows {
        Rows::new(self.options.seed, table, self.options.rows, self.options.distribution)
    }

    /// Counts rows that were sent, and refuses to go on when the load is to end.
    pub(super) fn sent(&self, rows: u64) -> Result<(), SysbenchError> {
        self.rows.fetch_add(rows, Ordering::Relaxed);
        let stopped = self.options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Acquire));
        if stopped || self.failed.load(Ordering::Relaxed) { Err(SysbenchError::Stopped) } else { Ok(()) }
    }

    /// Counts a table that is complete.
    pub(super) fn completed(&self) {
        self.tables.fetch_add(1, Ordering::Relaxed);
    }

    fn progress(&self, since: &Stopwatch) -> LoadProgress {
        LoadProgress {
            rows: self.rows.load(Ordering::Relaxed),
            rows_total: u64::from(self.options.tables) * u64::from(self.options.rows),
            tables: self.tables.load(Ordering::Relaxed),
            elapsed: since.elapsed(),
        }
    }
}

/// Creates and fills `sbtest1` to `sbtestN`. Existing tables are never touched. A load that ends early leaves
/// its tables; none of them is complete.
///
/// # Errors
/// When a table exists already, when the options are impossible, and when the engine refuses.
pub fn load(
    access: Access<'_>,
    options: &LoadOptions,
    progress: &dyn Fn(LoadProgress),
) -> Result<LoadReport, SysbenchError> {
    options::tables_and_rows(options.tables, options.rows)?;
    let job = Job {
        options,
        next_table: AtomicU32::new(1),
        rows: AtomicU64::new(0),
        tables: AtomicU32::new(0),
        failed: AtomicBool::new(false),
    };
    let since = Clock::Wall.stopwatch();
    let method =
        database::on_engine!(access, engine => at_work(engine, &job, options.connections, &since, progress))?;
    Ok(LoadReport { rows: job.rows.into_inner(), method, elapsed: since.elapsed() })
}

/// Fills tables on as many threads as there is work for, and tells the caller how far they are. The first
/// error that is not a consequence of another one counts.
fn at_work<E: Load + Copy + Send>(
    engine: E,
    job: &Job<'_>,
    connections: u32,
    since: &Stopwatch,
    progress: &dyn Fn(LoadProgress),
) -> Result<&'static str, SysbenchError> {
    let error = Mutex::new(None);
    let method = Mutex::new("");
    thread::scope(|scope| {
        let (alive, is_alive) = channel::<()>();
        for _ in 0..connections.min(E::CONNECTIONS_MAX).clamp(1, job.options.tables) {
            let (alive, error, method) = (alive.clone(), &error, &method);
            let body = move || {
                let _alive = alive;
                match engine.fill(job) {
                    Ok(how) => *method.lock().unwrap_or_else(PoisonError::into_inner) = how,
                    Err(why) => {
                        job.failed.store(true, Ordering::Relaxed);
                        let mut first = error.lock().unwrap_or_else(PoisonError::into_inner);
                        if first.is_none() || matches!(*first, Some(SysbenchError::Stopped)) {
                            *first = Some(why);
                        }
                    }
                }
            };
            if let Err(source) = thread::Builder::new().name("load".to_owned()).spawn_scoped(scope, body) {
                job.failed.store(true, Ordering::Relaxed);
                *error.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(SysbenchError::Thread { what: "a thread that loads", source });
            }
        }
        drop(alive);
        while is_alive.recv_timeout(TELL_EVERY) == Err(RecvTimeoutError::Timeout) {
            progress(job.progress(since));
        }
    });
    progress(job.progress(since));
    match error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(method.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}
