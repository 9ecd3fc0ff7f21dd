//! A lone load behind a limiter that works in slices, as the drive behind it served it.
//!
//! Most operations pass at once and show the drive; the last of each slice is held until the next one.
//! Without the held ones the load is that of the drive, as fast as one operation at a time goes.

use device::Bucket;
use measure::Histogram;

use super::super::load::{Direction, Load};

/// The operations that a slice holds are counted with so much room: some slices hold two.
const ROOM: f64 = 1.5;
/// If more than this share was held, too little of the load is the drive's.
const HELD_MOST: f64 = 0.25;
/// Intervals of the counts of such a load.
const INTERVALS: usize = 10;

/// The operations of a held load that passed at once; `None` for a load of many at once or at a rate, and
/// without slices.
pub(super) fn passed(limits: &[Bucket], load: &Load) -> Option<Load> {
    let slice_ns = limits.iter().map(|bucket| bucket.slice_ns).max().filter(|slice_ns| *slice_ns > 0)?;
    if load.depth != 1 || !load.is_closed() || load.per_s() <= 0.0 {
        return None;
    }
    let held = ROOM / (load.per_s() * slice_ns as f64 / 1e9);
    if held > HELD_MOST {
        return None;
    }
    let shorter = |direction: &Option<Direction>| Some(without_longest(&direction.as_ref()?.latency, held));
    let flushes = load.flushes.as_ref().map(|flushes| flushes.latency.clone());
    let passed = [shorter(&load.reads), shorter(&load.writes), flushes];
    let latencies = || passed.iter().flatten();
    let count = latencies().map(|latency| latency.len() as f64).sum::<f64>();
    let busy_s = latencies().map(|latency| latency.mean_ns() * latency.len() as f64).sum::<f64>() / 1e9;
    let direction =
        |latency: Histogram| Direction { per_s: latency.len() as f64 / busy_s.max(1e-9), latency };
    let [reads, writes, flushes] = passed.clone().map(|latency| latency.map(direction));
    Some(Load {
        reads,
        writes,
        flushes,
        measured_s: busy_s,
        interval_s: busy_s / INTERVALS as f64,
        counts: vec![count / INTERVALS as f64; INTERVALS],
        ..load.clone()
    })
}

/// The latencies without this share of the longest.
fn without_longest(latency: &Histogram, share: f64) -> Histogram {
    let mut left = (latency.len() as f64 * (1.0 - share)).round() as u64;
    let mut shorter = Histogram::new();
    for (ns, count) in latency.recorded() {
        shorter.record_n(ns, count.min(left));
        left -= count.min(left);
    }
    shorter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_are_left_out_by_their_share() {
        let mut latency = Histogram::new();
        latency.record_n(1000, 990);
        latency.record_n(1_000_000, 10);
        let shorter = without_longest(&latency, 0.015);
        assert_eq!((shorter.len(), shorter.max_ns() < 2000), (985, true));
        assert_eq!(without_longest(&latency, 0.0).len(), 1000);
        assert!(without_longest(&latency, 1.0).is_empty());
    }
}
