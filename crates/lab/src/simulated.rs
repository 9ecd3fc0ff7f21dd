//! Whole beds in virtual time: the same plan, the same notebook and the same metrics as a measured run,
//! marked simulated.

mod study;

use std::collections::BTreeMap;
use std::time::Duration;
use words::{Metric, NoteKind};

use experiment::Experiment;
use notebook::{NewBed, NewRun, Notebook, PublishedNumber, RunId};
use simulate::{Bed, Load, Values, Window, Work};

use crate::cell::invalid;
use crate::cells::Cells;
use crate::conduct::or_failed;
use crate::opening::{add_published, has_order_entry, new_run, planned_cells};
use crate::request::{Finished, Request};
use crate::{Interrupt, LabError, Observer, drive_facts, kind};
use study::Simulated;
pub(crate) use study::{Study, window};

/// So long a simulated cell takes, roughly.
const EXPECTED: Duration = Duration::from_millis(300);
/// The word that marks simulated runs and beds in a notebook.
pub(crate) const REALM: &str = "simulated";

/// Simulates an experiment and keeps it in `notebook`: the beds of its published test, or a host with the
/// drive that a bed names.
///
/// # Errors
/// When a bed cannot be simulated at all, or a workload is of a kind that the simulation does not know.
pub fn simulate(
    request: &Request,
    notebook: &mut Notebook,
    interrupt: &Interrupt,
    observer: &dyn Observer,
) -> Result<Finished, LabError> {
    let values = Values::calibrated();
    let beds = beds(&request.experiment, &values)?;
    let run_record = NewRun { realm: REALM.to_owned(), ..new_run(request, &[]) };
    let run =
        notebook.start_run(&run_record, &new_beds(&request.experiment, &beds), &planned_cells(request))?;
    or_failed(notebook, run, |notebook| {
        describe_run(notebook, run, &request.experiment, &beds, &values)?;
        go(notebook, run, &request.experiment, request.seed, &beds, (interrupt, observer))
    })
}

/// Goes on with a simulated run.
///
/// # Errors
/// As [`simulate`].
pub(crate) fn resume(
    run: RunId,
    seed: u64,
    experiment: &Experiment,
    notebook: &mut Notebook,
    watch: (&Interrupt, &dyn Observer),
) -> Result<Finished, LabError> {
    let beds = beds(experiment, &Values::calibrated())?;
    notebook.reset_unfinished(run)?;
    or_failed(notebook, run, |notebook| go(notebook, run, experiment, seed, &beds, watch))
}

fn go(
    notebook: &mut Notebook,
    run: RunId,
    experiment: &Experiment,
    seed: u64,
    beds: &[Simulated],
    (interrupt, observer): (&Interrupt, &dyn Observer),
) -> Result<Finished, LabError> {
    let cells = Cells { experiment, run, seed, interrupt, observer };
    let open = cells.open(notebook)?;
    cells.announce(&open, |_| EXPECTED);
    cells.each(
        notebook,
        &open,
        |_| EXPECTED,
        |key| {
            let study = Study { experiment, key, on: &beds[key.bed], seed };
            kind::of(&experiment.workload[key.workload]).simulate(&study).unwrap_or_else(invalid)
        },
    )?;
    crate::request::finish(notebook, run)
}

/// Refuses the first workload that the model has no honest answer for.
fn check(experiment: &Experiment) -> Result<(), LabError> {
    for workload in &experiment.workload {
        if let Some((what, fix)) = kind::of(workload).not_simulated() {
            return Err(LabError::Experiment {
                what: format!("workload `{}`: {what}", workload.name()),
                place: format!("[[workload]] of kind {}", workload.kind()),
                fix: fix.to_owned(),
            });
        }
    }
    Ok(())
}

fn beds(experiment: &Experiment, values: &Values) -> Result<Vec<Simulated>, LabError> {
    check(experiment)?;
    experiment.bed.iter().map(|bed| simulated_bed(experiment, bed, values)).collect()
}

/// The bed of the catalogue that the experiment names, else that of the published test, else one host with
/// the drive.
fn simulated_bed(
    experiment: &Experiment,
    bed: &experiment::Bed,
    values: &Values,
) -> Result<Simulated, LabError> {
    let fault = |why: String| LabError::Drive { bed: bed.name.clone(), why };
    let find = |name: &str| Bed::find(name, values).map_err(|error| fault(error.to_string()));
    let published =
        experiment.published.as_deref().and_then(|name| experiment::published::test_of(name, &bed.name));
    let procedure = published
        .and_then(|test| simulate::procedures(values).into_iter().find(|procedure| procedure.name == test));
    if let Some(name) = &bed.simulated {
        return Ok(Simulated { bed: find(name)?, load: Load::of_study(), machines: None });
    }
    if let Some(procedure) = procedure {
        let load = match procedure.work {
            Work::OrderEntry(load) => load,
            _ => Load::of_study(),
        };
        let machines = Some(load.machines).filter(|&machines| machines > 1);
        return Ok(Simulated { bed: find(&procedure.bed)?, load: Load { machines: 1, ..load }, machines });
    }
    let Some(entry) = crate::beds::choose(experiment, bed)?.entry().cloned() else {
        let why = "real storage cannot be simulated; name a drive of the catalogue with { emulated = ... }, a bed of a study with \
                   simulated = \"kingston-nvme\", or an experiment with a published test";
        return Err(fault(why.to_owned()));
    };
    let bed = Bed::of_drive(&entry.name, &entry.spec, entry.capacity_bytes, values)
        .map_err(|error| fault(error.to_string()))?;
    Ok(Simulated { bed, load: generic_load(), machines: None })
}

/// A machine of four processors, for beds that no study describes.
fn generic_load() -> Load {
    Load {
        vcpus: 4,
        memory_bytes: 1 << 30,
        warehouses: 1,
        users: 1,
        window: Window::published(2, 10),
        ..Load::of_study()
    }
}

fn new_beds(experiment: &Experiment, beds: &[Simulated]) -> Vec<NewBed> {
    let describe = |(bed, on): (&experiment::Bed, &Simulated)| NewBed {
        name: bed.name.clone(),
        label: bed.label.clone(),
        realm: REALM.to_owned(),
        storage_summary: format!("{} (simulated)", on.bed.title),
        facts: bed.setup.clone(),
    };
    experiment.bed.iter().zip(beds).map(describe).collect()
}

/// What is known before the first cell: the beds with their parameters, how far to trust them, the published
/// numbers.
fn describe_run(
    notebook: &mut Notebook,
    run: RunId,
    experiment: &Experiment,
    beds: &[Simulated],
    values: &Values,
) -> Result<(), LabError> {
    for (bed, on) in experiment.bed.iter().zip(beds) {
        notebook.add_fact_set(run, &format!("bed:{}", bed.name), &bed_facts(experiment, bed, on))?;
        if let Ok(Some(entry)) = crate::beds::choose(experiment, bed).map(|drives| drives.entry().cloned()) {
            drive_facts::keep_model(notebook, run, bed, &entry)?;
        }
    }
    let parameters = values.iter().map(|(name, value)| (name.to_owned(), value.to_string())).collect();
    notebook.add_fact_set(run, "simulated-parameters", &parameters)?;
    notebook.add_note(run, NoteKind::Model, MODEL)?;
    if has_order_entry(experiment) {
        notebook.add_note(run, NoteKind::Disclaimer, oltp::DISCLAIMER)?;
    }
    if let Some(description) = &experiment.description {
        notebook.add_note(run, NoteKind::Description, description)?;
    }
    add_published(notebook, run, experiment, counted_alike)
}

/// The study's TPM counts batch requests of SQL Server, and so does the simulation beside its transactions.
fn counted_alike(mut number: PublishedNumber) -> PublishedNumber {
    let ours = match Metric::of(&number.metric) {
        Some(Metric::Tpm) => Metric::TpmBatches,
        Some(Metric::TpmPerUser) => Metric::TpmBatchesPerUser,
        Some(Metric::BaselineTpm) => Metric::BaselineTpmBatches,
        _ => return number,
    };
    number.metric = ours.name();
    number.note = "Batch requests, 4.6 for each new order, in both.".to_owned();
    number
}

const MODEL: &str = "Everything here is simulated: users, processors, buffer pool, log, datastore and drives in virtual time, by parameters \
    that were fitted to the studies' printed numbers (`drivetrain published` prints them with the errors). Numbers that were \
    fitted are no predictions; `drivetrain calibrate --leave-one-out` shows how far off the model is for tests that it was not fitted to";

fn bed_facts(experiment: &Experiment, bed: &experiment::Bed, on: &Simulated) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::from([
        ("storage.realm".to_owned(), REALM.to_owned()),
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
