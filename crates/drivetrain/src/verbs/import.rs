//! `drivetrain import`: copy runs of another notebook into this one, so that they can be compared and kept
//! together.

use std::path::{Path, PathBuf};

use clap::Args;
use notebook::{Notebook, RunId};

use crate::console::Console;
use crate::exit::Exit;
use crate::notebooks;

/// Arguments of `import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The notebook to copy from
    from: PathBuf,

    /// The run there: number, id, tag or name (default: all runs)
    run: Option<String>,
}

/// Copies and says under which numbers.
pub(crate) fn import(args: &ImportArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let from = notebooks::open(&args.from)?;
    let runs = match args.run {
        Some(_) => vec![notebooks::chosen(&from, args.run.as_deref())?],
        None => from.runs()?.into_iter().map(|r| r.id).collect(),
    };
    let is_new = path.symlink_metadata().is_err();
    let notebook = Notebook::open_or_create(path)?;
    let known: Vec<RunId> = notebook.runs()?.into_iter().map(|run| run.id).collect();
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
    let was_here = |new: &RunId| known.contains(new);
    if console.json() {
        let entry = |(old, new): &(RunId, RunId)| serde_json::json!({ "from": old.0, "run": new.0, "was_here": was_here(new) });
        console.document(&copied.iter().map(entry).collect::<Vec<_>>().into());
    } else {
        let line = |(old, new): &(RunId, RunId)| {
            let already = if was_here(new) {
                " already; it was not copied (remove it with `drivetrain rm` to copy it anew)"
            } else {
                ""
            };
            format!("run {old} of {} is run {new} here{already}\n", args.from.display())
        };
        console.answer(&copied.iter().map(line).collect::<String>());
    }
    Ok(Exit::Done)
}
