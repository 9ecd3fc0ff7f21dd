//! One caller at a time: its usual way, and what belongs to it on a machine that does nothing else.

use std::io;
use std::time::Duration;

use ground::Clock;
use measure::Histogram;

use crate::fuse::charge::Charging;
use crate::fuse::probe::Probe;
use crate::recorder::IoKind;

/// A pause before each round: programs that keep the machine busy for a moment spoil some rounds, not all.
const PAUSE: Duration = Duration::from_millis(4);

/// The times of one caller.
pub(super) struct Alone {
    /// Median of the round in the middle, ns.
    pub(super) usual_ns: u64,
    /// The same of the path alone, without the time from the request to the answer, ns.
    pub(super) path_ns: u64,
    /// The median of the rounds' means, ns: a program that is busy for a moment does not count as the mount's
    /// own time.
    pub(super) mean_ns: f64,
    /// The lowest median of the waits for a processor, ns: with nobody in the way, the time until a woken
    /// thread runs.
    pub(super) waited_ns: u64,
}

/// Measures rounds, at least one, of so many operations each.
///
/// # Errors
/// Those of the operations.
pub(super) fn measure(
    (probe, charging): (&Probe, &Charging),
    (kind, size_bytes): (IoKind, u64),
    rounds: u64,
    operations: u64,
) -> io::Result<Alone> {
    let (mut means_ns, mut waited_ns) = (Histogram::new(), u64::MAX);
    let mut medians_ns = Vec::with_capacity(rounds as usize);
    for round in 0..rounds {
        Clock::Wall.sleep(PAUSE);
        let (mut seen, mut waited, mut path) = (Histogram::new(), Histogram::new(), Histogram::new());
        for operation in 0..operations {
            let before_ns = charging.took_for_own_ns();
            let took = probe.go(kind, size_bytes, round * operations + operation)?;
            let layer_ns = charging.took_for_own_ns().saturating_sub(before_ns);
            seen.record(took.seen_ns);
            path.record(took.seen_ns.saturating_sub(layer_ns));
            waited.record(took.waited_ns);
        }
        medians_ns.push((seen.quantile_ns(0.5), path.quantile_ns(0.5)));
        waited_ns = waited_ns.min(waited.quantile_ns(0.5));
        means_ns.record(seen.mean_ns() as u64);
    }
    medians_ns.sort_unstable();
    let (usual_ns, path_ns) = medians_ns[medians_ns.len().saturating_sub(1) / 2];
    Ok(Alone { usual_ns, path_ns, mean_ns: means_ns.quantile_ns(0.5) as f64, waited_ns })
}
