//! The requests of an experiment file that cannot be run here: refused before anything is touched.

use experiment::{Bed, Experiment, Storage, Workload};

use crate::error::LabError;
use crate::storage::targets;
use crate::world::World;
use crate::{membership, needs};

/// Refuses what cannot be conducted: servers on modelled drives where this machine lets nobody mount them,
/// and whatever is described but not built. [`run`](crate::run) does it itself; a caller that is about to
/// create files asks before.
///
/// # Errors
/// [`LabError::Experiment`] with what, where and what to do; [`LabError::Places`] for a storage on a mount
/// that does not answer.
pub fn check(experiment: &Experiment) -> Result<(), LabError> {
    if let Some(silent) = targets::silent(experiment) {
        return Err(LabError::Places { faults: vec![silent] });
    }
    if let Some(bed) = experiment.bed.iter().find(|bed| is_mounted(experiment, bed)) {
        emulate::fuse::check().map_err(|error| {
            let (what, place) = (error.to_string(), format!("bed `{}`", bed.name));
            LabError::Experiment {
                what,
                place,
                fix: format!("give it real storage: --storage {}=PATH", bed.name),
            }
        })?;
    }
    match missing(experiment) {
        None => Ok(()),
        Some((what, place)) => Err(LabError::Experiment {
            what: format!("{what} is not conducted yet by this build"),
            place,
            fix: "leave it out, or use a newer drivetrain".to_owned(),
        }),
    }
}

/// Refuses what cannot be conducted in this world: without the machine, all but block I/O that
/// moves no bytes.
pub(crate) fn check_world(experiment: &Experiment, world: &World) -> Result<(), LabError> {
    if world.membership.is_alone() {
        membership::check_alone(experiment)?;
    }
    let refused =
        |workload: &&Workload| !world.has_machine() && !needs::of(workload).runs_in_virtual_time(experiment);
    match experiment.workload.iter().find(refused) {
        None => Ok(()),
        Some(workload) => Err(LabError::Experiment {
            what: "virtual time knows block I/O on modelled drives alone".to_owned(),
            place: format!("workload `{}`", workload.name()),
            fix: "run it by the clock of the machine".to_owned(),
        }),
    }
}

/// True if a server of our own uses a modelled drive, which is then mounted under it.
pub(crate) fn is_mounted(experiment: &Experiment, bed: &Bed) -> bool {
    let on_model = |storage: &Storage| matches!(storage, Storage::Emulated { .. });
    experiment.engine().is_server()
        && experiment.workload.iter().any(Workload::uses_database)
        && experiment.url_of(bed).is_none()
        && (on_model(&bed.storage) || bed.log.as_ref().is_some_and(on_model))
}

/// The first part that is not built, and its place.
fn missing(experiment: &Experiment) -> Option<(String, String)> {
    experiment.workload.iter().find_map(|workload| {
        let what = needs::of(workload).refused(experiment)?;
        Some((what.to_owned(), format!("workload `{}`", workload.name())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, settings: &[&str]) -> Option<String> {
        let named = experiment::find_named(name).expect("it is built in");
        let set =
            |text: String, setting: &&str| experiment::apply_set(&text, setting).expect("the key is there");
        let text = settings.iter().fold(named.text.to_owned(), set);
        let experiment = experiment::parse(&text, name).unwrap_or_else(|faults| panic!("{faults}"));
        check(&experiment).err().map(|error| error.to_string())
    }

    #[test]
    fn what_is_built_passes() {
        assert_eq!(refused("demo", &[]), None);
        assert_eq!(refused("kingston-dc1500m/test-3", &[]), None);
        assert_eq!(refused("demo", &["database.instances=2", "workload.profile=hammerdb-like"]), None);
    }

    #[test]
    fn a_server_on_a_modelled_drive_needs_a_mount() {
        let refused = refused("kingston-dc1500m/test-2-postgresql", &[]);
        match emulate::fuse::check() {
            Ok(()) => assert_eq!(refused, None),
            Err(why) => assert!(refused.is_some_and(|text| {
                text.contains(&why.to_string())
                    && text.contains("--storage nvme=PATH")
                    && text.contains("bed `nvme`")
            })),
        }
    }

    #[test]
    fn what_is_described_and_not_built_is_named_with_its_place() {
        let crowd = refused("demo", &["workload.virtual_users=[1001]"]).unwrap_or_default();
        assert!(crowd.contains("more than 1,000 connections"), "{crowd}");
        let error = refused("durability/sqlite", &["database.instances=2"]).unwrap_or_default();
        assert!(error.contains("not conducted yet") && error.contains("workload `durability`"), "{error}");
    }
}
