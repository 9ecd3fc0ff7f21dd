//! `drivetrain compare`: the verdicts as text or JSON, of the beds of one run or of two runs.

use std::path::{Path, PathBuf};

use clap::Args;
use report::Declared;

use crate::console::Console;
use crate::ending::{self, FullArgs};
use crate::exit::{Coded, Exit};
use crate::notebooks;

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The run: number, id, tag or name (default: the latest)
    pub(crate) run: Option<String>,

    /// A second run: compare each bed of the first with the same bed of this one
    pub(crate) baseline: Option<String>,

    /// The notebook of the second run, if it is another one
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline_notebook: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) treat: TreatArgs,

    #[command(flatten)]
    pub(crate) full: FullArgs,
}

/// The allowed differences between two runs.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TreatArgs {
    /// The factor that was varied on purpose between two runs, for example storage, engine.version or
    /// workload.stream.block_size; any other difference between their experiments is refused. `compare`
    /// also allows the treatment that both declare; `check` does not
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) treat: Vec<String>,
}

/// Prints the comparison.
pub(crate) fn compare(args: &CompareArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let comparison = args.comparison(path, Declared::MayDiffer)?;
    if console.json() {
        console.document(&comparison.to_json());
    } else if args.full.full {
        console.answer(&comparison.to_text());
    } else if comparison.runs.is_some() {
        console.answer(&comparison.to_brief());
    } else {
        let notebook = notebooks::open(path)?;
        let run = notebooks::chosen(&notebook, args.run.as_deref())?;
        ending::print(&notebook, run, ("compare", path), None, console)?;
    }
    Ok(Exit::Done)
}

impl CompareArgs {
    /// The comparison that was asked for.
    pub(crate) fn comparison(&self, path: &Path, declared: Declared) -> anyhow::Result<report::Comparison> {
        let notebook = notebooks::open(path)?;
        let run = notebooks::chosen(&notebook, self.run.as_deref())?;
        if self.baseline.is_none() && self.baseline_notebook.is_none() {
            if !self.treat.treat.is_empty() {
                let message = "--treat names a difference between two runs: name the second run as well";
                return Err(Coded::usage(message));
            }
            return Ok(report::compare(&notebook, run)?);
        }
        let other = notebooks::open(self.baseline_notebook.as_deref().unwrap_or(path))?;
        let baseline = notebooks::chosen(&other, self.baseline.as_deref())?;
        Ok(report::compare_runs((&notebook, run), (&other, baseline), &self.treat.treat, declared)?)
    }
}
