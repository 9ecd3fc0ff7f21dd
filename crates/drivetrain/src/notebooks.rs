//! The notebook and the run that a verb is asked about.

use std::path::Path;

use notebook::{Notebook, RunId};

use crate::exit::Coded;

/// Opens a notebook that must be there.
pub(crate) fn open(path: &Path) -> anyhow::Result<Notebook> {
    // Its errors name the notebook.
    Ok(Notebook::open_existing(path)?)
}

/// The run that was named, or the latest.
pub(crate) fn chosen(notebook: &Notebook, run: Option<i64>) -> anyhow::Result<RunId> {
    match run {
        Some(number) => {
            let run = RunId(number);
            notebook.run(run).map_err(|e| Coded::usage(e.to_string()))?;
            Ok(run)
        }
        None => notebook.latest_run()?.ok_or_else(|| Coded::usage("the notebook holds no run yet")),
    }
}
