//! A load that runs without a conductor: its job, and its record.

use std::time::Duration;

use block::{Ended, EngineKind, Job, Outcome, Target};
use experiment::Block;
use notebook::{CellRecord, CellState};
use words::{EventKind, Happening, NoteKind, Reason, Remark};

use super::jobs::{self, Asked, LevelLoad};
use super::pace;
use super::place::{BlockStorage, Ground};
use super::record::{self, Terms};
use super::results::Results;
use crate::watch::limiter::Processors;

/// A load that has run.
pub struct Load<'a> {
    /// The measured figures.
    pub outcome: &'a Outcome,
    /// The engine of its I/Os.
    pub engine: &'a EngineKind,
    /// The time from the first to the last I/O of a replay that starts them by the clock.
    pub due_for: Option<Duration>,
    /// The use of the machine's processors meanwhile, where it is known.
    pub processors: Option<Processors>,
    /// Remarks on the run.
    pub remarks: Vec<(NoteKind, Remark)>,
    /// Remarks on its cell.
    pub events: Vec<(EventKind, Happening)>,
}

/// The job of a workload with one stream at its first level, on one target of `size_bytes`.
///
/// # Errors
/// The reason why its values make no job.
pub fn single_job(
    block: &Block,
    engine: EngineKind,
    (target, size_bytes): (Target, u64),
    seed: u64,
) -> Result<Job, Reason> {
    let ground = |targets: Vec<Target>| Ground {
        engine: engine.clone(),
        sizes_bytes: vec![size_bytes; targets.len()],
        targets,
    };
    let place = BlockStorage { data: ground(vec![target]), log: ground(Vec::new()), is_one: true };
    let asked = Asked {
        load: LevelLoad::of(block, 0),
        read: None,
        block_size: None,
        ramp_up: block.ramp_up.0,
        measure: block.measure.0,
        seed,
    };
    jobs::jobs(block, &place, &asked)?.pop().ok_or(Reason::NoLoad)
}

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
    load.processors.iter().for_each(|used| results.note_processors(*used, outcome.elapsed));
    results.count_alone(outcome.clone());
    let record = record::of_results(&results, &terms, None);
    if record.state == CellState::Done && outcome.did_nothing() {
        return CellRecord { state: CellState::Invalid, reasons: Reason::NothingMeasured.into(), ..record };
    }
    record
}
