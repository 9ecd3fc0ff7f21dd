//! The run itself: claim, load once, then cell after cell in the planned order, each kept before the next begins.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use experiment::{Experiment, Workload};
use notebook::{
    Cell, CellRecord, CellState, NewBed, NewRun, Notebook, PlannedCell, PublishedNumber, RunId, RunState,
};

use crate::data_set::DataSet;
use crate::order::{CellKey, cells_in_order};
use crate::plan::{describe, plan};
use crate::wear::Written;
use crate::workdir::WorkDir;
use crate::{
    Event, Interrupt, LabError, Observer, backup, beds, block_io, durability, fragmentation, neighbour,
    order_entry, reset, scan, simulated, supported, sysbench,
};

/// Everything a run needs to know before it begins.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is run, already scaled.
    pub experiment: Experiment,
    /// That experiment as TOML text; stored, and read again by `resume`.
    pub experiment_toml: String,
    /// Its name ("kingston-dc1500m/test-2") or file name.
    pub name: String,
    /// Factor by which the experiment was shrunk; 1 is full size.
    pub scale: f64,
    /// The sentence that says what was shrunk; empty at full size.
    pub scale_statement: String,
    /// Seed of the order and of every random stream.
    pub seed: u64,
    /// Folder name for this run's files below each storage's path; must be unique.
    pub work_dir: String,
    /// Name and version of the program, stored with the results.
    pub tool_version: String,
    /// Devices that may be overwritten. Not stored: whoever resumes a run says so again.
    pub destroy: Vec<block::DestroyOrder>,
    /// A directory for a trace of each cell of block I/O.
    pub record: Option<PathBuf>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Its number in the notebook.
    pub run: RunId,
    /// Finished, or interrupted.
    pub state: RunState,
    /// Cells that count.
    pub done: usize,
    /// Cells recorded as invalid, with their reason.
    pub invalid: usize,
    /// Cells left to do; `resume` does them.
    pub left: usize,
}

/// Conducts a new run and keeps it in `notebook`.
///
/// # Errors
/// When nothing can be run at all: refused directories, unknown drives, a load that fails. Cells that fail are recorded instead.
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
    work.claim(&request.experiment)?;
    let run = notebook.start_run(
        &new_run(request, &drives),
        &new_beds(&request.experiment, &drives),
        &planned_cells(request),
    )?;
    describe_run(notebook, run, request, &drives)?;
    let (experiment, seed, destroy) = (&request.experiment, request.seed, &request.destroy);
    let record = request.record.as_deref();
    Conductor { experiment, seed, work, drives, run, destroy, record, interrupt, observer }.go(notebook)
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
    let work = WorkDir::new(&stored.work_dir);
    let drives =
        experiment.bed.iter().map(|bed| beds::choose(&experiment, bed)).collect::<Result<Vec<_>, _>>()?;
    work.claim(&experiment)?;
    notebook.reset_unfinished(run)?;
    let (experiment, seed) = (&experiment, stored.seed);
    Conductor { experiment, seed, work, drives, run, destroy, record, interrupt, observer }.go(notebook)
}

/// One run in progress.
pub(crate) struct Conductor<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) seed: u64,
    pub(crate) work: WorkDir,
    pub(crate) drives: Vec<beds::Drives>,
    pub(crate) run: RunId,
    pub(crate) destroy: &'a [block::DestroyOrder],
    pub(crate) record: Option<&'a Path>,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) observer: &'a dyn Observer,
}

impl Conductor<'_> {
    fn go(&self, notebook: &mut Notebook) -> Result<Finished, LabError> {
        let cells = notebook.cells(self.run)?;
        let keys = cells_in_order(self.experiment, self.seed);
        let open: Vec<&Cell> = cells.iter().filter(|c| c.state == CellState::Planned).collect();
        let plan = plan(self.experiment, self.seed)?;
        let expected = open.iter().map(|c| plan.cell[keys[c.position as usize].workload]).sum();
        self.observer.event(Event::Started { left: open.len(), total: cells.len(), expected });
        if !open.is_empty() {
            self.measure_floors(notebook)?;
            let prepared =
                self.prepare(notebook, &open.iter().map(|c| keys[c.position as usize]).collect::<Vec<_>>());
            if !self.interrupt.requested() {
                prepared?;
            }
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
            let mut record = self.cell(key);
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
        self.finish(notebook)
    }

    /// Loads what the open cells need, once per storage path.
    fn prepare(&self, notebook: &mut Notebook, open: &[CellKey]) -> Result<(), LabError> {
        for (number, workload) in self.experiment.workload.iter().enumerate() {
            let Some(data) = DataSet::of(workload) else { continue };
            if open.iter().any(|key| key.workload == number) && !self.interrupt.requested() {
                reset::golden_copies(self, notebook, number, &data)?;
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

    fn finish(&self, notebook: &mut Notebook) -> Result<Finished, LabError> {
        let finished = finish(notebook, self.run)?;
        if finished.left == 0 {
            crate::clean(self.experiment, self.work.key())?;
        }
        Ok(finished)
    }

    /// The overhead of the emulation layer on each emulated bed's directory: stored with every result, since a drive faster than it
    /// cannot be shown.
    fn measure_floors(&self, notebook: &mut Notebook) -> Result<(), LabError> {
        for (bed, drives) in self.experiment.bed.iter().zip(&self.drives) {
            let beds::DriveChoice::Emulated(entry) = &drives.data else { continue };
            let root = self.work.root(bed);
            let floor = if supported::is_mounted(self.experiment, bed) {
                emulate::fuse::measure_floor(&root)
            } else {
                emulate::measure_floor(&root)
            };
            let floor = floor.map_err(|e| LabError::Storage(e.to_string()))?;
            notebook.add_fact_set(self.run, &format!("floor:{}", bed.name), &floor_facts(&floor))?;
            if let Some(flag) = floor.flags(&entry.spec) {
                notebook.add_note(self.run, "warning", &format!("bed {}: {flag}", bed.name))?;
                self.observer.event(Event::Warning { text: format!("bed {}: {flag}", bed.name) });
            }
        }
        Ok(())
    }
}

/// Counts the cells of a run and records how it ended.
pub(crate) fn finish(notebook: &mut Notebook, run: RunId) -> Result<Finished, LabError> {
    let cells = notebook.cells(run)?;
    let count = |state: CellState| cells.iter().filter(|c| c.state == state).count();
    let (done, invalid) = (count(CellState::Done), count(CellState::Invalid));
    let left = cells.len() - done - invalid;
    let state = if left == 0 { RunState::Finished } else { RunState::Interrupted };
    notebook.finish_run(run, state)?;
    Ok(Finished { run, state, done, invalid, left })
}

fn floor_facts(floor: &emulate::Floor) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    for (name, of) in [("read", &floor.read), ("write", &floor.write), ("sync", &floor.sync)] {
        facts.insert(format!("{name}.p50_us"), format!("{:.1}", of.p50_ns as f64 / 1e3));
        facts.insert(format!("{name}.p99_us"), format!("{:.1}", of.p99_ns as f64 / 1e3));
        facts.insert(format!("{name}.mean_us"), format!("{:.1}", of.mean_ns / 1e3));
    }
    let idle =
        if emulate::idle_processors_stay_awake() { "kept awake" } else { "may sleep: waits end later" };
    facts.insert("idle_processors".to_owned(), idle.to_owned());
    facts
}

pub(crate) fn result_line(record: &CellRecord) -> String {
    if let Some(reason) = &record.reason {
        return reason.clone();
    }
    let find = |metric: &str| record.measurements.iter().find(|m| m.metric == metric);
    if let (Some(orders), Some(recovery)) = (find("orders_acknowledged"), find("recovery_s")) {
        return format!(
            "none of {} acknowledged orders lost, recovered in {:.1} s",
            orders.value, recovery.value
        );
    }
    if let Some(line) = operation_line(&find) {
        return line;
    }
    let main = find("nopm").or_else(|| find("tps")).or_else(|| find("iops"));
    let p99 = find("new_order_latency_p99").or_else(|| find("latency_p99"));
    let figure =
        |m: &notebook::Measurement, name: &str, digits: usize| format!("{:.digits$} {name}", m.value);
    let parts = [
        main.map(|m| {
            figure(
                m,
                match m.metric.as_str() {
                    "nopm" => "NOPM",
                    "tps" => "TPS",
                    _ => "IOPS",
                },
                0,
            )
        }),
        p99.map(|m| format!("p99 {}", figure(m, &m.unit, 2))),
        record.limiter.clone().map(|l| format!("bounded by {l}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The main figures of a backup, a scan, a layout or a neighbour by itself.
fn operation_line<'a>(find: &impl Fn(&str) -> Option<&'a notebook::Measurement>) -> Option<String> {
    let value = |metric: &str| find(metric).map(|m| m.value);
    if let (Some(backup), Some(restore)) = (value("backup_time"), value("restore_time")) {
        let (proven, cycles) = (value("proven_restores")?, value("cycles")?);
        return Some(format!(
            "backup {backup:.2} s, restore {restore:.2} s, {proven} of {cycles} restores proven"
        ));
    }
    if let (Some(scan), Some(lookup)) = (value("scan_cold_time"), value("lookup_cold_time")) {
        return Some(format!("cold: scan {scan:.3} s, lookup {lookup:.3} s"));
    }
    if let (Some(time), Some(fragments)) = (value("cold_scan_time"), value("fragments")) {
        return Some(format!("cold scan {time:.3} s, {fragments} pieces"));
    }
    match (value("nopm"), value("neighbour_rate")) {
        (None, Some(rate)) => Some(format!("neighbour alone at {rate:.0} MB/s")),
        _ => None,
    }
}

pub(crate) fn new_run(request: &Request, drives: &[beds::Drives]) -> NewRun {
    let design = &request.experiment.design;
    let realms: std::collections::BTreeSet<_> = drives.iter().map(beds::Drives::realm).collect();
    let realm = if realms.len() == 1 { realms.first().copied().unwrap_or("emulated") } else { "mixed" };
    let last = request.experiment.bed.last().map(|b| b.name.clone()).unwrap_or_default();
    NewRun {
        name: request.name.clone(),
        title: request.experiment.title.clone(),
        question: request.experiment.question.clone(),
        experiment_toml: request.experiment_toml.clone(),
        published: request.experiment.published.clone(),
        seed: request.seed,
        scale: request.scale,
        scale_statement: request.scale_statement.clone(),
        realm: realm.to_owned(),
        tool_version: request.tool_version.clone(),
        baseline: design.baseline.clone().unwrap_or(last),
        treatment: design.treatment.iter().map(ToString::to_string).collect(),
        smallest_effect_throughput: design.smallest_effect.nopm.0,
        smallest_effect_p99: design.smallest_effect.p99.0,
        order: design.order.to_string(),
        work_dir: request.work_dir.clone(),
    }
}

fn new_beds(experiment: &Experiment, drives: &[beds::Drives]) -> Vec<NewBed> {
    let describe = |(bed, drives): (&experiment::Bed, &beds::Drives)| NewBed {
        name: bed.name.clone(),
        label: bed.label.clone(),
        realm: drives.realm().to_owned(),
        storage_summary: drives.summary(),
        facts: bed.setup.clone(),
    };
    experiment.bed.iter().zip(drives).map(describe).collect()
}

pub(crate) fn planned_cells(request: &Request) -> Vec<PlannedCell> {
    let experiment = &request.experiment;
    cells_in_order(experiment, request.seed)
        .into_iter()
        .enumerate()
        .map(|(position, key)| {
            let workload = &experiment.workload[key.workload];
            PlannedCell {
                position: position as u32,
                bed: experiment.bed[key.bed].name.clone(),
                workload: workload.name().to_owned(),
                level: workload.levels()[key.level],
                level_name: workload.level_name().to_owned(),
                repeat: key.repeat,
            }
        })
        .collect()
}

/// What is known before the first cell: host, beds, deviations, disclaimer, doctor's findings, published numbers.
fn describe_run(
    notebook: &mut Notebook,
    run: RunId,
    request: &Request,
    drives: &[beds::Drives],
) -> Result<(), LabError> {
    let experiment = &request.experiment;
    let paths: Vec<_> = experiment.bed.iter().map(|b| crate::workdir::path_of(&b.storage)).collect();
    notebook.add_fact_set(run, "host", &host::Fingerprint::read(&paths).0)?;
    for (bed, drives) in experiment.bed.iter().zip(drives) {
        notebook.add_fact_set(run, &format!("bed:{}", bed.name), &bed_facts(experiment, bed, drives))?;
    }
    for check in host::doctor::examine(&paths) {
        if !matches!(check.level, host::doctor::Level::Ok) {
            notebook.add_note(run, "doctor", &format!("{}: {} ({})", check.id, check.read, check.why))?;
        }
    }
    for entry in drives.iter().filter_map(beds::Drives::entry) {
        notebook.add_note(run, "model", &guesses(entry))?;
    }
    if drives.iter().any(|d| d.entry().is_some()) {
        notebook.add_note(run, "model", MODEL_ERROR)?;
    }
    if experiment.workload.iter().any(|w| matches!(w, Workload::Tpcc(_) | Workload::Durability(_))) {
        notebook.add_note(run, "disclaimer", oltp::DISCLAIMER)?;
        for deviation in oltp::deviations().iter().chain(profile_deviations(experiment)) {
            notebook.add_note(run, "deviation", &format!("{}: {}", deviation.clause, deviation.what))?;
        }
    }
    if let Some(description) = &experiment.description {
        notebook.add_note(run, "description", description)?;
    }
    if let Some(name) = &experiment.published {
        for confound in experiment::published::confounds(name) {
            notebook.add_note(
                run,
                "published-confound",
                &format!(
                    "{}: {} against {}: {}",
                    confound.factor, confound.side_a, confound.side_b, confound.effect
                ),
            )?;
        }
        let numbers: Vec<PublishedNumber> = experiment::published::of(name)
            .into_iter()
            .filter_map(|n| n.in_our_words())
            .map(published_number)
            .collect();
        notebook.add_published(run, &numbers)?;
    }
    Ok(())
}

/// Where the profiles that the workloads follow leave the clauses.
fn profile_deviations(experiment: &Experiment) -> &'static [oltp::Deviation] {
    let has_profile =
        |workload: &Workload| matches!(workload, Workload::Tpcc(tpcc) if tpcc.profile.is_some());
    if experiment.workload.iter().any(has_profile) {
        oltp::tpcc::Profile::HammerdbLike.deviations()
    } else {
        &[]
    }
}

/// What is known of the model's error; the figures are those of `crates/device/tests/model` against the seven measured drives of the facts.
const MODEL_ERROR: &str = "The model: where a drive's numbers were measured, it meets the mean read latency under write load within 1.2 % for \
    four of seven drives and within 16 % for a fifth; bursts of garbage collection in the other two are not met, and nothing is promised \
    beyond p99.9";

/// How sure the numbers of one modelled drive are.
fn guesses(entry: &device::catalogue::Entry) -> String {
    let guesses = entry.facts.iter().filter(|fact| fact.guess).count();
    format!("{}: {guesses} of the {} numbers of its model are guesses", entry.title, entry.facts.len())
}

/// The facts in which beds can differ, named so that a difference can be told from the treatment.
fn bed_facts(
    experiment: &Experiment,
    bed: &experiment::Bed,
    drives: &beds::Drives,
) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    facts.insert("storage.drive".to_owned(), drives.summary());
    facts.insert("storage.realm".to_owned(), drives.realm().to_owned());
    facts.insert("storage.path".to_owned(), crate::workdir::path_of(&bed.storage).display().to_string());
    if let Some(database) = &experiment.database {
        let memory = bed.memory.unwrap_or(database.memory);
        facts.insert("memory".to_owned(), memory.to_string());
        facts.extend(
            experiment.memory_limit_of(bed).map(|limit| ("memory.limit".to_owned(), limit.to_string())),
        );
        facts.extend(experiment.cpus_of(bed).map(|cpus| ("cpus.limit".to_owned(), cpus.to_string())));
        facts.insert("database.engine".to_owned(), database.engine.to_string());
        facts.insert("database.synchronous".to_owned(), database.synchronous.to_string());
    }
    facts
}

pub(crate) fn published_number(number: experiment::published::Number) -> PublishedNumber {
    PublishedNumber {
        id: number.id,
        study: number.study,
        test: number.test,
        system: number.system,
        metric: number.metric,
        value: number.value,
        unit: number.unit,
        conditions: number.conditions,
        confidence: number.confidence,
        kind: number.kind,
        note: number.note,
    }
}

/// Time since `start` in seconds.
pub(crate) fn seconds_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64()
}
