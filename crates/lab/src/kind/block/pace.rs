//! The pace that a cell was asked to keep, and whether it kept it.

use std::time::Duration;

use block::{Bursts, Outcome};
use experiment::Block;

use super::jobs::LevelLoad;
use crate::watch::limiter::Pace;

/// The pace of a cell in which every load is paced; `None` where any load goes as fast as it can.
pub(super) fn of(block: &Block, level: LevelLoad, outcome: &Outcome) -> Option<Pace> {
    if block.find.is_some() || block.curve.is_some() {
        return None; // They go as deep as they can, whatever their steps are.
    }
    let level = match level {
        LevelLoad::Rate { rate, .. } => Some(rate),
        LevelLoad::Depth(_) | LevelLoad::None => None,
    };
    let asked_iops = asked(block, level, outcome)?;
    Some(Pace { asked_iops, is_met: outcome.kept_pace(largest_bursts(block)) })
}

/// The pace of a replay whose I/Os were due within `due_for`.
pub(super) fn of_replay(outcome: &Outcome, due_for: Duration) -> Option<Pace> {
    let is_met = outcome.kept_pace(Bursts::default());
    (!due_for.is_zero()).then(|| Pace { asked_iops: outcome.due() as f64 / due_for.as_secs_f64(), is_met })
}

/// I/Os per second that all loads ask for together, over the measured time; `None` when one of them is not
/// paced.
fn asked(block: &Block, level: Option<f64>, outcome: &Outcome) -> Option<f64> {
    let shared = block.streams.iter().any(|stream| !stream.has_own_load());
    let mut ios = if shared { level? * outcome.elapsed.as_secs_f64() } else { 0.0 };
    for (number, stream) in block.streams.iter().enumerate().filter(|(_, stream)| stream.has_own_load()) {
        let rate = match (stream.burst, stream.rate) {
            (Some(burst), _) => f64::from(burst.ios) / burst.every.0.as_secs_f64(),
            (None, rate) => rate?,
        };
        let name = stream.name.clone().unwrap_or_else(|| format!("stream-{}", number + 1));
        // A load of its own may end before the phase does.
        let ran = outcome.streams.iter().find(|own| own.name == name);
        ios += rate * ran.map_or(outcome.elapsed, |own| own.elapsed).as_secs_f64();
    }
    Some(ios / outcome.elapsed.as_secs_f64().max(1e-9))
}

/// The most I/Os of a burst and the longest time between two, of all streams.
fn largest_bursts(block: &Block) -> Bursts {
    block.streams.iter().filter_map(|stream| stream.burst).fold(Bursts::default(), |most, burst| Bursts {
        ios: most.ios.max(burst.ios),
        every: most.every.max(burst.every.0),
    })
}
