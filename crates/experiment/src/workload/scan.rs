//! A full scan against lookups by an index: its keys, checks, scale and levels.

use std::time::Duration;

use words::{LevelName, ScaleChange, ScaledPart};

use crate::checker::Checker;
use crate::data_size::table_bytes;
use crate::file::Experiment;
use crate::keys::table::table;
use crate::shrink::{Rule, scale_rows};
use crate::units::Share;
use crate::workload::FileKind;

pub(super) const ROWS: (u32, u32) = (1_000, 2_000_000_000);
pub(super) const ROW_BYTES_MAX: u32 = 4_000;
pub(super) const DEFAULT_ROW_BYTES: u32 = 100;

table! {
    /// A full scan against index lookups of the same rows: the share of the table from which the scan is
    /// faster.
    pub struct Scan "scan workload" {
        /// The name of this workload in tables; `scan` by default.
        name: Option<String>;
        /// Rows of the table, each of roughly `row_bytes`. A table of less than a few times the memory is
        /// read from the drive only with a cold cache.
        rows: u32 = required("1000000").within(ROWS.0, ROWS.1);
        /// Bytes of a row's payload; 100 by default, as in the published test.
        row_bytes: u32 = or(DEFAULT_ROW_BYTES).within(1, ROW_BYTES_MAX);
        /// The levels: shares of the rows to read, for example `["0.01%", "1%", "100%"]`.
        selectivity: Vec<Share> = levels("[\"0.01%\", \"1%\", \"100%\"]");
    }
}

impl FileKind for Scan {
    fn levels(&self) -> Vec<f64> {
        // In per cent; rounded, for 0.01 % of all is not a whole number of binary fractions.
        self.selectivity.iter().map(|share| (share.0 * 1e12).round() / 1e10).collect()
    }

    fn level_name(&self) -> LevelName {
        LevelName::RowShare
    }

    fn level_key(&self) -> &'static str {
        "selectivity"
    }

    fn measure_min(&self) -> Option<(Duration, &'static str)> {
        None
    }

    fn database_bytes(&self) -> u64 {
        table_bytes(self.rows, self.row_bytes)
    }

    fn check(&self, checker: &mut Checker<'_>, path: &str, experiment: &Experiment) {
        for (index, share) in self.selectivity.iter().enumerate() {
            if share.0 <= 0.0 || share.0 > 1.0 {
                let message = format!("{share} of the rows cannot be asked for");
                let path = format!("{path}.selectivity.{index}");
                checker.fault(&path, message, "", "write above 0% up to 100%");
            }
        }
        checker.own_servers_only(path, experiment, "scanned from a cold cache");
    }

    fn scale(&mut self, factor: f64, changes: &mut Vec<ScaleChange>) {
        scale_rows(&mut self.rows, factor, changes)
    }

    fn rule(&self) -> Rule {
        Rule { sizes: &[ScaledPart::Rows], stays: &[ScaledPart::SharesAndPieces], ..Rule::default() }
    }
}
