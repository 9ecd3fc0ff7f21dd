//! The request of a run, and its end.

use experiment::Experiment;
use notebook::{CellState, Notebook, RunId, RunState};
use words::{Remark, ScaleStatement};

use crate::error::LabError;
use crate::world::World;

/// Everything a run needs to know before it begins.
#[derive(Clone, Debug)]
pub struct Request {
    /// The experiment, already scaled.
    pub experiment: Experiment,
    /// The same experiment as TOML text; stored, and read again by `resume`.
    pub experiment_toml: String,
    /// Its name ("kingston-dc1500m/test-2") or file name.
    pub name: String,
    /// Factor by which the experiment was shrunk; 1 is full size.
    pub scale: f64,
    /// The scaled parts and their rule; nothing is said where nothing was scaled.
    pub scale_statement: ScaleStatement,
    /// Seed of the order and of every random stream.
    pub seed: u64,
    /// Folder name for this run's files below each storage's path; must be unique.
    pub work_dir: String,
    /// The working directory, where the experiment's relative paths begin; stored for `resume`. `None` where
    /// its path is no text.
    pub directory: Option<String>,
    /// Name and version of the program, stored with the results.
    pub tool_version: String,
    /// The world of the run.
    pub world: World,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Its number in the notebook.
    pub run: RunId,
    /// Finished, or interrupted.
    pub state: RunState,
    /// Cells that count.
    pub done: usize,
    /// Cells recorded as invalid, with their reason.
    pub invalid: usize,
    /// Cells left to do; `resume` does them.
    pub left: usize,
    /// The reason why the run's data is still on a storage although every cell has ended; the result is valid
    /// all the same.
    pub left_behind: Option<Remark>,
}

/// Does the work of a run. An error that ends it is kept with it, so that nobody takes it for a run that
/// still goes on.
pub(crate) fn or_failed(
    notebook: &mut Notebook,
    run: RunId,
    work: impl FnOnce(&mut Notebook) -> Result<Finished, LabError>,
) -> Result<Finished, LabError> {
    work(notebook).inspect_err(|error| {
        // If the notebook itself failed, nothing can be stored; the run then counts as killed.
        let _ = notebook.fail_run(run, &error.to_string());
    })
}

/// Counts the cells of a run and records how it ended.
pub(crate) fn finish(notebook: &mut Notebook, run: RunId) -> Result<Finished, LabError> {
    let cells = notebook.cells(run)?;
    let count = |state: CellState| cells.iter().filter(|c| c.state == state).count();
    let (done, invalid) = (count(CellState::Done), count(CellState::Invalid));
    let left = cells.len() - done - invalid;
    let state = if left == 0 { RunState::Finished } else { RunState::Interrupted };
    notebook.finish_run(run, state)?;
    Ok(Finished { run, state, done, invalid, left, left_behind: None })
}
