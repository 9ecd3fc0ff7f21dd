//! From fio's jobs to an experiment: jobs that run together become one workload, a stonewall begins the next.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use experiment::{Bed, Design, Experiment, Order, SCHEMA_VERSION, Storage, Workload};

use super::job::Job;
use super::load::{self, Load};
use super::workload;
use crate::source::{Reading, SourcePlace};

/// Name of the bed of an imported file, for `--storage target=PATH`.
pub(crate) const BED: &str = "target";

/// fio repeats its random numbers from run to run unless `randrepeat=0`; ours do with this seed.
const SEED: u64 = 1;

/// The experiment equivalent to the jobs. Faults are left in `reading`.
pub(super) fn experiment(
    reading: &mut Reading<'_>,
    jobs: &[Job],
    name: &str,
) -> (Experiment, Vec<SourcePlace>) {
    let mut workloads = Vec::new();
    let mut places = Vec::new();
    let groups = steps(reading, jobs);
    let loads: Vec<Vec<Load<'_>>> = groups
        .iter()
        .map(|group| group.iter().filter_map(|job| load::load(reading, job)).collect())
        .collect();
    if let (Some(group), false) =
        (groups.iter().zip(&loads).find(|(g, l)| g.len() != l.len()), reading.has_faults())
    {
        reading.fault(&group.0[0].place, "this job cannot be carried over", "", "write it in simpler words");
    }
    let sizes = workload::known_sizes(&loads, reading.surroundings());
    for step in &loads {
        let Some(first) = step.first() else { continue };
        match workload::block(reading, step, &sizes) {
            Some(block) => {
                workloads.push(block);
                places.push(first.job.place.clone());
            }
            None if reading.has_faults() => {}
            None => reading.fault(
                &first.job.place,
                "this job cannot be carried over",
                "",
                "write it in simpler words",
            ),
        }
    }
    tell_apart(&mut workloads);
    let seed = jobs.first().map(|job| seed(reading, job)).unwrap_or_default();
    let experiment = Experiment {
        schema: SCHEMA_VERSION,
        title: title(jobs, name),
        question: None,
        description: Some(format!("Made from the fio job file {name}.")),
        published: None,
        bed: vec![bed(jobs)],
        database: None,
        workload: workloads.into_iter().map(Workload::Block).collect(),
        design: once(seed),
        fleet: None,
    };
    (experiment, places)
}

/// One run of everything, in the file's order: later jobs use the files of earlier ones.
pub(crate) fn once(seed: Option<u64>) -> Design {
    Design { treatment: Vec::new(), repeats: 1, order: Order::Sequential, seed, ..Design::default() }
}

/// The bed of an imported file on this storage.
pub(crate) fn bed_on(path: PathBuf) -> Bed {
    Bed::on(BED, Storage::Real { path })
}

/// Workloads with the same name are numbered: each gets the first number that makes its name free among those
/// before it.
pub(crate) fn tell_apart(workloads: &mut [experiment::Block]) {
    let mut taken: HashSet<String> = HashSet::new();
    // A name that had its numbers up to some N taken never finds a lower one free again.
    let mut next: HashMap<String, u64> = HashMap::new();
    for workload in workloads {
        let Some(name) = workload.name.clone() else { continue };
        if taken.insert(name.clone()) {
            continue;
        }
        let number = next.entry(name.clone()).or_insert(2);
        let mut free = format!("{name}-{number}");
        while !taken.insert(free.clone()) {
            *number += 1;
            free = format!("{name}-{number}");
        }
        workload.name = Some(free);
    }
}

/// Jobs that run together, step by step.
fn steps<'j>(reading: &mut Reading<'_>, jobs: &'j [Job]) -> Vec<Vec<&'j Job>> {
    let mut steps: Vec<Vec<&Job>> = Vec::new();
    for job in jobs {
        let waits = job.flag(reading, "stonewall") || waits_for(reading, job, steps.last());
        match steps.last_mut() {
            Some(step) if !waits => step.push(job),
            _ => steps.push(vec![job]),
        }
    }
    for step in &steps {
        for job in step.iter().filter(|_| step.len() > 1) {
            if job.flag(reading, "exitall") {
                let text = "the other jobs of the step run to their own ends";
                job.note(reading, "exitall", text);
            }
        }
    }
    steps
}

/// `wait_for=NAME` of the job right before is a stonewall; anything else would need a schedule of its own.
fn waits_for(reading: &mut Reading<'_>, job: &Job, step: Option<&Vec<&Job>>) -> bool {
    let Some(name) = job.text("wait_for") else { return false };
    let step = step.map(Vec::as_slice).unwrap_or_default();
    if step.len() > 1 && step.iter().any(|before| before.name == name) {
        let text = format!("`{}` begins when the whole step of `{name}` is over", job.name);
        job.note(reading, "wait_for", text);
    }
    true
}

fn title(jobs: &[Job], name: &str) -> String {
    let short = name.rsplit('/').next().unwrap_or(name);
    match jobs {
        [only] => format!("{} ({short})", only.name),
        _ => format!("fio jobs of {short}"),
    }
}

/// Files without a place of their own lie in the one directory that the jobs name, else in the working
/// directory.
fn bed(jobs: &[Job]) -> Bed {
    let mut directories: Vec<&str> = jobs.iter().filter_map(|job| job.text("directory")).collect();
    directories.dedup();
    match directories.as_slice() {
        [only] if !only.contains(':') => bed_on(PathBuf::from(*only)),
        _ => bed_on(PathBuf::from(".")),
    }
}

fn seed(reading: &mut Reading<'_>, job: &Job) -> Option<u64> {
    if let Some(seed) = job.integer(reading, "randseed") {
        return Some(seed);
    }
    if job.has("randrepeat") && !job.flag(reading, "randrepeat") {
        return None;
    }
    Some(SEED)
}
