//! A run as one table: a row for each cell, a column for each metric.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use super::{WIDE_CSV_HEADER, left_columns, quoted, right_columns};
use crate::error::NotebookError;
use crate::open::Notebook;
use crate::records::{Cell, RunId};

/// The table of a run.
pub(super) struct WideTable {
    pub(super) run: RunId,
    pub(super) scale: f64,
    /// Names of metrics with their units, sorted.
    heads: Vec<(String, String)>,
    pub(super) rows: Vec<Row>,
}

/// One cell with its values.
pub(super) struct Row {
    pub(super) cell: Cell,
    pub(super) realm: String,
    values: BTreeMap<(String, String), f64>,
}

impl WideTable {
    /// The heads of the columns of metrics: `iops (1/s)`.
    pub(super) fn heads(&self) -> impl Iterator<Item = String> {
        self.heads.iter().map(|(metric, unit)| match unit.is_empty() {
            true => metric.clone(),
            false => format!("{metric} ({unit})"),
        })
    }

    /// The values of a row in the order of the heads; `None` for a metric that the cell lacks.
    pub(super) fn values(&self, row: &Row) -> impl Iterator<Item = Option<f64>> {
        self.heads.iter().map(|head| row.values.get(head).copied())
    }
}

impl Notebook {
    /// Gathers the table of a run.
    pub(super) fn wide_table(&self, run: RunId) -> Result<WideTable, NotebookError> {
        let (mut heads, mut rows) = (BTreeSet::new(), Vec::new());
        self.for_each_cell(run, |cell, realm, _| {
            let named = self.measurements(cell.id)?.into_iter().map(|m| ((m.metric, m.unit), m.value));
            let values: BTreeMap<(String, String), f64> = named.collect();
            heads.extend(values.keys().cloned());
            rows.push(Row { cell: cell.clone(), realm: realm.to_owned(), values });
            Ok(())
        })?;
        let scale = self.run(run)?.scale;
        Ok(WideTable { run, scale, heads: heads.into_iter().collect(), rows })
    }

    /// Writes the measurements of a run as CSV with a line for each cell and a column for each metric, whose
    /// head has the unit; a metric that a cell lacks is empty.
    ///
    /// # Errors
    /// As [`Notebook::export_csv`].
    pub fn export_wide_csv(&self, run: RunId, out: &mut dyn Write) -> Result<(), NotebookError> {
        let table = self.wide_table(run)?;
        write!(out, "{WIDE_CSV_HEADER}")?;
        for head in table.heads() {
            write!(out, ",{}", quoted(&head))?;
        }
        for row in &table.rows {
            let right = right_columns(&row.cell, &row.realm, table.scale);
            write!(out, "\n{},{right}", left_columns(table.run, &row.cell))?;
            for value in table.values(row) {
                write!(out, ",{}", value.map_or(String::new(), |value| value.to_string()))?;
            }
        }
        writeln!(out)?;
        Ok(out.flush()?)
    }
}
