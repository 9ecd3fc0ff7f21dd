//! The ranks of a run that a fleet has done: how it was started, and where each rank keeps its cells.

use std::collections::BTreeMap;

use notebook::{Notebook, RunId};

use crate::error::LabError;

/// The scope of the facts of a fleet.
pub(crate) const SCOPE: &str = "fleet";

/// The words by which the fleet of a run was started; `None` for a run of one process.
///
/// # Errors
/// The notebook's own.
pub fn was_led(notebook: &Notebook, run: RunId) -> Result<Option<BTreeMap<String, String>>, LabError> {
    let sets = notebook.fact_sets(run)?;
    Ok(sets.into_iter().find(|(scope, _)| scope == SCOPE).map(|(_, facts)| facts.into_iter().collect()))
}

/// A rank of a run, and where it keeps its cells.
pub(crate) struct KeptBy {
    pub(crate) host: String,
    /// The path of its notebook on its host.
    pub(crate) notebook: String,
    /// True if its host is this machine.
    pub(crate) is_here: bool,
}

/// The ranks of a run in their order; empty for a run of one process.
pub(crate) fn kept_by(notebook: &Notebook, run: RunId) -> Result<Vec<KeptBy>, LabError> {
    let Some(facts) = was_led(notebook, run)? else { return Ok(Vec::new()) };
    let of = |number: u32| {
        let host = facts.get(&format!("host.{number}"))?.clone();
        let notebook = facts.get(&format!("host.{number}.notebook"))?.clone();
        let is_here = fleet::Host(host.clone()).is_local();
        Some(KeptBy { host, notebook, is_here })
    };
    Ok((1..).map_while(of).collect())
}
