//! The same state before every cell: a data set loaded once, checked, kept as a golden copy, and copied back each time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use database::group::Limits;
use database::{Instance, InstanceSpec, Marker};
use experiment::Bed;
use notebook::Notebook;
use oltp::tpcc::Stage;

use crate::conductor::{Conductor, seconds_since};
use crate::data_set::DataSet;
use crate::fleet::{Fleet, numbered};
use crate::order::CellKey;
use crate::{Event, LabError, existing, instances};

/// Written into a golden copy's folder when it is whole; a copy without it is loaded anew.
const WHOLE: &str = "whole";

/// Sees to it that every storage path has the golden copy of workload number `number`: loads it on the first, copies it to the others.
pub(crate) fn golden_copies(
    conductor: &Conductor<'_>,
    notebook: &mut Notebook,
    number: usize,
    data: &DataSet,
) -> Result<(), LabError> {
    let mut done: BTreeSet<PathBuf> = BTreeSet::new();
    let mut first: Option<PathBuf> = None;
    for bed in &conductor.experiment.bed {
        if let Some(url) = conductor.experiment.url_of(bed) {
            existing::prepare(conductor, notebook, url, data)?;
            continue;
        }
        let golden = conductor.work.golden(bed, number);
        if !done.insert(golden.clone()) {
            continue;
        }
        if !golden.join(WHOLE).exists() {
            match &first {
                None => load_golden(conductor, notebook, bed, number, data)?,
                Some(from) => copy_golden(conductor, bed, from, &golden)?,
            }
        }
        first.get_or_insert(golden);
    }
    Ok(())
}

/// Loads off the clock (loading is not what is measured), checks everything, and keeps a copy.
fn load_golden(
    conductor: &Conductor<'_>,
    notebook: &mut Notebook,
    bed: &Bed,
    number: usize,
    data: &DataSet,
) -> Result<(), LabError> {
    let started = Instant::now();
    let what = data.what();
    conductor.observer.event(Event::Loading { what: what.clone(), share: 0.0 });
    let dir = conductor.work.root(bed).join(format!("loading-{number}"));
    remove_dir(&dir)?;
    let mut instance = for_work(conductor, &dir)?;
    instance.start().map_err(database_error)?;
    let progress = |share: f64| conductor.observer.event(Event::Loading { what: what.clone(), share });
    let rows = data
        .load(&*instance, conductor.seed, conductor.interrupt.flag(), &progress)
        .map_err(LabError::Load)?;
    let load_s = seconds_since(started);
    let checking = Instant::now();
    let violated =
        data.violations(&*instance, Stage::AfterLoad, &conductor.interrupt.flag()).map_err(LabError::Load)?;
    if let Some(first) = violated.first() {
        return Err(LabError::Load(format!("violated right after loading: {first}")));
    }
    let golden = conductor.work.golden(bed, number);
    remove_dir(&golden)?;
    let size_bytes = instance.size_bytes();
    instance.snapshot(&golden).map_err(database_error)?;
    instance.stop().map_err(database_error)?;
    drop(instance);
    remove_dir(&dir)?;
    mark_whole(&golden)?;
    let text = format!(
        "loaded {what} ({rows} rows, {:.0} MB) in {load_s:.1} s; all consistency conditions hold, checked in {:.1} s",
        size_bytes as f64 / 1e6,
        seconds_since(checking)
    );
    notebook.add_note(conductor.run, "load", &text)?;
    conductor.observer.event(Event::Did { what: text });
    Ok(())
}

/// The golden copy on another storage: one instance takes it from the first and keeps it there.
fn copy_golden(conductor: &Conductor<'_>, bed: &Bed, from: &Path, to: &Path) -> Result<(), LabError> {
    remove_dir(to)?;
    let dir = conductor.work.root(bed).join("copying");
    let mut instance = for_work(conductor, &dir)?;
    instance.restore(from).map_err(database_error)?;
    instance.snapshot(to).map_err(database_error)?;
    drop(instance);
    remove_dir(&dir)?;
    mark_whole(to)
}

fn for_work(conductor: &Conductor<'_>, dir: &Path) -> Result<Box<dyn Instance>, LabError> {
    let database = conductor.experiment.database.as_ref();
    instances::make(conductor.experiment, instances::for_work(database, dir)).map_err(database_error)
}

/// The instances of one cell in the golden copy's state, running, with cold pools.
pub(crate) fn fresh(conductor: &Conductor<'_>, key: CellKey, seed: u64) -> Result<Fleet, String> {
    let bed = &conductor.experiment.bed[key.bed];
    if let Some(url) = conductor.experiment.url_of(bed) {
        return existing::fleet(conductor, url);
    }
    bring_back(conductor, key, instances::for_cell(conductor, key.bed, seed), &|_| Limits::default())
}

/// The golden copy of the cell's workload in each of `specs`, running, with cold pools, held to the bed's limits and to those that `more`
/// has for its number.
pub(crate) fn bring_back(
    conductor: &Conductor<'_>,
    key: CellKey,
    specs: Vec<InstanceSpec>,
    more: &dyn Fn(usize) -> Limits,
) -> Result<Fleet, String> {
    let bed = &conductor.experiment.bed[key.bed];
    let golden = conductor.golden(key);
    let several = specs.len() > 1;
    let mut made = Vec::with_capacity(specs.len());
    for (number, spec) in specs.into_iter().enumerate() {
        let failed = |why: String| numbered(several, number, &format!("reset: {why}"));
        for dir in std::iter::once(&spec.dir).chain(&spec.log_dir) {
            remove_dir(dir).map_err(|e| failed(e.to_string()))?;
        }
        let mut limits = instances::limits_of(conductor.experiment, bed);
        let more = more(number);
        limits.rules.extend(more.rules);
        limits.idle_io |= more.idle_io;
        let instance = instances::make_limited(conductor.experiment, spec, &limits);
        made.push((instance.map_err(|e| failed(e.to_string()))?, String::new()));
    }
    let done = Fleet::each(made, |(instance, method): &mut (Box<dyn Instance>, String)| {
        let copied = instance.restore(&golden).map_err(|e| format!("reset: {e}"))?;
        *method = copied.method.to_string();
        instance.start().map_err(|e| format!("start: {e}"))
    })?;
    let reset_method = done.first().map(|(_, method)| method.clone()).unwrap_or_default();
    Ok(Fleet { instances: done.into_iter().map(|(instance, _)| instance).collect(), reset_method })
}

fn mark_whole(golden: &Path) -> Result<(), LabError> {
    let path = Marker::claim(golden).and_then(|marker| marker.own(WHOLE)).map_err(database_error)?;
    let failed = |source| LabError::Io { doing: "writing", path: path.clone(), source };
    match disk::File::create_new_with(&path, 0o644).and_then(|file| file.sync_all()) {
        Err(source) if source.kind() != std::io::ErrorKind::AlreadyExists => Err(failed(source)),
        _ => disk::sync_dir(golden).map_err(failed),
    }
}

/// Removes one of our directories, if it is there. Foreign files in it stay and are an error.
pub(crate) fn remove_dir(dir: &Path) -> Result<(), LabError> {
    Marker::remove_ours(dir).map_err(database_error)
}

fn database_error(error: database::DatabaseError) -> LabError {
    LabError::Database(error.to_string())
}
