//! The work of an emulated drive's layer for each operation, apart from its waits.

/// The additional work where the layer waits for the drive, ns: it sleeps, wakes up early and spins for the
/// rest. In four runs under PostgreSQL the work for a write was 21 to 32 us more on a drive that acknowledged
/// it after 60 to 100 us than on one that had done so before the layer was done with it.
const WAIT_NS: f64 = 28_000.0;
/// A wait shorter than this is no sleep, ns.
const SLEEP_NS: f64 = 15_000.0;
/// Steps to the work and the waits that belong together.
const STEPS: u32 = 5;

/// Processor time of an operation, ns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LayerWork {
    /// Of each.
    base_ns: f64,
    /// More, where the drive takes longer than the layer.
    wait_ns: f64,
}

impl LayerWork {
    /// From a measured mean: `waiting` is the share of the operations that have to wait with such work. More
    /// work leaves fewer waits, so several answers may agree with the mean; this is the one with the most
    /// work and the fewest waits. The least would take operations of a fast drive for waits, and the layer
    /// would be twice as fast on it as the same layer on a slower one.
    pub(super) fn of(mean_ns: f64, waiting: impl Fn(LayerWork) -> f64) -> LayerWork {
        let mut work = LayerWork { base_ns: mean_ns, wait_ns: WAIT_NS.min(mean_ns) };
        for _ in 0..STEPS {
            work.base_ns = mean_ns - work.wait_ns * waiting(work);
        }
        work
    }

    /// True if an operation with a drive time of `drive_ns` has to wait.
    pub(super) fn waits(self, drive_ns: u64) -> bool {
        drive_ns as f64 > self.base_ns + SLEEP_NS
    }

    /// Work for an operation that the drive takes `drive_ns` for.
    pub(super) fn of_operation(self, drive_ns: u64) -> u64 {
        (self.base_ns + if self.waits(drive_ns) { self.wait_ns } else { 0.0 }) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_kept_and_waiting_costs_more() {
        let half = LayerWork::of(40_000.0, |_| 0.5);
        let (quick, slow) = (half.of_operation(0) as f64, half.of_operation(1_000_000) as f64);
        assert!(((quick + slow) / 2.0 - 40_000.0).abs() < 1.0 && slow - quick == WAIT_NS, "{half:?}");
        assert!(!half.waits(quick as u64) && half.waits(1_000_000));
        // Operations of 30 us would wait for a layer of 12 us, and do not wait for one of 22 us.
        let fast = LayerWork::of(36_000.0, |work| if work.waits(30_000) { 0.95 } else { 0.5 });
        assert!(!fast.waits(30_000) && (fast.base_ns - 22_000.0).abs() < 1.0, "{fast:?}");
        let none = LayerWork::of(0.0, |_| 1.0);
        assert_eq!(none.of_operation(1_000_000), 0, "a real drive has no layer");
    }
}
