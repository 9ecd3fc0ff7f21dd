//! More of a run than was planned: further repeats, and cells that are measured once more.

use std::collections::HashSet;

use notebook::{Cell, Notebook, PlannedCell, RunId};
use words::{NoteKind, Remark, say};

use crate::conduct::opening::planned;
use crate::error::LabError;
use crate::levels::Levels;
use crate::order::cells_in_order;

/// Additional work of a resumed run, besides its missing, invalid and interrupted cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// Repeats of every cell, those of the plan included.
    pub repeats: Option<u32>,
    /// Cells to measure once more, by their place in the order of the run, from 0. The results of each count
    /// until its next measurement begins, and stay on record.
    pub cells: Vec<u32>,
}

impl Again {
    /// True if nothing is asked beside the plan.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// The cells that the run does not have yet.
    ///
    /// # Errors
    /// [`LabError::Resume`] for repeats that the run has already and for cells that it lacks; the notebook's
    /// own.
    pub(crate) fn check(
        &self,
        notebook: &Notebook,
        run: RunId,
        (levels, seed): (Levels<'_>, u64),
    ) -> Result<Vec<PlannedCell>, LabError> {
        let cells = notebook.cells(run)?;
        let refused = |why: String| Err(LabError::Resume { run: run.0, why });
        if let Some(missing) = self.cells.iter().find(|wanted| cells.iter().all(|c| c.position != **wanted)) {
            return refused(say!("resume-no-cell", cell = missing + 1, cells = cells.len()));
        }
        let more = self.repeats.map(|repeats| further(&cells, levels, repeats, seed));
        match more {
            Some(more) if more.is_empty() => {
                refused(say!("resume-has-repeats", repeats = self.repeats.unwrap_or_default()))
            }
            more => Ok(more.unwrap_or_default()),
        }
    }

    /// Adds the cells of further repeats, which are those of [`Again::check`], and says which cells are
    /// measured again.
    ///
    /// # Errors
    /// The notebook's own.
    pub(crate) fn apply(
        &self,
        notebook: &Notebook,
        run: RunId,
        more: &[PlannedCell],
    ) -> Result<(), LabError> {
        if !more.is_empty() {
            notebook.add_cells(run, more)?;
        }
        if !self.cells.is_empty() {
            // Whoever reads the result must know that it was chosen.
            let numbers: Vec<String> = self.cells.iter().map(|cell| (cell + 1).to_string()).collect();
            let again = Remark::MeasuredAgain { cells: numbers.join(", ") };
            notebook.add_note(run, NoteKind::Warning, again)?;
        }
        Ok(())
    }
}

/// The cells of further repeats, behind those of the run. A rank that has only some of the cells gives its
/// own the places that they have in the whole run.
fn further(cells: &[Cell], levels: Levels<'_>, repeats: u32, seed: u64) -> Vec<PlannedCell> {
    let mut experiment = levels.experiment().clone();
    let has = cells.iter().map(|cell| cell.repeat + 1).max().unwrap_or(0);
    let first = cells.iter().map(|cell| cell.position + 1).max().unwrap_or(0);
    experiment.design.repeats = has.max(1);
    let first = first.max(cells_in_order(&experiment, seed).len() as u32);
    experiment.design.repeats = repeats;
    let name =
        |cell: &PlannedCell| (cell.bed.clone(), cell.workload.clone(), cell.level.to_bits(), cell.repeat);
    let known: HashSet<_> = cells.iter().map(|cell| name(&cell.plan)).collect();
    let is_known =
        |cell: &PlannedCell| known.contains(&name(cell)) || (!levels.has(cell) && cell.repeat < has);
    let mut more = planned(levels.of_all(&experiment), seed);
    more.retain(|cell| !is_known(cell));
    for (position, cell) in (first..).zip(&mut more) {
        cell.position = position;
    }
    more.retain(|cell| levels.has(cell));
    more
}
