//! Whole beds in virtual time: the same plan, the same notebook and the same metrics as a measured run,
//! marked simulated.

use std::collections::BTreeMap;
use std::time::Duration;
use words::{BedDrive, Metric, NoteKind, Realm, Remark, say};

use experiment::Experiment;
use notebook::{Notebook, RunId, RunPlan};
use published::Number;
use simulate::{BedSource, LoadedBed};

use crate::conduct::again::Again;
use crate::conduct::cells::Cells;
use crate::conduct::opening::{add_published, has_order_entry, new_run, planned_cells, profiled};
use crate::error::LabError;
use crate::event::Observer;
use crate::interrupt::Interrupt;
use crate::kind::simulated_cell::SimulatedCell;
use crate::levels::Levels;
use crate::membership::Membership;
use crate::request::{Finished, Request, or_failed};
use crate::storage::drive_facts;
use crate::watch::cell::invalid;
use crate::{kind, needs};

/// So long a simulated cell takes, roughly.
const EXPECTED: Duration = Duration::from_millis(300);

/// Simulates an experiment and keeps it in `notebook`. The beds are those of `source`: the one that a bed of
/// the experiment or its published test names, or a host with the drive that it names.
///
/// # Errors
/// When a bed cannot be simulated at all, or a workload is of a kind that the simulation does not know.
pub fn simulate(
    request: &Request,
    source: &dyn BedSource,
    notebook: &mut Notebook,
    interrupt: &Interrupt,
    observer: &dyn Observer,
) -> Result<Finished, LabError> {
    let beds = beds(&request.experiment, source)?;
    let run_record = RunPlan { realm: Realm::Simulated.into(), ..new_run(request, &[]) };
    let run =
        notebook.start_run(&run_record, &new_beds(&request.experiment, &beds), &planned_cells(request))?;
    or_failed(notebook, run, |notebook| {
        describe_run(notebook, run, &request.experiment, &beds, source)?;
        go(notebook, (run, &[]), &request.experiment, request.seed, &beds, (interrupt, observer))
    })
}

/// Goes on with a simulated run.
///
/// # Errors
/// As [`simulate`].
pub(crate) fn resume(
    (run, again): (RunId, &Again),
    seed: u64,
    experiment: &Experiment,
    source: &dyn BedSource,
    notebook: &mut Notebook,
    watch: (&Interrupt, &dyn Observer),
) -> Result<Finished, LabError> {
    let beds = beds(experiment, source)?;
    let more = again.check(notebook, run, (Levels::of(experiment), seed))?;
    again.apply(notebook, run, &more)?;
    notebook.reset_unfinished(run)?;
    or_failed(notebook, run, |notebook| go(notebook, (run, &again.cells), experiment, seed, &beds, watch))
}

fn go(
    notebook: &mut Notebook,
    (run, again): (RunId, &[u32]),
    experiment: &Experiment,
    seed: u64,
    beds: &[LoadedBed],
    (interrupt, observer): (&Interrupt, &dyn Observer),
) -> Result<Finished, LabError> {
    let membership = Membership::default();
    let levels = Levels::of(experiment);
    let cells = Cells { levels, run, again, membership: &membership, interrupt, observer };
    let open = cells.open(notebook)?;
    cells.announce(&open, |_| EXPECTED);
    cells.each(
        notebook,
        &open,
        |_| EXPECTED,
        |_, _, key| {
            let (ranks, key) = (levels.ranks_at(key).unwrap_or(1), key.of_load(experiment));
            let simulated = SimulatedCell { experiment, key, on: &beds[key.bed], seed, ranks };
            Ok(kind::of(&experiment.workload[key.workload]).simulate(&simulated).unwrap_or_else(invalid))
        },
    )?;
    crate::request::finish(notebook, run)
}

/// Refuses the first workload that the model has no honest answer for.
fn check(experiment: &Experiment) -> Result<(), LabError> {
    for workload in &experiment.workload {
        if let Some((what, fix)) = needs::of(workload).not_simulated() {
            return Err(LabError::Experiment {
                what: format!("workload `{}`: {what}", workload.name()),
                place: format!("[[workload]] of kind {}", workload.kind()),
                fix: fix.to_owned(),
            });
        }
        if !experiment.scale_out().is_empty() && !needs::of(workload).simulates_scale_out() {
            return Err(LabError::Experiment {
                what: format!(
                    "workload `{}`: several load generators of it are not simulated",
                    workload.name()
                ),
                place: "[fleet] scale_out".to_owned(),
                fix: "simulate order entry or block I/O, or run it on hosts".to_owned(),
            });
        }
    }
    Ok(())
}

fn beds(experiment: &Experiment, source: &dyn BedSource) -> Result<Vec<LoadedBed>, LabError> {
    check(experiment)?;
    experiment.bed.iter().map(|bed| loaded_bed(experiment, bed, source)).collect()
}

/// The bed that the experiment or its published test names, else one host with the drive.
fn loaded_bed(
    experiment: &Experiment,
    bed: &experiment::Bed,
    source: &dyn BedSource,
) -> Result<LoadedBed, LabError> {
    let fault = |why: String| LabError::Drive { bed: bed.name.clone(), why };
    let named = source.named(bed.simulated.as_deref(), experiment.published.as_deref(), &bed.name);
    if let Some(found) = named.map_err(fault)? {
        return Ok(found);
    }
    let drives = crate::storage::drives::choose(experiment, bed)?;
    let Some(entry) = drives.entry() else {
        let why = "real storage cannot be simulated; name a drive of the catalogue with { emulated = ... }, a bed of a study with \
                   simulated = \"kingston-nvme\", or an experiment with a published test";
        return Err(fault(why.to_owned()));
    };
    source.of_drive(entry).map_err(fault)
}

fn new_beds(experiment: &Experiment, beds: &[LoadedBed]) -> Vec<notebook::Bed> {
    let describe = |(bed, on): (&experiment::Bed, &LoadedBed)| notebook::Bed {
        name: bed.name.clone(),
        label: bed.label.clone(),
        realm: Realm::Simulated.into(),
        storage_summary: BedDrive::Simulated(on.bed.title.clone()).to_string(),
        facts: bed.setup.clone(),
    };
    experiment.bed.iter().zip(beds).map(describe).collect()
}

/// The facts known before the first cell: the beds with their parameters, their reliability, the published
/// numbers.
fn describe_run(
    notebook: &mut Notebook,
    run: RunId,
    experiment: &Experiment,
    beds: &[LoadedBed],
    source: &dyn BedSource,
) -> Result<(), LabError> {
    for (bed, on) in experiment.bed.iter().zip(beds) {
        notebook.add_fact_set(run, &format!("bed:{}", bed.name), &bed_facts(experiment, bed, on))?;
        if let Ok(Some(entry)) =
            crate::storage::drives::choose(experiment, bed).map(|drives| drives.entry().cloned())
        {
            drive_facts::keep_model(notebook, run, bed, &entry)?;
            if let Some(profiled) = profiled(&entry) {
                notebook.add_note(run, NoteKind::Model, profiled)?;
            }
        }
    }
    notebook.add_fact_set(run, "simulated-parameters", &source.parameters())?;
    notebook.add_note(run, NoteKind::Model, Remark::SimulatedBeds)?;
    if has_order_entry(experiment) {
        notebook.add_note(run, NoteKind::Disclaimer, Remark::Disclaimer)?;
    }
    if let Some(description) = &experiment.description {
        notebook.add_note(run, NoteKind::Description, &**description)?;
    }
    add_published(notebook, run, experiment, counted_alike)
}

/// The study's TPM counts batch requests of SQL Server, and so does the simulation beside its transactions.
fn counted_alike(mut number: Number) -> Number {
    let ours = match Metric::of(&number.metric) {
        Some(Metric::Tpm) => Metric::TpmBatches,
        Some(Metric::TpmPerUser) => Metric::TpmBatchesPerUser,
        Some(Metric::BaselineTpm) => Metric::BaselineTpmBatches,
        _ => return number,
    };
    number.metric = ours.name();
    number.note = say!("published-batch-requests").to_owned();
    number
}

fn bed_facts(experiment: &Experiment, bed: &experiment::Bed, on: &LoadedBed) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::from([
        ("storage.realm".to_owned(), Realm::Simulated.into()),
        ("storage.drive".to_owned(), on.bed.title.clone()),
        ("simulated.name".to_owned(), on.bed.name.clone()),
        ("simulated.processors".to_owned(), on.load.vcpus.to_string()),
        ("simulated.driver".to_owned(), format!("{:?}", on.load.driver).to_lowercase()),
        ("database.engine".to_owned(), "SQL Server (simulated)".to_owned()),
    ]);
    if let Some(memory) = experiment.memory_of(bed) {
        facts.insert("memory".to_owned(), memory.to_string());
    }
    facts
}
