//! The pace that a cell was asked to keep, and whether it kept it.

use std::time::Duration;

use block::Outcome;
use experiment::Block;

use super::jobs::LevelLoad;
use crate::watch::limiter::Pace;

/// The share of due requests that must have been answered.
const MET_SHARE: f64 = 0.99;
/// I/Os that start later than this part of the measured time, half of them, are held back by more than a
/// hiccup.
const LAG_SHARE: f64 = 0.01;

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
    Some(Pace { asked_iops, is_met: is_met(outcome, longest_burst(block)) })
}

/// The pace of a replay whose I/Os were due within `due_for`.
pub(super) fn of_replay(outcome: &Outcome, due_for: Duration) -> Option<Pace> {
    let due = (outcome.ios() + outcome.unfinished + outcome.failures()) as f64;
    let is_met = is_met(outcome, Duration::ZERO);
    (!due_for.is_zero()).then(|| Pace { asked_iops: due / due_for.as_secs_f64(), is_met })
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

fn longest_burst(block: &Block) -> Duration {
    block
        .streams
        .iter()
        .filter_map(|stream| stream.burst)
        .map(|burst| burst.every.0)
        .max()
        .unwrap_or_default()
}

/// True if the requests that fell due were answered, and started when they fell due. Counts alone would also
/// pass a target that works a queue off after the phase.
fn is_met(outcome: &Outcome, longest_burst: Duration) -> bool {
    let due = (outcome.ios() + outcome.unfinished + outcome.failures()) as f64;
    let lag_max = outcome.elapsed.mul_f64(LAG_SHARE).max(longest_burst).max(Duration::from_millis(1));
    let lag = if outcome.lag.is_empty() { 0 } else { outcome.lag.quantile_ns(0.5) };
    outcome.ios() > 0 && outcome.ios() as f64 >= MET_SHARE * due && u128::from(lag) <= lag_max.as_nanos()
}
