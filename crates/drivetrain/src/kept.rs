//! The result of a load without an experiment: kept in the notebook as a run of one cell, and told as `run`
//! tells its own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use disk::Outputs;
use ground::Clock;
use lab::{Load, Single};
use notebook::{CellState, Notebook, NotebookError, RunId};
use serde_json::Value;
use words::{ScaleStatement, say, shell};

use crate::console::Console;
use crate::ending::{self, FullArgs};
use crate::source::Resolved;
use crate::verbs::report::ReportFile;
use crate::verbs::run;
use crate::verbs::tag::LabelArgs;

/// The longest wait for another command that keeps its own result at the same moment.
const PATIENCE: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(50);

/// Options about the result of a load.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Result")]
pub(crate) struct KeepArgs {
    #[command(flatten)]
    labels: LabelArgs,

    /// File for the HTML report (default: drivetrain-report-RUN-ID.html beside the notebook)
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Do not keep the result in the notebook, and write no report
    #[arg(long, conflicts_with_all = ["report", "name", "tag", "note"])]
    no_keep: bool,

    #[command(flatten)]
    full: FullArgs,
}

impl KeepArgs {
    /// Checks the file for the report, if one was named.
    pub(crate) fn plan(&self, outputs: &mut Outputs) -> anyhow::Result<ReportFile> {
        ReportFile::plan(self.report.as_deref(), outputs)
    }
}

/// A load that is about to run.
pub(crate) struct Keeping<'a> {
    args: &'a KeepArgs,
    path: &'a Path,
    console: &'a Console,
    place: ReportFile,
    pub(crate) single: Single,
    /// False where nobody wants the result kept, or it is known already that it cannot be.
    is_kept: bool,
}

impl<'a> Keeping<'a> {
    /// Looks at the machine, and at the notebook: whoever wants the result kept learns before the load that
    /// it will not be.
    ///
    /// # Errors
    /// When the load cannot be described.
    pub(crate) fn begin(
        args: &'a KeepArgs,
        place: ReportFile,
        (experiment, name): (experiment::Experiment, String),
        clock: &Clock,
        (path, console): (&'a Path, &'a Console),
    ) -> anyhow::Result<Keeping<'a>> {
        let resolved = Resolved {
            name,
            toml: String::new(), // It is written when the load is kept.
            scale: 1.0,
            statement: ScaleStatement::default(),
            seed: experiment.design.seed.unwrap_or_default(),
            experiment,
        };
        let is_kept = !args.no_keep && can_be_kept(path, &resolved.experiment, console);
        let single =
            Single::begin(run::request(resolved, lab::World::of(clock.clone())), command(), is_kept)?;
        Ok(Keeping { args, path, console, place, single, is_kept })
    }

    /// Keeps the load and writes its report. Whatever fails is told, and the result is told all the same.
    ///
    /// # Errors
    /// When the result cannot even be told.
    pub(crate) fn end(self, load: &Load<'_>) -> anyhow::Result<Kept<'a>> {
        let Keeping { args, path, console, place, single, is_kept } = self;
        let stored = is_kept.then(|| store(&single, load, args, path)).transpose();
        let stored = stored.unwrap_or_else(|error| {
            console.warn(&format!("the result is not kept: {error}"));
            None
        });
        let is_kept = stored.is_some();
        let (notebook, run) = match stored {
            Some(run) => (Notebook::open_existing(path)?, run),
            None => {
                let mut notebook = Notebook::in_memory()?;
                let run = single.keep(load, &mut notebook)?.run;
                (notebook, run)
            }
        };
        let written = is_kept.then(|| place.write(&notebook, path, run, console)).transpose();
        let report = written.unwrap_or_else(|error| {
            console.warn(&format!("the report was not written: {error}"));
            None
        });
        Ok(Kept { args, path, notebook, run, is_kept, report })
    }
}

/// A load whose result is to be told.
pub(crate) struct Kept<'a> {
    args: &'a KeepArgs,
    path: &'a Path,
    /// In memory where nothing was kept.
    notebook: Notebook,
    run: RunId,
    is_kept: bool,
    report: Option<PathBuf>,
}

impl Kept<'_> {
    /// Prints the result: `head`, the answer and its table, `remarks`, on request `details`, the report, the
    /// next command. Where the figures do not count, the details are all that there is of them.
    ///
    /// # Errors
    /// As the notebook reports.
    pub(crate) fn print(
        &self,
        (head, remarks, details): (&str, &[String], &str),
        console: &Console,
    ) -> anyhow::Result<()> {
        let counts = self.notebook.cells(self.run)?.iter().all(|cell| cell.state == CellState::Done);
        let mut text = head.to_owned();
        text.push_str(&report::brief(&self.notebook, self.run)?.text);
        remarks.iter().for_each(|remark| text.push_str(&format!("{remark}\n")));
        if self.args.full.full || !counts {
            text.push_str(&format!("\n{details}"));
        }
        console.answer(&text);
        if let Some(file) = &self.report {
            console.answer(&say!("ending-report", file = file.display().to_string()));
        }
        if self.is_kept {
            console.answer(&ending::next("show", self.run, None, self.path));
        }
        Ok(())
    }

    /// Adds what became of the result to a document.
    pub(crate) fn add_to(&self, document: &mut Value) {
        document["run"] = if self.is_kept { self.run.0.into() } else { Value::Null };
        document["report"] =
            self.report.as_ref().map_or(Value::Null, |file| file.display().to_string().into());
    }
}

/// The line that asks for the load.
fn command() -> String {
    let arguments = std::env::args_os().skip(1);
    let words: Vec<String> = arguments.map(|argument| shell::word(&argument.to_string_lossy())).collect();
    format!("drivetrain {}", words.join(" "))
}

/// False, with a warning, when nothing can come into the notebook. One that another command writes just now
/// may be free when the load has ended.
fn can_be_kept(path: &Path, experiment: &experiment::Experiment, console: &Console) -> bool {
    let fault = experiment::parse(&experiment::to_toml(experiment), "the load").err();
    let fault = fault.map(|faults| faults.to_string()).or_else(|| {
        // A notebook that somebody makes at this moment is an empty file for an instant.
        fault_of(path).and_then(|_| {
            Clock::Wall.sleep(POLL * 2);
            fault_of(path)
        })
    });
    if let Some(fault) = &fault {
        console.warn(&format!("the result will be printed and not kept: {fault}"));
    }
    fault.is_none()
}

/// Why nothing can come into the notebook, or into the directory of one that is still to be made. Nothing is
/// made here: several loads may begin at one moment.
fn fault_of(path: &Path) -> Option<String> {
    match Notebook::open_existing(path).and_then(|notebook| notebook.become_writer()) {
        Ok(()) | Err(NotebookError::InUse { .. }) => None,
        Err(NotebookError::NotFound { .. }) => {
            let directory = disk::parent(path);
            let fault = match disk::is_writable(directory) {
                Ok(true) => return None,
                Ok(false) => "cannot be written".to_owned(),
                Err(error) => format!("cannot be looked at: {error}"),
            };
            Some(format!("the directory {} of the notebook {fault}", directory.display()))
        }
        Err(error) => Some(error.to_string()),
    }
}

/// Keeps the load, with its verdict for lists of runs.
fn store(single: &Single, load: &Load<'_>, args: &KeepArgs, path: &Path) -> Result<RunId, anyhow::Error> {
    let mut notebook = open(path)?;
    notebook.label_next_run(args.labels.labels());
    let kept = single.keep(load, &mut notebook);
    let run = match kept {
        Ok(finished) => finished.run,
        Err(error) => {
            // The error that led here is the one to tell.
            let _ = notebook.discard_empty();
            return Err(error.into());
        }
    };
    // The load is kept; without a verdict `ls` compares the run for it.
    if let Ok(comparison) = report::compare(&notebook, run) {
        let _ = notebook.keep_verdict(run, &comparison.kept_verdict());
    }
    notebook.close()?;
    Ok(run)
}

/// Opens the notebook for writing, after whoever keeps a result at this moment.
pub(crate) fn open(path: &Path) -> Result<Notebook, NotebookError> {
    let waited = Clock::Wall.stopwatch();
    loop {
        match Notebook::open_or_create(path) {
            Err(NotebookError::InUse { .. }) if waited.elapsed() < PATIENCE => Clock::Wall.sleep(POLL),
            opened => return opened,
        }
    }
}
