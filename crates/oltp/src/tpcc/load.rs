//! The load: threads make the rows, one writer stores them.

pub(super) mod encode;
pub(super) mod lanes;
pub(super) mod loaded;
pub(super) mod options;

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use database::sqlite::{Connection, Sqlite};
use database::{Access, Instance};

use super::data::generate::{Batch, Plan};
use super::data::nurand::Constants;
use super::error::OltpError;
use super::sqlite::{Writer, schema};
use super::{mariadb, postgresql};
use loaded::Loaded;
use options::{LoadOptions, LoadProgress, Stored};

/// Batches that wait for the writer, per generating thread: a few, since one takes up to 2.5 MB.
const BATCHES_AHEAD: usize = 3;
/// Generating threads: two keep up with the one writer; more would take its processor.
const GENERATORS: usize = 2;
/// Share of the load's time that the rows take; the indexes take the rest.
const ROWS_SHARE: f64 = 0.9;

/// What a load did.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadReport {
    /// Warehouses.
    pub warehouses: u32,
    /// Rows of all tables.
    pub rows: u64,
    /// Size of the database, bytes.
    pub bytes: u64,
    /// Wall time of the whole load, indexes and the last sync included, checks not.
    pub elapsed: Duration,
    /// Wall time of the indexes alone.
    pub index_elapsed: Duration,
}

/// Loads an empty, running instance with the initial population of 4.3.
///
/// # Errors
/// When the instance holds a database already, the options are impossible, the load is stopped, or storage or
/// server fail.
pub fn load(
    instance: &dyn Instance,
    options: &LoadOptions,
    progress: &dyn Fn(LoadProgress),
) -> Result<LoadReport, OltpError> {
    if !(1..=100_000).contains(&options.warehouses) {
        return Err(OltpError::Options(format!(
            "{} warehouses are outside of 1 to 100,000",
            options.warehouses
        )));
    }
    if let Some(fault) = options.population.fault() {
        return Err(OltpError::Options(fault));
    }
    let start = Instant::now();
    let plan = plan(options);
    let stored = match instance.access() {
        Access::Sqlite(sqlite) => store_in_sqlite(sqlite, &plan, options, progress)?,
        Access::PostgreSql(endpoint) => postgresql::load(endpoint, &plan, options, progress)?,
        Access::MariaDb(endpoint) => mariadb::load(endpoint, &plan, options, progress)?,
    };
    Ok(LoadReport {
        warehouses: options.warehouses,
        rows: stored.rows,
        bytes: instance.size_bytes(),
        elapsed: start.elapsed(),
        index_elapsed: stored.index_elapsed,
    })
}

fn plan(options: &LoadOptions) -> Plan {
    Plan {
        warehouses: options.warehouses,
        population: options.population,
        seed: options.seed,
        c_last: Constants::for_load(options.seed).last_name,
        at_ms: now_ms(),
    }
}

fn store_in_sqlite(
    instance: &Sqlite,
    plan: &Plan,
    options: &LoadOptions,
    progress: &dyn Fn(LoadProgress),
) -> Result<Stored, OltpError> {
    let mut connection = instance.begin_load()?;
    if let Some(stop) = options.stop.clone() {
        connection.interrupt_when(move || stop.load(Ordering::Acquire))?;
    }
    let stored = store(&connection, plan, options, progress)
        .map_err(|error| error.with_cause(instance.first_storage_error()))?;
    instance.finish_load(connection)?;
    Ok(stored)
}

fn store(
    connection: &Connection,
    plan: &Plan,
    options: &LoadOptions,
    progress: &dyn Fn(LoadProgress),
) -> Result<Stored, OltpError> {
    schema::create_tables(connection)?;
    let rows = store_rows(connection, plan, options, progress)?;
    let indexing = Instant::now();
    let rows_total = plan.rows().max(rows);
    for (number, (name, sql)) in schema::INDEXES.into_iter().enumerate() {
        if options.stopped() {
            return Err(OltpError::Stopped);
        }
        let share = ROWS_SHARE + (1.0 - ROWS_SHARE) * number as f64 / schema::INDEXES.len() as f64;
        progress(LoadProgress { step: name, rows, rows_total, share });
        connection.execute_batch(sql).map_err(OltpError::sql("building an index"))?;
    }
    Loaded::of(plan).write(connection)?;
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

/// Wall clock, ms since 1970: what order entry stores as dates.
pub(crate) fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::data::population::Population;
    use crate::tpcc::testing;
    use std::cell::RefCell;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn progress_rises_to_one_and_the_report_adds_up() {
        let temp = tempfile::tempdir().unwrap();
        let instance = testing::empty(temp.path(), 1 << 20);
        let seen = RefCell::new(Vec::new());
        let report = load(&instance, &testing::miniature(3, 1), &|p| seen.borrow_mut().push(p)).unwrap();
        let seen = seen.into_inner();
        assert!(seen.windows(2).all(|pair| pair[0].share <= pair[1].share && pair[0].rows <= pair[1].rows));
        let last = seen.last().unwrap();
        assert_eq!((last.step, last.share, last.rows), ("done", 1.0, report.rows));
        let connection = instance.connect().unwrap();
        let tables = [
            "warehouse",
            "district",
            "customer",
            "history",
            "new_order",
            "orders",
            "order_line",
            "item",
            "stock",
        ];
        let count = |table| {
            connection
                .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0))
                .unwrap()
        };
        assert_eq!(tables.map(count).iter().sum::<i64>(), report.rows as i64);
        assert_eq!(report.warehouses, 3);
        assert!(report.bytes > 100_000 && report.elapsed >= report.index_elapsed);
        let loaded = Loaded::read(&connection).unwrap();
        assert_eq!((loaded.warehouses, loaded.population, loaded.seed), (3, Population::MINIATURE, 1));
    }

    #[test]
    fn the_seed_decides_every_value() {
        let fingerprint = |seed| {
            let temp = tempfile::tempdir().unwrap();
            let instance = testing::empty(temp.path(), 1 << 20);
            load(&instance, &testing::miniature(1, seed), &|_| {}).unwrap();
            let sql = "SELECT (SELECT group_concat(c_data || c_last || c_discount) FROM customer) || (SELECT group_concat(ol_i_id || ol_dist_info) FROM order_line)";
            instance.connect().unwrap().query_row(sql, [], |row| row.get::<_, String>(0)).unwrap()
        };
        assert_eq!(fingerprint(7), fingerprint(7));
        assert_ne!(fingerprint(7), fingerprint(8));
    }

    #[test]
    fn a_stopped_load_is_not_taken_for_a_database() {
        let temp = tempfile::tempdir().unwrap();
        let mut instance = testing::empty(temp.path(), 1 << 20);
        let stop = Arc::new(AtomicBool::new(false));
        let options = LoadOptions { stop: Some(Arc::clone(&stop)), ..testing::miniature(20, 1) };
        let error =
            load(&instance, &options, &|p| stop.store(p.rows > 1_000, Ordering::Release)).unwrap_err();
        assert!(matches!(error, OltpError::Stopped), "{error}");
        assert!(Loaded::read(&instance.connect().unwrap()).is_err());
        let error = load(&instance, &testing::miniature(1, 1), &|_| {}).unwrap_err();
        assert!(error.to_string().contains("already"), "{error}");
        instance.remove().unwrap();
        instance.start().unwrap();
        load(&instance, &testing::miniature(1, 1), &|_| {}).unwrap();
    }

    #[test]
    fn a_full_drive_ends_the_load_with_its_name() {
        let temp = tempfile::tempdir().unwrap();
        let instance = testing::empty(temp.path(), 1 << 20);
        instance.mount().unwrap().inject(emulate::Fault::NoSpace);
        let error = load(&instance, &testing::miniature(2, 1), &|_| {}).unwrap_err().to_string();
        assert!(error.contains("full") && error.contains("below it"), "{error}");
    }

    #[test]
    fn impossible_loads_are_refused() {
        let temp = tempfile::tempdir().unwrap();
        let instance = testing::empty(temp.path(), 1 << 20);
        let refused = |options| load(&instance, &options, &|_| {}).unwrap_err().to_string();
        assert!(refused(LoadOptions::new(0, 1)).contains("0 warehouses"));
        let population = Population { items: 3, ..Population::MINIATURE };
        assert!(refused(LoadOptions { population, ..LoadOptions::new(1, 1) }).contains("3 items"));
        assert_eq!(instance.size_bytes(), 0, "nothing was written");
    }
}
