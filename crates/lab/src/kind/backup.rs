//! Backup and restore.

mod parts;
mod proof;
mod run;
mod simulated;

use std::time::Duration;

use experiment::{Backup, Method, Storage};
use notebook::CellRecord;
use words::{Metric, Reasons, say};

use super::LabKind;
use crate::conductor::Conductor;
use crate::kind::simulated_cell::SimulatedCell;
use crate::needs::cost::{self, COPY_BYTES_PER_SECOND};
use crate::needs::data_set::DataSet;
use crate::needs::{Needs, NotSimulated};
use crate::order::CellKey;

/// The bytes that a native tool moves in a second on a small machine; assumed, because the plan cannot know
/// the rate that it is to measure.
const TOOL_BYTES_PER_SECOND: f64 = 150e6;

impl Needs for Backup {
    fn data(&self) -> Option<DataSet> {
        Some(DataSet::OrderEntry { warehouses: self.warehouses })
    }

    fn runs_order_entry(&self) -> bool {
        self.virtual_users.iter().any(|&users| users > 0)
    }

    fn makes_backups(&self) -> bool {
        true
    }

    fn target(&self) -> Option<&Storage> {
        self.target.as_ref()
    }

    /// The source and the restored one.
    fn instances(&self, _of_experiment: u32) -> u32 {
        2
    }

    fn warehouses(&self) -> Option<u32> {
        Some(self.warehouses)
    }

    fn cell_time(&self, _reset_s: f64) -> Duration {
        let bytes = self.data_bytes() as f64;
        let rate =
            self.rate_limit.map_or(TOOL_BYTES_PER_SECOND, |rate| (rate.0 as f64).min(TOOL_BYTES_PER_SECOND));
        let proof_s = cost::check_s(self.warehouses) * 2.0;
        let cycle_s = bytes / rate + bytes / TOOL_BYTES_PER_SECOND + proof_s + self.pause.0.as_secs_f64();
        let seconds = bytes / COPY_BYTES_PER_SECOND + f64::from(self.cycles) * cycle_s;
        Duration::from_secs_f64(cost::START_S) + Duration::from_secs_f64(seconds)
    }

    fn written_by_cell(&self, _drive: Option<&device::DriveSpec>) -> f64 {
        self.data_bytes() as f64 * (1.0 + 2.0 * f64::from(self.cycles))
    }

    fn not_simulated(&self) -> Option<NotSimulated> {
        if self.method == Method::Logical || self.compress {
            return Some((
                "the model knows backups of files as they are: what a dump or a compression costs the processor was fitted to nothing",
                "set workload.method=physical and workload.compress=false, or run it on emulated or real storage",
            ));
        }
        if self.target.is_some() {
            return Some((
                "a target on other storage is not simulated: a simulated bed has one storage",
                "leave workload.target out, or run it on emulated or real storage",
            ));
        }
        if self.runs_order_entry() {
            return Some((
                "users on the database that is backed up are not simulated; backups of other machines beside users are",
                "set workload.virtual_users=[0], or see kingston-dc1500m/test-5",
            ));
        }
        None
    }
}

impl LabKind for Backup {
    fn run(&self, conductor: &Conductor<'_>, key: CellKey) -> Result<CellRecord, Reasons> {
        run::cell(conductor, key, self)
    }

    fn headline(&self, record: &CellRecord) -> Option<String> {
        let seconds = |metric: Metric| record.value(metric).map(|seconds| words::decimals(seconds, 2));
        let (backup, restore) = (seconds(Metric::BackupTime)?, seconds(Metric::RestoreTime)?);
        Some(match (record.value(Metric::ProvenRestores), record.value(Metric::Cycles)) {
            (Some(proven), Some(cycles)) => {
                let (proven, cycles) = (proven.to_string(), cycles.to_string());
                say!("result-backup-proven", backup, restore, proven, cycles)
            }
            _ => say!("result-backup", backup, restore),
        })
    }

    fn simulate(&self, simulated: &SimulatedCell<'_>) -> Result<CellRecord, Reasons> {
        simulated::cell(simulated, self)
    }
}
