//! Memory and processors of the instances of an experiment.

use database::group::Limits;
use experiment::{Bed, Experiment};

/// Memory for loading and checking, which are not measured: as much as is useful.
pub(crate) const WORK_BYTES: u64 = 256 << 20;

/// The limits of each instance of a bed.
pub(crate) fn limits_of(experiment: &Experiment, bed: &Bed) -> Limits {
    Limits::of(experiment.cpus_of(bed), experiment.memory_limit_of(bed).map(|limit| limit.0))
}

/// The largest buffer memory among the beds.
pub(crate) fn largest_bytes(experiment: &Experiment) -> u64 {
    let of_database = experiment.database.as_ref().map(|database| database.memory);
    let of_beds = experiment.bed.iter().filter_map(|bed| bed.memory.or(of_database));
    of_beds.map(|memory| memory.0).max().unwrap_or(WORK_BYTES)
}
