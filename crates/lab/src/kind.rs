//! Kinds of workloads as the lab conducts them, one room for each.

mod backup;
mod block;
mod durability;
mod fragmentation;
mod neighbour;
mod order_entry;
mod scan;
pub(crate) mod simulated_cell;
mod sysbench;

use experiment::Workload;
use notebook::CellRecord;
use words::{Reason, Reasons};

use crate::bed::ready::Unready;
use crate::conductor::Conductor;
use crate::kind::simulated_cell::SimulatedCell;
use crate::needs::Needs;
use crate::order::CellKey;

pub(crate) use block::record_alone;
pub use block::{Load, check_devices, single_job};

/// A kind of workload: how it is prepared, run and simulated.
pub(crate) trait LabKind: Needs {
    /// Checks for conditions that would keep its open cells from running, before the first of them.
    fn look_ahead(
        &self,
        _conductor: &Conductor<'_>,
        _number: usize,
        _open: &[CellKey],
        _unready: &mut Unready,
    ) {
    }

    /// Runs one cell.
    ///
    /// # Errors
    /// The reasons why the cell failed: it is recorded as invalid.
    fn run(&self, conductor: &Conductor<'_>, key: CellKey) -> Result<CellRecord, Reasons>;

    /// The main figures of a cell that counts, in one line; `None` for a load, whose rate, p99 and limiter
    /// are told.
    fn headline(&self, _record: &CellRecord) -> Option<String> {
        None
    }

    /// Simulates one cell.
    ///
    /// # Errors
    /// The reasons why the cell failed: it is recorded as invalid.
    fn simulate(&self, _cell: &SimulatedCell<'_>) -> Result<CellRecord, Reasons> {
        Err(Reason::NotSimulated.into())
    }
}

/// The room of a workload.
pub(crate) fn of(workload: &Workload) -> &dyn LabKind {
    experiment::on_kind!(workload, kind => kind)
}
