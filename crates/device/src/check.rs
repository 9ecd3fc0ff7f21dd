//! Which numbers a drive can have.

use crate::spec::DriveSpec;

/// A number, or a combination of numbers, that no drive can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{quantity}: {problem}; {allowed}")]
pub struct SpecError {
    /// The quantity at fault, by its name in the drive file without the unit, such as `read.latency_4k`.
    pub quantity: String,
    /// What is wrong with it.
    pub problem: String,
    /// What would be allowed.
    pub allowed: String,
}

pub(crate) fn validate(_spec: &DriveSpec) -> Result<(), SpecError> {
    Ok(())
}
