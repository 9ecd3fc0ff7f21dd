//! `drivetrain run` and `drivetrain demo`: conduct an experiment, then print the results and the path of the
//! report.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use ground::Clock;
use lab::{Finished, Interrupt, LabError, Request, World};
use notebook::{Notebook, RunId, RunState};
use serve::{Feed, Server};
use words::{say, shell};

use crate::allow_uring::UringArgs;
use crate::console::Console;
use crate::destroy::DestroyArgs;
use crate::ending::{self, FullArgs};
use crate::exit::{Coded, Exit};
use crate::hosts::{HostsArgs, Ranks};
use crate::outputs::{self, ForceArgs};
use crate::progress::Progress;
use crate::source::{Resolved, SourceArgs};
use crate::verbs::profile;
use crate::verbs::tag::LabelArgs;
use crate::{signals, verbs};

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,

    #[command(flatten)]
    pub(crate) destroy: DestroyArgs,

    #[command(flatten)]
    pub(crate) hosts: HostsArgs,

    /// The source of time: this machine, with the storage of the beds, or whole beds in virtual time
    #[arg(long, value_enum, default_value_t = Realm::Emulated)]
    pub(crate) realm: Realm,

    /// File for the HTML report (default: drivetrain-report-RUN-ID.html beside the notebook)
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) force: ForceArgs,

    /// Write a trace of every cell of block I/O into this directory, in fio's iolog format
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) uring: UringArgs,

    #[command(flatten)]
    pub(crate) labels: LabelArgs,

    #[command(flatten)]
    pub(crate) page: PageArgs,

    #[command(flatten)]
    pub(crate) full: FullArgs,
}

/// Those who look on while a run goes on: its page, and a collector of metrics.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PageArgs {
    /// Show the run as a local web page meanwhile, as `drivetrain serve` does
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, require_equals = true, default_missing_value = verbs::serve::DEFAULT)]
    serve: Option<SocketAddr>,

    /// Send the metrics of the run to this collector by OTLP over HTTP (a build with the feature otlp)
    #[arg(long, value_name = "URL", env = "OTEL_EXPORTER_OTLP_ENDPOINT", hide_env_values = true)]
    otlp: Option<String>,
}

impl PageArgs {
    /// The server and the sender of metrics, where they are wanted; they end with the value.
    pub(crate) fn start(&self, path: &Path, console: &Console) -> anyhow::Result<impl Sized + use<>> {
        Ok((self.server(path, console)?, crate::otlp::start(self.otlp.as_deref(), path, console)?))
    }

    fn server(&self, path: &Path, console: &Console) -> anyhow::Result<Option<Server>> {
        let Some(listen) = self.serve else { return Ok(None) };
        let server = verbs::serve::start(path, listen)?;
        console.must_know(&format!("page: {}", verbs::serve::told(&server)));
        Ok(Some(server))
    }
}

/// The source of a run's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Realm {
    /// Real bytes and a real database here, on emulated drives or the real storage that a bed names
    #[default]
    Emulated,
    /// The published test beds in virtual time, at published size in minutes; needs no storage
    Simulated,
}

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// File for the HTML report
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgs,

    /// Override one value of the demonstration's experiment (may be repeated)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Seed of the order and of every random stream
    #[arg(long)]
    seed: Option<u64>,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    full: FullArgs,
}

/// Runs the built-in demonstration.
pub(crate) fn demo(args: &DemoArgs, notebook: &Path, console: &Console) -> anyhow::Result<Exit> {
    let source = SourceArgs {
        experiment: "demo".to_owned(),
        scale: "full".to_owned(),
        set: args.set.clone(),
        storage: Vec::new(),
        mixed: false,
        scale_out: None,
        seed: args.seed,
    };
    let destroy = DestroyArgs::default();
    let args = RunArgs {
        source,
        destroy,
        hosts: HostsArgs::default(),
        realm: Realm::Emulated,
        report: args.report.clone(),
        force: args.force,
        record: None,
        uring: UringArgs::default(),
        page: args.page.clone(),
        full: args.full,
        labels: LabelArgs::default(),
    };
    run(&args, notebook, console)
}

/// Runs an experiment.
pub(crate) fn run(args: &RunArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let ranks = args.hosts.ranks(console)?;
    if let Ranks::Served(exit) = ranks {
        return Ok(exit);
    }
    let resolved = args.source.resolve(console)?;
    let (destroy, record) = (args.destroy.orders()?, args.record.clone());
    let world = World { destroy, record, ..World::of(clock()) };
    check(args, &ranks, (&resolved, &world), console)?;
    let mut outputs = outputs::beside_notebook(path, args.force, console);
    outputs.keep(Path::new(&args.source.experiment), "the experiment");
    outputs::keep_drives(&mut outputs, outputs::drives_of(&resolved.experiment));
    let place = verbs::report::ReportFile::plan(args.report.as_deref(), &mut outputs)?;
    plan_traces(args)?;
    let interrupt = signals::listen(*console, signals::OF_CELLS)?;
    let led = args.hosts.start(ranks, (path, &args.destroy), &interrupt, console)?;
    let is_here = args.realm == Realm::Emulated && led.is_none();
    let beside =
        Beside { labels: args.labels.labels(), uring: args.uring, page: &args.page, is_here, besides: "" };
    let request = request(resolved, world);
    let (notebook, finished) =
        conducted(&request, &beside, (path, &interrupt), console, |notebook, feed| {
            match (args.realm, led) {
                (_, Some(led)) => lab::lead(&request, led, notebook, &interrupt, feed),
                (Realm::Emulated, None) => lab::run(&request, notebook, &interrupt, feed),
                (Realm::Simulated, None) => {
                    lab::simulate(&request, &study::Values::calibrated(), notebook, &interrupt, feed)
                }
            }
        })?;
    conclude(&notebook, path, &finished, (place, args.full), console)
}

/// The options of a run besides its request.
pub(crate) struct Beside<'a> {
    pub(crate) labels: notebook::Labels,
    pub(crate) uring: UringArgs,
    pub(crate) page: &'a PageArgs,
    /// True if the storages of its beds are used by this process.
    pub(crate) is_here: bool,
    /// Words after the estimate of the time, about the time that it leaves out.
    pub(crate) besides: &'static str,
}

/// Opens the notebook, tells what begins, and lets `conduct` keep the run there, with progress, page and
/// feed. After an error it says how to go on.
pub(crate) fn conducted(
    request: &Request,
    beside: &Beside<'_>,
    (path, interrupt): (&Path, &Interrupt),
    console: &Console,
    conduct: impl FnOnce(&mut Notebook, &Feed<'_>) -> Result<Finished, LabError>,
) -> anyhow::Result<(Notebook, Finished)> {
    let mut notebook = Notebook::open_or_create(path)?;
    let page = beside.page.start(path, console);
    let _page = match page {
        Ok(page) => page,
        Err(error) => {
            notebook.discard_empty()?;
            return Err(error);
        }
    };
    console.note(&format!("{}  (seed {})", request.experiment.title, request.seed));
    if !request.scale_statement.is_empty() {
        console.note(&request.scale_statement.to_string());
    }
    for caution in lab::inaccurate_drives(&request.experiment) {
        console.warn(&caution.to_string());
    }
    if beside.is_here {
        verbs::plan::warn_of_places(&request.experiment, console);
    }
    notebook.label_next_run(beside.labels.clone());
    let _switch = beside.uring.switch(console);
    let progress = Progress::new(*console, interrupt).besides(beside.besides);
    let before = notebook.latest_run()?;
    let feed = Feed::new(path, &progress, interrupt);
    let finished = conduct(&mut notebook, &feed);
    drop(feed);
    drop(progress);
    match finished {
        Ok(finished) => {
            ending::require_notebook(&notebook, finished.run)?;
            Ok((notebook, finished))
        }
        Err(error) => {
            match notebook.latest_run().ok().flatten().filter(|run| Some(*run) != before) {
                Some(run) => say_how_to_go_on(&notebook, path, run, console),
                // A rank refused the run: nothing came of it. Another file in its place is somebody's.
                None if notebook.require_in_place().is_ok() => notebook.discard_empty()?,
                None => {}
            }
            Err(error.into())
        }
    }
}

/// Refuses a run that cannot be, before a notebook is made for it.
fn check(
    args: &RunArgs,
    ranks: &Ranks,
    (resolved, world): (&Resolved, &World),
    console: &Console,
) -> anyhow::Result<()> {
    let experiment = &resolved.experiment;
    if let Some(size) = ranks.size() {
        check_hosts(args)?;
        lab::check_alike(experiment)?;
        lab::check_shares(experiment, size)?;
        if let Ranks::Processes(hosts) = ranks {
            let planned = lab::plan_fleet((experiment, &resolved.toml), hosts, resolved.seed)?;
            planned.check_room()?;
            verbs::plan::warn_of_rooms(&planned.rooms(), console);
        }
        return Ok(());
    }
    if args.realm == Realm::Emulated {
        lab::check_alone(experiment)?;
        lab::check_alike(experiment)?;
        lab::check(experiment)?;
        lab::check_room(experiment)?;
        lab::check_devices(experiment, &world.destroy)?;
    }
    Ok(())
}

/// Refuses what a fleet does not do.
fn check_hosts(args: &RunArgs) -> anyhow::Result<()> {
    if args.realm == Realm::Simulated {
        return Err(Coded::usage("a simulated run needs no hosts; leave out --hosts, or --realm simulated"));
    }
    if args.record.is_some() {
        return Err(Coded::usage("--record writes the trace of one process; leave it out, or --hosts"));
    }
    Ok(())
}

/// Checks the directory of the traces before anything is run.
fn plan_traces(args: &RunArgs) -> anyhow::Result<()> {
    match &args.record {
        Some(_) if args.realm == Realm::Simulated => Err(Coded::usage(
            "a simulated run issues no I/O to record; leave out --record, or --realm simulated".to_owned(),
        )),
        Some(directory) => outputs::directory(directory),
        None => Ok(()),
    }
}

/// After an error that ended a run: the kept data, and the command that continues.
pub(crate) fn say_how_to_go_on(notebook: &Notebook, path: &Path, run: RunId, console: &Console) {
    if notebook.require_in_place().is_err() {
        console.warn(&ending::saved(notebook, run));
        return;
    }
    // The end that found no room may have some by now: the files of the feed are gone. Else the run counts as
    // killed.
    if notebook.run(run).is_ok_and(|run| run.state == RunState::Running) {
        let _ = notebook.finish_run(run, RunState::Failed);
    }
    let is_failed = notebook.run(run).is_ok_and(|run| run.state == RunState::Failed && run.owner().is_none());
    if is_failed {
        let resume = resume_line(path, run);
        console.note(&format!(
            "run {run} failed; its measurements are kept. Fix the cause, then continue with:\n  {resume}\nor remove its data with:\n  \
             drivetrain clean --run {run} --notebook {}",
            shell::path(path)
        ));
    }
}

/// The command that goes on with a run.
pub(crate) fn resume_line(path: &Path, run: RunId) -> String {
    format!("drivetrain resume {run} --notebook {}", shell::path(path))
}

/// The request of a run; the folder of its data is unique.
pub(crate) fn request(resolved: Resolved, world: World) -> Request {
    let short = resolved.name.rsplit(['/', '\\']).next().unwrap_or("run").trim_end_matches(".toml");
    let plain: String = short.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    Request {
        // Unique among runs at one time on one machine.
        work_dir: format!("{plain}-{}-{}", Clock::Wall.unix_ms() / 1000, std::process::id()),
        directory: std::env::current_dir().ok().and_then(|path| path.into_os_string().into_string().ok()),
        experiment_toml: resolved.toml,
        name: resolved.name,
        scale: resolved.scale,
        scale_statement: resolved.statement,
        seed: resolved.seed,
        tool_version: tool_version(),
        experiment: resolved.experiment,
        world,
    }
}

/// Name and version of this program, as results keep it.
pub(crate) fn tool_version() -> String {
    format!("drivetrain {}", env!("CARGO_PKG_VERSION"))
}

/// The clock of this machine; a virtual one where a test asks for it by `DRIVETRAIN_CLOCK=virtual`.
pub(crate) fn clock() -> Clock {
    match std::env::var("DRIVETRAIN_CLOCK").as_deref() {
        Ok("virtual") => virtual_clock(),
        _ => Clock::Wall,
    }
}

/// A clock that moves when all of its participants wait.
pub(crate) fn virtual_clock() -> Clock {
    Clock::virtual_from(Clock::Wall.date())
}

/// The answer to `resume` of a run that has no cell left.
pub(crate) fn nothing_to_resume(notebook: &Notebook, run: RunId, console: &Console) -> anyhow::Result<Exit> {
    if console.json() {
        let mut document = verbs::show::document(notebook, run)?;
        document["comparison"] = report::compare(notebook, run)?.to_json();
        document["report"] = serde_json::Value::Null;
        document["resume"] = serde_json::Value::Null;
        console.document(&document);
    } else {
        console.answer(&format!("nothing to resume: run {run} is finished"));
    }
    Ok(Exit::Done)
}

/// Prints the result as text: in twenty lines or whole, and what to do with what is left.
fn answer(
    notebook: &Notebook,
    path: &Path,
    finished: &Finished,
    (comparison, report, full): (&report::Comparison, Option<&Path>, FullArgs),
    console: &Console,
) -> anyhow::Result<()> {
    let run = finished.run;
    if full.full {
        console.answer(&comparison.to_text());
    }
    if finished.left == 0 && !full.full {
        if let Some(subject) = profile::subject(notebook, run)? {
            return profile::print_after_resume(notebook, (run, &subject), (path, report), console);
        }
        return ending::print(notebook, run, ("compare", path), report, console);
    }
    if !full.full {
        console.answer(&report::brief(notebook, run)?.text);
    }
    if let Some(file) = report {
        console.answer(&say!("ending-report", file = file.display().to_string()));
    }
    if finished.left > 0 {
        console.answer(&left_line(path, run, finished.left));
    }
    Ok(())
}

/// The next step for a run with cells left.
pub(crate) fn left_line(path: &Path, run: RunId, left: usize) -> String {
    let left = if left == 1 { "1 cell is" } else { &format!("{left} cells are") };
    let resume = resume_line(path, run);
    format!(
        "{left} left; continue with:\n  {resume}\nor remove the run's data with:\n  drivetrain clean --run {run} --notebook {}",
        path.display()
    )
}

/// Prints the answer of a run that ended, writes its report, and says how to go on when it was interrupted.
pub(crate) fn conclude(
    notebook: &Notebook,
    path: &Path,
    finished: &Finished,
    (place, full): (verbs::report::ReportFile, FullArgs),
    console: &Console,
) -> anyhow::Result<Exit> {
    let run = finished.run;
    ending::require_notebook(notebook, run)?;
    let written = place.write(notebook, path, run, console);
    let comparison = report::compare(notebook, run)?;
    if let Err(error) = notebook.keep_verdict(run, &comparison.kept_verdict()) {
        console.warn(&format!("{error}; `drivetrain ls` will compare the run again for its verdict"));
    }
    let resume = resume_line(path, run);
    if console.json() {
        let mut document = verbs::show::document(notebook, run)?;
        document["comparison"] = comparison.to_json();
        document["report"] =
            written.as_ref().map_or(serde_json::Value::Null, |p| p.display().to_string().into());
        document["resume"] = if finished.left > 0 { resume.into() } else { serde_json::Value::Null };
        console.document(&document);
    } else {
        let report = written.as_ref().ok().map(PathBuf::as_path);
        answer(notebook, path, finished, (&comparison, report, full), console)?;
    }
    written?;
    if let Some(left) = &finished.left_behind {
        console.warn(&left.to_string());
    }
    Ok(exit_of(finished))
}

/// The exit code of a run that ended.
pub(crate) fn exit_of(finished: &Finished) -> Exit {
    match finished.state {
        RunState::Finished if finished.invalid > 0 => Exit::InvalidCells,
        RunState::Finished if finished.left_behind.is_some() => Exit::Refused,
        RunState::Finished => Exit::Done,
        _ => Exit::Interrupted,
    }
}
