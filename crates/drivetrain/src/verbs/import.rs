//! `drivetrain import`: copy runs of another notebook into this one, so that they can be compared and kept
//! together.

use std::path::{Path, PathBuf};

use clap::Args;
use notebook::{Notebook, Run, RunId};

use crate::console::Console;
use crate::exit::Exit;
use crate::notebooks;

/// Arguments of `import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The notebook to copy from
    from: PathBuf,

    /// Number of the run there (default: all runs)
    run: Option<i64>,
}

/// Copies and says under which numbers.
pub(crate) fn import(args: &ImportArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let from = notebooks::open(&args.from)?;
    let runs = match args.run {
        Some(_) => vec![notebooks::chosen(&from, args.run)?],
        None => from.runs()?.into_iter().map(|r| r.id).collect(),
    };
    let source = runs.iter().map(|run| from.run(*run)).collect::<Result<Vec<_>, _>>()?;
    let is_new = path.symlink_metadata().is_err();
    let notebook = Notebook::open_or_create(path)?;
    let here = known_runs(&notebook)?;
    let numbers = match notebook.import_runs(&from, &runs) {
        Ok(numbers) => numbers,
        Err(error) => {
            if is_new {
                let _ = notebook.discard_empty(); // The error that led here is the one to tell.
            }
            return Err(error.into());
        }
    };
    let copied: Vec<_> = runs.iter().copied().zip(numbers).collect();
    for ((old, new), run) in copied.iter().zip(&source) {
        if let Some((first, _)) = here.iter().find(|(_, known)| is_same(known, run)) {
            console.warn(&format!(
                "run {old} is in the notebook already, as run {first}; run {new} is another copy of it"
            ));
        }
    }
    if console.json() {
        let entry = |(old, new): &(RunId, RunId)| serde_json::json!({ "from": old.0, "run": new.0 });
        console.document(&copied.iter().map(entry).collect::<Vec<_>>().into());
    } else {
        let line =
            |(old, new): &(RunId, RunId)| format!("run {old} of {} is run {new} here\n", args.from.display());
        console.answer(&copied.iter().map(line).collect::<String>());
    }
    Ok(Exit::Done)
}

/// The runs that a notebook has.
fn known_runs(notebook: &Notebook) -> anyhow::Result<Vec<(RunId, Run)>> {
    notebook.runs()?.into_iter().map(|known| Ok((known.id, notebook.run(known.id)?))).collect()
}

/// True if two records are of one run: no two runs have the same folder and start.
fn is_same(a: &Run, b: &Run) -> bool {
    (a.folder(), &a.started_at) == (b.folder(), &b.started_at)
}
