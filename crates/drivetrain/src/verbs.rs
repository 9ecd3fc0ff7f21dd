//! One file per verb. This one only knows which.

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

use crate::cli::{Cli, Verb};
use crate::console::Console;
use crate::exit::Exit;
use crate::help::reference;

/// Runs the verb of the command line.
pub(crate) fn dispatch(cli: &Cli, console: &Console) -> anyhow::Result<Exit> {
    let path = cli.notebook.as_path();
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
