//! The parts of a load that fall to the ranks.

use experiment::{Experiment, Storage, Workload};
use words::say;

use crate::error::LabError;
use crate::membership::agreed::of_rank;
use crate::membership::scale_out;
use crate::needs;

/// The beds that all ranks load together: servers by an address that is the same for every rank.
#[must_use]
pub(crate) fn shared_beds(experiment: &Experiment) -> Vec<String> {
    let shared = experiment.bed.iter().filter(|bed| experiment.is_shared(bed));
    shared.map(|bed| bed.name.clone()).collect()
}

/// The share of a rank in words: everything on a bed of its own, a part of the users of a server that all
/// ranks load together.
pub(crate) fn share_of(experiment: &Experiment, rank: u32, size: u32) -> Vec<String> {
    let shared = shared_beds(experiment);
    let on_what = |bed: &experiment::Bed| {
        if let Some(all) = experiment.ranks_most() {
            let workloads = experiment.workload.iter();
            let roles = workloads.filter_map(|load| needs::of(load).roles_of(&bed.name, (rank, size)));
            let roles: Vec<String> = roles.collect();
            return match roles.is_empty() {
                true => say!("share-dealt", bed = bed.name, own = fleet::share(all, rank, size).1, all),
                false => roles.join("; "),
            };
        }
        if !shared.contains(&bed.name) {
            return say!("share-own", bed = bed.name);
        }
        let users = experiment.workload.iter().filter_map(Workload::users).flatten();
        let parts = users.map(|users| {
            let (first, count) = fleet::share(*users, rank, size);
            format!("{}-{}/{users}", first + 1, first + count)
        });
        say!("share-of-users", bed = bed.name, users = words::list(parts))
    };
    let of_bed = |bed: &experiment::Bed| match has_model(bed) && size > 1 && !shared.contains(&bed.name) {
        true => say!("share-own-drive", share = on_what(bed)),
        false => on_what(bed),
    };
    experiment.bed.iter().map(of_bed).collect()
}

/// True if each process models the bed's drive for itself.
fn has_model(bed: &experiment::Bed) -> bool {
    matches!(bed.storage, Storage::Emulated { .. })
}

/// The experiment of a rank: the file with its number and its host filled in, and its part of what is dealt.
///
/// # Errors
/// [`LabError::Experiment`] for names that make no experiment.
pub(crate) fn experiment_of(
    toml: &str,
    host: &str,
    (rank, size): (u32, u32),
) -> Result<Experiment, LabError> {
    let mut experiment =
        experiment::parse(&of_rank(toml, rank, host), host).map_err(|faults| LabError::Experiment {
            what: faults.to_string(),
            place: format!("rank {rank} ({host})"),
            fix: "look at what {rank} and {host} make of the paths and addresses".to_owned(),
        })?;
    experiment.deal(|all| fleet::share(all, rank, size));
    Ok(experiment)
}

/// Refuses a plan in which a rank has nothing to do, and what a fleet cannot measure honestly.
///
/// # Errors
/// [`LabError::Experiment`].
pub fn check_shares(experiment: &Experiment, size: u32) -> Result<(), LabError> {
    let shared = shared_beds(experiment);
    let shares = !shared.is_empty();
    if shares && shared.len() < experiment.bed.len() {
        return Err(LabError::Experiment {
            what:
                "a server of all ranks stands beside beds that each rank has for itself: their loads differ"
                    .to_owned(),
            place: format!("bed `{}`", shared[0]),
            fix: "give each rank a server of its own ({rank} in the address), or run the beds apart"
                .to_owned(),
        });
    }
    scale_out::check(experiment, size)?;
    if let Some(most) = experiment.ranks_most().filter(|most| *most < size) {
        return Err(LabError::Experiment {
            what: format!(
                "workers, instances or machines are dealt to {most} ranks at most, and {size} are given"
            ),
            place: "[fleet] deal".to_owned(),
            fix: format!("give {most} hosts, for example --hosts localhost:{most}, or fewer"),
        });
    }
    check_roles(experiment)?;
    experiment.workload.iter().try_for_each(|workload| check_workload(workload, (experiment, size), shares))
}

/// Refuses a workload that cannot be dealt, or that ends on each host at a time of its own. `shares` for a
/// server of all ranks.
fn check_workload(
    workload: &Workload,
    (experiment, size): (&Experiment, u32),
    shares: bool,
) -> Result<(), LabError> {
    let place = format!("workload `{}`", workload.name());
    if needs::of(workload).ends_by_itself() {
        return Err(LabError::Experiment {
            what: "a search or a steady state ends on each host at a time of its own".to_owned(),
            place,
            fix: "run it on one host, and the load that it finds on the fleet".to_owned(),
        });
    }
    if !shares {
        return Ok(());
    }
    let Some(least) = workload.users().and_then(|levels| levels.iter().copied().min()) else {
        if !workload.uses_database() {
            return Ok(());
        }
        return Err(LabError::Experiment {
            what: format!(
                "a workload of kind {} cannot be dealt to several ranks on one server",
                workload.kind()
            ),
            place,
            fix: "give each rank a server of its own: put {rank} into its address".to_owned(),
        });
    };
    if !experiment.scale_out().is_empty() && least % size != 0 {
        return Err(LabError::Experiment {
            what: format!(
                "{least} users cannot be dealt evenly to {size} ranks, and every rank must bring the same load"
            ),
            place,
            fix: format!("give a multiple of {size} users"),
        });
    }
    if least < size {
        return Err(LabError::Experiment {
            what: format!(
                "{least} users are too few for {size} ranks on one server: a rank would have no work"
            ),
            place,
            fix: format!("give each level at least {size} users, or use fewer hosts"),
        });
    }
    Ok(())
}

/// Refuses victims and neighbours that would not meet: each rank has a modelled drive of its own.
fn check_roles(experiment: &Experiment) -> Result<(), LabError> {
    let is_split = experiment.workload.iter().any(|load| needs::of(load).has_roles());
    match experiment
        .bed
        .iter()
        .find(|bed| has_model(bed))
        .filter(|_| is_split && experiment.ranks_most().is_some())
    {
        None => Ok(()),
        Some(bed) => Err(LabError::Experiment {
            what:
                "victims and neighbours are dealt to ranks, and each rank has a modelled drive of its own, \
                on which they do not meet"
                    .to_owned(),
            place: format!("bed `{}`", bed.name),
            fix: format!(
                "give the storage that all ranks share, for example --storage {}=/mnt/shared",
                bed.name
            ),
        }),
    }
}
