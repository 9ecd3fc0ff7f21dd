//! A drive's certificate: the same loads on the drive and on its emulated twin, interleaved, and the error of
//! the model with intervals.

use std::path::{Path, PathBuf};

use device::catalogue::Entry;
use experiment::{Experiment, Storage};
use lab::{Finished, World};
use notebook::{Facts, Labels, Notebook};
use serde_json::{Value, json};
use study::profile::{FACTS, NAMED_TWIN, TWIN, TwinFigure, twin_figures};

use super::target::{self, Target};
use super::{ProfileArgs, certificate, measure};
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
    args.loads.iter().for_each(|loads| outputs.keep(loads, "the loads"));
    // The certificate may go into the drive's own file, and nothing else may.
    let plan = |file: &PathBuf| certificate::Place::plan((given, &entry), file, &mut outputs);
    let certificate = args.output.as_ref().map(plan).transpose()?;
    outputs::keep_drives(&mut outputs, [given]);
    let place = ReportFile::plan(args.report.as_deref(), &mut outputs)?;
    let interrupt = signals::listen(*console, signals::OF_CELLS)?;
    let beside =
        Beside { labels: Labels::default(), uring: args.uring, page: &args.page, is_here: true, besides: "" };
    let request = run::request(resolved, World::default());
    let (notebook, finished) =
        run::conducted(&request, &beside, (path, &interrupt), console, |notebook, feed| {
            lab::run(&request, notebook, &interrupt, feed)
        })?;
    conclude((&notebook, path, &finished), given, (place, certificate), console)
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
    given: &str,
    (place, certificate): (ReportFile, Option<certificate::Place>),
    console: &Console,
) -> anyhow::Result<Exit> {
    let run = finished.run;
    let facts = Facts::from([(TWIN.to_owned(), given.to_owned())]);
    notebook.add_fact_set(run, FACTS, &facts)?;
    let written = place.write(notebook, path, run, console);
    let figures = twin_figures(notebook, run)?;
    if finished.left > 0 && certificate.is_some() {
        console.warn(
            "`drivetrain resume` measures the other cells for `compare` and writes no certificate; another `profile --twin` does",
        );
    }
    let line = match figures.is_empty() {
        true => None,
        false => Some(certificate::line((notebook, run), &figures, finished.left)?),
    };
    // The results are told before the fault of a file that cannot be written.
    let certified =
        certificate.zip(line.as_ref()).map(|(place, line)| place.write(line, console)).transpose();
    let file = certified.as_ref().ok().and_then(Option::as_ref);
    if console.json() {
        let mut document = show::document(notebook, run)?;
        document["twin"] = figures.iter().map(figure_document).collect();
        document["certificate"] = line.as_deref().into();
        document["certified"] = file.map(String::as_str).into();
        document["report"] = written.as_ref().map_or(Value::Null, |file| file.display().to_string().into());
        document["resume"] = if finished.left > 0 { run::resume_line(path, run).into() } else { Value::Null };
        console.document(&document);
    } else {
        console.answer(&report::profile_in_full(notebook, run)?);
        if let Ok(file) = &written {
            console.answer(&words::say!("ending-report", file = file.display().to_string()));
        }
        file.iter().for_each(|file| console.answer(&format!("certificate written to {file}")));
        if let (Err(_), Some(line)) = (&certified, &line) {
            console.answer(&format!("the certificate, which is not written: {line}"));
        }
        if finished.left > 0 {
            console.answer(&run::left_line(path, run, finished.left));
        }
    }
    written?;
    certified?;
    if let Some(left) = &finished.left_behind {
        console.warn(&left.to_string());
    }
    Ok(run::exit_of(finished))
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
