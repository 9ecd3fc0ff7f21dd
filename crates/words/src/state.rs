//! The states of runs and cells.

use crate::word::words;

words! {
    /// The state of a run, in the order in which a run can come to them.
    #[derive(serde::Serialize)]
    #[serde(into = "String")]
    pub enum RunState {
        /// A process is at work on it.
        Running = "running",
        /// Started and not ended, but no process works on it any more; `resume` completes it. Never stored:
        /// after a kill the stored state is `running`, and the writer's lock distinguishes the two.
        Killed = "killed",
        /// Every planned cell was run.
        Finished = "finished",
        /// Stopped on request; `resume` completes it.
        Interrupted = "interrupted",
        /// Ended by an error that was not confined to a cell; a note of the kind `error` says which. `resume`
        /// goes on once it is mended.
        Failed = "failed",
    }
}

impl RunState {
    /// The state of a stored name. Whether a run was killed is never stored.
    pub fn of_stored(name: &str) -> Option<RunState> {
        RunState::of(name).filter(|state| *state != RunState::Killed)
    }
}

words! {
    /// The state of a cell's latest attempt.
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(into = "String", try_from = "String")]
    pub enum CellState {
        /// Not begun.
        Planned = "planned",
        /// Begun and not recorded; after a kill it stays in this state until the run is resumed.
        Running = "running",
        /// Measured as planned.
        Done = "done",
        /// Measured, but not to be counted: the reason is beside it.
        Invalid = "invalid",
        /// Stopped on request before the end of its measure phase.
        Interrupted = "interrupted",
    }
}

impl CellState {
    /// True if an attempt in this state has ended and will never change again.
    pub fn is_final(self) -> bool {
        matches!(self, CellState::Done | CellState::Invalid | CellState::Interrupted)
    }
}

/// A cell is planned before anything else.
impl Default for CellState {
    fn default() -> CellState {
        CellState::Planned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_but_killed_is_read_from_a_notebook() {
        let stored = RunState::ALL.iter().filter(|state| RunState::of_stored(state.name()).is_some());
        assert_eq!(stored.count(), RunState::ALL.len() - 1);
        assert_eq!(RunState::of_stored("killed"), None);
        assert_eq!(RunState::of("killed"), Some(RunState::Killed), "people ask for them by this name");
    }
}
