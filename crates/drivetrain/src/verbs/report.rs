//! `drivetrain report`: the HTML page of a run.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use notebook::{Notebook, RunId};

use crate::console::Console;
use crate::exit::Exit;
use crate::notebooks;

/// Arguments of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Number of the run (default: the latest)
    run: Option<i64>,

    /// Where to write it (default: drivetrain-report-RUN.html beside the notebook)
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes the report and prints its path.
pub(crate) fn report(args: &ReportArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let notebook = notebooks::open(path)?;
    let run = notebooks::chosen(&notebook, args.run)?;
    let file = write(&notebook, path, run, args.output.as_deref())?;
    if console.json() {
        console.document(&serde_json::json!({ "run": run.0, "report": file.display().to_string() }));
    } else {
        console.answer(&file.display().to_string());
    }
    Ok(Exit::Done)
}

/// Renders the page first and puts it in place whole, so that a kill never leaves half a report.
pub(crate) fn write(
    notebook: &Notebook,
    path: &Path,
    run: RunId,
    output: Option<&Path>,
) -> anyhow::Result<PathBuf> {
    let file = output
        .map_or_else(|| path.with_file_name(format!("drivetrain-report-{}.html", run.0)), Path::to_path_buf);
    let html = report::render_html(notebook, run)?;
    let partial = file.with_extension("html.partial");
    std::fs::write(&partial, html).with_context(|| format!("writing {}", partial.display()))?;
    std::fs::rename(&partial, &file).with_context(|| format!("writing {}", file.display()))?;
    Ok(std::path::absolute(&file).unwrap_or(file))
}
