//! The facts known before the first cell: the run, its beds and cells, host, deviations, disclaimer, doctor's
//! findings, published numbers.

use std::collections::BTreeMap;
use words::{NoteKind, Realm, Remark};

use device::catalogue::Reliability;
use experiment::Experiment;
use notebook::{Bed, Notebook, PlannedCell, RunId, RunPlan};
use published::Number;

use crate::error::LabError;
use crate::levels::Levels;
use crate::needs;
use crate::order::cells_in_order;
use crate::request::Request;
use crate::storage::drive_facts;
use crate::storage::drives;
use crate::world::World;

pub(crate) fn new_run(request: &Request, drives: &[drives::Drives]) -> RunPlan {
    let design = &request.experiment.design;
    let realms: std::collections::BTreeSet<_> = drives.iter().map(drives::Drives::realm).collect();
    let realm = realms.first().copied().filter(|_| realms.len() == 1).unwrap_or(Realm::Mixed);
    let last = request.experiment.bed.last().map(|b| b.name.clone()).unwrap_or_default();
    RunPlan {
        name: request.name.clone(),
        title: request.experiment.title.clone(),
        question: request.experiment.question.clone(),
        experiment_toml: request.experiment_toml.clone(),
        published: request.experiment.published.clone(),
        seed: request.seed,
        scale: request.scale,
        scale_statement: request.scale_statement.clone(),
        realm: realm.into(),
        tool_version: request.tool_version.clone(),
        baseline: design.baseline.clone().unwrap_or(last),
        treatment: design.treatment.iter().map(ToString::to_string).collect(),
        smallest_effect_throughput: design.smallest_effect.nopm.0,
        smallest_effect_p99: design.smallest_effect.p99.0,
        order: design.order.to_string(),
        work_dir: request.work_dir.clone(),
        directory: request.directory.clone(),
    }
}

pub(crate) fn new_beds(experiment: &Experiment, drives: &[drives::Drives]) -> Vec<Bed> {
    let describe = |(bed, drives): (&experiment::Bed, &drives::Drives)| Bed {
        name: bed.name.clone(),
        label: bed.label.clone(),
        realm: drives.realm().into(),
        storage_summary: drives.summary().to_string(),
        facts: bed.setup.clone(),
    };
    experiment.bed.iter().zip(drives).map(describe).collect()
}

pub(crate) fn planned_cells(request: &Request) -> Vec<PlannedCell> {
    planned(request.world.membership.levels(&request.experiment), request.seed)
}

/// The cells of these levels in the order in which they run, each at its place among those of the whole run.
pub(crate) fn planned(levels: Levels<'_>, seed: u64) -> Vec<PlannedCell> {
    let experiment = levels.experiment();
    cells_in_order(experiment, seed)
        .into_iter()
        .enumerate()
        .map(|(position, key)| {
            let workload = &experiment.workload[key.workload];
            PlannedCell {
                position: position as u32,
                bed: experiment.bed[key.bed].name.clone(),
                workload: workload.name().to_owned(),
                level: levels.level(key),
                level_name: levels.name(workload).into(),
                repeat: key.repeat,
                kind: workload.kind(),
            }
        })
        .filter(|cell| levels.has(cell))
        .collect()
}

/// Stores the facts of the run in the notebook.
pub(crate) fn describe_run(
    notebook: &mut Notebook,
    run: RunId,
    request: &Request,
    drives: &[drives::Drives],
) -> Result<(), LabError> {
    Surroundings::look(&request.experiment, &request.world).keep(notebook, run)?;
    describe_beds(notebook, run, &request.experiment, drives)
}

/// Stores the facts of the beds and of what is asked of them.
pub(crate) fn describe_beds(
    notebook: &mut Notebook,
    run: RunId,
    experiment: &Experiment,
    drives: &[drives::Drives],
) -> Result<(), LabError> {
    keep_bed_facts(notebook, run, experiment, drives)?;
    drive_facts::keep(notebook, run, experiment, drives)?;
    describe_asked(notebook, run, experiment, drives)
}

/// As [`describe_beds`], for a fleet: real drives are those of the ranks, and in their notebooks.
pub(crate) fn describe_led(
    notebook: &mut Notebook,
    run: RunId,
    experiment: &Experiment,
    drives: &[drives::Drives],
) -> Result<(), LabError> {
    keep_bed_facts(notebook, run, experiment, drives)?;
    for (bed, drives) in experiment.bed.iter().zip(drives) {
        if let Some(entry) = drives.entry() {
            drive_facts::keep_model(notebook, run, bed, entry)?;
        }
    }
    describe_asked(notebook, run, experiment, drives)
}

fn keep_bed_facts(
    notebook: &Notebook,
    run: RunId,
    experiment: &Experiment,
    drives: &[drives::Drives],
) -> Result<(), LabError> {
    for (bed, drives) in experiment.bed.iter().zip(drives) {
        notebook.add_fact_set(run, &format!("bed:{}", bed.name), &bed_facts(experiment, bed, drives))?;
    }
    Ok(())
}

/// Stores what is known of the models, of the workloads and of the study that the experiment follows.
fn describe_asked(
    notebook: &mut Notebook,
    run: RunId,
    experiment: &Experiment,
    drives: &[drives::Drives],
) -> Result<(), LabError> {
    for entry in drives.iter().filter_map(drives::Drives::entry) {
        notebook.add_note(run, NoteKind::Model, guesses(entry))?;
        if let Some(profiled) = profiled(entry) {
            notebook.add_note(run, NoteKind::Model, profiled)?;
        }
    }
    for caution in drives::inaccurate_drives(experiment) {
        notebook.add_note(run, NoteKind::Warning, caution)?;
    }
    if drives.iter().any(|d| d.entry().is_some()) {
        notebook.add_note(run, NoteKind::Model, Remark::DriveModelError)?;
    }
    if has_order_entry(experiment) {
        notebook.add_note(run, NoteKind::Disclaimer, Remark::Disclaimer)?;
        for deviation in oltp::deviations().iter().chain(profile_deviations(experiment)) {
            let (clause, what) = (deviation.clause.to_owned(), deviation.what().into());
            notebook.add_note(run, NoteKind::Deviation, Remark::Deviation { clause, what })?;
        }
    }
    if let Some(description) = &experiment.description {
        notebook.add_note(run, NoteKind::Description, &**description)?;
    }
    add_published(notebook, run, experiment, |number| number)
}

/// The machine before a load: its fingerprint, and what the doctor finds.
pub(crate) struct Surroundings {
    /// `None` where the machine is no part of the world.
    pub(crate) host: Option<BTreeMap<String, String>>,
    pub(crate) findings: Vec<Remark>,
}

impl Surroundings {
    /// Looks at the machine, if it is a part of the world.
    pub(crate) fn look(experiment: &Experiment, world: &World) -> Surroundings {
        if !world.has_machine() {
            return Surroundings { host: None, findings: Vec::new() };
        }
        let paths: Vec<_> =
            experiment.bed.iter().map(|bed| crate::storage::targets::path_of(&bed.storage)).collect();
        let bad = |check: &host::doctor::Check| check.level >= host::doctor::Level::Warn;
        let findings = host::doctor::examine(&paths).into_iter().filter(bad);
        let remark = |check: host::doctor::Check| Remark::Doctor {
            check: check.id.to_owned(),
            read: check.read,
            why: check.why.into(),
        };
        Surroundings {
            host: Some(host::Fingerprint::read(&paths).0),
            findings: findings.map(remark).collect(),
        }
    }

    /// Keeps what was seen with a run.
    pub(crate) fn keep(&self, notebook: &Notebook, run: RunId) -> Result<(), LabError> {
        match &self.host {
            Some(host) => notebook.add_fact_set(run, "host", host)?,
            None => notebook.add_note(run, NoteKind::Model, Remark::VirtualTime)?,
        }
        for finding in &self.findings {
            notebook.add_note(run, NoteKind::Doctor, finding.clone())?;
        }
        Ok(())
    }
}

/// Keeps the printed numbers of the study that the experiment follows, each as `told` tells it, and the
/// factors in which its beds differed.
pub(crate) fn add_published(
    notebook: &mut Notebook,
    run: RunId,
    experiment: &Experiment,
    told: impl Fn(Number) -> Number,
) -> Result<(), LabError> {
    let Some(name) = &experiment.published else { return Ok(()) };
    for confound in published::confounds(name) {
        let confound = Remark::Confound {
            factor: confound.factor.clone(),
            side_a: confound.side_a.clone(),
            side_b: confound.side_b.clone(),
            effect: confound.effect.clone(),
        };
        notebook.add_note(run, NoteKind::PublishedConfound, confound)?;
    }
    let numbers = published::of(name).into_iter().filter_map(Number::in_our_words);
    let numbers: Vec<Number> = numbers.map(told).collect();
    notebook.add_published(run, &numbers)?;
    Ok(())
}

/// True if the experiment runs transactions after TPC-C: a reader must then know that they are no TPC-C
/// result.
pub(crate) fn has_order_entry(experiment: &Experiment) -> bool {
    experiment.workload.iter().any(|workload| needs::of(workload).runs_order_entry())
}

/// The deviations of the workloads' profiles from the clauses.
fn profile_deviations(experiment: &Experiment) -> &'static [oltp::Deviation] {
    let of = |workload| needs::of(workload).deviations();
    experiment.workload.iter().map(of).find(|deviations| !deviations.is_empty()).unwrap_or_default()
}

/// The reliability of one modelled drive's numbers.
fn guesses(entry: &device::catalogue::Entry) -> Remark {
    let Reliability { numbers, guesses, .. } = entry.reliability();
    Remark::Guesses { drive: entry.title.clone(), guesses: guesses as u64, numbers: numbers as u64 }
}

/// The error of a drive that was fitted to measurements.
pub(super) fn profiled(entry: &device::catalogue::Entry) -> Option<Remark> {
    let accuracy = entry.accuracy.as_ref()?;
    let Reliability { numbers, open, .. } = entry.reliability();
    let (numbers, open) = (numbers as u64, open as u64);
    // A fit to loads was judged by the mean and the tail of reads, writes and flushes.
    if let (Some(mean), Some(p99)) = (accuracy.mean_percent, accuracy.p99_percent) {
        return Some(Remark::DriveProfiledLoads {
            drive: entry.title.clone(),
            points: accuracy.points,
            mean: mean.0,
            mean_nine: mean.1,
            p99: p99.0,
            p99_nine: p99.1,
            open,
            numbers,
        });
    }
    Some(Remark::DriveProfiled {
        drive: entry.title.clone(),
        points: accuracy.points,
        p50: accuracy.p50_percent.0,
        p50_nine: accuracy.p50_percent.1,
        p95: accuracy.p95_percent.0,
        p95_nine: accuracy.p95_percent.1,
        open,
        numbers,
    })
}

/// The facts in which beds can differ, named so that a difference can be distinguished from the treatment.
fn bed_facts(
    experiment: &Experiment,
    bed: &experiment::Bed,
    drives: &drives::Drives,
) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    facts.extend(drives.facts());
    facts.insert(
        "storage.path".to_owned(),
        crate::storage::targets::path_of(&bed.storage).display().to_string(),
    );
    let log_path = bed.log.as_ref().map(|log| crate::storage::targets::path_of(log).display().to_string());
    facts.extend(log_path.map(|path| ("log.path".to_owned(), path)));
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
