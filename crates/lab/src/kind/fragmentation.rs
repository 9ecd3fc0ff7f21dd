//! Cold scans of a table whose file lies in pieces.

mod run;

use std::time::Duration;

use experiment::{Experiment, Fragmentation, data_size};
use notebook::CellRecord;
use oltp::scan::Table;
use words::{Metric, Reasons, say};

use super::LabKind;
use crate::conductor::Conductor;
use crate::needs::cost::{self, COPY_BYTES_PER_SECOND, SCAN_BYTES_PER_SECOND};
use crate::needs::data_set::DataSet;
use crate::needs::{Needs, NotSimulated};
use crate::order::CellKey;

impl Needs for Fragmentation {
    fn data(&self) -> Option<DataSet> {
        Some(DataSet::Scanned(Table { rows: self.rows, row_bytes: self.row_bytes }))
    }

    fn needs_root(&self, _experiment: &Experiment) -> Vec<String> {
        let made = self.filesystem.map(|system| say!("needs-file-system", system = system.to_string()));
        made.into_iter().collect()
    }

    fn level_in_words(&self, level: usize) -> Option<String> {
        (level == 0).then(|| say!("level-in-one-piece").to_owned())
    }

    fn instances(&self, _of_experiment: u32) -> u32 {
        1
    }

    fn data_bytes(&self) -> u64 {
        data_size::table_bytes(self.rows, self.row_bytes)
    }

    fn load_time(&self) -> Duration {
        Duration::from_secs_f64(cost::table_load_s(self.rows))
    }

    /// Copied to its place and once more in pieces, then scanned cold.
    fn cell_time(&self, _reset_s: f64) -> Duration {
        let bytes = self.data_bytes() as f64;
        let seconds = 3.0 * bytes / COPY_BYTES_PER_SECOND + 3.0 * bytes / SCAN_BYTES_PER_SECOND;
        Duration::from_secs_f64(cost::START_S) + Duration::from_secs_f64(seconds)
    }

    fn written_by_cell(&self, _drive: Option<&device::DriveSpec>) -> f64 {
        2.0 * self.data_bytes() as f64
    }

    fn not_simulated(&self) -> Option<NotSimulated> {
        Some((
            "fragmentation is not simulated: the model's drives do not know where the pieces of a file lie",
            "run it on real storage: --storage BED=PATH",
        ))
    }
}

impl LabKind for Fragmentation {
    fn run(&self, conductor: &Conductor<'_>, key: CellKey) -> Result<CellRecord, Reasons> {
        run::cell(conductor, key, self)
    }

    fn headline(&self, record: &CellRecord) -> Option<String> {
        let time = words::decimals(record.value(Metric::ColdScanTime)?, 3);
        let fragments = record.value(Metric::Fragments)?.to_string();
        Some(say!("result-layout", time, fragments))
    }
}
