//! The clock of a run.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// When a run begins to count and when it ends, ns of `CLOCK_MONOTONIC`; shared by everyone.
#[derive(Debug)]
pub(crate) struct Schedule {
    pub(crate) start_ns: u64,
    pub(crate) measure_ns: u64,
    /// Moves forward when the run is cut short.
    pub(crate) end_ns: AtomicU64,
}

impl Schedule {
    /// Everything begins now.
    pub(crate) fn starting_now(ramp_up: Duration, measure: Duration) -> Self {
        let start_ns = now_ns();
        let measure_ns = start_ns.saturating_add(nanoseconds_of(ramp_up));
        let end_ns = AtomicU64::new(measure_ns.saturating_add(nanoseconds_of(measure)));
        Self { start_ns, measure_ns, end_ns }
    }

    pub(crate) fn end_ns(&self) -> u64 {
        self.end_ns.load(Ordering::Acquire)
    }

    pub(crate) fn is_over(&self, now_ns: u64) -> bool {
        now_ns >= self.end_ns()
    }

    /// Whether what completed at that time counts.
    pub(crate) fn is_measured(&self, at_ns: u64) -> bool {
        at_ns >= self.measure_ns && !self.is_over(at_ns)
    }

    /// Ends the run at `at_ns` at the latest.
    pub(crate) fn cut(&self, at_ns: u64) {
        self.end_ns.fetch_min(at_ns, Ordering::AcqRel);
    }
}

pub(crate) fn nanoseconds_of(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX / 4).min(u64::MAX / 4)
}

/// `CLOCK_MONOTONIC`, ns.
pub(crate) fn now_ns() -> u64 {
    nanoseconds(ClockId::Monotonic)
}

/// Processor time of this thread, ns.
pub(crate) fn thread_cpu_ns() -> u64 {
    nanoseconds(ClockId::ThreadCPUTime)
}

fn nanoseconds(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
