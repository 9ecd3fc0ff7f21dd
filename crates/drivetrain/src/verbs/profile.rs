//! `drivetrain profile`: a drive of one's own from measurements: of a target, of a run that measured one, or
//! from a latency map.

mod again;
mod again_there;
mod certificate;
mod described;
mod fit;
mod from_map;
mod loads;
mod measure;
mod numbers;
mod target;
mod twin;
mod twin_there;

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, ValueEnum};
use experiment::{BlockEngine, Size};
use notebook::{Facts, Notebook, RunId};
use study::profile::Profiled;
use words::shell;

use crate::allow_uring::UringArgs;
use crate::console::Console;
use crate::destroy::DestroyArgs;
use crate::exit::Exit;
use crate::outputs::ForceArgs;
use crate::verbs::run::PageArgs;

/// Arguments of `profile`.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("subject").required(true).args(["target", "drive", "from_map", "from_run"]),
    after_help = "\
A directory gets one temporary file, which is removed at the end; nothing else is touched. A device is overwritten \
only when --destroy names it by its identity and its serial number. Ctrl-C keeps the measurements, and `drivetrain resume` \
continues."
)]
pub(crate) struct ProfileArgs {
    /// A directory on the drive, volume or array to measure, or a block device (with --destroy)
    #[arg(value_name = "PATH|DEVICE")]
    target: Option<PathBuf>,

    /// Measure a modelled drive instead, in virtual time: its name, or a drive's .toml file
    #[arg(long)]
    drive: Option<String>,

    /// Use the loads of an earlier run: number, id, tag or name
    #[arg(long, value_name = "RUN")]
    from_run: Option<String>,

    /// A latency map as CSV: w_mb_per_s,r_iops,p50_ms,p95_ms, a line for each point, both percentiles empty
    /// where the drive did not sustain the load
    #[arg(long, value_name = "FILE")]
    from_map: Option<PathBuf>,

    /// Compare a profiled drive with its emulated twin at the same path under the same loads, interleaved, in
    /// about an hour: the drive's .toml file. With -o the result is kept in the file as its certificate. With
    /// --from-run the result of an earlier comparison, such as one that was interrupted and resumed
    #[arg(long, value_name = "DRIVE", conflicts_with_all = ["quick", "full", "size", "destroy", "drive", "from_map", "name"])]
    twin: Option<String>,

    /// About ten minutes instead of an hour
    #[arg(long, conflicts_with_all = ["full", "loads", "from_map", "from_run"])]
    quick: bool,

    /// About six hours: with a map of latencies over mixes and rates, and writes until a large cache is full
    #[arg(long, conflicts_with_all = ["loads", "from_map", "from_run"])]
    full: bool,

    /// Use the loads of this experiment instead: block I/O on one bed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from_map", "from_run"])]
    loads: Option<PathBuf>,

    /// Size of the file (default: 8, 32 or 128 GiB by the length, and at most half of the free space)
    #[arg(long, conflicts_with_all = ["from_map", "from_run"])]
    size: Option<Size>,

    /// Engine of the I/Os
    #[arg(long, value_enum, conflicts_with_all = ["from_map", "from_run", "drive"])]
    engine: Option<Engine>,

    /// Shrink times and sizes together: tiny, small, full, or a factor such as 0.1
    #[arg(long, value_name = "SCALE", default_value = "full", conflicts_with_all = ["from_map", "from_run"])]
    scale: String,

    /// Override one value of the loads, for example --set workload.random-writes.measure=30s (may be
    /// repeated)
    #[arg(long = "set", value_name = "KEY=VALUE", conflicts_with_all = ["from_map", "from_run"])]
    set: Vec<String>,

    /// Seed of every random stream
    #[arg(long, conflicts_with_all = ["from_map", "from_run"])]
    seed: Option<u64>,

    #[command(flatten)]
    destroy: DestroyArgs,

    #[command(flatten)]
    uring: UringArgs,

    #[command(flatten)]
    page: PageArgs,

    /// File for the HTML report of the measurement
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from_map", "from_run"])]
    report: Option<PathBuf>,

    /// File for the drive: TOML that every verb accepts as a drive
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Name of the drive in experiments (default: from the map's file, the drive's model or the path)
    #[arg(long)]
    name: Option<String>,

    /// Name of the drive for people
    #[arg(long)]
    title: Option<String>,

    /// Maker of the drive
    #[arg(long)]
    maker: Option<String>,

    /// Interface of the drive, such as NVMe
    #[arg(long)]
    interface: Option<String>,

    /// Usable size of the drive
    #[arg(long, value_name = "SIZE")]
    capacity: Option<Size>,

    /// Where the numbers were measured, for the source of each of them (default: the map's
    /// file, or the run)
    #[arg(long, value_name = "TEXT")]
    source: Option<String>,

    #[command(flatten)]
    force: ForceArgs,
}

/// An engine that moves bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// The kernel's io_uring
    #[value(name = "io_uring")]
    IoUring,
    /// A thread per I/O in flight
    Psync,
}

impl From<Engine> for BlockEngine {
    fn from(engine: Engine) -> BlockEngine {
        match engine {
            Engine::IoUring => BlockEngine::IoUring,
            Engine::Psync => BlockEngine::Psync,
        }
    }
}

/// Measures, or takes what was measured before.
pub(crate) fn profile(args: &ProfileArgs, notebook: &Path, console: &Console) -> anyhow::Result<Exit> {
    match (&args.twin, &args.from_run) {
        (Some(drive), Some(run)) => return twin_there::certify(args, (drive, run), notebook, console),
        (Some(drive), None) => return twin::twin(args, drive, notebook, console),
        (None, _) => {}
    }
    args.uring.check_unused("only --twin makes any, for a server on the model")?;
    match (&args.from_map, &args.from_run) {
        (Some(map), _) => from_map::profile(args, map, notebook, console),
        (None, Some(run)) => measure::from_run(args, run, notebook, console),
        (None, None) => measure::measure(args, notebook, console),
    }
}

/// The subject of a run that profiles; `None` for any other run.
pub(crate) fn subject(notebook: &Notebook, run: RunId) -> anyhow::Result<Option<Subject>> {
    let sets = notebook.fact_sets(run)?;
    let facts = sets.iter().find(|(scope, _)| scope == study::profile::FACTS).map(|(_, facts)| facts);
    let twin = facts.and_then(|facts| facts.get(study::profile::TWIN));
    Ok(Profiled::of(&notebook.run(run)?.name, facts).map(|profiled| match profiled {
        Profiled::Drive => Subject::Drive,
        Profiled::Twin => Subject::Twin(twin.cloned()),
    }))
}

/// The subject of a run that profiles.
pub(crate) enum Subject {
    /// A drive, by loads that make one.
    Drive,
    /// A model beside its drive: the drive as it was given, unless the run was killed.
    Twin(Option<String>),
}

/// Notes that loads of a run were measured after the fit that its report shows, if there is one: the report
/// then asks for another fit.
pub(crate) fn forget_fit(notebook: &Notebook, run: RunId) -> anyhow::Result<()> {
    let is_fitted = notebook.fact_sets(run)?.iter().any(|(scope, _)| scope == study::profile::FIT);
    if is_fitted {
        let facts = Facts::from([("outdated".to_owned(), "loads were measured after it".to_owned())]);
        notebook.add_fact_set(run, study::profile::FIT, &facts)?;
    }
    Ok(())
}

/// Prints the result of such a run that went on to its end, and the command that makes a drive or a
/// certificate of it.
pub(crate) fn print_after_resume(
    notebook: &Notebook,
    (run, subject): (RunId, &Subject),
    (path, report): (&Path, Option<&Path>),
    console: &Console,
) -> anyhow::Result<()> {
    console.answer(&report::brief(notebook, run)?.text);
    if let Some(file) = report {
        console.answer(&words::say!("ending-report", file = file.display().to_string()));
    }
    let command = match subject {
        Subject::Drive => from_run(run, output_of(notebook, run)?.as_deref(), path),
        Subject::Twin(given) => twin_there::command(given.as_deref(), run, path),
    };
    console.answer(&words::say!("ending-next", command));
    Ok(())
}

/// The drive's file that was asked for when the run began, if one was.
fn output_of(notebook: &Notebook, run: RunId) -> anyhow::Result<Option<String>> {
    let sets = notebook.fact_sets(run)?;
    let facts = sets.iter().find(|(scope, _)| scope == study::profile::FACTS).map(|(_, facts)| facts);
    Ok(facts.and_then(|facts| facts.get(measure::OUTPUT)).cloned())
}

/// The command that makes a drive of a run.
fn from_run(run: RunId, file: Option<&str>, path: &Path) -> String {
    let file = shell::path(Path::new(file.unwrap_or("my-drive.toml")));
    crate::ending::command("profile --from-run", run, &format!("-o {file}"), path)
}
