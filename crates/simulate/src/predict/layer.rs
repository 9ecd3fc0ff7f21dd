//! What the layer of an emulated drive works for each operation, apart from where it has to wait.

use device::DriveSpec;

use super::Demand;
use super::network;

/// What it works more where it has to wait for the drive, ns: it sleeps, wakes up early and spins for the rest. The same load asked 11 us an
/// operation more of it on a SATA drive than on one that acknowledged its writes, half of the operations, before the layer was done with them.
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
    /// From the mean that was measured on `from`, and the share of the operations that had to wait there.
    pub(super) fn of(demand: &Demand, from: &DriveSpec, seed: u64) -> LayerWork {
        let mean = LayerWork { base_ns: demand.layer.work_ns, wait_ns: 0.0 };
        let wait_ns = WAIT_NS.min(mean.base_ns);
        let base = LayerWork { base_ns: mean.base_ns - wait_ns, wait_ns: 0.0 };
        let waiting = network::simulate(demand, base, from, 0.0, seed).waiting_share();
        LayerWork { base_ns: mean.base_ns - wait_ns * waiting, wait_ns }
    }

    /// Whether an operation that the drive takes `drive_ns` for has to wait.
    pub(super) fn waits(self, drive_ns: u64) -> bool {
        drive_ns as f64 > self.base_ns + SLEEP_NS
    }

    /// Work for an operation that the drive takes `drive_ns` for.
    pub(super) fn of_operation(self, drive_ns: u64) -> u64 {
        (self.base_ns + if self.waits(drive_ns) { self.wait_ns } else { 0.0 }) as u64
    }
}
