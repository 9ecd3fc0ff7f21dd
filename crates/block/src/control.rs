//! The caller's hand on a running job: a stop flag going in, live counters coming out. No locks on either
//! side.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

use ground::{Buckets, Clock};

/// Buckets for live progress: a quantile is at most 19 % off. Results use [`measure::Histogram`].
pub(crate) type Coarse = Buckets<2>;

/// Handle to a run: cheap to clone, usable from a signal handler's thread and a progress display at once.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// The clock of the run.
    pub(crate) clock: Clock,
    pub(crate) beginning: Option<Begin>,
    stop: Arc<AtomicBool>,
    enough: Arc<AtomicBool>,
    live: Arc<Counters>,
}

/// The moment between the workers' readiness and their first I/O.
pub trait Beginning: Send + Sync {
    /// All workers are ready. The moment of `CLOCK_MONOTONIC` (ns) at which they begin and from which the
    /// phases count; `None` for at once. The workers wait meanwhile, and so does their clock where it is
    /// virtual. Called once, by the last that is ready.
    fn ready(&self) -> Option<u64>;

    /// A worker begins. The first call tells how late the load is.
    fn begins(&self);
}

/// A [`Beginning`] of somebody's own.
#[derive(Clone)]
pub(crate) struct Begin(pub(crate) Arc<dyn Beginning>);

impl fmt::Debug for Begin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Begin")
    }
}

#[derive(Debug)]
struct Counters {
    phase: AtomicU8,
    ios: AtomicU64,
    bytes: AtomicU64,
    errors: AtomicU64,
    buckets: [AtomicU64; Coarse::COUNT],
}

impl Default for Counters {
    fn default() -> Self {
        Counters {
            phase: AtomicU8::new(0),
            ios: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            buckets: [const { AtomicU64::new(0) }; Coarse::COUNT],
        }
    }
}

/// The current phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LivePhase {
    /// Opening and checking the target.
    Preparing,
    /// Running, not counted yet.
    RampUp,
    /// Running, counted.
    Measure,
    /// Waiting for the last I/Os.
    Drain,
    /// Reading written data back.
    Verify,
    /// Finished.
    Done,
}

/// Counters of a run at one moment; two of them give a rate and a p99.
#[derive(Clone, Debug)]
pub struct Live {
    /// The run's phase.
    pub phase: LivePhase,
    /// I/Os completed so far, ramp-up included.
    pub ios: u64,
    /// Bytes moved so far.
    pub bytes: u64,
    /// I/Os failed or short so far.
    pub errors: u64,
    buckets: [u64; Coarse::COUNT],
}

impl Control {
    /// A handle with its own stop flag, on the clock of the machine.
    pub fn new() -> Control {
        Control::default()
    }

    /// A handle with its own stop flag for a run on this clock.
    pub fn on(clock: &Clock) -> Control {
        Control { clock: clock.clone(), ..Control::default() }
    }

    /// A handle that obeys an existing stop flag, such as the one Ctrl-C sets.
    pub fn with_stop(stop: Arc<AtomicBool>) -> Control {
        Control { stop, ..Control::default() }
    }

    /// Asks `beginning` when to begin, once all workers are ready.
    #[must_use]
    pub fn beginning_with(mut self, beginning: Arc<dyn Beginning>) -> Control {
        self.beginning = Some(Begin(beginning));
        self
    }

    /// Asks the run to end its phase now; the measurements are kept.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Ends the measure phase now, as if it had been asked to be this long: what matters was seen. Only for
    /// the run under way; a further run needs a handle of its own.
    pub fn enough(&self) {
        self.enough.store(true, Relaxed);
    }

    #[inline]
    pub(crate) fn has_enough(&self) -> bool {
        self.enough.load(Relaxed)
    }

    /// True if the run was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// The counters now. Running totals since the handle was made, over all runs it was used for; the latency
    /// buckets lag by up to 100 ms.
    pub fn live(&self) -> Live {
        let live = &*self.live;
        let mut buckets = [0; Coarse::COUNT];
        for (copy, bucket) in buckets.iter_mut().zip(&live.buckets) {
            *copy = bucket.load(Relaxed);
        }
        Live {
            phase: LivePhase::from_code(live.phase.load(Relaxed)),
            ios: live.ios.load(Relaxed),
            bytes: live.bytes.load(Relaxed),
            errors: live.errors.load(Relaxed),
            buckets,
        }
    }

    pub(crate) fn enter(&self, phase: LivePhase) {
        self.live.phase.store(phase as u8, Relaxed);
    }

    /// Moves forward only: several workers announce the same phase.
    pub(crate) fn advance(&self, phase: LivePhase) {
        self.live.phase.fetch_max(phase as u8, Relaxed);
    }

    #[inline]
    pub(crate) fn add(&self, ios: u64, bytes: u64, errors: u64) {
        self.live.ios.fetch_add(ios, Relaxed);
        self.live.bytes.fetch_add(bytes, Relaxed);
        if errors > 0 {
            self.live.errors.fetch_add(errors, Relaxed);
        }
    }

    pub(crate) fn add_buckets(&self, counts: &mut [u32; Coarse::COUNT]) {
        for (bucket, count) in self.live.buckets.iter().zip(counts) {
            if *count > 0 {
                bucket.fetch_add(u64::from(std::mem::take(count)), Relaxed);
            }
        }
    }
}

impl LivePhase {
    fn from_code(code: u8) -> LivePhase {
        const ALL: [LivePhase; 6] = [
            LivePhase::Preparing,
            LivePhase::RampUp,
            LivePhase::Measure,
            LivePhase::Drain,
            LivePhase::Verify,
            LivePhase::Done,
        ];
        ALL[usize::from(code).min(ALL.len() - 1)]
    }
}

impl Live {
    /// Quantiles, within about a fifth, of the latencies between `earlier` and this moment, ns.
    pub fn quantiles_ns_since<const N: usize>(
        &self,
        earlier: &Live,
        quantiles: [f64; N],
    ) -> [Option<u64>; N] {
        let mut between = self.buckets;
        for (count, before) in between.iter_mut().zip(&earlier.buckets) {
            *count = count.saturating_sub(*before);
        }
        quantiles.map(|quantile| Coarse::quantile(&between, quantile).map(Coarse::middle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_flag_is_shared_and_counters_add_up() {
        let flag = Arc::new(AtomicBool::new(false));
        let control = Control::with_stop(flag.clone());
        assert!(!control.is_stopped());
        control.clone().stop();
        assert!(control.is_stopped() && flag.load(Relaxed));
        control.add(3, 4096, 1);
        let live = control.live();
        assert_eq!((live.ios, live.bytes, live.errors), (3, 4096, 1));
    }

    #[test]
    fn phases_only_advance() {
        let control = Control::new();
        control.advance(LivePhase::Measure);
        control.advance(LivePhase::RampUp);
        assert_eq!(control.live().phase, LivePhase::Measure);
        control.enter(LivePhase::Preparing);
        assert_eq!(control.live().phase, LivePhase::Preparing);
    }

    #[test]
    fn p99_is_that_of_the_interval() {
        let control = Control::new();
        let mut counts = [0u32; Coarse::COUNT];
        counts[Coarse::of(1_000_000)] = 1000;
        control.add_buckets(&mut counts);
        let before = control.live();
        counts[Coarse::of(1_000)] = 1000;
        control.add_buckets(&mut counts);
        let p99 = control.live().quantiles_ns_since(&before, [0.99])[0].unwrap();
        assert!((800..1300).contains(&p99), "{p99}");
        assert_eq!(before.quantiles_ns_since(&before, [0.99]), [None]);
    }
}
