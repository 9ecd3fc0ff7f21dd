//! What would spoil a measurement on this machine, and what to do about it.
use serde::Serialize;
use std::path::Path;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be, or unknown.
    Ok,
    /// Results will be noisier or mean less than they seem.
    Warn,
    /// A run would fail or mean nothing.
    Block,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Dotted name, the same in every version.
    pub id: &'static str,
    /// How bad it is.
    pub level: Level,
    /// What was read, and from where.
    pub read: String,
    /// Why it matters to a measurement.
    pub why: String,
    /// What to do about it; empty when there is nothing to do.
    pub fix: String,
}

/// Examines the machine and the storage under each target.
pub fn examine(_targets: &[&Path]) -> Vec<Check> {
    Vec::new()
}
