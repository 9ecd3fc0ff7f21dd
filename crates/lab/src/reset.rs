//! The same state before every cell: a database loaded once, checked, kept as a golden copy, and copied back each time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use database::sqlite::Sqlite;
use database::{Instance, InstanceSpec, Marker};
use experiment::{Bed, Synchronous, Tpcc};
use notebook::Notebook;
use oltp::tpcc::{self, LoadOptions, Stage};

use crate::conduct::{Conductor, seconds_since};
use crate::{Event, LabError, beds};

/// Written into a golden copy's folder when it is whole; a copy without it is loaded anew.
const WHOLE: &str = "whole";

/// Memory while loading and checking: off the clock, so as much as helps.
const WORK_MEMORY_BYTES: u64 = 256 << 20;

/// Sees to it that every storage path has the golden copy of workload number `number`: loads it on the first, copies it to the others.
pub(crate) fn golden_copies(
    conductor: &Conductor<'_>,
    notebook: &mut Notebook,
    number: usize,
    tpcc: &Tpcc,
) -> Result<(), LabError> {
    let mut done: BTreeSet<PathBuf> = BTreeSet::new();
    let mut first: Option<PathBuf> = None;
    for bed in &conductor.experiment.bed {
        let golden = conductor.work.golden(bed, number);
        if !done.insert(golden.clone()) {
            continue;
        }
        if !golden.join(WHOLE).exists() {
            match &first {
                None => load_golden(conductor, notebook, bed, number, tpcc)?,
                Some(from) => copy_golden(conductor, bed, from, &golden)?,
            }
        }
        first.get_or_insert(golden);
    }
    Ok(())
}

/// Loads through a free drive (loading is not what is measured), checks all conditions, and keeps a copy.
fn load_golden(
    conductor: &Conductor<'_>,
    notebook: &mut Notebook,
    bed: &Bed,
    number: usize,
    tpcc: &Tpcc,
) -> Result<(), LabError> {
    let started = Instant::now();
    let what = format!("{} warehouses", tpcc.warehouses);
    conductor.observer.event(Event::Loading { what: what.clone(), share: 0.0 });
    let dir = conductor.work.root(bed).join(format!("loading-{number}"));
    remove_dir(&dir)?;
    let mut instance = Sqlite::new(work_instance(&dir)).map_err(database_error)?;
    instance.start().map_err(database_error)?;
    let progress = |p: oltp::tpcc::LoadProgress| {
        conductor.observer.event(Event::Loading { what: what.clone(), share: p.share })
    };
    let options = LoadOptions {
        stop: Some(conductor.interrupt.flag()),
        ..LoadOptions::new(tpcc.warehouses, conductor.seed)
    };
    let report = tpcc::load(&instance, &options, &progress).map_err(|e| LabError::Load(e.to_string()))?;
    let load_s = seconds_since(started);
    let checking = Instant::now();
    let conditions = tpcc::check(&instance, Stage::AfterLoad).map_err(|e| LabError::Load(e.to_string()))?;
    if let Some(violated) = conditions.iter().find(|c| c.violations > 0) {
        return Err(LabError::Load(format!(
            "condition {} ({}) is violated right after loading: {}",
            violated.number, violated.clause, violated.detail
        )));
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
        "loaded {} warehouses ({} rows, {:.0} MB) in {load_s:.1} s; twelve consistency conditions hold, checked in {:.1} s",
        tpcc.warehouses,
        report.rows,
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
    let mut instance = Sqlite::new(work_instance(&dir)).map_err(database_error)?;
    instance.restore(from).map_err(database_error)?;
    instance.snapshot(to).map_err(database_error)?;
    drop(instance);
    remove_dir(&dir)?;
    mark_whole(to)
}

fn mark_whole(golden: &Path) -> Result<(), LabError> {
    let path = Marker::claim(golden).and_then(|marker| marker.own(WHOLE)).map_err(database_error)?;
    std::fs::write(&path, b"").map_err(|source| LabError::Io { doing: "writing", path, source })
}

/// The instance on free storage, for work off the clock.
pub(crate) fn work_instance(dir: &Path) -> InstanceSpec {
    InstanceSpec {
        dir: dir.to_path_buf(),
        data: beds::free(),
        log: beds::free(),
        log_dir: None,
        memory_bytes: WORK_MEMORY_BYTES,
        synchronous: database::Synchronous::Off,
    }
}

/// The instance of one cell: the bed's drives in their first state, its memory.
pub(crate) fn cell_instance(conductor: &Conductor<'_>, bed: usize, seed: u64) -> InstanceSpec {
    let described = &conductor.experiment.bed[bed];
    let (data, log) = conductor.drives[bed].fresh(seed);
    let database = conductor.experiment.database.as_ref();
    let memory = described.memory.or(database.map(|d| d.memory)).map_or(WORK_MEMORY_BYTES, |m| m.0);
    InstanceSpec {
        dir: conductor.work.bed(described),
        data,
        log,
        log_dir: conductor.work.log(described),
        memory_bytes: memory,
        synchronous: match database.map(|d| d.synchronous).unwrap_or_default() {
            Synchronous::Full => database::Synchronous::Full,
            Synchronous::Normal => database::Synchronous::Normal,
            Synchronous::Off => database::Synchronous::Off,
        },
    }
}

/// Removes one of our directories, if it is there. Foreign files in it stay and are an error.
pub(crate) fn remove_dir(dir: &Path) -> Result<(), LabError> {
    Marker::remove_ours(dir).map_err(database_error)
}

fn database_error(error: database::DatabaseError) -> LabError {
    LabError::Database(error.to_string())
}
