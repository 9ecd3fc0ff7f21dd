//! `drivetrain trend`: an experiment over its runs, with the changes in it.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::console::Console;
use crate::exit::Exit;
use crate::outputs::{self, ForceArgs};
use crate::{language, notebooks};

const AFTER: &str = "\
The history of an experiment has its finished runs of one realm and scale. A change is a place in it before and after which the ranks of the values differ \
by more than in 99 % of random orders of the same values, and the means by no less than the smallest effect (binary and circular binary segmentation on \
ranks, with permutation tests: a change that is reverted after some runs is also found). Its place is that of the most likely step. At least two runs lie on \
each side, and at least ten runs with a value are needed. The size of a change is the ratio of the geometric means with a 95 % interval \
(Welch, on logarithms); where a mean is zero or negative, the means are printed. A break is a run before which machine, kernel, engine or processor changed; no \
mean is carried across it.";

/// Arguments of `trend`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub(crate) struct TrendArgs {
    /// A run of the experiment: number, id, tag, name, or the name of the experiment (default: the latest)
    run: Option<String>,

    /// Form of the answer
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,

    /// Write the history as an HTML page as well
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgs,
}

/// Forms for people and for other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// The changes, the steady metrics and the breaks
    Text,
    /// The CSV of Otava: a row for each run, a column for each metric
    Otava,
    /// Bencher's metric format (JSON), of the latest run
    Bencher,
}

/// Prints the history.
pub(crate) fn trend(args: &TrendArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let notebook = notebooks::open(path)?;
    let run = notebooks::chosen(&notebook, args.run.as_deref())?;
    let trend = report::trend(&notebook, run)?;
    if let Some(file) = &args.page {
        let mut outputs = outputs::beside_notebook(path, args.force, console);
        let output = outputs.plan(file, outputs::REPORT).map_err(outputs::coded)?;
        let of_file = report::Links::None;
        let page = language::for_people(|| report::trend(&notebook, run)?.to_html(of_file))?;
        output.write(page.as_bytes()).map_err(outputs::coded)?;
    }
    match args.format {
        Form::Bencher => console.raw(&format!("{:#}", trend.to_bencher_json())),
        _ if console.json() => console.document(&trend.to_json()),
        Form::Otava => console.raw(&trend.to_otava_csv()),
        Form::Text => console.answer(&trend.to_text()),
    }
    Ok(Exit::Done)
}
