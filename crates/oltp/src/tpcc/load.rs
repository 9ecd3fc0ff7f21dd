//! The load: threads make the rows, and the engine stores them in its quickest way.

pub(super) mod encode;
pub(super) mod lanes;
pub(super) mod loaded;
pub(super) mod options;
pub(super) mod server;

use std::time::Duration;

use database::Instance;
use ground::Clock;

use super::data::generate::Plan;
use super::data::nurand::Constants;
use crate::error::OltpError;
use options::{LoadOptions, LoadProgress, Stored};

/// The result of a load.
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

/// An engine that stores the rows of a plan in an empty database.
pub(crate) trait Load {
    fn load(
        self,
        plan: &Plan,
        options: &LoadOptions,
        progress: &dyn Fn(LoadProgress),
    ) -> Result<Stored, OltpError>;
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
    let start = Clock::Wall.stopwatch();
    let plan = plan(options);
    let stored = database::on_engine!(instance.access(), engine => engine.load(&plan, options, progress))?;
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
        at_ms: Clock::Wall.unix_ms(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::data::population::Population;
    use crate::tpcc::sqlite::read_note;
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
        let loaded = read_note(&connection).unwrap();
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
        assert!(read_note(&instance.connect().unwrap()).is_err());
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
