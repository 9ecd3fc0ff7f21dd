//! Runs whose level is the number of ranks.

use experiment::Experiment;

use crate::error::LabError;

/// The key of the file.
const PLACE: &str = "[fleet] scale_out";

/// Refuses levels that do not fit the fleet: ranks without work, and more ranks than there are.
///
/// # Errors
/// [`LabError::Experiment`].
pub(super) fn check(experiment: &Experiment, size: u32) -> Result<(), LabError> {
    let Some(most) = experiment.scale_out().iter().copied().max() else { return Ok(()) };
    if most > size {
        return Err(LabError::Experiment {
            what: format!("the largest level has {most} ranks, and {size} are given"),
            place: PLACE.to_owned(),
            fix: format!("give {most} hosts, for example --hosts localhost:{most}, or smaller levels"),
        });
    }
    if most < size {
        return Err(LabError::Experiment {
            what: format!(
                "the largest level has {most} ranks, and {size} are given: some would have no work"
            ),
            place: PLACE.to_owned(),
            fix: format!("give {most} hosts, or add the level {size}"),
        });
    }
    Ok(())
}

/// Refuses a process that is alone.
///
/// # Errors
/// [`LabError::Experiment`].
pub fn check_alone(experiment: &Experiment) -> Result<(), LabError> {
    let Some(most) = experiment.scale_out().iter().max() else { return Ok(()) };
    Err(LabError::Experiment {
        what: "the number of ranks is the level, and there are no hosts".to_owned(),
        place: PLACE.to_owned(),
        fix: format!("give as many hosts as the largest level has, for example --hosts localhost:{most}"),
    })
}
