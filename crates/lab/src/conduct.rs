//! The run itself: claim, load once, then cell after cell in the planned order, each kept before the next
//! begins.

mod again;
pub(crate) mod cells;
mod floors;
pub(crate) mod opening;
mod result_line;
pub(crate) mod single;
pub(crate) mod simulated;

use std::path::PathBuf;

use experiment::Experiment;
use words::{NoteKind, Realm, Reason, Reasons, Remark, say};

pub use again::Again;
use notebook::{CellRecord, CellState, Notebook, RunId, RunState};
use simulate::BedSource;

use crate::bed::ready::Unready;
use crate::bed::reset;
use crate::conduct::cells::Cells;
use crate::conduct::opening::{describe_run, new_beds, new_run, planned_cells};
use crate::conductor::{Conductor, Places};
use crate::error::LabError;
use crate::event::{Event, Observer};
use crate::interrupt::Interrupt;
use crate::order::CellKey;
use crate::plan::supported;
use crate::plan::{plan, room};
use crate::request::{Finished, Request, finish, or_failed};
use crate::storage::drive_facts;
use crate::storage::drives;
use crate::storage::origin;
use crate::storage::targets;
use crate::storage::workdir::WorkDir;
use crate::watch::cell::invalid;
use crate::watch::seconds;
use crate::watch::wear::Written;
use crate::world::World;
use crate::{kind, needs};

/// Conducts a new run and keeps it in `notebook`.
///
/// # Errors
/// When nothing can be run at all: refused directories, unknown drives, a load that fails on every bed. The
/// run is then kept as failed with that error. Cells that fail are recorded instead.
pub fn run(
    request: &Request,
    notebook: &mut Notebook,
    interrupt: &Interrupt,
    observer: &dyn Observer,
) -> Result<Finished, LabError> {
    check(&request.experiment, &request.world)?;
    let work = WorkDir::new(&request.work_dir);
    let drives = request
        .experiment
        .bed
        .iter()
        .map(|bed| drives::choose(&request.experiment, bed))
        .collect::<Result<Vec<_>, _>>()?;
    let claimed = work.claim(&request.experiment, notebook.path())?;
    notebook.dated_by(&request.world.clock);
    let started = notebook.start_run(
        &new_run(request, &drives),
        &new_beds(&request.experiment, &drives),
        &planned_cells(request),
    );
    // A run that the notebook does not know leaves nothing.
    let run = started.inspect_err(|_| drop(WorkDir::new(&request.work_dir).remove(&request.experiment)))?;
    let (experiment, seed, world) = (&request.experiment, request.seed, &request.world);
    or_failed(notebook, run, |notebook| {
        describe_run(notebook, run, request, &drives)?;
        let places = Places { work, claimed, drives };
        Conductor::new((run, experiment, seed), places, world, (interrupt, observer)).go(notebook, &[])
    })
}

/// True if a run has ended, every cell of it counts, and none of its data is left: there is nothing to
/// resume.
///
/// # Errors
/// The notebook's own.
pub fn is_complete(notebook: &Notebook, run: RunId) -> Result<bool, LabError> {
    let stored = notebook.run(run)?;
    let is_finished = stored.state == RunState::Finished;
    let is_whole = notebook.cells(run)?.iter().all(|cell| cell.state == CellState::Done);
    Ok(is_finished && is_whole && !origin::has_data(notebook, &stored))
}

/// True if the time of a run was virtual.
///
/// # Errors
/// The notebook's own.
pub fn was_virtual(notebook: &Notebook, run: RunId) -> Result<bool, LabError> {
    Ok(notebook.notes(run)?.iter().any(|note| note.remark == Some(Remark::VirtualTime)))
}

/// Goes on with a run that was interrupted or killed: does the cells that are missing, invalid or were cut
/// short, and what `again` asks for. A simulated run has its beds from `source`.
///
/// # Errors
/// As [`run`]; and when the stored experiment cannot be read, or has not what `again` asks for.
pub fn resume(
    (run, again): (RunId, &Again),
    source: &dyn BedSource,
    notebook: &mut Notebook,
    world: &World,
    interrupt: &Interrupt,
    observer: &dyn Observer,
) -> Result<Finished, LabError> {
    let stored = notebook.run(run)?;
    if let Some(owner) = stored.owner() {
        let why = say!("resume-imported", owner);
        return Err(LabError::Resume { run: run.0, why });
    }
    single::require_experiment(notebook, run)?;
    // Nothing is made for a run whose results could not be kept.
    notebook.become_writer()?;
    let mut experiment = experiment::parse(&stored.experiment_toml, &stored.name).map_err(|e| {
        LabError::Resume { run: run.0, why: format!("its stored experiment no longer parses:\n{e}") }
    })?;
    if stored.realm == Realm::Simulated {
        if let Some(directory) = &stored.directory {
            experiment.make_paths_absolute(directory.as_ref());
        }
        return simulated::resume(
            (run, again),
            stored.seed,
            &experiment,
            source,
            notebook,
            (interrupt, observer),
        );
    }
    let work = WorkDir::stored(&stored.work_dir)?;
    origin::make_absolute(&mut experiment, notebook, &stored, &work)?;
    supported::check(&experiment)?;
    supported::check_world(&experiment, world)?;
    kind::check_devices(&experiment, &world.destroy)?;
    let drives =
        experiment.bed.iter().map(|bed| drives::choose(&experiment, bed)).collect::<Result<Vec<_>, _>>()?;
    drive_facts::check(notebook, run, &experiment, &drives, &work)?;
    let (experiment, seed) = (&experiment, stored.seed);
    // Before anything is made.
    let more = again.check(notebook, run, (world.membership.levels(experiment), seed))?;
    let claimed = work.claim(experiment, notebook.path())?;
    notebook.dated_by(&world.clock);
    again.apply(notebook, run, &more)?;
    notebook.reset_unfinished(run)?;
    or_failed(notebook, run, |notebook| {
        let places = Places { work, claimed, drives };
        Conductor::new((run, experiment, seed), places, world, (interrupt, observer))
            .go(notebook, &again.cells)
    })
}

/// Refuses what cannot be run here, before anything is made.
pub(crate) fn check(experiment: &Experiment, world: &World) -> Result<(), LabError> {
    supported::check(experiment)?;
    room::check_room(experiment)?;
    supported::check_world(experiment, world)?;
    kind::check_devices(experiment, &world.destroy)?;
    targets::used(experiment).iter().try_for_each(|(bed, storage)| targets::check_is_directory(bed, storage))
}

impl Conductor<'_> {
    fn go(&self, notebook: &mut Notebook, again: &[u32]) -> Result<Finished, LabError> {
        let &Conductor { experiment, run, seed, interrupt, observer, .. } = self;
        let membership = &self.world.membership;
        let levels = membership.levels(experiment);
        let cells = Cells { levels, run, again, membership, interrupt, observer };
        let (open, plan) = (cells.open(notebook)?, plan(experiment, seed)?);
        let open_keys: Vec<CellKey> = open.keys().into_iter().map(|key| key.of_load(experiment)).collect();
        let expected = |key: CellKey| plan.cell[key.workload];
        cells.announce(&open, expected);
        let mut unready = Unready::default();
        if !open_keys.is_empty() {
            if self.world.has_machine() {
                self.measure_floors(notebook, &mut unready)?;
            }
            self.prepare(notebook, &open_keys, &mut unready)?;
        }
        let mut beside = Beside::default();
        beside.look(self, notebook)?;
        cells.each(notebook, &open, expected, |notebook, _, key| {
            let key = key.of_load(experiment);
            self.meeting.begin();
            let drive = &self.drives[key.bed].data;
            let root = self.work.root(&experiment.bed[key.bed]);
            let written = Written::so_far(drive, &root, self.world);
            let displaced = self.claimed.displaced();
            let mut record = match unready.reason(experiment, key) {
                Some(error) => invalid(Reason::error(error).into()),
                None if !displaced.is_empty() => invalid(displaced),
                None => ended_at_once(interrupt, seconds::told_meanwhile(self, key, || self.cell(key))),
            };
            not_on_displaced(&mut record, self.claimed.displaced());
            beside.look(self, notebook)?;
            record.measurements.extend(written.until(&Written::so_far(drive, &root, self.world)));
            self.meeting.end(record)
        })?;
        // A bed that has measured cells remains, also where a resume has none of them to run.
        let done = open.done().iter().map(|key| key.of_load(experiment));
        let wanted: Vec<CellKey> = open_keys.iter().copied().chain(done).collect();
        match unready.of_all(experiment, &wanted) {
            Some(error) if !interrupt.requested() => Err(error),
            _ => self.finish(notebook),
        }
    }

    /// Loads the data of the open cells, once per storage path, and checks the space where they make files.
    fn prepare(
        &self,
        notebook: &mut Notebook,
        open: &[CellKey],
        unready: &mut Unready,
    ) -> Result<(), LabError> {
        for (number, workload) in self.experiment.workload.iter().enumerate() {
            let kind = kind::of(workload);
            kind.look_ahead(self, number, open, unready);
            let Some(data) = kind.data() else { continue };
            let needs = |key: &CellKey| needs::home(self.experiment, key.workload) == number;
            if open.iter().any(needs) && !self.interrupt.requested() {
                reset::golden_copies(self, notebook, (number, &data), unready)?;
            }
        }
        Ok(())
    }

    fn cell(&self, key: CellKey) -> CellRecord {
        kind::of(&self.experiment.workload[key.workload]).run(self, key).unwrap_or_else(invalid)
    }

    /// Results come before the leftovers of tidying up: data that cannot be removed is named beside the
    /// result.
    fn finish(&self, notebook: &mut Notebook) -> Result<Finished, LabError> {
        let mut finished = finish(notebook, self.run)?;
        if finished.left > 0 {
            return Ok(finished); // They start from what is there.
        }
        let displaced = self.claimed.displaced();
        let why_left = match self.work.remove(self.experiment) {
            _ if !displaced.is_empty() => Some(displaced.to_string()),
            Err(error) => Some(error.to_string()),
            Ok(()) => None,
        };
        if let Some(error) = why_left {
            let left = Remark::DataLeft { error };
            finished.left_behind = Some(left.clone());
            notebook.add_note(self.run, NoteKind::Warning, left)?;
        }
        Ok(finished)
    }
}

/// A cell whose storage was taken away under it measured something else than it was to.
fn not_on_displaced(record: &mut CellRecord, displaced: Reasons) {
    for reason in displaced.0 {
        if record.state == CellState::Done {
            record.state = CellState::Invalid;
        }
        if record.state == CellState::Invalid && !record.reasons.0.contains(&reason) {
            record.reasons.0.push(reason);
        }
    }
}

/// Other runs on the same storage that the notebook names already.
#[derive(Default)]
struct Beside(Vec<PathBuf>);

impl Beside {
    /// Says of each other run that works on a storage of this one that it does: once, and in the notebook.
    fn look(&mut self, conductor: &Conductor<'_>, notebook: &mut Notebook) -> Result<(), LabError> {
        for folder in conductor.claimed.beside() {
            if !self.0.contains(&folder) {
                let remark = Remark::StorageShared { folder: folder.display().to_string() };
                conductor.observer.event(Event::Warning { text: remark.to_string() });
                notebook.add_note(conductor.run, NoteKind::Warning, remark)?;
                self.0.push(folder);
            }
        }
        Ok(())
    }
}

/// A cell that came to nothing because everything was to end at once is none that failed.
fn ended_at_once(interrupt: &Interrupt, record: CellRecord) -> CellRecord {
    if !interrupt.at_once() || record.state != CellState::Invalid || !record.phases.is_empty() {
        return record;
    }
    let reasons = Reason::StoppedAtOnce { why: record.reasons }.into();
    CellRecord { state: CellState::Interrupted, reasons, ..record }
}
