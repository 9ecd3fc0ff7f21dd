//! `drivetrain observe`: a server under somebody else's load, without any load of ours.

mod kept;
mod watched;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use experiment::Span;
use ground::Clock;
use lab::Observing;
use notebook::{Facts, Notebook, RunId};
use serde_json::{Value, json};
use words::{Engine, ServerUrl, WorkloadKind, say};

use super::drives;
use super::tag::LabelArgs;
use crate::console::Console;
use crate::ending;
use crate::exit::{Coded, Exit};
use crate::{notebooks, signals};

/// Arguments of `observe`.
#[derive(Debug, Args)]
#[command(after_help = format!(
    "The sessions are read-only and read nothing but the server's own views; no extension is needed. The user needs {}. \
     The password comes from the environment: {}. On the server's own machine, observe also reads the processors and the \
     drive below the data. Ctrl-C keeps the seconds so far.",
    of_servers(Engine::watch_privilege),
    of_servers(Engine::password_variable)
))]
pub(crate) struct ObserveArgs {
    /// The address of the server
    #[arg(long, value_name = "URL", help = format!("The server: {}, without a password", of_servers(address_form)))]
    url: String,

    /// Duration of the observation
    #[arg(long = "for", value_name = "TIME", default_value = "10min")]
    time: Span,

    /// A path on the drive of the data, or the drive (default: the server's own directory, if the user may
    /// read its path)
    #[arg(long, value_name = "PATH|DEVICE")]
    storage: Option<PathBuf>,

    /// The drive below the data, for predictions: a name of the catalogue, or a drive's .toml file
    #[arg(long, value_name = "DRIVE")]
    drive: Option<String>,

    /// Number of processors of the server's machine, if it is not this one
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=4096))]
    processors: Option<u32>,

    #[command(flatten)]
    labels: LabelArgs,
}

/// One fact of every server engine, joined by "or": `PGPASSWORD or MYSQL_PWD`.
fn of_servers<T: Into<String>>(says: fn(Engine) -> T) -> String {
    Engine::servers().map(|engine| says(engine).into()).collect::<Vec<String>>().join(" or ")
}

fn address_form(engine: Engine) -> String {
    format!("{}://USER@HOST:PORT/DATABASE", engine.schemes()[0])
}

/// The longest time: a month.
const TIME_MOST: Duration = Duration::from_secs(31 * 86_400);

/// Observes, keeps and prints.
pub(crate) fn observe(args: &ObserveArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let engine = engine_of(&args.url)?;
    if args.time.0 < Duration::from_secs(1) || args.time.0 > TIME_MOST {
        return Err(Coded::usage("--for: between a second and 31 days, for example --for 10min"));
    }
    if let Some(storage) = args.storage.as_ref().filter(|storage| storage.symlink_metadata().is_err()) {
        return Err(Coded::usage(format!("--storage {}: there is no such path", storage.display())));
    }
    let drive = match &args.drive {
        Some(given) => Some(drives::in_experiment(given, &drives::find(given)?)),
        None => None,
    };
    // A notebook that cannot be written is told now, not after ten minutes.
    kept::check(path)?;
    let observing = Observing {
        engine,
        url: args.url.clone(),
        time: args.time.0,
        storage: args.storage.clone(),
        processors: args.processors,
        interrupt: signals::listen(*console, signals::OF_A_LOOK)?,
    };
    let began = Clock::Wall.date();
    let seen = watched::watched(&observing, console)?;
    let run = kept::keep(&seen, (engine, drive, began), &args.labels, path)?;
    let notebook = notebooks::open(path)?;
    print(&notebook, run, path, console)?;
    Ok(if seen.was_stopped { Exit::Interrupted } else { Exit::Done })
}

/// The engine of an address, whose faults are told before anything else is done.
fn engine_of(url: &str) -> anyhow::Result<Engine> {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme).unwrap_or_default();
    let Some(engine) = Engine::servers().find(|engine| engine.schemes().contains(&scheme)) else {
        let known: Vec<String> =
            Engine::servers().flat_map(Engine::schemes).map(|scheme| format!("{scheme}://")).collect();
        return Err(Coded::usage(format!("--url: an address begins with {}", known.join(", "))));
    };
    match ServerUrl::read(url, engine) {
        Ok(address) if address.password.is_some() => Err(Coded::usage(format!(
            "--url: the address has a password in it, which everybody who lists processes can read; leave it out and set {}",
            engine.password_variable()
        ))),
        Ok(_) => Ok(engine),
        Err(faults) => Err(Coded::usage(format!(
            "--url: {}; write it as {}://USER@HOST:{}/DATABASE",
            faults.join("; "),
            engine.schemes()[0],
            engine.port()
        ))),
    }
}

fn print(notebook: &Notebook, run: RunId, path: &Path, console: &Console) -> anyhow::Result<()> {
    if console.json() {
        console.document(&document(notebook, run)?);
        return Ok(());
    }
    tell(notebook, run, path, console)
}

/// True for a run that observed a server.
pub(crate) fn is_of(notebook: &Notebook, run: RunId) -> anyhow::Result<bool> {
    Ok(notebook.cells(run)?.iter().any(|cell| cell.kind == WorkloadKind::Observed))
}

/// Prints the result of such a run, and the next command.
pub(crate) fn tell(notebook: &Notebook, run: RunId, path: &Path, console: &Console) -> anyhow::Result<()> {
    console.answer(&report::observed(notebook, run)?);
    let is_known = facts_of(notebook, run)?.is_some_and(|facts| facts.contains_key("drive"));
    let drives = if is_known { "--to DRIVE" } else { "--from DRIVE --to DRIVE" };
    let command = ending::command("predict", run, drives, path);
    console.answer(&say!("ending-next", command));
    Ok(())
}

/// The facts about the observed server.
fn facts_of(notebook: &Notebook, run: RunId) -> anyhow::Result<Option<Facts>> {
    let sets = notebook.fact_sets(run)?;
    Ok(sets.into_iter().find(|(scope, _)| scope == study::OBSERVED_SCOPE).map(|(_, facts)| facts))
}

/// The run with its one cell.
fn document(notebook: &Notebook, run: RunId) -> anyhow::Result<Value> {
    let cells = notebook.cells(run)?;
    let cell = &cells[0];
    let metrics = notebook.measurements(cell.id)?.into_iter().map(|one| {
        let value = json!({ "value": one.value, "unit": one.unit });
        (one.metric, value)
    });
    let notes = notebook.notes(run)?;
    let facts = facts_of(notebook, run)?;
    Ok(json!({
        "run": run.0,
        "limiter": cell.limiter,
        "limiter_figures": cell.limiter_figures.as_ref().map(ToString::to_string),
        "metrics": metrics.collect::<serde_json::Map<_, _>>(),
        "clients": facts.as_ref().and_then(|facts| facts.get("clients")?.parse::<f64>().ok()),
        "facts": facts,
        "notes": notes.iter().map(|note| &note.text).collect::<Vec<_>>(),
    }))
}
