//! A drive's certificate: the same loads on the drive and on its emulated twin, interleaved, and the error of
//! the model with intervals.

use std::path::Path;

use anyhow::Context as _;
use device::catalogue::Entry;
use disk::Output;
use experiment::{Experiment, Storage};
use lab::{Finished, World};
use notebook::{Facts, Labels, Notebook, RunId};
use serde_json::{Value, json};
use study::profile::{FACTS, NAMED_TWIN, TWIN, TwinFigure, surroundings_of_run, twin_figures};
use toml_edit::{DocumentMut, Item, value};

use super::target::{self, Target};
use super::{ProfileArgs, measure};
use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::verbs::report::ReportFile;
use crate::verbs::run::{self, Beside};
use crate::verbs::{drives, show};
use crate::{outputs, signals};

/// Runs the loads on both.
pub(super) fn twin(args: &ProfileArgs, given: &str, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let entry = drives::find(given)?;
    let Target::Directory(directory) = Target::of(args)? else {
        return Err(Coded::usage("--twin needs a directory on the drive: databases run there"));
    };
    let resolved = measure::resolve(args, NAMED_TWIN, console, &mut |experiment| {
        put(experiment, (given, &entry), &directory)
    })?;
    lab::check_alike(&resolved.experiment)?;
    lab::check(&resolved.experiment)?;
    target::check(&resolved.experiment)?;
    let mut outputs = outputs::beside_notebook(path, args.force, console);
    // The certificate may go into the drive's own file, and nothing else may.
    let kind = |file: &Path| if is_same(file, given) { outputs::SAME_DRIVE } else { outputs::DRIVE };
    let output = args.output.as_ref().map(|file| outputs.plan(file, kind(file))).transpose();
    outputs::keep_drives(&mut outputs, [given]);
    let place = ReportFile::plan(args.report.as_deref(), &mut outputs)?;
    let output = output.map_err(outputs::coded)?;
    if output.is_some() && entry.accuracy.is_none() {
        return Err(Coded::usage(format!(
            "{given} was not profiled: a certificate belongs to the table [profile] of a drive's file; leave -o out"
        )));
    }
    let interrupt = signals::listen(*console, signals::OF_CELLS)?;
    let beside =
        Beside { labels: Labels::default(), uring: args.uring, page: &args.page, is_here: true, besides: "" };
    let request = run::request(resolved, World::default());
    let (notebook, finished) =
        run::conducted(&request, &beside, (path, &interrupt), console, |notebook, feed| {
            lab::run(&request, notebook, &interrupt, feed)
        })?;
    conclude((&notebook, path, &finished), (given, &entry), (place, output), console)
}

/// True if both lead to one file.
fn is_same(file: &Path, given: &str) -> bool {
    let [file, given] = [file, Path::new(given)].map(std::fs::canonicalize);
    matches!((file, given), (Ok(file), Ok(given)) if file == given)
}

/// The drive on the first bed, its model on the second, both with their bytes in one directory. Servers have
/// the kernel's page cache on both.
fn put(experiment: &mut Experiment, (given, entry): (&str, &Entry), directory: &Path) -> anyhow::Result<()> {
    let [drive, twin] = experiment.bed.as_mut_slice() else {
        return Err(Coded::usage("a drive and its twin are two beds"));
    };
    drive.storage = Storage::Real { path: directory.to_owned() };
    twin.storage =
        Storage::Emulated { drive: drives::in_experiment(given, entry), path: directory.to_owned() };
    if let Some(database) = experiment.database.as_mut().filter(|database| database.engine.is_server()) {
        database.page_cache = true;
    }
    Ok(())
}

fn conclude(
    (notebook, path, finished): (&Notebook, &Path, &Finished),
    (given, entry): (&str, &Entry),
    (place, output): (ReportFile, Option<Output>),
    console: &Console,
) -> anyhow::Result<Exit> {
    let run = finished.run;
    let facts = Facts::from([(TWIN.to_owned(), given.to_owned())]);
    notebook.add_fact_set(run, FACTS, &facts)?;
    let written = place.write(notebook, path, run, console);
    let figures = twin_figures(notebook, run)?;
    if finished.left > 0 && output.is_some() {
        console.warn(
            "`drivetrain resume` measures the other cells for `compare` and writes no certificate; another `profile --twin` does",
        );
    }
    let certified = match output.filter(|_| !figures.is_empty()) {
        Some(output) => {
            let surroundings = surroundings_of_run(notebook, run)?.circumstances;
            // Every figure has two at least.
            let pairs = figures.iter().map(|figure| figure.ratio.pairs_or_runs.0).min().unwrap_or(0);
            let left = finished.left;
            let cut_short = (left > 0).then(|| format!("interrupted: {left} cells not measured"));
            let of_day = [surroundings.date, surroundings.machine, surroundings.scale];
            let of_day = of_day.into_iter().chain([Some(loads(notebook, run, pairs)?), cut_short]);
            let of_day = of_day.flatten().collect::<Vec<_>>();
            Some(certify((given, entry), &certificate(&of_day.join(", "), &figures), output, console)?)
        }
        None => None,
    };
    if console.json() {
        let mut document = show::document(notebook, run)?;
        document["twin"] = figures.iter().map(figure_document).collect();
        document["certified"] = certified.clone().into();
        document["report"] = written.as_ref().map_or(Value::Null, |file| file.display().to_string().into());
        document["resume"] = if finished.left > 0 { run::resume_line(path, run).into() } else { Value::Null };
        console.document(&document);
    } else {
        console.answer(&report::profile_in_full(notebook, run)?);
        if let Ok(file) = &written {
            console.answer(&words::say!("ending-report", file = file.display().to_string()));
        }
        certified.iter().for_each(|file| console.answer(&format!("certificate written to {file}")));
        if finished.left > 0 {
            console.answer(&run::left_line(path, run, finished.left));
        }
    }
    written?;
    if let Some(left) = &finished.left_behind {
        console.warn(&left.to_string());
    }
    Ok(run::exit_of(finished))
}

/// The error of a figure, signed, with its interval, per cent.
fn error(figure: &TwinFigure) -> String {
    let percent = |ratio: f64| format!("{:+.1}", (ratio - 1.0) * 1e2);
    let ratio = &figure.ratio;
    format!("{} % ({} to {})", percent(ratio.value), percent(ratio.low), percent(ratio.high))
}

fn figure_document(figure: &TwinFigure) -> Value {
    json!({
        "workload": figure.workload,
        "level": figure.level,
        "level_name": figure.level_name,
        "metric": figure.metric.to_string(),
        "drive": figure.drive,
        "twin": figure.twin,
        "ratio": figure.ratio.value,
        "low": figure.ratio.low,
        "high": figure.ratio.high,
        "pairs": figure.ratio.pairs_or_runs.0,
    })
}

/// The engine, the time of each cell and the pairs of cells: a certificate that was made shorter has less.
fn loads(notebook: &Notebook, run: RunId, pairs: usize) -> anyhow::Result<String> {
    let stored = notebook.run(run)?;
    let experiment = experiment::parse(&stored.experiment_toml, &stored.name)
        .map_err(|faults| Coded::faulty(faults.render(false)))?;
    let mut parts: Vec<String> =
        experiment.database.iter().map(|database| database.engine.to_string()).collect();
    parts.extend(experiment.workload.iter().map(|load| format!("{} of {}", load.name(), load.measure())));
    parts.push(format!("{pairs} pairs"));
    Ok(parts.join(", "))
}

/// The certificate in one line.
fn certificate(of_day: &str, figures: &[TwinFigure]) -> String {
    let one = |figure: &TwinFigure| {
        format!("{} {} {} {}", figure.workload, figure.level, figure.metric, error(figure))
    };
    format!("{of_day}: {}", figures.iter().map(one).collect::<Vec<_>>().join("; "))
}

/// Writes the drive's file with the certificate in its table `[profile]`, in place of one that is there. The
/// file is read anew: its words may have changed meanwhile, but the numbers are those that were measured.
fn certify(
    (given, measured): (&str, &Entry),
    certificate: &str,
    output: Output,
    console: &Console,
) -> anyhow::Result<String> {
    let (entry, text) = drives::of_file(given.as_ref())?;
    if entry.numbers_mark() != measured.numbers_mark() {
        return Err(Coded::usage(format!(
            "{given}: its numbers were changed while its certificate was measured; the run is kept, and the certificate is not written: put the numbers back or measure anew"
        )));
    }
    let mut document: DocumentMut = text.parse().with_context(|| format!("reading {given}"))?;
    let profile = document.get_mut("profile").and_then(Item::as_table_like_mut);
    let profile = profile.ok_or_else(|| Coded::usage(format!("{given}: has no table [profile]")))?;
    profile.insert("certificate", value(certificate.replace(char::is_control, " ")));
    profile.insert("certified_numbers", value(entry.numbers_mark()));
    let text = document.to_string();
    device::catalogue::parse(&text, given).map_err(|faults| Coded::faulty(faults.render(false)))?;
    let path = output.path().display().to_string();
    output.write(text.as_bytes()).map_err(outputs::coded)?;
    if device::catalogue::own().iter().any(|own| own.name == entry.name) {
        console.warn(&format!(
            "your own catalogue has a copy of {} without this certificate; replace it with: drivetrain drives --add {} --force",
            entry.name,
            words::shell::path(Path::new(&path))
        ));
    }
    Ok(path)
}
