//! The engine that an experiment names, as something that can be started, driven, copied and checked.

use database::group::Limits;
use database::{Backing, DatabaseError, Instance, InstanceSpec, Needs};
use experiment::{Bed, Database, Engine, Experiment, Synchronous};

use crate::beds;
use crate::conductor::Conductor;
use crate::needs;

/// Memory for loading and checking, which are not measured: as much as is useful.
const WORK_MEMORY_BYTES: u64 = 256 << 20;

/// An instance of the experiment's engine without limits, for unmeasured work; nothing runs yet.
pub(crate) fn make(experiment: &Experiment, spec: InstanceSpec) -> Result<Box<dyn Instance>, DatabaseError> {
    make_limited(experiment, spec, &Limits::default())
}

/// The limits of each instance of a bed.
pub(crate) fn limits_of(experiment: &Experiment, bed: &Bed) -> Limits {
    Limits::of(experiment.cpus_of(bed), experiment.memory_limit_of(bed).map(|limit| limit.0))
}

/// An instance of the experiment's engine whose processes are held to `limits`; nothing runs yet.
///
/// A server's log is sized for the largest memory among the beds, so that beds which differ in memory do not
/// differ in their log as well.
pub(crate) fn make_limited(
    experiment: &Experiment,
    spec: InstanceSpec,
    limits: &Limits,
) -> Result<Box<dyn Instance>, DatabaseError> {
    let needs = Needs {
        log_for_bytes: Some(largest_memory_bytes(experiment)),
        backups: experiment.workload.iter().any(|workload| needs::of(workload).makes_backups()),
        power_cuts: experiment.workload.iter().any(|workload| needs::of(workload).cuts_power()),
        limits: limits.clone(),
    };
    database::provision(engine(experiment.database.as_ref()), spec, needs)
}

pub(crate) fn largest_memory_bytes(experiment: &Experiment) -> u64 {
    let of_database = experiment.database.as_ref().map(|database| database.memory);
    let of_beds = experiment.bed.iter().filter_map(|bed| bed.memory.or(of_database));
    of_beds.map(|memory| memory.0).max().unwrap_or(WORK_MEMORY_BYTES)
}

/// The engine of an experiment; the embedded one when it names none.
pub(crate) fn engine(database: Option<&Database>) -> Engine {
    database.map(|d| d.engine).unwrap_or_default()
}

/// For unmeasured work in `dir`: storage without cost under the embedded engine, the storage itself under a
/// server.
pub(crate) fn for_work(database: Option<&Database>, dir: &std::path::Path) -> InstanceSpec {
    let backing = if engine(database).is_server() { Backing::Real } else { beds::free() };
    InstanceSpec {
        dir: dir.to_path_buf(),
        data: backing.clone(),
        log: backing,
        log_dir: None,
        memory_bytes: WORK_MEMORY_BYTES,
        synchronous: Synchronous::Off,
    }
}

/// For one cell: the bed's instances, each with the bed's memory, on drives in their first state that all of
/// them share.
pub(crate) fn for_cell(conductor: &Conductor<'_>, bed: usize, seed: u64) -> Vec<InstanceSpec> {
    let count = conductor.experiment.database.as_ref().map_or(1, |database| database.instances);
    for_many(conductor, bed, seed, count)
}

/// As many instances as a workload itself says, on drives that all of them share.
pub(crate) fn for_many(conductor: &Conductor<'_>, bed: usize, seed: u64, count: u32) -> Vec<InstanceSpec> {
    let (data, log) = conductor.drives[bed].fresh(seed);
    (0..count).map(|number| for_instance(conductor, bed, number, (data.clone(), log.clone()))).collect()
}

fn for_instance(
    conductor: &Conductor<'_>,
    bed: usize,
    number: u32,
    (data, log): (Backing, Backing),
) -> InstanceSpec {
    let described = &conductor.experiment.bed[bed];
    let database = conductor.experiment.database.as_ref();
    InstanceSpec {
        dir: conductor.work.instance(described, number),
        data,
        log,
        log_dir: conductor.work.log(described, number),
        memory_bytes: described.memory.or(database.map(|d| d.memory)).map_or(WORK_MEMORY_BYTES, |m| m.0),
        synchronous: database.map(|d| d.synchronous).unwrap_or_default(),
    }
}
