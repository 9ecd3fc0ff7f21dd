//! What of a run needs root, and whether this machine lets us have it.

use database::group::{self, Drive, Limits, Rule};
use experiment::{Bed, Experiment, Mitigation, Workload};

use crate::{instances, storages};

/// One line for each thing that needs root, with what was found here.
pub(super) fn needs_root(experiment: &Experiment) -> Vec<String> {
    let mut lines: Vec<String> = experiment.bed.iter().filter_map(|bed| limits(experiment, bed)).collect();
    for workload in &experiment.workload {
        match workload {
            Workload::Neighbour(asked) => {
                let drives = experiment.bed.iter().filter_map(|bed| mitigation(asked, bed));
                lines.extend(drives);
            }
            Workload::Fragmentation(asked) => {
                let made = asked
                    .filesystem
                    .map(|system| format!("making and mounting a file system {system} in an image"));
                lines.extend(made);
            }
            _ => {}
        }
    }
    lines
}

fn limits(experiment: &Experiment, bed: &Bed) -> Option<String> {
    let Limits { rules, .. } = instances::limits_of(experiment, bed);
    let words: Vec<String> = rules.iter().map(Rule::to_string).collect();
    let found = || group::availability(&rules);
    (!rules.is_empty())
        .then(|| format!("limits of each instance of {}: {}: {}", bed.name, words.join(", "), found()))
}

/// What the kernel is to do against the neighbour on a bed's drive.
fn mitigation(asked: &experiment::Neighbour, bed: &Bed) -> Option<String> {
    let mitigation = asked.mitigation.filter(|mitigation| *mitigation != Mitigation::RateLimit)?;
    let found = match Drive::under(storages::path_of(&bed.storage)) {
        Err(error) => error.to_string(),
        Ok(drive) => match (mitigation, asked.limit) {
            (Mitigation::IdleIo, _) => match drive.check_idle_io() {
                Ok(()) => format!("available here: {drive}"),
                Err(error) => error.to_string(),
            },
            (Mitigation::Throttle, Some(limit)) => {
                group::availability(&[Rule::Throttle { drive, bytes_per_s: limit.0 }])
            }
            _ => group::availability(&[Rule::Weight(drive)]),
        },
    };
    Some(format!("the mitigation {mitigation} on {}: {found}", bed.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_mitigations_say_whether_they_are_to_be_had_here() {
        let named = experiment::find_named("kingston-dc1500m/test-5-postgresql").expect("it is built in");
        let settings = ["database.cpus=0.5", "workload.mitigation=throttle"];
        let set =
            |text: String, setting: &&str| experiment::apply_set(&text, setting).expect("the key is known");
        let text = settings.iter().fold(named.text.to_owned(), set);
        let asked = experiment::parse(&text, "x").unwrap_or_else(|faults| panic!("{faults}"));
        let lines = needs_root(&asked);
        assert_eq!(lines.len(), 4, "two beds, each with limits and a mitigation: {lines:#?}");
        assert!(lines[0].contains("limits of each instance of nvme: 0.5 processors"), "{lines:#?}");
        assert!(lines[2].contains("the mitigation throttle on nvme"), "{lines:#?}");
        assert!(lines.iter().all(|line| line.contains("here")), "{lines:#?}");
    }
}
