//! The notebook and the run that a verb is asked about.

use std::path::Path;

use notebook::{Notebook, Run, RunId};
use words::Realm;

use crate::exit::Coded;

/// Opens a notebook that must be there.
pub(crate) fn open(path: &Path) -> anyhow::Result<Notebook> {
    // Its errors name the notebook.
    Ok(Notebook::open_existing(path)?)
}

/// The run that was named (by number, id, tag, its own name or that of its experiment), or the latest.
pub(crate) fn chosen(notebook: &Notebook, run: Option<&str>) -> anyhow::Result<RunId> {
    match run {
        Some(name) => {
            if let Ok(number) = name.parse().map(RunId) {
                notebook.run(number).map_err(|e| Coded::usage(e.to_string()))?;
                return Ok(number);
            }
            notebook.find_run(name)?.ok_or_else(|| {
                Coded::usage(format!(
                    "no run of {} is called `{name}`; `drivetrain ls` lists the runs with their ids, names and tags",
                    notebook.path().display()
                ))
            })
        }
        None => notebook.latest_run()?.ok_or_else(|| Coded::usage("the notebook holds no run yet")),
    }
}

/// Refuses a run of another program where its experiment is needed.
pub(crate) fn require_own(run: &Run, what: &str) -> anyhow::Result<()> {
    if run.realm == Realm::Imported {
        return Err(Coded::usage(format!(
            "run {} was measured by {} and imported: it has no experiment and cannot be {what}",
            run.id, run.tool_version
        )));
    }
    Ok(())
}
