//! The latency of other loads during a burst and between two bursts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use measure::Histogram;

use crate::generate::Op;

/// The sign of a burst in progress: set by the workers of burst loads, read by all others.
#[derive(Debug, Default)]
pub(crate) struct BurstClock {
    /// Workers with I/Os of a burst under way.
    busy: AtomicU32,
    since_ns: AtomicU64,
    inside_ns: AtomicU64,
}

impl BurstClock {
    /// A worker begins a burst; `now_ns` lies in the measure phase or is moved to its nearer end.
    pub(crate) fn enter(&self, now_ns: u64) {
        if self.busy.fetch_add(1, Relaxed) == 0 {
            self.since_ns.store(now_ns, Relaxed);
        }
    }

    /// A worker's part of a burst is over.
    pub(crate) fn leave(&self, now_ns: u64) {
        if self.busy.fetch_sub(1, Relaxed) == 1 {
            self.inside_ns.fetch_add(now_ns.saturating_sub(self.since_ns.load(Relaxed)), Relaxed);
        }
    }

    /// Time of the measure phase in which a burst was under way.
    pub(crate) fn inside(&self) -> Duration {
        Duration::from_nanos(self.inside_ns.load(Relaxed))
    }
}

/// Latencies of one worker that is no burst, apart by whether a burst was under way when the I/O came back.
#[derive(Debug)]
pub(crate) struct Beside {
    clock: Arc<BurstClock>,
    pub(crate) split: BurstSplit,
}

/// Latencies of reads and writes while bursts of another load were under way, and between them.
#[derive(Clone, Debug, Default)]
pub struct BurstSplit {
    /// Reads that came back during a burst.
    pub read_inside: Histogram,
    /// Reads that came back between two bursts.
    pub read_between: Histogram,
    /// Writes that came back during a burst.
    pub write_inside: Histogram,
    /// Writes that came back between two bursts.
    pub write_between: Histogram,
    /// Time of the measure phase in which a burst was under way.
    pub inside: Duration,
}

impl Beside {
    pub(crate) fn new(clock: Arc<BurstClock>) -> Beside {
        Beside { clock, split: BurstSplit::default() }
    }

    #[inline]
    pub(crate) fn record(&mut self, op: Op, latency_ns: u64) {
        let inside = self.clock.busy.load(Relaxed) > 0;
        let split = &mut self.split;
        let histogram = match (op.writes(), inside) {
            (false, true) => &mut split.read_inside,
            (false, false) => &mut split.read_between,
            (true, true) => &mut split.write_inside,
            (true, false) => &mut split.write_between,
        };
        histogram.record(latency_ns);
    }
}

impl BurstSplit {
    /// Adds the counts of another worker or load beside the same bursts.
    pub fn merge(&mut self, other: &BurstSplit) {
        self.read_inside.merge(&other.read_inside);
        self.read_between.merge(&other.read_between);
        self.write_inside.merge(&other.write_inside);
        self.write_between.merge(&other.write_between);
        self.inside = self.inside.max(other.inside);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_inside_is_counted_once_however_many_workers_burst() {
        let clock = Arc::new(BurstClock::default());
        let mut beside = Beside::new(Arc::clone(&clock));
        beside.record(Op::Read, 100);
        clock.enter(1_000);
        clock.enter(1_200);
        beside.record(Op::Read, 500);
        beside.record(Op::Write, 600);
        clock.leave(1_500);
        clock.leave(2_000);
        beside.record(Op::Read, 110);
        assert_eq!(clock.inside(), Duration::from_nanos(1_000));
        let split = &beside.split;
        let counts = [&split.read_inside, &split.read_between, &split.write_inside, &split.write_between];
        assert_eq!(counts.map(|histogram| histogram.len()), [1, 2, 1, 0]);
    }
}
