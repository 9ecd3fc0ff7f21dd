//! The work of an emulated drive's layer for each operation, apart from its waits.

/// The additional work where the layer waits for the drive, ns: it sleeps, wakes up early and spins for the
/// rest. For the same load it worked 11 us more per operation on a SATA drive than on a drive that had
/// acknowledged its writes, half of the operations, before the layer was done with them.
const WAIT_NS: f64 = 25_000.0;
/// A wait shorter than this is no sleep, ns.
const SLEEP_NS: f64 = 15_000.0;

/// Processor time of an operation, ns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LayerWork {
    /// Of each.
    base_ns: f64,
    /// More, where the drive takes longer than the layer.
    wait_ns: f64,
}

impl LayerWork {
    /// From a measured mean: `waiting` is the share of the operations that had to wait, given the work of
    /// each without a wait.
    pub(super) fn of(mean_ns: f64, waiting: impl Fn(LayerWork) -> f64) -> LayerWork {
        let wait_ns = WAIT_NS.min(mean_ns);
        let share = waiting(LayerWork { base_ns: mean_ns - wait_ns, wait_ns: 0.0 });
        LayerWork { base_ns: mean_ns - wait_ns * share, wait_ns }
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
        let none = LayerWork::of(0.0, |_| 1.0);
        assert_eq!(none.of_operation(1_000_000), 0, "a real drive has no layer");
    }
}
