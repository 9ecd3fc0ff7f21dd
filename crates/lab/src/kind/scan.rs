//! Scans against lookups.

mod run;

use std::time::Duration;

use experiment::{Scan, data_size};
use notebook::CellRecord;
use oltp::scan::Table;
use words::{Metric, Read, ReadFigure, Reasons, say};

use super::LabKind;
use crate::conductor::Conductor;
use crate::needs::cost::{self, COPY_BYTES_PER_SECOND, SCAN_BYTES_PER_SECOND};
use crate::needs::data_set::DataSet;
use crate::needs::{Needs, NotSimulated};
use crate::order::CellKey;

pub(super) use run::read;

/// Lookups by an index in a second from a cold cache; assumed.
const LOOKUPS_PER_SECOND: f64 = 20_000.0;
/// Scans and lookups of one cell: cold and warm.
const READS_PER_CELL: f64 = 4.0;

impl Needs for Scan {
    fn data(&self) -> Option<DataSet> {
        Some(DataSet::Scanned(Table { rows: self.rows, row_bytes: self.row_bytes }))
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

    fn cell_time(&self, _reset_s: f64) -> Duration {
        let bytes = self.data_bytes() as f64;
        let shares: f64 = self.selectivity.iter().map(|share| share.0).sum();
        let looked_up = f64::from(self.rows) * shares / self.selectivity.len().max(1) as f64;
        let scan_s = bytes / SCAN_BYTES_PER_SECOND;
        // A lookup that has lost is ended.
        let reads_s = scan_s + (looked_up / LOOKUPS_PER_SECOND).min(f64::from(run::LOST) * scan_s);
        let seconds = bytes / COPY_BYTES_PER_SECOND + READS_PER_CELL / 2.0 * reads_s;
        Duration::from_secs_f64(cost::START_S) + Duration::from_secs_f64(seconds)
    }

    fn written_by_cell(&self, _drive: Option<&device::DriveSpec>) -> f64 {
        2.0 * self.data_bytes() as f64
    }

    fn not_simulated(&self) -> Option<NotSimulated> {
        Some((
            "scans against lookups are not simulated: the printed times are of another engine's plans, and which plan reads how is an engine's own",
            "run it on emulated or real storage; `drivetrain published IOD` simulates the printed scans",
        ))
    }
}

impl LabKind for Scan {
    fn run(&self, conductor: &Conductor<'_>, key: CellKey) -> Result<CellRecord, Reasons> {
        run::cell(conductor, key, self)
    }

    fn headline(&self, record: &CellRecord) -> Option<String> {
        let time = |read: Read| record.value(Metric::Read(read, ReadFigure::Time));
        let scan = words::decimals(time(Read::ScanCold)?, 3);
        let lookup = time(Read::LookupCold).map(|lookup| format!("{lookup:.3} s"));
        let lost = || {
            let lost = record.value(Metric::LookupColdLost)?;
            Some(say!("result-lookup-lost", lost = words::decimals(lost, 3)))
        };
        Some(say!("result-scan", scan, lookup = lookup.or_else(lost)?))
    }
}
