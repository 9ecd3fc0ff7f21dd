//! The command line as types. Each verb's own arguments are in its file.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::console::Color;
use crate::language;
use crate::verbs::{
    attribute, audit, block, calibrate, check, clean, compare, completions, doctor, drives, export, fleet,
    help, import, import_job, init, ls, man, mount, note, observe, plan, predict, profile, published, replay,
    report, resume, rm, run, serve, show, tag, trend, verify,
};

/// What is built in besides, by the features of the build.
#[cfg(feature = "parquet")]
macro_rules! parquet {
    () => {
        "; exports: Parquet"
    };
}
#[cfg(not(feature = "parquet"))]
macro_rules! parquet {
    () => {
        ""
    };
}
#[cfg(feature = "otlp")]
macro_rules! otlp {
    () => {
        "; metrics: OTLP"
    };
}
#[cfg(not(feature = "otlp"))]
macro_rules! otlp {
    () => {
        ""
    };
}

/// The answer to `--version`; `-V` prints the version alone.
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit: ",
    env!("DRIVETRAIN_COMMIT"),
    "\ntarget: ",
    env!("DRIVETRAIN_TARGET"),
    "\nfeatures: SQLite built in; servers: PostgreSQL, MariaDB; modelled drives: SQLite VFS, FUSE; block: io_uring",
    parquet!(),
    otlp!()
);

/// Measures the effect of storage on a database: one honest comparison, from drive to transaction.
#[derive(Debug, Parser)]
#[command(name = "drivetrain", version, long_version = VERSION, disable_help_subcommand = true, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,

    /// The notebook: one SQLite file that keeps every run
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "DRIVETRAIN_NOTEBOOK",
        default_value = "drivetrain.db"
    )]
    pub(crate) notebook: PathBuf,

    /// Print exactly one JSON document on stdout and nothing else; its texts are English in every language
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// No progress on stderr
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,

    /// Colours on the terminal (NO_COLOR is respected)
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,

    /// Language of reports, verdicts, tables and pages: en, id, ko or zh; without it that of LANG
    #[arg(long, global = true, value_name = "LANGUAGE", env = "DRIVETRAIN_LANGUAGE", value_parser = language::parse)]
    pub(crate) language: Option<language::Wanted>,
}

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
    /// Show the plan of a run: order, time, space, bytes written; touches nothing
    Plan(plan::PlanArgs),
    /// Run an experiment by file or name
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
    /// Show an experiment over its runs, with the changes in it
    Trend(trend::TrendArgs),
    /// Remove the remains of killed runs, and the data of runs; results stay
    Clean(clean::CleanArgs),
    /// Export a run as CSV, Parquet, JSON lines or in fio's formats
    Export(export::ExportArgs),
    /// Import runs of another notebook, results of other programs, or counters beside a run
    Import(import::ImportArgs),
    /// Print the experiment equivalent to a fio job file or a vdbench parameter file
    ImportJob(import_job::ImportJobArgs),
    /// List the modelled drives, or show one with the source of every number
    Drives(drives::DrivesArgs),
    /// Measure a drive of your own, or fit one to measurements
    Profile(profile::ProfileArgs),
    /// Mount directories on a modelled drive, for any program
    Mount(mount::MountArgs),
    /// Block load without an experiment file
    Block(block::BlockArgs),
    /// Replay a trace on a file or device: fio iolog, blkparse, CSV
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
