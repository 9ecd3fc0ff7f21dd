//! The parts of a load that fall to the ranks.

use experiment::{Experiment, Workload};

use words::say;

use crate::LabError;
use crate::ranks::agreed::of_rank;
use crate::ranks::scale_out;

/// The beds that all ranks load together: servers by an address that is the same for every rank.
#[must_use]
pub(super) fn shared_beds(experiment: &Experiment) -> Vec<String> {
    let shared = experiment.bed.iter().filter(|bed| experiment.is_shared(bed));
    shared.map(|bed| bed.name.clone()).collect()
}

/// The share of a rank in words: everything on a bed of its own, a part of the users of a server that all
/// ranks load together.
pub(crate) fn share_of(experiment: &Experiment, rank: u32, size: u32) -> Vec<String> {
    let shared = shared_beds(experiment);
    let of_bed = |bed: &experiment::Bed| {
        if let Some(all) = experiment.ranks_most() {
            return say!("share-dealt", bed = bed.name, own = fleet::share(all, rank, size).1, all);
        }
        if !shared.contains(&bed.name) {
            return say!("share-own", bed = bed.name);
        }
        let users = experiment.workload.iter().filter_map(levels_of).flatten();
        let parts = users.map(|users| {
            let (first, count) = fleet::share(*users, rank, size);
            format!("{}-{}/{users}", first + 1, first + count)
        });
        say!("share-of-users", bed = bed.name, users = words::list(parts))
    };
    experiment.bed.iter().map(of_bed).collect()
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
    experiment.deal(|all| fleet::share(all, rank, size).1);
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
            what: format!("workers and instances are dealt to {most} ranks at most, and {size} are given"),
            place: "[fleet] deal".to_owned(),
            fix: format!("give {most} hosts, for example --hosts localhost:{most}, or fewer"),
        });
    }
    for workload in &experiment.workload {
        let place = format!("workload `{}`", workload.name());
        if let Workload::Block(block) = workload
            && (block.find.is_some() || block.steady.is_some())
        {
            return Err(LabError::Experiment {
                what: "a search or a steady state ends on each host at a time of its own".to_owned(),
                place,
                fix: "run it on one host, and the load that it finds on the fleet".to_owned(),
            });
        }
        let users = users_of(workload);
        if let (Some(users), true) = (users, shares && !experiment.scale_out().is_empty())
            && users % size != 0
        {
            return Err(LabError::Experiment {
                what: format!(
                    "{users} users cannot be dealt evenly to {size} ranks, and every rank must bring the same load"
                ),
                place,
                fix: format!("give a multiple of {size} users"),
            });
        }
        if let Some(least) = users.filter(|least| shares && *least < size) {
            return Err(LabError::Experiment {
                what: format!(
                    "{least} users are too few for {size} ranks on one server: a rank would have no work"
                ),
                place,
                fix: format!("give each level at least {size} users, or use fewer hosts"),
            });
        }
        if shares && users.is_none() && !matches!(workload, Workload::Block(_)) {
            return Err(LabError::Experiment {
                what: format!(
                    "a workload of kind {} cannot be dealt to several ranks on one server",
                    workload.kind()
                ),
                place,
                fix: "give each rank a server of its own: put {rank} into its address".to_owned(),
            });
        }
    }
    Ok(())
}

/// The smallest level of a workload whose users can be dealt to ranks.
fn users_of(workload: &Workload) -> Option<u32> {
    levels_of(workload).and_then(|levels| levels.iter().copied().min())
}

/// The levels of a workload whose users can be dealt to ranks.
fn levels_of(workload: &Workload) -> Option<&[u32]> {
    match workload {
        Workload::Tpcc(tpcc) => Some(&tpcc.virtual_users),
        Workload::Sysbench(sysbench) => Some(&sysbench.threads),
        _ => None,
    }
}
