//! The run itself: claim, load once, then cell after cell in the planned order, each kept before the next begins.

use std::collections::BTreeMap;
use std::path::Path;
use words::NoteKind;

use experiment::Workload;
use notebook::{Cell, CellRecord, CellState, Notebook, RunId};

use crate::cell::invalid;
use crate::conductor::Conductor;
use crate::data_set::DataSet;
use crate::opening::{describe_run, new_beds, new_run, planned_cells};
use crate::order::{CellKey, cells_in_order};
use crate::plan::{describe, plan};
use crate::ready::Unready;
use crate::request::{Finished, Request, finish};
use crate::result_line::result_line;
use crate::wear::Written;
use crate::workdir::WorkDir;
use crate::{
    Event, Interrupt, LabError, Observer, backup, beds, block_io, drive_facts, durability, fragmentation,
    neighbour, order_entry, reset, scan, simulated, supported, sysbench,
};

/// Conducts a new run and keeps it in `notebook`.
///
/// # Errors
/// When nothing can be run at all: refused directories, unknown drives, a load that fails on every bed. The run is then kept as failed with
/// that error. Cells that fail are recorded instead.
pub fn run(
    request: &Request,
    notebook: &mut Notebook,
    interrupt: &Interrupt,
    observer: &dyn Observer,
) -> Result<Finished, LabError> {
    supported::check(&request.experiment)?;
    block_io::check_devices(&request.experiment, &request.destroy)?;
    let work = WorkDir::new(&request.work_dir);
    let drives = request
        .experiment
        .bed
        .iter()
        .map(|bed| beds::choose(&request.experiment, bed))
        .collect::<Result<Vec<_>, _>>()?;
    let _claimed = work.claim(&request.experiment, notebook.path())?;
    let started = notebook.start_run(
        &new_run(request, &drives),
        &new_beds(&request.experiment, &drives),
        &planned_cells(request),
    );
    // A run that the notebook does not know leaves nothing.
    let run = started.inspect_err(|_| drop(WorkDir::new(&request.work_dir).remove(&request.experiment)))?;
    let (experiment, seed, destroy) = (&request.experiment, request.seed, &request.destroy);
    let record = request.record.as_deref();
    or_failed(notebook, run, |notebook| {
        describe_run(notebook, run, request, &drives)?;
        Conductor { experiment, seed, work, drives, run, destroy, record, interrupt, observer }.go(notebook)
    })
}

/// Does the work of a run. An error that ends it is kept with it, so that nobody takes it for a run that still goes on.
pub(crate) fn or_failed(
    notebook: &mut Notebook,
    run: RunId,
    work: impl FnOnce(&mut Notebook) -> Result<Finished, LabError>,
) -> Result<Finished, LabError> {
    work(notebook).inspect_err(|error| {
        // Where the notebook itself is what failed, nothing can be kept; the run then counts as killed.
        let _ = notebook.fail_run(run, &error.to_string());
    })
}

/// Goes on with a run that was interrupted or killed: does the cells that are missing, invalid or were cut short.
///
/// # Errors
/// As [`run`]; and when the stored experiment cannot be read.
pub fn resume(
    run: RunId,
    notebook: &mut Notebook,
    destroy: &[block::DestroyOrder],
    record: Option<&Path>,
    interrupt: &Interrupt,
    observer: &dyn Observer,
) -> Result<Finished, LabError> {
    let stored = notebook.run(run)?;
    let experiment = experiment::parse(&stored.experiment_toml, &stored.name).map_err(|e| {
        LabError::Resume { run: run.0, why: format!("its stored experiment no longer parses:\n{e}") }
    })?;
    if stored.realm == simulated::REALM {
        return simulated::resume(run, stored.seed, &experiment, notebook, (interrupt, observer));
    }
    supported::check(&experiment)?;
    block_io::check_devices(&experiment, destroy)?;
    let work = WorkDir::stored(&stored.work_dir)?;
    let drives =
        experiment.bed.iter().map(|bed| beds::choose(&experiment, bed)).collect::<Result<Vec<_>, _>>()?;
    drive_facts::check(notebook, run, &experiment, &drives, &work)?;
    let _claimed = work.claim(&experiment, notebook.path())?;
    notebook.reset_unfinished(run)?;
    let (experiment, seed) = (&experiment, stored.seed);
    or_failed(notebook, run, |notebook| {
        Conductor { experiment, seed, work, drives, run, destroy, record, interrupt, observer }.go(notebook)
    })
}

impl Conductor<'_> {
    fn go(&self, notebook: &mut Notebook) -> Result<Finished, LabError> {
        let cells = notebook.cells(self.run)?;
        let keys = cells_in_order(self.experiment, self.seed);
        let open: Vec<&Cell> = cells.iter().filter(|c| c.state == CellState::Planned).collect();
        let plan = plan(self.experiment, self.seed)?;
        let expected = open.iter().map(|c| plan.cell[keys[c.position as usize].workload]).sum();
        self.observer.event(Event::Started { left: open.len(), total: cells.len(), expected });
        let open_keys: Vec<CellKey> = open.iter().map(|c| keys[c.position as usize]).collect();
        let mut unready = Unready::default();
        if !open.is_empty() {
            self.measure_floors(notebook, &mut unready)?;
            self.prepare(notebook, &open_keys, &mut unready)?;
        }
        for cell in open {
            if self.interrupt.requested() {
                break;
            }
            let key = keys[cell.position as usize];
            let what = describe(self.experiment, key);
            let number = cell.position as usize + 1;
            let expected = plan.cell[key.workload];
            self.observer.event(Event::CellStarted {
                number,
                total: cells.len(),
                what: what.clone(),
                expected,
            });
            notebook.begin_cell(cell.id)?;
            let written = Written::so_far(self, key);
            let mut record = match unready.reason(self.experiment, key) {
                Some(reason) => invalid(reason.to_owned()),
                None => ended_at_once(self.interrupt, self.cell(key)),
            };
            record.measurements.extend(written.until(&Written::so_far(self, key)));
            notebook.record_cell(cell.id, &record)?;
            self.observer.event(Event::CellDone {
                number,
                total: cells.len(),
                what,
                result: result_line(&record),
                valid: record.state == CellState::Done,
            });
        }
        match unready.of_all(self.experiment, &open_keys) {
            Some(error) if !self.interrupt.requested() => Err(error),
            _ => self.finish(notebook),
        }
    }

    /// Loads what the open cells need, once per storage path, and looks for room where they make files.
    fn prepare(
        &self,
        notebook: &mut Notebook,
        open: &[CellKey],
        unready: &mut Unready,
    ) -> Result<(), LabError> {
        for (number, workload) in self.experiment.workload.iter().enumerate() {
            if let Workload::Block(block) = workload {
                block_io::check_room(self, (number, block), open, unready);
            }
            let Some(data) = DataSet::of(workload) else { continue };
            let needs = |key: &CellKey| DataSet::home(self.experiment, key.workload) == number;
            if open.iter().any(needs) && !self.interrupt.requested() {
                reset::golden_copies(self, notebook, (number, &data), unready)?;
            }
        }
        Ok(())
    }

    fn cell(&self, key: CellKey) -> CellRecord {
        match &self.experiment.workload[key.workload] {
            Workload::Tpcc(tpcc) => order_entry::cell(self, key, tpcc),
            Workload::Block(block) => block_io::cell(self, key, block),
            Workload::Backup(asked) => backup::cell(self, key, asked),
            Workload::Scan(asked) => scan::cell(self, key, asked),
            Workload::Fragmentation(asked) => fragmentation::cell(self, key, asked),
            Workload::Neighbour(asked) => neighbour::cell(self, key, asked),
            Workload::Sysbench(sysbench) => sysbench::cell(self, key, sysbench),
            Workload::Durability(durability) => durability::cell(self, key, durability),
        }
    }

    /// What was found comes before what could not be tidied up: data that cannot be removed is named beside the result.
    fn finish(&self, notebook: &mut Notebook) -> Result<Finished, LabError> {
        let mut finished = finish(notebook, self.run)?;
        if finished.left == 0
            && let Err(error) = self.work.remove(self.experiment)
        {
            let text = format!("the data of this run could not all be removed: {error}");
            notebook.add_note(self.run, NoteKind::Warning, &text)?;
            finished.left_behind = Some(text);
        }
        Ok(finished)
    }

    /// The overhead of the emulation layer on each emulated bed's directory: stored with every result, since a drive faster than it
    /// cannot be shown.
    fn measure_floors(&self, notebook: &mut Notebook, unready: &mut Unready) -> Result<(), LabError> {
        for (number, (bed, drives)) in self.experiment.bed.iter().zip(&self.drives).enumerate() {
            let beds::DriveChoice::Emulated(entry) = &drives.data else { continue };
            let root = self.work.root(bed);
            let measured = if supported::is_mounted(self.experiment, bed) {
                emulate::fuse::measure_floor(&root, &entry.spec)
            } else {
                emulate::measure_floor(&root).map(|floor| (floor, None))
            };
            let (floor, rehearsal) = match measured {
                Ok(measured) => measured,
                Err(error) => {
                    unready.bed(number, LabError::Storage(error.to_string()));
                    continue;
                }
            };
            let mut facts = floor_facts(&floor);
            facts.extend(rehearsal.map(|rehearsal| rehearsal_facts(&rehearsal)).unwrap_or_default());
            let rehearsed = rehearsal.and_then(|rehearsal| rehearsal.flags());
            for (count, flag) in floor.flags(&entry.spec).into_iter().chain(rehearsed).enumerate() {
                facts.insert(format!("flag.{}", count + 1), flag.clone());
                self.observer.event(Event::Warning { text: format!("bed {}: {flag}", bed.name) });
            }
            notebook.add_fact_set(self.run, &format!("floor:{}", bed.name), &facts)?;
        }
        Ok(())
    }
}

/// A cell that came to nothing because everything was to end at once is none that failed.
fn ended_at_once(interrupt: &Interrupt, record: CellRecord) -> CellRecord {
    if !interrupt.at_once() || record.state != CellState::Invalid || !record.phases.is_empty() {
        return record;
    }
    let why = record.reason.as_deref().unwrap_or_default();
    CellRecord { state: CellState::Interrupted, reason: Some(format!("stopped at once: {why}")), ..record }
}

fn floor_facts(floor: &emulate::Floor) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    for (name, of) in [("read", &floor.read), ("write", &floor.write), ("sync", &floor.sync)] {
        facts.insert(format!("{name}.p50_us"), format!("{:.1}", of.p50_ns as f64 / 1e3));
        facts.insert(format!("{name}.p99_us"), format!("{:.1}", of.p99_ns as f64 / 1e3));
        facts.insert(format!("{name}.mean_us"), format!("{:.1}", of.mean_ns / 1e3));
        facts.insert(format!("{name}.quiet_p50_us"), format!("{:.1}", of.quiet_p50_ns as f64 / 1e3));
        facts.insert(format!("{name}.quiet_p99_us"), format!("{:.1}", of.quiet_p99_ns as f64 / 1e3));
    }
    let idle =
        if emulate::idle_processors_stay_awake() { "kept awake" } else { "may sleep: waits end later" };
    facts.insert("idle_processors".to_owned(), idle.to_owned());
    facts
}

/// What a mount adds where its drive lets callers wait.
fn rehearsal_facts(rehearsal: &emulate::fuse::Rehearsal) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    for (name, way_ns) in ["read", "write", "sync"].iter().zip(rehearsal.ways_ns()) {
        facts.insert(format!("{name}.way_us"), format!("{:.1}", way_ns as f64 / 1e3));
    }
    facts.insert("most_operations_per_s".to_owned(), format!("{:.0}", rehearsal.most_per_second()));
    facts
}
