//! `drivetrain report`: the HTML page of a run.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;
use disk::{Output, Outputs};
use notebook::{Notebook, RunId};

use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::notebooks;
use crate::outputs::{self, ForceArgs};

/// Arguments of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Number of the run (default: the latest)
    run: Option<i64>,

    /// File to write (default: drivetrain-report-RUN.html beside the notebook; /dev/null for none)
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgs,
}

/// Writes the report and prints its path.
pub(crate) fn report(args: &ReportArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let notebook = notebooks::open(path)?;
    let run = notebooks::chosen(&notebook, args.run)?;
    let place =
        ReportFile::plan(args.output.as_deref(), &mut outputs::beside_notebook(path, args.force, console))?;
    let file = place.write(&notebook, path, run, console)?;
    if console.json() {
        console.document(&serde_json::json!({ "run": run.0, "report": file.display().to_string() }));
    } else {
        console.answer(&file.display().to_string());
    }
    Ok(Exit::Done)
}

/// The place of a run's report, checked before the run begins.
pub(crate) enum ReportFile {
    /// The place that the user named.
    Named(Output),
    /// Beside the notebook, under a name that depends on the run.
    Beside,
}

impl ReportFile {
    /// Checks the file that was named, if one was.
    pub(crate) fn plan(output: Option<&Path>, outputs: &mut Outputs) -> anyhow::Result<Self> {
        output.map_or(Ok(Self::Beside), |file| {
            outputs.plan(file, outputs::REPORT).map(Self::Named).map_err(outputs::coded)
        })
    }

    /// Renders the page first and puts it in place whole, so that a kill never leaves half a report. Where
    /// the named place was taken since it was checked, the page goes beside the notebook: a run of hours has
    /// a report.
    pub(crate) fn write(
        self,
        notebook: &Notebook,
        path: &Path,
        run: RunId,
        console: &Console,
    ) -> anyhow::Result<PathBuf> {
        let html = report::render_html(notebook, run)?;
        let named = match self {
            Self::Named(output) => Some(output),
            Self::Beside => None,
        };
        if let Some(output) = named {
            let file = output.path().to_owned();
            match output.write(html.as_bytes()) {
                Ok(()) => return Ok(std::path::absolute(&file).unwrap_or(file)),
                Err(error) if error.is_refusal => {
                    console.warn(&format!("{error}; the report is written beside the notebook"));
                }
                Err(error) => return Err(outputs::coded(error)),
            }
        }
        let output = beside(path, run, &html, console)?;
        let file = output.path().to_owned();
        output.write(html.as_bytes()).map_err(outputs::coded)?;
        Ok(std::path::absolute(&file).unwrap_or(file))
    }
}

/// The most reports of one number that lie beside each other.
const NAMES_MAX: u32 = 1000;

/// The first name beside the notebook that is free or holds the report of this very run: notebooks in one
/// directory all begin with run 1.
fn beside(path: &Path, run: RunId, html: &str, console: &Console) -> anyhow::Result<Output> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let prefix = if stem == "drivetrain" { String::new() } else { format!("{stem}-") };
    let mut outputs = outputs::beside_notebook(path, ForceArgs::default(), console);
    let mut last = None;
    for number in 1..=NAMES_MAX {
        let again = if number == 1 { String::new() } else { format!("-{number}") };
        let file = path.with_file_name(format!("{prefix}drivetrain-report-{}{again}.html", run.0));
        if !is_of_another_run(&file, html) {
            match outputs.plan(&file, outputs::REPORT) {
                Ok(output) => return Ok(output),
                // Something of the user's has that name; the next one may be free.
                Err(error) if error.is_refusal => last = Some(error),
                Err(error) => return Err(outputs::coded(error)),
            }
        }
    }
    Err(last.map_or_else(
        || {
            Coded::refused(format!(
                "{NAMES_MAX} reports of run {} exist beside {}; name a file with -o",
                run.0,
                path.display()
            ))
        },
        outputs::coded,
    ))
}

/// True if the existing report says that it is of another run than this page.
fn is_of_another_run(file: &Path, html: &str) -> bool {
    // Opening a pipe would wait for its other end.
    if !disk::metadata_if_any(file).is_ok_and(|found| found.is_some_and(|found| found.is_file())) {
        return false;
    }
    let Ok(found) = disk::File::open(file) else { return false };
    let mut head = Vec::new();
    let read = found.take(4096).read_to_end(&mut head).is_ok();
    let mark = |text: &str| {
        text.lines().find(|line| line.starts_with("<meta name=\"drivetrain-run\"")).map(str::to_owned)
    };
    read && mark(&String::from_utf8_lossy(&head)) != mark(html)
}
