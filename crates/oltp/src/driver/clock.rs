//! The clock of a run.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use ground::{Clock, nanoseconds};

/// When a run begins to count and when it ends, ns of `CLOCK_MONOTONIC`; shared by everyone.
#[derive(Debug)]
pub(crate) struct Schedule {
    pub(crate) start_ns: u64,
    pub(crate) measure_ns: u64,
    /// Moves forward when the run is cut short.
    pub(crate) end_ns: AtomicU64,
    /// True after a cut: queued requests are then no longer started.
    pub(crate) is_cut: AtomicBool,
    /// True once nobody waits any more, whatever the time.
    pub(crate) is_given_up: AtomicBool,
    /// So long after the end answers are waited for.
    pub(crate) drain_ns: u64,
}

impl Schedule {
    /// Everything counts from this moment.
    pub(crate) fn starting_at(
        start_ns: u64,
        ramp_up: Duration,
        measure: Duration,
        drain_max: Duration,
    ) -> Self {
        let measure_ns = start_ns.saturating_add(nanoseconds(ramp_up));
        let end_ns = AtomicU64::new(measure_ns.saturating_add(nanoseconds(measure)));
        Self {
            start_ns,
            measure_ns,
            end_ns,
            is_cut: AtomicBool::new(false),
            is_given_up: AtomicBool::new(false),
            drain_ns: nanoseconds(drain_max),
        }
    }

    pub(crate) fn end_ns(&self) -> u64 {
        self.end_ns.load(Ordering::Acquire)
    }

    pub(crate) fn is_over(&self, now_ns: u64) -> bool {
        now_ns >= self.end_ns()
    }

    /// Ends the run at `at_ns` at the latest.
    pub(crate) fn cut(&self, at_ns: u64) {
        self.is_cut.store(true, Ordering::Release);
        self.end_ns.fetch_min(at_ns, Ordering::AcqRel);
    }

    /// Ends the run and every wait for an answer now.
    pub(crate) fn give_up(&self) {
        self.cut(Clock::Wall.now_ns());
        self.is_given_up.store(true, Ordering::Release);
    }

    /// True if the run was cut short.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Acquire)
    }
}
