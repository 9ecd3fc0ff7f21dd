//! A drive's certificate: the same loads on the drive and on its emulated twin, interleaved, and the error of
//! the model with intervals.

use std::collections::BTreeMap;
use std::path::Path;

use device::catalogue::Entry;
use experiment::{Bed, Experiment, Storage};
use lab::{Finished, World};
use notebook::{Facts, Labels, Notebook};
use serde_json::Value;
use study::profile::{FACTS, NAMED_TWIN, TWIN};

use super::certificate::{self, Certified};
use super::target::{self, Target};
use super::{ProfileArgs, measure, twin_there};
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
    require_pairs(args, &resolved.experiment)?;
    lab::check_alike(&resolved.experiment)?;
    lab::check(&resolved.experiment)?;
    target::check(&resolved.experiment)?;
    let mut outputs = outputs::beside_notebook(path, args.force, console);
    args.loads.iter().for_each(|loads| outputs.keep(loads, "the loads"));
    let certificate = certificate::Place::plan(args.output.as_deref(), (given, &entry), &mut outputs)?;
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

/// Refuses beds that differ in more than their storage, where the error would not be that of the model alone,
/// and a certificate without pairs of cells.
fn require_pairs(args: &ProfileArgs, experiment: &Experiment) -> anyhow::Result<()> {
    let repeats = experiment.design.repeats;
    if args.output.is_some() && repeats < 2 {
        return Err(Coded::usage(format!(
            "design.repeats = {repeats}: a certificate needs two pairs of cells for its intervals; give 2 or more, or leave -o out"
        )));
    }
    match experiment.bed.as_slice() {
        [drive, twin] if !differ_in_storage_alone(drive, twin) => Err(Coded::usage(format!(
            "beds {} and {} differ in more than their storage; give a drive and its twin the same memory, processors and log",
            drive.name, twin.name
        ))),
        _ => Ok(()),
    }
}

/// True if two beds differ in nothing but their storage and what they are called.
pub(super) fn differ_in_storage_alone(drive: &Bed, twin: &Bed) -> bool {
    let bare = |bed: &Bed| Bed {
        name: String::new(),
        label: None,
        storage: drive.storage.clone(),
        simulated: None,
        setup: BTreeMap::new(),
        ..bed.clone()
    };
    bare(drive) == bare(twin)
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
    let is_whole = finished.left == 0;
    let missing = finished.left + finished.invalid;
    if missing > 0 && certificate.is_some() {
        console.warn(&format!(
            "{}, then write the certificate with `{}`",
            twin_there::missing(run, missing, path),
            twin_there::command(Some(given), run, path)
        ));
    }
    let certified = Certified::of((notebook, run), certificate, missing == 0, console)?;
    if console.json() {
        let mut document = show::document(notebook, run)?;
        certified.add_to(&mut document);
        document["report"] = written.as_ref().map_or(Value::Null, |file| file.display().to_string().into());
        document["resume"] = if is_whole { Value::Null } else { run::resume_line(path, run).into() };
        console.document(&document);
    } else {
        console.answer(&report::profile_in_full(notebook, run)?);
        if let Ok(file) = &written {
            console.answer(&words::say!("ending-report", file = file.display().to_string()));
        }
        certified.tell(console);
        if !is_whole {
            console.answer(&run::left_line(path, run, finished.left));
        }
    }
    written?;
    certified.file?;
    if let Some(left) = &finished.left_behind {
        console.warn(&left.to_string());
    }
    Ok(run::exit_of(finished))
}
