//! The parts of a load that fall to the ranks.

use experiment::{Experiment, Workload};

use words::say;

use crate::LabError;

/// The beds that all ranks load together: servers by an address that is the same for every rank.
#[must_use]
pub(super) fn shared_beds(experiment: &Experiment) -> Vec<String> {
    let is_shared = |bed: &&experiment::Bed| {
        experiment.url_of(bed).is_some_and(|url| !url.contains("{rank}") && !url.contains("{host}"))
    };
    experiment.bed.iter().filter(is_shared).map(|bed| bed.name.clone()).collect()
}

/// The share of a rank in words: everything on a bed of its own, a part of the users of a server that all
/// ranks load together.
#[must_use]
pub fn share_of(experiment: &Experiment, rank: u32, size: u32) -> Vec<String> {
    let shared = shared_beds(experiment);
    let of_bed = |bed: &experiment::Bed| {
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

/// Refuses a plan in which a rank has nothing to do, and what a fleet cannot measure honestly.
///
/// # Errors
/// [`LabError::Experiment`].
pub fn check_shares(experiment: &Experiment, size: u32) -> Result<(), LabError> {
    let shares = !shared_beds(experiment).is_empty();
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
