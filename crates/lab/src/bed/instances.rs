//! The engine that an experiment names, as something that can be started, driven, copied and checked.

use database::group::Limits;
use database::{Backing, DatabaseError, Instance, InstanceSpec, Needs};
use experiment::{Experiment, Synchronous};

use crate::conductor::Conductor;
use crate::needs::{self, memory};
use crate::storage::drives;

/// An instance of the experiment's engine without limits, for unmeasured work; nothing runs yet.
pub(crate) fn make(
    conductor: &Conductor<'_>,
    spec: InstanceSpec,
) -> Result<Box<dyn Instance>, DatabaseError> {
    make_limited(conductor, spec, &Limits::default())
}

/// An instance of the experiment's engine whose processes are held to `limits`; nothing runs yet.
///
/// A server's log is sized for the largest memory among the beds, so that beds which differ in memory do not
/// differ in their log as well.
pub(crate) fn make_limited(
    conductor: &Conductor<'_>,
    spec: InstanceSpec,
    limits: &Limits,
) -> Result<Box<dyn Instance>, DatabaseError> {
    let experiment = conductor.experiment;
    let needs = Needs {
        log_for_bytes: Some(memory::largest_bytes(experiment)),
        backups: experiment.workload.iter().any(|workload| needs::of(workload).makes_backups()),
        power_cuts: experiment.workload.iter().any(|workload| needs::of(workload).cuts_power()),
        limits: limits.clone(),
    };
    conductor.world.servers.provision(experiment.engine(), spec, needs)
}

/// For unmeasured work in `dir`: storage without cost under the embedded engine, the storage itself under a
/// server.
pub(crate) fn for_work(experiment: &Experiment, dir: &std::path::Path) -> InstanceSpec {
    let backing = if experiment.engine().is_server() { Backing::Real } else { drives::free() };
    InstanceSpec {
        dir: dir.to_path_buf(),
        data: backing.clone(),
        log: backing,
        log_dir: None,
        memory_bytes: memory::WORK_BYTES,
        synchronous: Synchronous::Off,
        page_cache: false,
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
    conductor.cell_drives.add_backings((&data, &log));
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
        memory_bytes: described.memory.or(database.map(|d| d.memory)).map_or(memory::WORK_BYTES, |m| m.0),
        synchronous: database.map(|d| d.synchronous).unwrap_or_default(),
        page_cache: database.is_some_and(|d| d.page_cache),
    }
}
