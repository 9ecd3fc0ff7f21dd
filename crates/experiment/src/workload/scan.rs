//! A full scan against lookups by an index: its keys, checks, scale and levels.

use schemars::JsonSchema;
use serde::Serialize;
use words::{LevelName, WorkloadKind};

use crate::check::Checker;
use crate::data_size::table_bytes;
use crate::file::Experiment;
use crate::keys::{keys, list, whole};
use crate::reader::Reader;
use crate::scale::rule::scale_rows;
use crate::units::Share;
use crate::workload::FileKind;

/// A full scan against lookups by an index that reads the same rows: where does the one overtake the other?
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scan {
    /// What tables call this workload; `scan` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Rows of the table, each of roughly `row_bytes`. Below a few times the memory, a cold cache is the only
    /// one that reads the drive.
    #[schemars(range(min = 1000, max = 2_000_000_000))]
    pub rows: u32,
    /// Bytes of a row's payload; 100 when left out, as in the published test.
    #[serde(default = "hundred_bytes")]
    #[schemars(range(min = 1, max = 4000))]
    pub row_bytes: u32,
    /// The levels: shares of the rows that are asked for, for example `["0.01%", "1%", "100%"]`.
    #[schemars(length(min = 1))]
    pub selectivity: Vec<Share>,
}

pub(crate) fn hundred_bytes() -> u32 {
    100
}

const SHARES: &str = "[\"0.01%\", \"1%\", \"100%\"]";
pub(super) const ROWS: (u32, u32) = (1_000, 2_000_000_000);
pub(super) const ROW_BYTES_MAX: u32 = 4_000;

impl FileKind for Scan {
    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn kind(&self) -> WorkloadKind {
        WorkloadKind::Scan
    }

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

    fn is_timed(&self) -> bool {
        false
    }

    fn database_bytes(&self) -> u64 {
        table_bytes(self.rows, self.row_bytes)
    }

    fn check(&self, checker: &mut Checker<'_>, path: &str, experiment: &Experiment) {
        checker.scan(path, self, experiment)
    }

    fn scale(&mut self, factor: f64, changes: &mut Vec<String>) {
        scale_rows(&mut self.rows, factor, changes)
    }
}

keys! {
    Scan, "scan workload" beside "kind" {
        name: optional(Reader::text),
        rows: required("1000000", whole(ROWS.0, ROWS.1)) or ROWS.0,
        row_bytes: optional(whole(1, ROW_BYTES_MAX)) or hundred_bytes(),
        selectivity: required(SHARES, list(SHARES, Reader::share)) or Vec::new(),
    }
}

impl Checker<'_> {
    fn scan(&mut self, path: &str, scan: &Scan, experiment: &Experiment) {
        self.levels(&format!("{path}.selectivity"), &scan.selectivity, SHARES);
        for (index, share) in scan.selectivity.iter().enumerate() {
            if share.0 <= 0.0 || share.0 > 1.0 {
                let message = format!("{share} of the rows cannot be asked for");
                self.fault(&format!("{path}.selectivity.{index}"), message, "", "write above 0% up to 100%");
            }
        }
        self.own_servers_only(path, experiment, "scanned from a cold cache");
    }
}
