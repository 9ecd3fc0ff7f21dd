//! The bytes that the load writes to the drives: the basis for their endurance.

use crate::level::LevelUnit;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::number;
use crate::table::{Column, Entry, Table, columns};
use words::{Metric, say};

/// The bytes written to one bed's drives at one level, means over the valid cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Wear {
    /// Name of the workload.
    pub workload: String,
    /// The load.
    pub level: f64,
    /// The unit of levels.
    pub level_name: LevelUnit,
    /// Name of the bed.
    pub bed: String,
    /// Valid cells.
    pub cells: usize,
    /// Under load: by the host's counters, or the modelled drive's own. Bytes.
    pub under_load_bytes: Option<f64>,
    /// The same for each transaction.
    pub per_transaction_bytes: Option<f64>,
    /// In the whole cell, its reset and check included, by the host's counters; bytes. Real storage only.
    pub whole_cell_bytes: Option<f64>,
    /// In the whole cell, by the drive's own log; bytes. Where it can be read.
    pub by_drive_log_bytes: Option<f64>,
}

/// Every bed and level of which anything is known.
pub(crate) fn of_all(loaded: &LoadedRun) -> Vec<Wear> {
    loaded.places().filter_map(|place| of(loaded, &place)).collect()
}

fn of(loaded: &LoadedRun, place: &GroupKey<'_>) -> Option<Wear> {
    let mean = |metric: Metric| loaded.mean(place, metric);
    let wear = Wear {
        workload: place.workload.to_owned(),
        level: place.level,
        level_name: loaded.level_name(place.workload).clone(),
        bed: place.bed.to_owned(),
        cells: loaded.valid(place).len(),
        under_load_bytes: mean(Metric::WrittenBytes),
        per_transaction_bytes: mean(Metric::WrittenBytesPerTransaction),
        whole_cell_bytes: mean(Metric::CellWrittenBytes),
        by_drive_log_bytes: mean(Metric::CellWrittenBytesByLog),
    };
    (wear.under_load_bytes.is_some() || wear.whole_cell_bytes.is_some()).then_some(wear)
}

/// A figure of a table: its heading, the bytes of its unit, and its value.
type Figure = (fn() -> &'static str, f64, fn(&Wear) -> Option<f64>);

const FIGURES: [Figure; 4] = [
    (|| say!("column-under-load-mb"), 1e6, |wear| wear.under_load_bytes),
    (|| say!("column-per-transaction-kb"), 1e3, |wear| wear.per_transaction_bytes),
    (|| say!("column-whole-cell-mb"), 1e6, |wear| wear.whole_cell_bytes),
    (|| say!("column-by-drive-log"), 1e6, |wear| wear.by_drive_log_bytes),
];

/// One line for each bed and level, with the figures that any of them has: a block load has no transactions.
pub(crate) fn table<'a>(all: &'a [Wear], shown: impl Fn(&'a str) -> &'a str) -> Table {
    let known: Vec<&Figure> =
        FIGURES.iter().filter(|(_, _, of)| all.iter().any(|wear| of(wear).is_some())).collect();
    let mut columns = columns![text say!("column-bed"), text say!("column-workload"), number say!("column-load"), number say!("column-cells")];
    columns.extend(known.iter().map(|(heading, ..)| Column::number(heading())));
    let mut table = Table::new(columns);
    for wear in all {
        let mut row = vec![
            Entry::from(shown(&wear.bed)),
            Entry::from(wear.workload.clone()),
            Entry::from(wear.level_name.said(wear.level)),
            Entry::from(wear.cells.to_string()),
        ];
        row.extend(known.iter().map(|(_, unit, of)| {
            Entry::from(of(wear).map_or_else(|| "-".to_owned(), |bytes| number::plain(bytes / unit)))
        }));
        table.row(row);
    }
    table
}
