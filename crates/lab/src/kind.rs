//! Kinds of workloads as the lab conducts them: one room for each, and the one list of them.

mod backup;
mod block;
mod durability;
mod fragmentation;
mod neighbour;
mod order_entry;
mod scan;
mod sysbench;

use std::time::Duration;

use experiment::data_size::warehouse_bytes;
use experiment::{Experiment, Storage, Workload};
use notebook::CellRecord;
use words::Reasons;

use crate::conductor::Conductor;
use crate::cost::WAREHOUSES_PER_SECOND;
use crate::data_set::DataSet;
use crate::order::CellKey;
use crate::ready::Unready;
use crate::simulated::Study;

pub use block::check_devices;
pub(crate) use block::overwritten_devices;

/// What a simulation has no honest answer for, and what to do instead.
pub(crate) type NotSimulated = (&'static str, &'static str);

/// A kind of workload: what it needs, what it costs, how it is prepared, run and simulated.
pub(crate) trait LabKind {
    /// What it works on; `None` where it needs no database.
    fn data(&self) -> Option<DataSet>;

    /// Why it is not conducted on this experiment's database.
    fn refused(&self, _experiment: &Experiment) -> Option<&'static str> {
        None
    }

    /// What of it needs root, and what was found here.
    fn needs_root(&self, _experiment: &Experiment) -> Vec<String> {
        Vec::new()
    }

    /// Whether transactions after TPC-C run.
    fn runs_order_entry(&self) -> bool {
        false
    }

    /// Where its profile leaves the clauses of TPC-C.
    fn deviations(&self) -> &'static [oltp::Deviation] {
        &[]
    }

    /// Whether its instances must be ready for backups.
    fn makes_backups(&self) -> bool {
        false
    }

    /// Whether it cuts the power of a modelled drive.
    fn cuts_power(&self) -> bool {
        false
    }

    /// Storage that it uses besides that of its bed.
    fn target(&self) -> Option<&Storage> {
        None
    }

    /// Files and devices that it names by a path of their own.
    fn paths(&self) -> &[String] {
        &[]
    }

    /// A level in words, where they are more than its number and what it counts.
    fn level_in_words(&self, _level: usize) -> Option<String> {
        None
    }

    /// Databases that a cell runs side by side, where the experiment says `of_experiment`.
    fn instances(&self, of_experiment: u32) -> u32 {
        of_experiment
    }

    /// Warehouses of the data set of one instance; `None` for data of another kind.
    fn warehouses(&self) -> Option<u32> {
        None
    }

    /// Bytes of the data set of one instance.
    fn data_bytes(&self) -> u64 {
        self.warehouses().map_or(0, warehouse_bytes)
    }

    /// Time to load the data set of one instance.
    fn load_time(&self) -> Duration {
        let warehouses = self.warehouses().map_or(0.0, f64::from);
        Duration::from_secs_f64(warehouses / WAREHOUSES_PER_SECOND)
    }

    /// One cell with its check, where bringing a plain copy of the data back takes `reset_s` seconds.
    fn cell_time(&self, reset_s: f64) -> Duration;

    /// Bytes that one cell writes: the copy it starts from and its load.
    fn written_by_cell(&self) -> f64;

    /// Looks for what would keep its open cells from running at all, before the first of them.
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
    /// Why the cell came to nothing: it is kept as invalid.
    fn run(&self, conductor: &Conductor<'_>, key: CellKey) -> Result<CellRecord, Reasons>;

    /// What the simulation has no honest answer for.
    fn not_simulated(&self) -> Option<NotSimulated>;

    /// Simulates one cell.
    ///
    /// # Errors
    /// Why the cell came to nothing: it is kept as invalid.
    fn simulate(&self, _study: &Study<'_>) -> Result<CellRecord, Reasons> {
        Err(self.not_simulated().map_or("it is not simulated", |(why, _)| why).into())
    }
}

/// The room of a workload.
pub(crate) fn of(workload: &Workload) -> &dyn LabKind {
    match workload {
        Workload::Tpcc(tpcc) => tpcc,
        Workload::Sysbench(sysbench) => sysbench,
        Workload::Durability(durability) => durability,
        Workload::Block(block) => block,
        Workload::Backup(backup) => backup,
        Workload::Scan(scan) => scan,
        Workload::Neighbour(neighbour) => neighbour,
        Workload::Fragmentation(fragmentation) => fragmentation,
    }
}
