//! The circumstances of a run of measured loads, and the drive under its target.

use experiment::{Experiment, Size, Storage, Workload};
use notebook::{Facts, Notebook, RunId};
use words::{Metric, Realm};

use super::Circumstances;
use crate::StudyError;

/// The facts that `drivetrain profile` keeps with its run.
pub const FACTS: &str = "profile";
/// The loads by their name.
pub const LOADS: &str = "loads";
/// The drive whose emulated twin ran beside it.
pub const TWIN: &str = "twin";
/// The names of the built-in loads begin with this.
const NAMED: &str = "profile/";
/// The built-in loads of a drive and its twin.
pub const NAMED_TWIN: &str = "profile/twin";

/// The subject of a run that profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profiled {
    /// A drive, by loads that make one.
    Drive,
    /// A model, by a drive beside its emulated twin.
    Twin,
}

impl Profiled {
    /// By the name of the run and the keys of its facts of the scope [`FACTS`], which a run that was killed
    /// at its first measurement lacks; `None` for any other run.
    #[must_use]
    pub fn of(name: &str, facts: Option<&Facts>) -> Option<Profiled> {
        match facts {
            _ if name == NAMED_TWIN => Some(Profiled::Twin),
            Some(facts) if facts.contains_key(TWIN) => Some(Profiled::Twin),
            Some(_) => Some(Profiled::Drive),
            None => name.starts_with(NAMED).then_some(Profiled::Drive),
        }
    }
}

/// The name of the fact that tells how full the target was before the loads.
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
    /// Bytes of the device under the target, or of the modelled drive, and where that is from.
    pub capacity: Option<(u64, &'static str)>,
    /// Numbers of the cells, from 1, beside which other programs used the processors or the drive too much
    /// for a measurement.
    pub busy: Vec<u32>,
}

/// Processor time of other programs, per cent, from which on latencies are no longer those of the target.
const BUSY_PERCENT: f64 = 20.0;
/// Bytes of other programs on the drive from which on that holds, too: as a share of those of the load, and
/// MB/s. File systems and the system's own log write a little always.
const BUSY_DRIVE: (f64, f64) = (0.1, 1.0);

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
    let again = modelled.map(|drive| format!("{}-profiled", device::catalogue::short_name(drive)));
    let model = drive.get("data.model");
    let others = others(notebook, run)?;
    let busy = others.iter().filter(|others| others.is_busy()).map(|others| others.number);
    Ok(Surroundings {
        busy: busy.collect(),
        circumstances: Circumstances {
            scale: scale(stored.scale, &words::english(|| stored.scale_statement.to_string())),
            date: stored.started_at.get(..10).map(str::to_owned),
            machine: if is_modelled { Some("virtual time".to_owned()) } else { machine(host) },
            preconditioned: Some(preconditioned(&experiment, is_modelled)),
            filled: facts(FACTS).get(FILLED).cloned(),
            beside: beside(&others),
            pauses: None,
        },
        name: again.or_else(|| model.cloned()),
        title: model.cloned(),
        capacity: capacity(drive, is_modelled),
    })
}

fn capacity(drive: &Facts, is_modelled: bool) -> Option<(u64, &'static str)> {
    if is_modelled {
        let bytes = bytes(drive.get("data.drive.capacity")?)?;
        return Some((bytes, "the capacity of the model"));
    }
    Some((drive.get("data.size_bytes")?.parse().ok()?, "the size of the device"))
}

/// The bytes of a fact such as `1920 GB`, or `500 GiB` of a volume.
fn bytes(fact: &str) -> Option<u64> {
    let (number, unit) = fact.split_once(' ')?;
    let unit: Size = format!("1{unit}").parse().ok()?;
    Some((number.parse::<f64>().ok()? * unit.bytes() as f64) as u64)
}

/// The factor of a shortened run with the sentence about it.
fn scale(factor: f64, statement: &str) -> Option<String> {
    let statement = if statement.is_empty() { String::new() } else { format!(": {statement}") };
    let factor_shown = words::significant(factor, 4);
    (factor != 1.0).then(|| format!("{factor_shown} of the full length{statement}"))
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

/// The load of other programs beside a cell.
#[derive(Clone, Copy, Debug)]
struct Others {
    /// Of the cell, from 1.
    number: u32,
    /// Of all processor time.
    percent: f64,
    /// On the drive below the target; 0 where it is not known.
    drive_mb_per_s: f64,
    /// The load's own.
    own_mb_per_s: f64,
}

impl Others {
    fn is_busy(&self) -> bool {
        let (share, least_mb_per_s) = BUSY_DRIVE;
        let on_drive = self.drive_mb_per_s > least_mb_per_s.max(share * self.own_mb_per_s);
        self.percent > BUSY_PERCENT || on_drive
    }
}

fn others(notebook: &Notebook, run: RunId) -> Result<Vec<Others>, StudyError> {
    let mut others = Vec::new();
    for cell in notebook.cells(run)? {
        let value = |metric: Metric| notebook.measurement(cell.id, &metric.to_string());
        let Some(percent) = value(Metric::CpuOthers)? else { continue };
        others.push(Others {
            number: cell.position + 1,
            percent,
            drive_mb_per_s: value(Metric::DriveOthers)?.unwrap_or(0.0),
            own_mb_per_s: value(Metric::Bandwidth)?.unwrap_or(0.0),
        });
    }
    Ok(others)
}

fn beside(others: &[Others]) -> Option<String> {
    let most = |of: fn(&Others) -> f64| others.iter().map(of).reduce(f64::max);
    let (percent, drive) = (most(|others| others.percent)?, most(|others| others.drive_mb_per_s)?);
    let mean = others.iter().map(|others| others.percent).sum::<f64>() / others.len() as f64;
    let on_drive =
        if drive > BUSY_DRIVE.1 { format!("; up to {drive:.0} MB/s of the drive") } else { String::new() };
    Some(format!(
        "other programs took {mean:.0} % of the processors, {percent:.0} % in the busiest load{on_drive}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_load_is_told_beside_the_mean() {
        let of = |percent, drive_mb_per_s| Others { number: 1, percent, drive_mb_per_s, own_mb_per_s: 100.0 };
        let words = |drive| beside(&[of(2.0, 0.0), of(10.0, drive)]).unwrap();
        assert_eq!(words(0.5), "other programs took 6 % of the processors, 10 % in the busiest load");
        assert!(words(30.0).ends_with("; up to 30 MB/s of the drive"));
        let busy = [of(21.0, 0.0), of(0.0, 11.0), of(19.0, 9.0)].map(|others| others.is_busy());
        assert_eq!(busy, [true, true, false]);
        assert_eq!(beside(&[]), None);
        assert_eq!((times(1), times(3)), ("once".to_owned(), "3 times".to_owned()));
    }

    #[test]
    fn a_shortened_run_says_how_far() {
        assert_eq!(scale(1.0, ""), None);
        let words = scale(0.05, "times x 0.05").unwrap();
        assert_eq!(words, "0.05 of the full length: times x 0.05");
        assert_eq!(scale(1.0 / 600.0, "").unwrap(), "0.001667 of the full length");
    }

    #[test]
    fn a_model_has_the_capacity_of_its_file_or_of_its_purchase() {
        let of = |fact: &str| capacity(&Facts::from([("data.drive.capacity".into(), fact.into())]), true);
        let bytes = ["1920 GB", "500 GiB", "512110190592 B", "many"].map(|fact| Some(of(fact)?.0));
        assert_eq!(bytes, [Some(1_920_000_000_000), Some(500 << 30), Some(512_110_190_592), None]);
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
