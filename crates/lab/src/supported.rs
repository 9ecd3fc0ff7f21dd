//! What an experiment file may ask for and this build does not conduct yet: said before anything is touched.

use experiment::{Experiment, Pacing, Workload};

use crate::{LabError, instances};

/// Refuses what cannot be conducted: servers on modelled drives, and whatever is described but not built. [`run`](crate::run) does it
/// itself; a caller that is about to create files asks before.
///
/// # Errors
/// [`LabError::Experiment`] with what, where and what to do.
pub fn check(experiment: &Experiment) -> Result<(), LabError> {
    experiment::check_runnable(experiment).map_err(|error| LabError::Experiment {
        what: error.what(),
        place: error.place(),
        fix: error.fix(),
    })?;
    match missing(experiment) {
        None => Ok(()),
        Some((what, place)) => Err(LabError::Experiment {
            what: format!("{what} is not conducted yet by this build"),
            place,
            fix: "leave it out, or use a newer drivetrain".to_owned(),
        }),
    }
}

/// The first thing that is not built, and where it stands.
fn missing(experiment: &Experiment) -> Option<(String, String)> {
    let database = experiment.database.as_ref();
    let is_server = instances::engine(database).is_server();
    let several = database.is_some_and(|database| database.instances > 1);
    experiment.workload.iter().find_map(|workload| {
        let place = format!("workload `{}`", workload.name());
        match workload {
            Workload::Tpcc(tpcc) if tpcc.pacing != Pacing::None && !is_server => {
                Some(("order entry at a pace on the embedded engine".to_owned(), place))
            }
            Workload::Durability(_) if several => {
                Some(("the durability test of several instances at once".to_owned(), place))
            }
            _ => None,
        }
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
    fn a_server_without_real_storage_is_told_how_to_get_it() {
        let error = refused("kingston-dc1500m/test-2-postgresql", &[]).unwrap_or_default();
        assert!(
            error.contains("--storage nvme=PATH") && error.contains("beds nvme, dc500m and eco"),
            "{error}"
        );
    }

    #[test]
    fn what_is_described_and_not_built_is_named_with_its_place() {
        let error = refused("demo", &["workload.pacing=keyed"]).unwrap_or_default();
        assert!(error.contains("not conducted yet") && error.contains("workload `tpcc`"), "{error}");
    }
}
