//! The certificate of a comparison that is in the notebook already, such as one that was interrupted and
//! resumed.

use std::path::Path;

use experiment::{Bed, Storage};
use notebook::{CellState, Notebook, RunId};
use serde_json::json;
use words::shell;

use device::catalogue::Entry;

use super::certificate::{self, Certified};
use super::{ProfileArgs, twin};
use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::verbs::drives;
use crate::verbs::run as verb_run;
use crate::{ending, notebooks, outputs, signals};

/// Tells what the run found, and writes the certificate.
pub(super) fn certify(
    args: &ProfileArgs,
    (given, named): (&str, &str),
    path: &Path,
    console: &Console,
) -> anyhow::Result<Exit> {
    args.uring.check_unused("a run that is in the notebook has been measured")?;
    let entry = drives::find(given)?;
    let notebook = notebooks::open(path)?;
    let run = notebooks::chosen(&notebook, Some(named))?;
    require_twins((&notebook, run), (given, &entry), path)?;
    let mut outputs = outputs::beside_notebook(path, args.force, console);
    let place = certificate::Place::plan(args.output.as_deref(), (given, &entry), &mut outputs)?;
    signals::listen(*console, signals::OF_OTHERS)?;
    let certified = Certified::of((&notebook, run), place, true, console)?;
    if console.json() {
        let mut document = json!({ "run": run.0 });
        certified.add_to(&mut document);
        console.document(&document);
    } else {
        console.answer(&report::profile_in_full(&notebook, run)?);
        certified.tell(console);
    }
    certified.file?;
    Ok(Exit::Done)
}

/// The command that writes the certificate of a run.
pub(super) fn command(given: Option<&str>, run: RunId, path: &Path) -> String {
    let given = given.unwrap_or("my-drive.toml");
    let file = if given.ends_with(".toml") { given } else { "my-drive.toml" };
    let [given, file] = [given, file].map(|text| shell::path(Path::new(text)));
    ending::command(&format!("profile --twin {given} --from-run"), run, &format!("-o {file}"), path)
}

/// Says that a run has cells that are not measured or do not count, and what measures them.
pub(super) fn missing(run: RunId, missing: usize, path: &Path) -> String {
    let cells = if missing == 1 { "1 cell of it is" } else { &format!("{missing} cells of it are") };
    let resume = verb_run::resume_line(path, run);
    format!(
        "no certificate of run {run}: {cells} not measured or do not count; measure the rest with `{resume}`"
    )
}

/// Refuses a run that is no comparison of a drive with its twin, has cells left, or had other numbers of the
/// drive.
fn require_twins(
    (notebook, run): (&Notebook, RunId),
    (given, entry): (&str, &Entry),
    path: &Path,
) -> anyhow::Result<()> {
    let stored = notebook.run(run)?;
    notebooks::require_own(&stored, "made a certificate")?;
    let experiment = experiment::parse(&stored.experiment_toml, &stored.name)
        .map_err(|faults| Coded::faulty(faults.render(false)))?;
    let Some(twin) = emulated(&experiment.bed) else {
        return Err(Coded::usage(format!(
            "run {run} did not compare a drive with its twin; `drivetrain profile --twin {given} PATH` does"
        )));
    };
    let missing = notebook.cells(run)?.iter().filter(|cell| cell.state != CellState::Done).count();
    if missing > 0 {
        return Err(Coded::usage(self::missing(run, missing, path)));
    }
    match lab::number_unlike(notebook, run, twin, entry)? {
        None => Ok(()),
        Some(unlike) => Err(Coded::usage(format!(
            "run {run} was not measured with these numbers of {given}: {unlike}; put the numbers back, or measure anew"
        ))),
    }
}

/// The bed of the twin, where the first of two beds is the drive at the same path and nothing else differs.
fn emulated(beds: &[Bed]) -> Option<&Bed> {
    let [drive, twin] = beds else { return None };
    match (&drive.storage, &twin.storage) {
        (Storage::Real { path }, Storage::Emulated { path: of_twin, .. }) if path == of_twin => {
            twin::differ_in_storage_alone(drive, twin).then_some(twin)
        }
        _ => None,
    }
}
