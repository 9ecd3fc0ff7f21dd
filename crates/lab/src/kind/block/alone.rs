//! The record of a load that ran without a conductor.

use block::Ended;
use experiment::Block;
use notebook::CellRecord;

use super::jobs::LevelLoad;
use super::pace;
use super::record::{self, Terms};
use super::results::Results;
use crate::conduct::single::Load;

/// The record of a load as the one cell of `block`.
pub(super) fn record(block: &Block, load: &Load<'_>) -> CellRecord {
    let (outcome, level) = (load.outcome, LevelLoad::of(block, 0));
    let pace = match &block.trace {
        None => pace::of(block, level, outcome),
        Some(_) => load.due_for.and_then(|due_for| pace::of_replay(outcome, due_for)),
    };
    let asked_iops = match level {
        LevelLoad::Rate { rate, .. } => Some(rate),
        LevelLoad::Depth(_) | LevelLoad::None => None,
    };
    let terms = Terms {
        block,
        asked_iops,
        pace,
        answers: record::answers(load.engine).into_iter().collect(),
        is_stopped: outcome.ended == Ended::Stopped,
    };
    let mut results = Results { notes: load.events.clone(), ..Results::default() };
    results.note_run(outcome);
    results.count_alone(outcome.clone());
    record::of_results(&results, &terms, None)
}
