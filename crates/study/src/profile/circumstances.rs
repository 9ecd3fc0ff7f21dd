//! What a run of measured loads says of its circumstances, and of the drive under its target.

use experiment::{Experiment, Storage, Workload};
use notebook::{Facts, Notebook, RunId};
use words::{Metric, Realm};

use super::Circumstances;
use crate::StudyError;

/// The facts that `drivetrain profile` keeps with its run.
pub const FACTS: &str = "profile";
/// The loads of the profile: the name of their experiment.
pub const LOADS: &str = "loads";
/// The drive whose emulated twin ran beside it.
pub const TWIN: &str = "twin";
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
    /// Numbers of the cells, from 1, beside which other programs were too busy for a measurement.
    pub busy: Vec<u32>,
}

/// Processor time of other programs, per cent, from which on latencies are no longer those of the target.
const BUSY_PERCENT: f64 = 20.0;

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
    let others = others(notebook, run)?;
    let busy = others.iter().filter(|(_, percent)| *percent > BUSY_PERCENT).map(|(number, _)| *number);
    Ok(Surroundings {
        busy: busy.collect(),
        circumstances: Circumstances {
            date: stored.started_at.get(..10).map(str::to_owned),
            machine: if is_modelled { Some("virtual time".to_owned()) } else { machine(host) },
            preconditioned: Some(preconditioned(&experiment, is_modelled)),
            filled: facts(FACTS).get(FILLED).cloned(),
            beside: beside(&others),
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
        (false, true, passes) => format!("the whole device was written {}", times(passes)),
        (false, false, passes) => {
            let size = first.map(|block| block.size.to_string()).unwrap_or_default();
            format!("a new file of {size}, written {}", times(passes + 1))
        }
    }
}

fn times(count: u32) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// The number of each cell, and the share of the processors that other programs took beside it, per cent.
fn others(notebook: &Notebook, run: RunId) -> Result<Vec<(u32, f64)>, StudyError> {
    let name = Metric::CpuOthers.to_string();
    let mut others = Vec::new();
    for cell in notebook.cells(run)? {
        others.extend(notebook.measurement(cell.id, &name)?.map(|percent| (cell.position + 1, percent)));
    }
    Ok(others)
}

fn beside(others: &[(u32, f64)]) -> Option<String> {
    let most = others.iter().map(|(_, percent)| *percent).reduce(f64::max)?;
    let mean = others.iter().map(|(_, percent)| percent).sum::<f64>() / others.len() as f64;
    Some(format!("other programs took {mean:.0} % of the processors, {most:.0} % in the busiest load"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_load_is_told_beside_the_mean() {
        let words = beside(&[(1, 2.0), (2, 10.0)]).unwrap();
        assert_eq!(words, "other programs took 6 % of the processors, 10 % in the busiest load");
        assert_eq!(beside(&[]), None);
        assert_eq!((times(1), times(3)), ("once".to_owned(), "3 times".to_owned()));
    }

    #[test]
    fn a_machine_is_named_by_what_is_known() {
        let facts = Facts::from([
            ("cpu.model".to_owned(), "AMD EPYC".to_owned()),
            ("kernel.release".to_owned(), "6.18".to_owned()),
            ("machine.hypervisor".to_owned(), "kvm".to_owned()),
        ]);
        assert_eq!(machine(&facts).unwrap(), "AMD EPYC, Linux 6.18, in a virtual machine");
        assert_eq!(machine(&Facts::new()), None);
    }
}
