//! The bytes that a run wrote to the drives of the running cell's bed in the cells before it.

use notebook::{Cell, CellState, Measurement, Notebook, NotebookError, RunId};
use words::Metric;

/// Counts of the whole cell come first: the count under load lacks its reset and its check.
const COUNTS: [Metric; 2] = [Metric::CellWrittenBytes, Metric::WrittenBytes];

/// The finished cells of one bed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Written {
    /// Bytes that they wrote.
    bytes: f64,
    /// The number of those that have a count.
    counted: usize,
    /// All cells of the bed, finished or not.
    cells: usize,
}

impl Written {
    /// Of the bed of the cell with this number, from 1; nothing for a number that the run does not have.
    pub(crate) fn before(notebook: &Notebook, run: RunId, number: u32) -> Result<Self, NotebookError> {
        let cells = notebook.cells(run)?;
        let Some(now) = cells.iter().find(|cell| cell.position + 1 == number) else {
            return Ok(Self::default());
        };
        let of_bed: Vec<&Cell> = cells.iter().filter(|cell| cell.bed == now.bed).collect();
        let mut written = Self { cells: of_bed.len(), ..Self::default() };
        let ended = |cell: &&&Cell| matches!(cell.state, CellState::Done | CellState::Invalid);
        for cell in of_bed.iter().filter(ended) {
            let all = notebook.measurements(cell.id)?;
            let count = |metric: Metric| all.iter().find_map(|one: &Measurement| one.of(metric));
            if let Some(bytes) = COUNTS.into_iter().find_map(count) {
                written.bytes += bytes;
                written.counted += 1;
            }
        }
        Ok(written)
    }

    /// With the bytes of the running cell so far.
    pub(crate) fn with_now(&self, bytes: f64) -> f64 {
        self.bytes + bytes
    }

    /// About as many bytes will be written by all cells of the bed; `None` before one of them has ended.
    pub(crate) fn expected(&self) -> Option<f64> {
        (self.counted > 0).then(|| self.bytes / self.counted as f64 * self.cells as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cells_write_as_the_finished_ones_did() {
        let written = Written { bytes: 30.0, counted: 3, cells: 9 };
        assert_eq!((written.with_now(4.0), written.expected()), (34.0, Some(90.0)));
        assert_eq!(Written::default().expected(), None);
    }
}
