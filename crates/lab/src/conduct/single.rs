//! A load of block I/O that somebody ran without an experiment, kept as a run of one cell. Its records are
//! those of a cell that a conductor runs.

use std::collections::BTreeMap;
use std::time::SystemTime;

use notebook::{COMMAND, COMMAND_LINE, Notebook, RunId};
use words::{Realm, say};

use crate::conduct::opening::{Surroundings, describe_beds, new_beds, new_run, planned_cells};
use crate::error::LabError;
use crate::kind::{self, Load};
use crate::request::{Finished, Request, finish, or_failed};
use crate::storage::drives::{self, Drives};
use crate::storage::targets;
use crate::watch::wear::Written;

/// A load that is about to run, and the machine before it.
pub struct Single {
    /// The load as an experiment of one bed, one block workload and one level. It may be made more exact
    /// until it is kept.
    pub request: Request,
    command: String,
    drives: Vec<Drives>,
    begun: SystemTime,
    surroundings: Option<Surroundings>,
    written: Written,
}

impl Single {
    /// Looks at the machine before the load of `request`, which has one bed, one block workload and one
    /// level; `command` is the line that asks for it. Without `looks` nobody looks at the machine, which
    /// takes a while: the result is for this moment alone.
    ///
    /// # Errors
    /// [`LabError::Drive`] for a drive that is not there.
    pub fn begin(request: Request, command: String, looks: bool) -> Result<Single, LabError> {
        let experiment = &request.experiment;
        let drives: Vec<Drives> =
            experiment.bed.iter().map(|bed| drives::choose(experiment, bed)).collect::<Result<_, _>>()?;
        let surroundings = looks.then(|| Surroundings::look(experiment, &request.world));
        let (begun, written) = (request.world.clock.date(), written(&request, &drives));
        Ok(Single { request, command, drives, begun, surroundings, written })
    }

    /// Keeps the load as a run.
    ///
    /// # Errors
    /// The notebook's own.
    pub fn keep(&self, load: &Load<'_>, notebook: &mut Notebook) -> Result<Finished, LabError> {
        let written = self.written.until(&written(&self.request, &self.drives));
        let request = Request {
            experiment_toml: experiment::to_toml(&self.request.experiment),
            ..self.request.clone()
        };
        notebook.dated_by(&request.world.clock);
        notebook.date_back(Some(self.begun));
        let beds = new_beds(&request.experiment, &self.drives);
        let run = notebook.start_run(&new_run(&request, &self.drives), &beds, &planned_cells(&request))?;
        or_failed(notebook, run, |notebook| {
            let line = BTreeMap::from([(COMMAND_LINE.to_owned(), self.command.clone())]);
            notebook.add_fact_set(run, COMMAND, &line)?;
            self.surroundings.iter().try_for_each(|surroundings| surroundings.keep(notebook, run))?;
            describe_beds(notebook, run, &request.experiment, &self.drives)?;
            for (kind, remark) in &load.remarks {
                notebook.add_note(run, *kind, remark.clone())?;
            }
            for cell in notebook.cells(run)? {
                notebook.begin_cell(cell.id)?;
                notebook.date_back(None);
                let mut record = kind::record_alone(&request.experiment, load);
                record.measurements.extend(written.clone());
                notebook.record_cell(cell.id, &record)?;
            }
            finish(notebook, run)
        })
    }
}

/// The bytes written so far to the drive under the one bed.
fn written(request: &Request, drives: &[Drives]) -> Written {
    let (bed, drive) = (&request.experiment.bed[0], &drives[0].data);
    Written::so_far(drive, targets::path_of(&bed.storage), &request.world)
}

/// Refuses a run that has no experiment to go on with: one of another program, or of a single command.
///
/// # Errors
/// [`LabError::Resume`], and the notebook's own.
pub fn require_experiment(notebook: &Notebook, run: RunId) -> Result<(), LabError> {
    let stored = notebook.run(run)?;
    if stored.realm == Realm::Imported {
        let why = say!("resume-of-another-program", program = stored.tool_version);
        return Err(LabError::Resume { run: run.0, why });
    }
    let facts = notebook.fact_sets(run)?.into_iter().find(|(scope, _)| scope == COMMAND);
    let Some((_, facts)) = facts else { return Ok(()) };
    let command = facts.get(COMMAND_LINE).cloned().unwrap_or_default();
    Err(LabError::Resume { run: run.0, why: say!("resume-single", command) })
}
