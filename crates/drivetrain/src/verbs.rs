//! One file per verb. This one only knows which: each has a variant, a call and a place in the help here.

pub(crate) mod attribute;
pub(crate) mod audit;
pub(crate) mod block;
pub(crate) mod calibrate;
pub(crate) mod check;
pub(crate) mod clean;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod drives;
pub(crate) mod examples;
pub(crate) mod export;
pub(crate) mod fleet;
pub(crate) mod help;
pub(crate) mod import;
pub(crate) mod import_job;
pub(crate) mod init;
pub(crate) mod ls;
pub(crate) mod note;
pub(crate) mod observe;
pub(crate) mod man;
pub(crate) mod mount;
pub(crate) mod plan;
pub(crate) mod replay;
pub(crate) mod predict;
pub(crate) mod profile;
pub(crate) mod published;
pub(crate) mod report;
pub(crate) mod resume;
pub(crate) mod rm;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod tag;
pub(crate) mod trend;
pub(crate) mod verify;
pub(crate) mod worker;

use clap::Subcommand;

use crate::cli::Cli;
use crate::console::Console;
use crate::exit::Exit;
use crate::help::reference;
use crate::job_file;
use crate::targets;

/// The verbs.
#[allow(clippy::large_enum_variant)] // There is one, for the life of the process.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Run the built-in demonstration and write its report
    Demo(run::DemoArgs),
    /// Write an experiment file to start from, or list the built-in ones
    Init(init::InitArgs),
    /// Check this machine for conditions that would spoil a measurement, with remedies
    Doctor(doctor::DoctorArgs),
    /// Show the plan of a run: order, time, space, bytes written; starts nothing
    Plan(plan::PlanArgs),
    /// Run an experiment file, or a built-in experiment by name
    Run(run::RunArgs),
    /// Continue a run that was interrupted or killed, or add repeats to it
    Resume(resume::ResumeArgs),
    /// List the runs in the notebook
    Ls(ls::LsArgs),
    /// Tag a run, take a tag away, or name the run
    Tag(tag::TagArgs),
    /// Keep a remark with a run, or print its remarks
    Note(note::NoteArgs),
    /// Remove runs from the notebook, with their data
    Rm(rm::RmArgs),
    /// Show one run: its cells with figures and limiters
    ///
    /// The limiter of a cell is the resource that took the largest part of the users' time, or left no
    /// processor idle. The words are explained below the table, and in docs/guide/verdicts.md.
    Show(show::ShowArgs),
    /// Write the HTML report of a run
    Report(report::ReportArgs),
    /// Show the notebook as local web pages: runs, reports, and the run under way, second by second
    Serve(serve::ServeArgs),
    /// Compare the beds of a run, or two runs: ratio, interval, verdict
    Compare(compare::CompareArgs),
    /// Gate for CI: fail if a run is worse than its baseline
    Check(check::CheckArgs),
    /// Show how an experiment's results changed from run to run
    Trend(trend::TrendArgs),
    /// Remove the remains of killed runs, and the data of runs; results stay
    Clean(clean::CleanArgs),
    /// Export a run as CSV, Parquet, JSON lines or in fio's formats
    Export(export::ExportArgs),
    /// Import runs of another notebook, results of other programs, or counters beside a run
    Import(import::ImportArgs),
    #[command(about = format!("Print the experiment equivalent to a {}", job_file::forms(" or a ")))]
    ImportJob(import_job::ImportJobArgs),
    /// List the modelled drives, or show one with the source of every number
    Drives(drives::DrivesArgs),
    /// Measure a drive of your own, or fit one to measurements
    Profile(profile::ProfileArgs),
    /// Mount directories on a modelled drive, for any program
    Mount(mount::MountArgs),
    /// Block load without an experiment file
    Block(block::BlockArgs),
    #[command(about = format!("Replay a trace on a file or device: {}", replay::formats()))]
    Replay(replay::ReplayArgs),
    /// After a crash: compare a file or device with the journal of its durable writes
    Verify(verify::VerifyArgs),
    /// Compare published measurements with the results of the simulated beds
    Published(published::PublishedArgs),
    /// Fit the parameters of the simulated beds to published numbers
    Calibrate(calibrate::CalibrateArgs),
    /// Split a published gain into drive, processor, network and the rest
    Attribute(attribute::AttributeArgs),
    /// Check a study's printed numbers: ratios, Little's law, bytes and time, bed facts
    Audit(audit::AuditArgs),
    /// Observe a server under somebody else's load: the demands of its transactions, for `predict`
    Observe(observe::ObserveArgs),
    /// Predict a measured load on another drive
    ///
    /// If a bed of the same run has that drive, the last lines judge the prediction. "kept": all predictions
    /// of a figure were within the stated share of the measurement of that bed. "MISSED": at least one was
    /// not.
    Predict(predict::PredictArgs),
    /// Print the commands that start a run on several machines
    Fleet(fleet::FleetArgs),
    /// Be a rank of `run --hosts`, over standard input and output
    #[command(hide = true)]
    Worker,
    /// Print the help of the program or of a verb, the options of every verb, or the exit codes
    Help(help::HelpArgs),
    /// Print the JSON Schema of the experiment file
    Schema,
    /// Print shell completions
    Completions(completions::CompletionsArgs),
    /// Write the man pages
    Man(man::ManArgs),
}

/// The verbs by what a person wants; each is in one group.
pub(crate) const GROUPS: &[(&str, &[&str])] = &[
    ("Measure", &["demo", "init", "plan", "run", "resume", "block", "replay", "observe", "import-job"]),
    ("Read results", &["show", "compare", "check", "trend", "report", "serve"]),
    ("Keep results", &["ls", "tag", "note", "rm", "import", "export"]),
    ("Storage", &["drives", "profile", "mount", "verify", "clean"]),
    ("Machine", &["doctor"]),
    ("Several machines", &["fleet"]),
    ("Models and studies", &["predict", "attribute", "published", "audit", "calibrate"]),
    ("This program", &["help", "schema", "completions", "man"]),
];

/// Runs the verb of the command line.
pub(crate) fn dispatch(cli: &Cli, console: &Console) -> anyhow::Result<Exit> {
    let path = cli.notebook.as_path();
    check_notes(&cli.verb, console)?;
    if !matches!(cli.verb, Verb::Clean(_) | Verb::Help(_)) {
        clean::remove_what_was_left(console);
    }
    if !matches!(cli.verb, Verb::Clean(_) | Verb::Help(_) | Verb::Completions(_)) {
        drives::own::load(console);
    }
    // A mount is taken down from anywhere.
    if !matches!(cli.verb, Verb::Mount(_) | Verb::Help(_) | Verb::Completions(_)) {
        emulate::fuse::check_answers(path)?;
    }
    match &cli.verb {
        Verb::Demo(args) => run::demo(args, path, console),
        Verb::Init(args) => init::init(args, path, console),
        Verb::Doctor(args) => doctor::doctor(args, console),
        Verb::Plan(args) => plan::plan(args, console),
        Verb::Run(args) => run::run(args, path, console),
        Verb::Resume(args) => resume::resume(args, path, console),
        Verb::Ls(args) => ls::ls(args, path, console),
        Verb::Trend(args) => trend::trend(args, path, console),
        Verb::Tag(args) => tag::tag(args, path, console),
        Verb::Note(args) => note::note(args, path, console),
        Verb::Rm(args) => rm::rm(args, path, console),
        Verb::Show(args) => show::show(args, path, console),
        Verb::Report(args) => report::report(args, path, console),
        Verb::Serve(args) => serve::serve(args, path, console),
        Verb::Compare(args) => compare::compare(args, path, console),
        Verb::Check(args) => check::check(args, path, console),
        Verb::Clean(args) => clean::clean(args, path, console),
        Verb::Export(args) => export::export(args, path, console),
        Verb::Import(args) => import::import(args, path, console),
        Verb::ImportJob(args) => import_job::import_job(args, path, console),
        Verb::Drives(args) => drives::drives(args, path, console),
        Verb::Profile(args) => profile::profile(args, path, console),
        Verb::Mount(args) => mount::mount(args, console),
        Verb::Block(args) => block::block(args, path, console),
        Verb::Replay(args) => replay::replay(args, path, console),
        Verb::Verify(args) => verify::verify(args, console),
        Verb::Published(args) => published::published(args, console),
        Verb::Calibrate(args) => calibrate::calibrate(args, path, console),
        Verb::Attribute(args) => attribute::attribute(args, path, console),
        Verb::Audit(args) => audit::audit(args, console),
        Verb::Observe(args) => observe::observe(args, path, console),
        Verb::Predict(args) => predict::predict(args, path, console),
        Verb::Fleet(args) => fleet::fleet(args, console),
        Verb::Worker => worker::worker(console),
        Verb::Help(args) => help::help(args, console),
        Verb::Schema => schema::schema(console),
        Verb::Completions(args) => completions::completions(args, reference(), console),
        Verb::Man(args) => man::man(args, reference(), path, console),
    }
}

/// Looks for the place of the notes of what a kill leaves, before anything is made. A load notes its file by
/// itself.
fn check_notes(verb: &Verb, console: &Console) -> anyhow::Result<()> {
    let makes = matches!(
        verb,
        Verb::Demo(_)
            | Verb::Run(_)
            | Verb::Resume(_)
            | Verb::Mount(_)
            | Verb::Profile(_)
            | Verb::Fleet(_)
            | Verb::Worker
    );
    let checked = if makes { remains::check() } else { remains::check_trust() };
    match checked {
        Err(no_place) if makes || matches!(verb, Verb::Clean(_)) => {
            targets::without_notes(&no_place, console)
        }
        Err(no_place) => {
            console.note(&format!("warning: {no_place}"));
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}
