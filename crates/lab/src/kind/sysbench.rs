//! sysbench's tests.

mod run;

use std::time::Duration;

use experiment::{Sysbench, data_size};
use notebook::CellRecord;
use words::Reasons;

use super::LabKind;
use crate::conductor::Conductor;
use crate::needs::cost;
use crate::needs::data_set::{self, DataSet};
use crate::needs::{Needs, NotSimulated};
use crate::order::CellKey;

/// Rows loaded per second; assumed, not measured.
const ROWS_PER_SECOND: f64 = 100_000.0;

impl Needs for Sysbench {
    fn data(&self) -> Option<DataSet> {
        Some(DataSet::Sysbench {
            tables: self.tables,
            rows: self.rows,
            distribution: data_set::distribution(self.distribution),
        })
    }

    fn data_bytes(&self) -> u64 {
        data_size::sysbench_bytes(self.tables, self.rows)
    }

    fn load_time(&self) -> Duration {
        Duration::from_secs_f64(f64::from(self.tables) * f64::from(self.rows) / ROWS_PER_SECOND)
    }

    fn cell_time(&self, reset_s: f64) -> Duration {
        self.ramp_up.0 + self.measure.0 + Duration::from_secs_f64(reset_s)
    }

    fn written_by_cell(&self, _drive: Option<&device::DriveSpec>) -> f64 {
        let load_s = (self.ramp_up.0 + self.measure.0).as_secs_f64();
        self.data_bytes() as f64 + cost::load_bytes(load_s, self.rate)
    }

    fn asked_per_second(&self) -> Option<f64> {
        self.rate
    }

    fn not_simulated(&self) -> Option<NotSimulated> {
        Some((
            "sysbench is not simulated: no study in the data prints a number of it, so the processor time of its statements is fitted to nothing",
            "run it on emulated or real storage: --storage BED=PATH",
        ))
    }
}

impl LabKind for Sysbench {
    fn run(&self, conductor: &Conductor<'_>, key: CellKey) -> Result<CellRecord, Reasons> {
        run::cell(conductor, key, self)
    }
}
