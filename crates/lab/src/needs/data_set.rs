//! The data of a workload: loaded once, and proven to be whole.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use database::Instance;
use oltp::{Until, scan, sysbench, tpcc};
use words::{LoadedData, Reason, Reasons};

/// The tables of a workload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum DataSet {
    /// Order entry of this many warehouses.
    OrderEntry { warehouses: u32 },
    /// sysbench's tables.
    Sysbench { tables: u32, rows: u32, distribution: sysbench::Distribution },
    /// One table that is read as a whole or by an index.
    Scanned(scan::Table),
}

impl DataSet {
    /// For progress and notes.
    pub(crate) fn what(&self) -> LoadedData {
        match *self {
            Self::OrderEntry { warehouses } => LoadedData::Warehouses { warehouses },
            Self::Sysbench { tables, rows, .. } => LoadedData::SysbenchTables { tables, rows },
            Self::Scanned(table) => LoadedData::ScannedTable { rows: table.rows },
        }
    }

    /// Loads it into an empty, running instance; returns the number of rows.
    pub(crate) fn load(
        &self,
        instance: &dyn Instance,
        seed: u64,
        stop: Arc<AtomicBool>,
        progress: &dyn Fn(f64),
    ) -> Result<u64, String> {
        match *self {
            Self::OrderEntry { warehouses } => {
                let options =
                    tpcc::LoadOptions { stop: Some(stop), ..tpcc::LoadOptions::new(warehouses, seed) };
                let report = tpcc::load(instance, &options, &|p| progress(p.share));
                report.map(|r| r.rows).map_err(|e| e.to_string())
            }
            Self::Sysbench { tables, rows, distribution } => {
                let plain = sysbench::LoadOptions::new(tables, rows, seed);
                let options = sysbench::LoadOptions { stop: Some(stop), distribution, ..plain };
                let share = |p: sysbench::LoadProgress| progress(p.rows as f64 / p.rows_total.max(1) as f64);
                sysbench::load(instance.access(), &options, &share).map_err(|e| e.to_string())?;
                Ok(u64::from(tables) * u64::from(rows))
            }
            Self::Scanned(table) => {
                scan::load(instance, table, seed, &Until::stopped(stop), progress).map_err(|e| e.to_string())
            }
        }
    }

    /// Checks a running instance; returns the violations. Ends in the middle of a statement when `stop`
    /// becomes true, with an error.
    pub(crate) fn violations(
        &self,
        instance: &dyn Instance,
        stage: tpcc::Stage,
        stop: &Arc<AtomicBool>,
    ) -> Result<Reasons, String> {
        let until = Until::stopped(Arc::clone(stop));
        match *self {
            Self::OrderEntry { .. } => {
                let conditions = tpcc::check_until(instance, stage, &until).map_err(|e| e.to_string())?;
                let violated = conditions.into_iter().filter(|c| c.violations > 0);
                Ok(violated
                    .map(|c| Reason::Condition {
                        number: c.number,
                        clause: c.clause.to_owned(),
                        detail: c.detail,
                    })
                    .collect())
            }
            Self::Sysbench { tables, rows, .. } => {
                let conditions =
                    sysbench::check(instance.access(), tables, rows).map_err(|e| e.to_string())?;
                let violated = conditions.into_iter().filter(|c| !c.holds());
                Ok(violated
                    .map(|c| Reason::SysbenchCondition {
                        table: c.table,
                        condition: c.what.into(),
                        rows: c.violations,
                        detail: c.detail,
                    })
                    .collect())
            }
            Self::Scanned(table) => scan::check(instance, table, &until).map_err(|e| e.to_string()),
        }
    }
}

/// The experiment file's word as sysbench's own.
pub(crate) fn distribution(of: experiment::Distribution) -> sysbench::Distribution {
    match of {
        experiment::Distribution::Uniform => sysbench::Distribution::Uniform,
        experiment::Distribution::Special => sysbench::Distribution::Special,
        experiment::Distribution::Pareto => sysbench::Distribution::Pareto,
        experiment::Distribution::Zipf => sysbench::Distribution::Zipf,
    }
}
