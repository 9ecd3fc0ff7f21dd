//! `drivetrain rm`: removes runs, and the data that they left on storages.

use std::path::{Path, PathBuf};

use clap::Args;
use lab::clean::{Outcome, data_of_runs, remove};
use notebook::{Notebook, RunState, RunSummary};

use crate::confirm;
use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::notebooks;
use crate::printable::{counted, in_one_line};
use crate::verbs::report::{self, OldReports};

/// Arguments of `rm`.
#[derive(Debug, Args)]
pub(crate) struct RmArgs {
    /// The runs: numbers, ids, tags or names, each of one run only
    #[arg(required = true)]
    runs: Vec<String>,

    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

/// Asks, then removes the runs.
pub(crate) fn rm(args: &RmArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let notebook = notebooks::open(path)?;
    let mut named = Vec::new();
    for name in &args.runs {
        let id = notebooks::the_one(&notebook, name)?;
        if !named.contains(&id) {
            named.push(id);
        }
    }
    let mut runs = notebook.runs()?;
    runs.retain(|run| named.contains(&run.id));
    if let Some(run) = runs.iter().find(|run| run.state == RunState::Running) {
        let text =
            format!("run {} is still running; end it first (Ctrl-C keeps what it has measured)", run.id);
        return Err(Coded::refused(text));
    }
    if !args.yes && !is_confirmed(&runs, path)? {
        console.note("nothing was removed");
        return Ok(Exit::Done);
    }
    let mut reports = OldReports::default();
    for run in &runs {
        remove_data(&notebook, run)?;
        let of_run = report::remove_beside(&notebook, path, run.id)?;
        notebook.remove_run(run.id)?;
        reports.removed.extend(of_run.removed);
        reports.kept.extend(of_run.kept);
    }
    let shown = |files: &[PathBuf]| files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>();
    let removed: Vec<i64> = runs.iter().map(|run| run.id.0).collect();
    if console.json() {
        console.document(&serde_json::json!({
            "removed": removed, "reports_removed": shown(&reports.removed), "reports_left": shown(&reports.kept),
        }));
    } else {
        runs.iter().for_each(|run| console.answer(&format!("removed {}", described(run))));
        shown(&reports.removed).iter().for_each(|file| console.answer(&format!("removed {file}")));
        for file in shown(&reports.kept) {
            console.answer(&format!("left {file}: it is not as drivetrain would write it now"));
        }
    }
    Ok(Exit::Done)
}

/// The data of a run goes before its record, which is what knows of it.
fn remove_data(notebook: &Notebook, run: &RunSummary) -> anyhow::Result<()> {
    let stays = |folder: &Path, why: &str| {
        let (run, folder) = (run.id, folder.display());
        Coded::refused(format!("run {run} stays, because its data in {folder} could not be removed: {why}"))
    };
    for data in data_of_runs(notebook)?.iter().filter(|data| data.run == run.id) {
        // Nothing goes of a run that stays.
        if let Some(replaced) = data.replaced.first() {
            return Err(stays(&replaced.path, &replaced.why));
        }
        for folder in &data.folders {
            if let Outcome::Failed(why) = remove(folder).outcome {
                return Err(stays(folder, &why));
            }
        }
    }
    Ok(())
}

fn described(run: &RunSummary) -> String {
    let started: String = run.started_at.chars().take(16).collect();
    let (name, started) = (in_one_line(&run.name), started.replace('T', " "));
    format!(
        "run {} ({}, {name}, {started}, {} of {})",
        run.id,
        run.key,
        run.cells_done,
        counted(run.cells_planned as usize, "cell")
    )
}

/// Asks on a terminal.
fn is_confirmed(runs: &[RunSummary], notebook: &Path) -> anyhow::Result<bool> {
    if !confirm::can_ask() {
        return Err(Coded::refused("removing a run needs a yes: on a terminal, or by --yes"));
    }
    let runs: String = runs.iter().map(|run| format!("{}\n", described(run))).collect();
    let notebook = in_one_line(&notebook.display().to_string());
    Ok(confirm::is_confirmed(&format!("{runs}Remove from {notebook}, with all measurements?"))?)
}
