//! A handle that steers and watches a run from outside.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

use database::HangUp;
use ground::Buckets;
use words::PhaseName;

use super::start_line::StartPlace;

/// The phase of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Phase {
    /// Connections are opened and statements prepared.
    #[default]
    Preparing,
    /// Under load, not counted yet.
    RampUp,
    /// Under load and counted.
    Measure,
    /// Answers are waited for, and requests due before are still begun.
    Drain,
    /// Over.
    Done,
}

impl Phase {
    const ALL: [Self; 5] = [Self::Preparing, Self::RampUp, Self::Measure, Self::Drain, Self::Done];

    /// The word of the phase in results.
    #[must_use]
    pub fn word(self) -> PhaseName {
        match self {
            Self::Preparing => PhaseName::Prepare,
            Self::RampUp => PhaseName::RampUp,
            Self::Measure => PhaseName::Measure,
            Self::Drain => PhaseName::Drain,
            Self::Done => PhaseName::Done,
        }
    }
}

/// The callback at each change of phase.
type OnPhase = Box<dyn Fn(Phase) + Send + Sync>;

/// The handle by which a run is stopped and watched.
#[derive(Default)]
pub struct Control {
    /// Ends the phase that runs as soon as it becomes true; the measurements until then are kept.
    pub stop: AtomicBool,
    /// Ends every wait for a server; requests without an answer then count as unfinished.
    pub hang_up: HangUp,
    /// The state at this moment.
    pub live: Live,
    /// Called at each change of phase, at the very boundary and by the thread that keeps the time: be quick.
    pub on_phase: Option<OnPhase>,
    /// The place where this run waits for others that start at the same moment.
    pub start: Option<StartPlace>,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("stop", &self.stop).field("live", &self.live).finish_non_exhaustive()
    }
}

impl Control {
    /// Waits, ready to begin, for the other runs of its start line and for the moment at which all begin. The
    /// moment, ns of `CLOCK_MONOTONIC`; `None` for now.
    pub(crate) fn line_up(&self) -> Option<u64> {
        self.start.as_ref().and_then(StartPlace::wait)
    }

    pub(crate) fn enter(&self, phase: Phase) {
        if let (Phase::Done, Some(place)) = (phase, &self.start) {
            place.leave();
        }
        self.live.phase.store(phase as u8, Ordering::Release);
        if let Some(on_phase) = &self.on_phase {
            on_phase(phase);
        }
    }
}

/// Counts since the start of the load, ramp-up included.
#[derive(Debug, Default)]
pub struct Live {
    /// Committed requests of the first class.
    pub first_class: AtomicU64,
    /// Transactions completed, those rolled back on purpose included.
    pub transactions: AtomicU64,
    /// Errors of any kind.
    pub errors: AtomicU64,
    /// Median of all latencies in the last whole second, ns; about 10 % coarse. 0 before the first.
    pub p50_ns: AtomicU64,
    /// Their 99th percentile, likewise.
    pub p99_ns: AtomicU64,
    /// Their 99.9th percentile, likewise.
    pub p999_ns: AtomicU64,
    phase: AtomicU8,
    latencies: LiveLatencies,
}

impl Live {
    /// The phase of the run.
    pub fn phase(&self) -> Phase {
        Phase::ALL[usize::from(self.phase.load(Ordering::Acquire)) % Phase::ALL.len()]
    }

    pub(crate) fn record(&self, latency_ns: u64, is_first_class: bool) {
        self.transactions.fetch_add(1, Ordering::Relaxed);
        if is_first_class {
            self.first_class.fetch_add(1, Ordering::Relaxed);
        }
        self.latencies.record(latency_ns);
    }

    /// Closes a second: publishes its percentiles and begins the next.
    pub(crate) fn tick(&self) {
        let counts = self.latencies.take();
        for (quantile, place) in [(0.5, &self.p50_ns), (0.99, &self.p99_ns), (0.999, &self.p999_ns)] {
            if let Some(bucket) = Coarse::quantile(&counts, quantile) {
                place.store(Coarse::highest(bucket), Ordering::Relaxed);
            }
        }
    }
}

/// Eight buckets for each power of two: coarse, shared by all users, never locked.
type Coarse = Buckets<3>;

#[derive(Debug)]
struct LiveLatencies([AtomicU32; Coarse::COUNT]);

impl Default for LiveLatencies {
    fn default() -> Self {
        Self(std::array::from_fn(|_| AtomicU32::new(0)))
    }
}

impl LiveLatencies {
    fn record(&self, latency_ns: u64) {
        self.0[Coarse::of(latency_ns)].fetch_add(1, Ordering::Relaxed);
    }

    fn take(&self) -> [u64; Coarse::COUNT] {
        self.0.each_ref().map(|count| u64::from(count.swap(0, Ordering::Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p99_is_that_of_the_last_second() {
        let live = Live::default();
        live.tick();
        assert_eq!(live.p99_ns.load(Ordering::Relaxed), 0);
        for _ in 0..990 {
            live.record(1_000, false);
        }
        for _ in 0..10 {
            live.record(1_000_000, true);
        }
        live.tick();
        assert!(live.p99_ns.load(Ordering::Relaxed) < 1_200, "99 % took 1 us");
        for _ in 0..11 {
            live.record(1_000_000, true);
        }
        live.tick();
        assert!(live.p99_ns.load(Ordering::Relaxed) > 900_000);
        assert_eq!(live.first_class.load(Ordering::Relaxed), 21);
        assert_eq!(live.transactions.load(Ordering::Relaxed), 1_011);
    }

    #[test]
    fn phases_are_told_in_order() {
        let control = Control::default();
        assert_eq!(control.live.phase(), Phase::Preparing);
        for phase in Phase::ALL {
            control.enter(phase);
            assert_eq!(control.live.phase(), phase);
        }
    }
}
