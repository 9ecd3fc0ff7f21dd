//! The proof that a restored instance has the data of its source.

use std::path::Path;
use std::time::Duration;

use database::Instance;
use database::backup::TableSum;
use oltp::tpcc::{self, Acknowledged, Stage};
use words::{Conditions, Proven, Reason, Reasons};

use crate::bed::instances;
use crate::conductor::Conductor;
use crate::needs::data_set::DataSet;

/// The contents of a restored instance.
pub(crate) struct Proof {
    /// Consistency conditions that do not hold.
    pub(crate) violated: Reasons,
    /// Every table's rows and checksum.
    pub(crate) sums: Vec<TableSum>,
    /// Orders that were acknowledged before the backup began, and those of them that are not there.
    pub(crate) acknowledged: usize,
    pub(crate) missing: usize,
    /// The duration of the proof; never part of a restore's time.
    pub(crate) elapsed: Duration,
}

impl Proof {
    /// The faults that the proof of cycle `number` found.
    pub(crate) fn failed(&self, number: u32) -> Reasons {
        let (missing, acknowledged) = (self.missing as u64, self.acknowledged as u64);
        let orders = (missing > 0).then_some(Reason::OrdersMissing { missing, acknowledged });
        self.violated.clone().into_iter().chain(orders).map(|what| what.of_cycle(number)).collect()
    }

    /// For the record of the cell.
    pub(crate) fn told(&self) -> Proven {
        let rows: u64 = self.sums.iter().map(|sum| sum.rows).sum();
        let conditions = match self.violated.0.len() as u64 {
            0 => Conditions::Hold,
            count => Conditions::Violated { count },
        };
        let (tables, took_s) = (self.sums.len() as u64, self.elapsed.as_secs_f64());
        match self.acknowledged as u64 {
            0 => Proven::Tables { conditions, rows, tables, took_s },
            all => {
                let there = all - self.missing as u64;
                Proven::TablesAndOrders { conditions, rows, tables, there, all, took_s }
            }
        }
    }
}

/// Examines a restored, running instance without measuring: a server while it runs, the embedded engine
/// through storage without cost. Ends it.
pub(crate) fn of(
    conductor: &Conductor<'_>,
    restored: Box<dyn Instance>,
    dir: &Path,
    data: &DataSet,
    acknowledged: &[Acknowledged],
) -> Result<Proof, String> {
    let start = conductor.clock().stopwatch();
    let mut instance = at_no_cost(conductor, restored, dir)?;
    instance.lift_limits();
    let violated = data.violations(&*instance, Stage::AfterRun, &conductor.interrupt.flag_at_once())?;
    let sums = instance.table_sums(&conductor.interrupt.flag_at_once()).map_err(|e| e.to_string())?;
    let missing = match acknowledged {
        [] => 0,
        orders => tpcc::missing_orders(&*instance, orders).map_err(|e| e.to_string())?.len(),
    };
    instance.stop().map_err(|e| e.to_string())?;
    Ok(Proof { violated, sums, acknowledged: acknowledged.len(), missing, elapsed: start.elapsed() })
}

/// The contents of every table of the source; the source is stopped afterwards.
pub(crate) fn sums_of_source(
    conductor: &Conductor<'_>,
    source: &mut dyn Instance,
    dir: &Path,
) -> Result<Vec<TableSum>, String> {
    let is_server = conductor.experiment.engine().is_server();
    let mut free = if is_server { None } else { Some(free(conductor, source, dir)?) };
    let summed = free.as_deref().unwrap_or(source);
    let sums = summed.table_sums(&conductor.interrupt.flag_at_once()).map_err(|e| e.to_string())?;
    if let Some(free) = &mut free {
        free.stop().map_err(|e| e.to_string())?;
    }
    source.stop().map_err(|e| e.to_string())?;
    Ok(sums)
}

fn at_no_cost(
    conductor: &Conductor<'_>,
    mut instance: Box<dyn Instance>,
    dir: &Path,
) -> Result<Box<dyn Instance>, String> {
    if conductor.experiment.engine().is_server() {
        return Ok(instance);
    }
    free(conductor, &mut *instance, dir)
}

/// Stops the embedded engine and opens its files on free storage.
fn free(
    conductor: &Conductor<'_>,
    instance: &mut dyn Instance,
    dir: &Path,
) -> Result<Box<dyn Instance>, String> {
    instance.stop().map_err(|e| e.to_string())?;
    let spec = instances::for_work(conductor.experiment, dir);
    let mut free = instances::make(conductor, spec).map_err(|e| e.to_string())?;
    free.start().map_err(|e| e.to_string())?;
    Ok(free)
}
