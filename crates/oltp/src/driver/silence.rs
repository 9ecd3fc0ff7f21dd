//! Times without an answer: the longest one, and those in which requests waited.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

/// Gaps between answers that are shorter are not kept one by one: a stall of so long is one for every engine.
const KEPT_NS: u64 = 1_000_000_000;
/// So many are kept; a load with more of them is slow, not still.
const KEPT_MAX: usize = 1_000;
/// The ratio of a gap to the usual time of a request from which the gap is a standstill.
const TIMES_SERVICE: u64 = 10;

/// A time in the measure phase in which requests waited and none was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standstill {
    /// Since the start of the measure phase.
    pub from: Duration,
    /// Its length.
    pub length: Duration,
}

/// Follows the answers of all workers of a run. One atomic operation for each answer.
#[derive(Debug)]
pub(crate) struct Silence {
    measure_ns: u64,
    /// When the last answer came; the start of the measure phase before the first.
    last_ns: AtomicU64,
    longest_ns: AtomicU64,
    /// The earliest intended start among requests whose connections died since the last answer.
    lost_due_ns: AtomicU64,
    kept: AtomicUsize,
    gaps: Mutex<Vec<Gap>>,
}

#[derive(Clone, Copy, Debug)]
struct Gap {
    from_ns: u64,
    to_ns: u64,
    /// The earliest moment in it from which on somebody waited.
    waiting_ns: u64,
}

impl Silence {
    pub(crate) fn new(measure_ns: u64) -> Self {
        Self {
            measure_ns,
            last_ns: AtomicU64::new(measure_ns),
            longest_ns: AtomicU64::new(0),
            lost_due_ns: AtomicU64::new(u64::MAX),
            kept: AtomicUsize::new(0),
            gaps: Mutex::new(Vec::new()),
        }
    }

    /// A request that was due at `due_ns` was answered at `at_ns`, in a run that ends at `end_ns`. A request
    /// that is given up later is recorded as if it were answered then: an answer after the end, or never,
    /// ends no gap before it.
    pub(crate) fn answered(&self, due_ns: u64, at_ns: u64, end_ns: u64) {
        let seen_ns = at_ns.min(end_ns);
        if seen_ns <= self.measure_ns || due_ns >= end_ns {
            return;
        }
        let before_ns = self.last_ns.fetch_max(seen_ns, Ordering::AcqRel);
        let gap_ns = seen_ns.saturating_sub(before_ns);
        if gap_ns >= KEPT_NS {
            let due_ns = due_ns.min(self.lost_due_ns.swap(u64::MAX, Ordering::AcqRel));
            self.keep(Gap { from_ns: before_ns, to_ns: seen_ns, waiting_ns: due_ns.max(before_ns) });
        }
        if gap_ns > 0 {
            self.longest_ns.fetch_max(gap_ns, Ordering::AcqRel);
        }
        // Of those that waited the first to be answered need not be the one that waited longest.
        if at_ns.saturating_sub(due_ns) >= KEPT_NS && self.kept.load(Ordering::Acquire) > 0 {
            for gap in self.gaps.lock().iter_mut().filter(|gap| gap.to_ns <= seen_ns) {
                gap.waiting_ns = gap.waiting_ns.min(due_ns.max(gap.from_ns));
            }
        }
    }

    /// The connection of a request died: that is no answer.
    pub(crate) fn lost(&self, due_ns: u64) {
        self.lost_due_ns.fetch_min(due_ns, Ordering::AcqRel);
    }

    fn keep(&self, gap: Gap) {
        let mut gaps = self.gaps.lock();
        if gaps.len() < KEPT_MAX {
            gaps.push(gap);
            self.kept.store(gaps.len(), Ordering::Release);
        }
    }

    /// The longest gap and the standstills of a run that ended at `end_ns` and whose requests usually took
    /// `service_ns`.
    pub(crate) fn found(&self, end_ns: u64, service_ns: u64) -> (Duration, Vec<Standstill>) {
        let last_ns = self.last_ns.load(Ordering::Acquire);
        // Nobody waited at the end: every waiting request was recorded as answered then.
        let longest_ns = self.longest_ns.load(Ordering::Acquire).max(end_ns.saturating_sub(last_ns));
        let least_ns = KEPT_NS.max(service_ns.saturating_mul(TIMES_SERVICE));
        let mut standstills: Vec<Standstill> = self
            .gaps
            .lock()
            .iter()
            .filter(|gap| gap.to_ns.saturating_sub(gap.waiting_ns) >= least_ns)
            .map(|gap| Standstill {
                from: Duration::from_nanos(gap.waiting_ns - self.measure_ns),
                length: Duration::from_nanos(gap.to_ns - gap.waiting_ns),
            })
            .collect();
        standstills.sort_by_key(|standstill| standstill.from);
        (Duration::from_nanos(longest_ns), standstills)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn seconds(standstills: &[Standstill]) -> Vec<(f64, f64)> {
        standstills.iter().map(|s| (s.from.as_secs_f64(), s.length.as_secs_f64())).collect()
    }

    #[test]
    fn a_gap_in_the_middle_is_as_long_as_somebody_waited() {
        let silence = Silence::new(10 * S);
        let end_ns = 30 * S;
        silence.answered(9 * S, 9 * S + 1, end_ns); // In the ramp-up.
        silence.answered(11 * S, 11 * S + S / 10, end_ns);
        // The first answer after the silence is not that of the request that waited longest.
        silence.answered(18 * S, 20 * S, end_ns);
        silence.answered(12 * S, 20 * S + 1, end_ns);
        for tenth in 201..300 {
            silence.answered(tenth * S / 10, tenth * S / 10 + 5, end_ns);
        }
        let (longest, standstills) = silence.found(end_ns, S / 100);
        assert_eq!(longest, Duration::from_millis(8_900));
        assert_eq!(seconds(&standstills), [(2.0, 8.0)]);
        let (_, of_slow) = silence.found(end_ns, S);
        assert_eq!(of_slow, [], "8 s are no standstill where a request takes 1 s");
    }

    #[test]
    fn idle_times_are_gaps_but_no_standstills() {
        let silence = Silence::new(0);
        silence.answered(5 * S, 5 * S + 100, 20 * S);
        silence.answered(15 * S, 15 * S + 100, 20 * S);
        let (longest, standstills) = silence.found(20 * S, 100);
        assert_eq!((longest.as_secs(), standstills), (10, Vec::new()));
    }

    #[test]
    fn beginning_and_end_of_the_phase_are_edges_of_a_gap() {
        let silence = Silence::new(10 * S);
        silence.answered(8 * S, 13 * S, 20 * S);
        silence.answered(13 * S, 14 * S, 20 * S);
        // One answered late, one begun late, one that was due after the end.
        silence.answered(16 * S, 23 * S, 20 * S);
        silence.answered(15 * S, 24 * S, 20 * S);
        silence.answered(21 * S, 25 * S, 20 * S);
        let (longest, standstills) = silence.found(20 * S, 100);
        assert_eq!(longest.as_secs(), 6);
        assert_eq!(seconds(&standstills), [(0.0, 3.0), (3.0, 1.0), (5.0, 5.0)]);
    }

    #[test]
    fn a_connection_that_dies_is_no_answer() {
        let silence = Silence::new(0);
        silence.answered(0, S / 10, 20 * S);
        silence.lost(S / 5);
        silence.answered(9 * S, 10 * S, 20 * S);
        let (_, standstills) = silence.found(20 * S, 100);
        assert_eq!(seconds(&standstills), [(0.2, 9.8)]);
    }
}
