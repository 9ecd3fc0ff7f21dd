//! `drivetrain ls`: the runs in the notebook.

use std::path::Path;

use notebook::RunSummary;

use crate::console::Console;
use crate::exit::Exit;
use crate::notebooks;
use crate::printable::in_one_line;

/// Lists the runs, the latest last.
pub(crate) fn ls(path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let runs = notebooks::open(path)?.runs()?;
    if console.json() {
        let entry = |r: &RunSummary| {
            serde_json::json!({
                "run": r.id.0, "name": r.name, "title": r.title, "started_at": r.started_at.to_string(), "state": r.state.as_str(),
                "cells_done": r.cells_done, "cells_planned": r.cells_planned,
            })
        };
        console.document(&runs.iter().map(entry).collect::<Vec<_>>().into());
        return Ok(Exit::Done);
    }
    let width =
        runs.iter().map(|r| in_one_line(&r.name).chars().count()).max().unwrap_or(0).max("experiment".len());
    let mut text =
        format!("{:>4}  {:width$}  {:20}  {:11}  {:>9}\n", "run", "experiment", "started", "state", "cells");
    for run in &runs {
        let cells = format!("{}/{}", run.cells_done, run.cells_planned);
        let started: String = run.started_at.to_string().chars().take(19).collect();
        text.push_str(&format!(
            "{:>4}  {:width$}  {started:20}  {:11}  {cells:>9}\n",
            run.id.0,
            in_one_line(&run.name),
            run.state
        ));
    }
    console.answer(&text);
    Ok(Exit::Done)
}
