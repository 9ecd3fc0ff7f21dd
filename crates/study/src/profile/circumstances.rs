//! What a run of measured loads says of its circumstances, and of the drive under its target.

use experiment::{Experiment, Storage, Workload};
use notebook::{Facts, Notebook, RunId};
use words::{Metric, Realm};

use super::Circumstances;
use crate::StudyError;

/// The facts that `drivetrain profile` keeps with its run.
pub const FACTS: &str = "profile";
/// How full the target was before the loads, in words.
pub const FILLED: &str = "filled";

/// The circumstances of a run, and what is known of its drive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// For the file of the drive.
    pub circumstances: Circumstances,
    /// A name for it: the model of the drive, or that of the modelled drive.
    pub name: Option<String>,
    /// Its name for people.
    pub title: Option<String>,
    /// Bytes of the device under the target.
    pub device_bytes: Option<u64>,
}

/// Reads them from a notebook.
///
/// # Errors
/// [`StudyError::Notebook`]; [`StudyError::Question`] when the experiment of the run cannot be read.
pub fn surroundings_of_run(notebook: &Notebook, run: RunId) -> Result<Surroundings, StudyError> {
    let stored = notebook.run(run)?;
    let experiment = experiment::parse(&stored.experiment_toml, &stored.name).map_err(|faults| {
        StudyError::question(format!("the experiment of run {run} cannot be read:\n{faults}"))
    })?;
    let sets = notebook.fact_sets(run)?;
    let empty = Facts::new();
    let facts = |scope: &str| sets.iter().find(|(of, _)| of == scope).map_or(&empty, |(_, facts)| facts);
    let bed = experiment.bed.first().map(|bed| bed.name.as_str()).unwrap_or_default();
    let (host, drive) = (facts("host"), facts(&format!("drive:{bed}")));
    let is_modelled = stored.realm == Realm::Emulated;
    let modelled = experiment.bed.first().and_then(|bed| match &bed.storage {
        Storage::Emulated { drive, .. } => Some(drive),
        Storage::Real { .. } => None,
    });
    // A model that was measured is another drive than the one of the catalogue.
    let again = modelled.map(|drive| {
        let name = drive.rsplit('/').next().unwrap_or(drive);
        format!("{}-profiled", name.strip_suffix(".toml").unwrap_or(name))
    });
    let model = drive.get("data.model");
    Ok(Surroundings {
        circumstances: Circumstances {
            date: stored.started_at.get(..10).map(str::to_owned),
            machine: if is_modelled { Some("virtual time".to_owned()) } else { machine(host) },
            preconditioned: Some(preconditioned(&experiment, is_modelled)),
            filled: facts(FACTS).get(FILLED).cloned(),
            beside: beside(notebook, run)?,
        },
        name: again.or_else(|| model.cloned()),
        title: model.cloned(),
        device_bytes: drive
            .get("data.size_bytes")
            .and_then(|bytes| bytes.parse().ok())
            .filter(|_| !is_modelled),
    })
}

/// Processor, system and kernel; and whether the machine is a virtual one.
fn machine(host: &Facts) -> Option<String> {
    let kernel = host.get("kernel.release").map(|release| format!("Linux {release}"));
    let hypervisor = host.get("machine.hypervisor").map(|_| "in a virtual machine".to_owned());
    let parts = [host.get("cpu.model").cloned(), host.get("os.name").cloned(), kernel, hypervisor];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn preconditioned(experiment: &Experiment, is_modelled: bool) -> String {
    let blocks = experiment.workload.iter().filter_map(|workload| match workload {
        Workload::Block(block) => Some(block),
        _ => None,
    });
    let first = blocks.clone().next();
    let passes = first.and_then(|block| block.precondition).map_or(0, |precondition| precondition.passes);
    let on_device = blocks.clone().any(|block| !block.paths.is_empty());
    match (is_modelled, on_device, passes) {
        (true, ..) => "a model is in its steady state".to_owned(),
        (false, true, 0) => "no: the device was used as it was".to_owned(),
        (false, true, passes) => format!("the whole device was written, {passes} times"),
        (false, false, passes) => {
            let size = first.map(|block| block.size.to_string()).unwrap_or_default();
            format!("a new file of {size}, written {} times", passes + 1)
        }
    }
}

/// The work of other programs, by the cell that had most of it.
fn beside(notebook: &Notebook, run: RunId) -> Result<Option<String>, StudyError> {
    let name = Metric::CpuOthers.to_string();
    let mut shares = Vec::new();
    for cell in notebook.cells(run)? {
        shares.extend(notebook.measurement(cell.id, &name)?);
    }
    let most = shares.iter().copied().reduce(f64::max);
    Ok(most.map(|most| {
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        format!("other programs took {mean:.0} % of the processors, {most:.0} % in the busiest load")
    }))
}
