//! The cells of a run, one after the other in their planned order, each stored before the next begins. Real,
//! emulated and simulated runs differ only in the work of a cell.

use std::time::Duration;

use notebook::{Cell, CellRecord, CellState, Notebook, RunId};
use words::say;

use crate::conduct::result_line::result_line;
use crate::error::LabError;
use crate::event::{Event, Observer};
use crate::interrupt::Interrupt;
use crate::kind;
use crate::levels::Levels;
use crate::membership::Membership;
use crate::order::CellKey;
use crate::plan::describe;

/// The cells to run, and the watcher.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a> {
    pub(crate) levels: Levels<'a>,
    pub(crate) run: RunId,
    /// The places of cells that are measured once more although they count.
    pub(crate) again: &'a [u32],
    pub(crate) membership: &'a Membership,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) observer: &'a dyn Observer,
}

/// The cells that are still to be run.
pub(crate) struct Open {
    cells: Vec<(Cell, CellKey)>,
    /// The cells that count already.
    done: Vec<CellKey>,
    /// Of the whole run.
    total: usize,
}

impl Open {
    /// The places of the open cells in the experiment, in the order of the run.
    pub(crate) fn keys(&self) -> Vec<CellKey> {
        self.cells.iter().map(|(_, key)| *key).collect()
    }

    /// Their places in the order of the run, each with its place in the experiment.
    pub(crate) fn places(&self) -> Vec<(u32, CellKey)> {
        self.cells.iter().map(|(cell, key)| (cell.position, *key)).collect()
    }

    /// The places in the experiment of the cells that count already.
    pub(crate) fn done(&self) -> &[CellKey] {
        &self.done
    }
}

impl Cells<'_> {
    /// The open cells of the run.
    pub(crate) fn open(&self, notebook: &Notebook) -> Result<Open, LabError> {
        let all = notebook.cells(self.run)?;
        let total = all.len();
        let is_again = |cell: &Cell| cell.state == CellState::Done && self.again.contains(&cell.position);
        let is_open = |cell: &Cell| {
            (cell.state == CellState::Planned || is_again(cell)) && self.membership.is_asked(cell.position)
        };
        let done = all.iter().filter(|cell| cell.state == CellState::Done);
        let done = done.filter_map(|cell| self.key(cell)).collect();
        let planned = all.into_iter().filter(is_open);
        let cells = planned.map(|cell| {
            let key = self.key(&cell).ok_or_else(|| {
                let why = say!("resume-foreign-cell", cell = cell.position + 1);
                LabError::Resume { run: self.run.0, why }
            })?;
            Ok((cell, key))
        });
        Ok(Open { cells: cells.collect::<Result<_, LabError>>()?, done, total })
    }

    /// The place of a cell in the experiment, by what it is called: repeats can have been added to the plan.
    fn key(&self, cell: &Cell) -> Option<CellKey> {
        let experiment = self.levels.experiment();
        let bed = experiment.bed.iter().position(|bed| bed.name == cell.bed)?;
        let workload = experiment.workload.iter().position(|load| load.name() == cell.workload)?;
        let levels = self.levels.all(&experiment.workload[workload]);
        let level = levels.iter().position(|level| *level == cell.level)?;
        Some(CellKey { bed, workload, level, repeat: cell.repeat })
    }

    /// Tells the observer how many cells are left and how long they will take.
    pub(crate) fn announce(&self, open: &Open, expected: impl Fn(CellKey) -> Duration) {
        let expected = open.cells.iter().map(|(_, key)| expected(*key)).sum();
        self.observer.event(Event::Started { left: open.cells.len(), total: open.total, expected });
    }

    /// Does every open cell by `work` and keeps it, until all are done or the run is to stop.
    pub(crate) fn each(
        &self,
        notebook: &mut Notebook,
        open: &Open,
        expected: impl Fn(CellKey) -> Duration,
        mut work: impl FnMut(&mut Notebook, u32, CellKey) -> Result<CellRecord, LabError>,
    ) -> Result<(), LabError> {
        for (cell, key) in &open.cells {
            if !self.membership.goes_on(cell.position, self.interrupt.ends_after_cell())? {
                break;
            }
            let (number, total) = (cell.position as usize + 1, open.total);
            let what = describe(&self.levels, *key);
            let expected = expected(*key);
            // A measurement in a file that nobody finds again is lost.
            notebook.require_in_place()?;
            self.observer.event(Event::CellStarted { number, total, what: what.clone(), expected });
            if cell.state == CellState::Done {
                notebook.repeat_cells(self.run, &[cell.position])?;
            }
            notebook.begin_cell(cell.id)?;
            let record = work(notebook, cell.position, *key)?;
            notebook.record_cell(cell.id, &record)?;
            self.membership.hand_in(&record)?;
            let kind = kind::of(&self.levels.experiment().workload[key.workload]);
            let (result, valid) = (result_line(kind, &record), record.state == CellState::Done);
            self.observer.event(Event::CellDone { number, total, what, result, valid });
        }
        Ok(())
    }
}
