//! The same state before every cell: a data set loaded once, checked, kept as a golden copy, and copied back
//! each time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use words::{NoteKind, Reasons, Remark, Step};

use database::group::Limits;
use database::{Instance, InstanceSpec, Marker};
use experiment::Bed;
use notebook::Notebook;
use oltp::tpcc::Stage;

use crate::bed::existing;
use crate::bed::fleet::{FirstState, Fleet, numbered};
use crate::bed::instances;
use crate::bed::ready::Unready;
use crate::conductor::Conductor;
use crate::error::LabError;
use crate::event::Event;
use crate::needs::data_set::DataSet;
use crate::needs::memory;
use crate::order::CellKey;
use crate::plan::room;
use crate::storage::seal;

/// Sees to it that every storage path has the golden copy of workload number `number`: loads it on the first,
/// copies it to the others. A bed whose storage cannot have one goes to `unready`.
///
/// # Errors
/// Only the notebook's own, and [`LabError::Fleet`].
pub(crate) fn golden_copies(
    conductor: &Conductor<'_>,
    notebook: &mut Notebook,
    (number, data): (usize, &DataSet),
    unready: &mut Unready,
) -> Result<(), LabError> {
    let mut asked: BTreeMap<PathBuf, Option<String>> = BTreeMap::new();
    let mut first: Option<PathBuf> = None;
    for (index, bed) in conductor.experiment.bed.iter().enumerate() {
        let url = conductor.experiment.url_of(bed);
        let golden = conductor.work.golden(bed, number);
        // Beds on one storage share its copy, or the reason why there is none.
        if let Some(fault) = asked.get(&golden).filter(|_| url.is_none()) {
            fault.iter().for_each(|reason| unready.same(index, number, reason.clone()));
            continue;
        }
        let made = match (url, &first) {
            (Some(url), _) => {
                let prepare = || existing::prepare(conductor, notebook, (bed, url), data);
                conductor.world.membership.first_before_others(bed, number, prepare)?
            }
            (None, _) if seal::is_on(&golden) => Marker::open(&golden)
                .and_then(|marker| marker.check_files())
                .and_then(|()| seal::check(&golden))
                .map_err(database_error),
            (None, from) => room::check_before_load(conductor.experiment, number, &conductor.work.root(bed))
                .and_then(|()| match from {
                    None => load_golden(conductor, notebook, bed, number, data),
                    Some(from) => copy_golden(conductor, bed, from, &golden),
                }),
        };
        let fault = match made {
            Err(LabError::Notebook(error)) => return Err(error.into()),
            Err(_) if conductor.interrupt.requested() => break, // Nobody asks for the others any more.
            made => made.err(),
        };
        if url.is_none() {
            first = first.or(fault.is_none().then(|| golden.clone()));
            asked.insert(golden, fault.as_ref().map(ToString::to_string));
        }
        fault.into_iter().for_each(|fault| unready.data(index, number, fault));
    }
    Ok(())
}

/// Loads without measuring, checks everything, and keeps a copy. A failed load leaves nothing: others may
/// need its space.
fn load_golden(
    conductor: &Conductor<'_>,
    notebook: &mut Notebook,
    bed: &Bed,
    number: usize,
    data: &DataSet,
) -> Result<(), LabError> {
    let dir = conductor.work.root(bed).join(format!("loading-{number}"));
    let golden = conductor.work.golden(bed, number);
    load_into(conductor, notebook, (&dir, &golden), data).inspect_err(|_| {
        let _ = remove_dir(&dir).and_then(|()| remove_dir(&golden)); // The error is told.
    })
}

/// Loads into `dir`, which is removed again, and keeps the copy in `golden`.
fn load_into(
    conductor: &Conductor<'_>,
    notebook: &mut Notebook,
    (dir, golden): (&Path, &Path),
    data: &DataSet,
) -> Result<(), LabError> {
    let started = conductor.clock().stopwatch();
    let what = data.what();
    conductor.observer.event(Event::Loading { what: what.to_string(), share: 0.0 });
    remove_dir(dir)?;
    let mut instance = for_work(conductor, dir)?;
    instance.start().map_err(database_error)?;
    let progress = |share: f64| conductor.observer.event(Event::Loading { what: what.to_string(), share });
    let rows = data
        .load(&*instance, conductor.seed, conductor.interrupt.flag(), &progress)
        .map_err(LabError::Load)?;
    let load_s = started.seconds();
    let checking = conductor.clock().stopwatch();
    let violated =
        data.violations(&*instance, Stage::AfterLoad, &conductor.interrupt.flag()).map_err(LabError::Load)?;
    if let Some(first) = violated.0.first() {
        return Err(LabError::Load(format!("violated right after loading: {first}")));
    }
    remove_dir(golden)?;
    let size_bytes = instance.size_bytes();
    instance.snapshot(golden).map_err(database_error)?;
    instance.stop().map_err(database_error)?;
    drop(instance);
    remove_dir(dir)?;
    seal::put(golden).map_err(database_error)?;
    let (size_mb, check_s) = (size_bytes as f64 / 1e6, checking.seconds());
    let loaded = Remark::Loaded { data: what, rows, size_mb, load_s, check_s };
    conductor.observer.event(Event::Did { what: loaded.to_string() });
    notebook.add_note(conductor.run, NoteKind::Load, loaded)?;
    Ok(())
}

/// The golden copy on another storage: one instance takes it from the first and keeps it there. A copy that
/// fails leaves nothing.
fn copy_golden(conductor: &Conductor<'_>, bed: &Bed, from: &Path, to: &Path) -> Result<(), LabError> {
    let dir = conductor.work.root(bed).join("copying");
    copy_by(conductor, &dir, from, to).inspect_err(|_| {
        let _ = remove_dir(&dir).and_then(|()| remove_dir(to)); // The error is told.
    })
}

/// Copies by way of an instance in `dir`, which is removed again.
fn copy_by(conductor: &Conductor<'_>, dir: &Path, from: &Path, to: &Path) -> Result<(), LabError> {
    remove_dir(to)?;
    remove_dir(dir)?;
    let mut instance = for_work(conductor, dir)?;
    instance.restore(from).map_err(database_error)?;
    instance.snapshot(to).map_err(database_error)?;
    drop(instance);
    remove_dir(dir)?;
    seal::put(to).map_err(database_error)
}

fn for_work(conductor: &Conductor<'_>, dir: &Path) -> Result<Box<dyn Instance>, LabError> {
    instances::make(conductor, instances::for_work(conductor.experiment, dir)).map_err(database_error)
}

/// The instances of one cell in the golden copy's state, running, with cold pools.
pub(crate) fn fresh(conductor: &Conductor<'_>, key: CellKey, seed: u64) -> Result<Fleet, Reasons> {
    let bed = &conductor.experiment.bed[key.bed];
    if let Some(url) = conductor.experiment.url_of(bed) {
        return Ok(existing::fleet(conductor, url)?);
    }
    bring_back(conductor, key, instances::for_cell(conductor, key.bed, seed), &|_| Limits::default())
}

/// The golden copy of the cell's workload in each of `specs`, running, with cold pools, held to the bed's
/// limits and to those that `more` has for its number.
pub(crate) fn bring_back(
    conductor: &Conductor<'_>,
    key: CellKey,
    specs: Vec<InstanceSpec>,
    more: &dyn Fn(usize) -> Limits,
) -> Result<Fleet, Reasons> {
    let bed = &conductor.experiment.bed[key.bed];
    let golden = conductor.golden(key);
    seal::check(&golden).map_err(|e| Step::Reset.failed(e))?;
    let several = specs.len() > 1;
    let mut made = Vec::with_capacity(specs.len());
    let dirs: Vec<PathBuf> =
        specs.iter().flat_map(|spec| std::iter::once(&spec.dir).chain(&spec.log_dir)).cloned().collect();
    for (number, spec) in specs.into_iter().enumerate() {
        let failed = |error: String| numbered(several, number, Step::Reset.failed(error));
        for dir in std::iter::once(&spec.dir).chain(&spec.log_dir) {
            remove_dir(dir).map_err(|e| failed(e.to_string()))?;
        }
        let mut limits = memory::limits_of(conductor.experiment, bed);
        let more = more(number);
        limits.rules.extend(more.rules);
        limits.idle_io |= more.idle_io;
        let instance = instances::make_limited(conductor, spec, &limits);
        made.push((instance.map_err(|e| failed(e.to_string()))?, FirstState::OfNone));
    }
    let done = Fleet::each(made, |(instance, state): &mut (Box<dyn Instance>, FirstState)| {
        let copied = instance.restore(&golden).map_err(|e| Step::Reset.failed(e))?;
        *state = FirstState::Copied(copied.method);
        instance.start().map_err(|e| Step::Start.failed(e))
    });
    // Half a copy is useless, and the next bed may need its space.
    let done = done.inspect_err(|_| dirs.iter().for_each(|dir| drop(remove_dir(dir))))?;
    let first_state = done.first().map_or(FirstState::OfNone, |(_, state)| *state);
    Ok(Fleet { instances: done.into_iter().map(|(instance, _)| instance).collect(), first_state })
}

/// Removes one of our directories, if it is there. Foreign files in it stay and are an error.
pub(crate) fn remove_dir(dir: &Path) -> Result<(), LabError> {
    let sealed = if Marker::is_ours(dir) { seal::check_removal(dir) } else { Ok(()) };
    sealed.and_then(|()| Marker::remove_ours(dir)).map_err(database_error)
}

fn database_error(error: database::DatabaseError) -> LabError {
    match error.is_refusal() {
        true => LabError::refused(error),
        false => LabError::Database(error.to_string()),
    }
}
