//! The load of SQLite: threads make the rows, one writer stores them.

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use database::Instance as _;
use database::sqlite::{Connection, Sqlite};
use ground::Clock;

use super::note::write_note;
use super::{Writer, schema};
use crate::error::OltpError;
use crate::tpcc::data::generate::{Batch, Plan};
use crate::tpcc::load::Load;
use crate::tpcc::load::loaded::Loaded;
use crate::tpcc::load::options::{LoadOptions, LoadProgress, Stored};

/// Batches that wait for the writer, per generating thread: a few, since one takes up to 2.5 MB.
const BATCHES_AHEAD: usize = 3;
/// Generating threads: two keep up with the one writer; more would take its processor.
const GENERATORS: usize = 2;
/// Share of the load's time that the rows take; the indexes take the rest.
const ROWS_SHARE: f64 = 0.9;

impl Load for &Sqlite {
    fn load(
        self,
        plan: &Plan,
        options: &LoadOptions,
        progress: &dyn Fn(LoadProgress),
    ) -> Result<Stored, OltpError> {
        let mut connection = self.begin_load()?;
        if let Some(stop) = options.stop.clone() {
            connection.interrupt_when(move || stop.load(Ordering::Acquire))?;
        }
        let stored = store(&connection, plan, options, progress)
            .map_err(|error| error.with_cause(self.first_storage_error()))?;
        self.finish_load(connection)?;
        Ok(stored)
    }
}

fn store(
    connection: &Connection,
    plan: &Plan,
    options: &LoadOptions,
    progress: &dyn Fn(LoadProgress),
) -> Result<Stored, OltpError> {
    schema::create_tables(connection)?;
    let rows = store_rows(connection, plan, options, progress)?;
    let indexing = Clock::Wall.stopwatch();
    let rows_total = plan.rows().max(rows);
    for (number, (name, sql)) in schema::INDEXES.into_iter().enumerate() {
        if options.stopped() {
            return Err(OltpError::Stopped);
        }
        let share = ROWS_SHARE + (1.0 - ROWS_SHARE) * number as f64 / schema::INDEXES.len() as f64;
        progress(LoadProgress { step: name, rows, rows_total, share });
        connection.execute_batch(sql).map_err(OltpError::sql("building an index"))?;
    }
    write_note(&Loaded::of(plan), connection)?;
    progress(LoadProgress { step: "done", rows, rows_total, share: 1.0 });
    Ok(Stored { rows, index_elapsed: indexing.elapsed() })
}

fn store_rows(
    connection: &Connection,
    plan: &Plan,
    options: &LoadOptions,
    progress: &dyn Fn(LoadProgress),
) -> Result<u64, OltpError> {
    let rows_total = plan.rows();
    let mut writer = Writer::new(connection, plan)?;
    let mut rows = 0;
    thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let lanes = cores.min(GENERATORS);
        let mut receivers = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            let (sender, receiver) = sync_channel(BATCHES_AHEAD);
            let generator = move || generate_lane(plan, lane, lanes, &sender);
            let builder = thread::Builder::new().name("generate".to_owned());
            let started = builder.spawn_scoped(scope, generator);
            started.map_err(|source| OltpError::Thread { what: "a generating thread".to_owned(), source })?;
            receivers.push(receiver);
        }
        connection.execute_batch("BEGIN").map_err(OltpError::sql("beginning the load"))?;
        for batch in in_order(&receivers) {
            if options.stopped() {
                return Err(OltpError::Stopped);
            }
            rows += writer.write(&batch)?;
            let share = ROWS_SHARE * (rows as f64 / rows_total as f64).min(1.0);
            progress(LoadProgress { step: "rows", rows, rows_total, share });
        }
        connection.execute_batch("COMMIT").map_err(OltpError::sql("ending the load"))?;
        Ok(rows)
    })
}

/// Makes every `lanes`-th batch, until the plan is done or the writer has given up.
fn generate_lane(plan: &Plan, lane: usize, lanes: usize, sender: &SyncSender<Batch>) {
    for job in plan.jobs().skip(lane).step_by(lanes) {
        if sender.send(plan.generate(job)).is_err() {
            return;
        }
    }
}

/// The batches of all lanes in the order of the plan.
fn in_order(receivers: &[Receiver<Batch>]) -> impl Iterator<Item = Batch> {
    receivers.iter().cycle().map_while(|receiver| receiver.recv().ok())
}
