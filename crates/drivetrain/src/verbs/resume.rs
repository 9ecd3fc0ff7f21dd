//! `drivetrain resume`: go on with a run that was interrupted or killed.

use std::path::{Path, PathBuf};

use clap::Args;
use lab::World;
use serve::Feed;

use crate::console::Console;
use crate::destroy::DestroyArgs;
use crate::exit::Exit;
use crate::outputs::{self, ForceArgs};
use crate::progress::Progress;
use crate::verbs::{self, run};
use crate::{notebooks, signals};

/// Arguments of `resume`.
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The run: number, id, tag or name (default: the latest)
    run: Option<String>,

    /// File for the HTML report
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgs,

    /// Write a trace of every remaining cell of block I/O into this directory, in fio's iolog format
    #[arg(long, value_name = "DIR")]
    record: Option<std::path::PathBuf>,

    #[command(flatten)]
    destroy: DestroyArgs,

    #[command(flatten)]
    page: run::PageArgs,
}

/// Does the cells that are missing, invalid or were cut short.
pub(crate) fn resume(args: &ResumeArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let mut notebook = notebooks::open(path)?;
    let run = notebooks::chosen(&notebook, args.run.as_deref())?;
    if lab::is_complete(&notebook, run)? {
        return run::nothing_to_resume(&notebook, run, console);
    }
    let place = verbs::report::ReportFile::plan(
        args.report.as_deref(),
        &mut outputs::beside_notebook(path, args.force, console),
    )?;
    if let Some(directory) = &args.record {
        notebook.become_writer()?;
        outputs::directory(directory)?;
    }
    let (destroy, record) = (args.destroy.orders()?, args.record.clone());
    let world = World { clock: run::clock(), destroy, record };
    let interrupt = signals::listen(*console)?;
    let progress = Progress::new(*console);
    let _page = args.page.start(path, console)?;
    let feed = Feed::new(path, &progress, &interrupt);
    let finished = lab::resume(run, &study::Values::calibrated(), &mut notebook, &world, &interrupt, &feed);
    drop(feed);
    progress.finish();
    if finished.is_err() {
        run::say_how_to_go_on(&notebook, path, run, console);
    }
    run::conclude(&notebook, path, &finished?, place, console)
}
