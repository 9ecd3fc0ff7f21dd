//! `drivetrain resume`: go on with a run that was interrupted or killed.

use std::path::{Path, PathBuf};

use clap::Args;
use lab::{Again, World};
use notebook::{Notebook, RunId};
use serve::Feed;

use crate::allow_uring::UringArgs;
use crate::console::Console;
use crate::destroy::DestroyArgs;
use crate::ending::FullArgs;
use crate::exit::{Coded, Exit};
use crate::hosts::{HostsArgs, Ranks};
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

    /// More repeats: total repeats per cell, including existing ones
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: Option<u32>,

    /// Measure these cells once more, by their numbers in `show --full`; earlier results stay on record and
    /// no longer count. Without numbers: cells that do not count, and cells that stray from their repeats,
    /// together with the cells of the other beds at the same load and repeat
    #[arg(long, value_name = "CELLS", num_args = 0..=1, value_parser = numbers)]
    cells: Option<Option<Numbers>>,

    #[command(flatten)]
    uring: UringArgs,

    #[command(flatten)]
    hosts: HostsArgs,

    #[command(flatten)]
    page: run::PageArgs,

    #[command(flatten)]
    full: FullArgs,
}

/// Numbers of cells, from 1.
#[derive(Clone, Debug)]
struct Numbers(Vec<u32>);

/// The most cells that one range may name: more are a slip of the pen.
const RANGE_MAX: u32 = 100_000;

/// Reads `2,3` and `4-7`.
fn numbers(text: &str) -> Result<Numbers, String> {
    let mut cells = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|number| *number > 0);
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last && last - first < RANGE_MAX => {
                cells.extend(first..=last);
            }
            _ => {
                return Err(format!(
                    "`{part}` is no number of a cell, such as 3; several are written 3,4,7-9"
                ));
            }
        }
    }
    Ok(Numbers(cells))
}

impl ResumeArgs {
    /// The cells to measure once more, from 0: those that were named, or those that stray.
    fn cells(&self, notebook: &Notebook, run: RunId, console: &Console) -> anyhow::Result<Vec<u32>> {
        match &self.cells {
            None => Ok(Vec::new()),
            Some(Some(Numbers(named))) => Ok(named.iter().map(|cell| cell - 1).collect()),
            Some(None) => {
                let cells = report::noisy(notebook, run)?;
                let shown: Vec<String> = cells.iter().map(|cell| (cell + 1).to_string()).collect();
                console.note(&match cells.is_empty() {
                    true => "no cell strays from its repeats".to_owned(),
                    false => format!(
                        "measured once more, because cells stray from their repeats: {}",
                        shown.join(",")
                    ),
                });
                Ok(cells)
            }
        }
    }
}

/// Does the cells that are missing, invalid or were cut short, and those that are asked for again.
pub(crate) fn resume(args: &ResumeArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let given = args.hosts.ranks(console)?;
    if let Ranks::Served(exit) = given {
        return Ok(exit);
    }
    let mut notebook = notebooks::open(path)?;
    let run = notebooks::chosen(&notebook, args.run.as_deref())?;
    lab::require_experiment(&notebook, run)?;
    let again = Again { repeats: args.repeats, cells: args.cells(&notebook, run, console)? };
    if again.is_nothing() && lab::is_complete(&notebook, run)? {
        if !notebook.is_being_written() {
            serve::remove_left(path);
        }
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
    // A run whose time was virtual has no other: its cells would not be alike.
    let clock = if lab::was_virtual(&notebook, run)? { run::virtual_clock() } else { run::clock() };
    let world = World { destroy, record, ..World::of(clock) };
    let interrupt = signals::listen(*console, signals::OF_CELLS)?;
    let _switch = args.uring.switch(console);
    let hosts = lab::was_led(&notebook, run)?.map(|before| args.hosts.or_as_before(&before));
    let led = match hosts {
        Some(hosts) => {
            let ranks = if args.hosts.are_given() { given } else { hosts.ranks(console)? };
            hosts.start(ranks, (path, &args.destroy), &interrupt, console)?
        }
        None if args.hosts.are_given() => {
            return Err(Coded::usage(format!("run {run} is of one process; leave out --hosts")));
        }
        None => None,
    };
    let progress = Progress::new(*console, &interrupt);
    let _page = args.page.start(path, console)?;
    let feed = Feed::new(path, &progress, &interrupt);
    let finished = match led {
        Some(led) => {
            let version = run::tool_version();
            lab::resume_led((run, &again), &version, led, &mut notebook, &interrupt, &feed)
        }
        None => {
            lab::resume((run, &again), &study::Values::calibrated(), &mut notebook, &world, &interrupt, &feed)
        }
    };
    drop(feed);
    drop(progress);
    if finished.is_err() {
        run::say_how_to_go_on(&notebook, path, run, console);
    }
    let finished = finished?;
    verbs::profile::forget_fit(&notebook, run)?;
    run::conclude(&notebook, path, &finished, (place, args.full), console)
}
