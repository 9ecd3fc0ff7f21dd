//! The operations of a drive that the layer itself is too slow for.

use device::DriveSpec;
use words::{Beyond, Operation, Through};

use crate::floor::Floor;
use crate::vfs::pool::BLOCK;

impl Floor {
    /// The operations of this drive that are faster than this machine can show: a mean 4 KiB read, or an
    /// acknowledged write, that takes less than the layer's own p99 in its quietest round. The work of other
    /// programs during the measurement is no property of the layer.
    #[must_use]
    pub fn beyond(&self, spec: &DriveSpec) -> Vec<Beyond> {
        let read_ns = spec.read_latency_ns(BLOCK as u64);
        let write_ns = spec.write_ack_ns as f64;
        [(Operation::Read, read_ns, self.read), (Operation::Write, write_ns, self.write)]
            .into_iter()
            .filter(|(_, model_ns, floor)| *model_ns < floor.quiet_p99_ns as f64)
            .map(|(operation, model_ns, floor)| Beyond {
                through: Through::Layer,
                operation,
                model_us: model_ns / 1e3,
                shown_us: floor.quiet_p99_ns as f64 / 1e3,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::floor::Timing;

    #[test]
    fn only_drives_below_the_floor_are_flagged() {
        // A burst of other programs spoiled some rounds: no reason for a warning.
        let timing = Timing {
            p50_ns: 2_000,
            p99_ns: 500_000,
            mean_ns: 9_500.0,
            quiet_p50_ns: 1_800,
            quiet_p99_ns: 5_000,
            quiet_p25_ns: 1_700,
        };
        let floor = Floor { read: timing, write: timing, sync: timing };
        let slow = DriveSpec {
            read_latency: vec![device::ReadLatency { size_bytes: 4096, latency_ns: 90_000 }],
            write_ack_ns: 25_000,
            ..DriveSpec::free()
        };
        assert_eq!(floor.beyond(&slow), []);
        let fast_writes = DriveSpec { write_ack_ns: 3_000, ..slow.clone() };
        let beyond =
            |operation, model_us| Beyond { through: Through::Layer, operation, model_us, shown_us: 5.0 };
        assert_eq!(floor.beyond(&fast_writes), [beyond(Operation::Write, 3.0)]);
        let both = [beyond(Operation::Read, 0.0), beyond(Operation::Write, 0.0)];
        assert_eq!(floor.beyond(&DriveSpec::free()), both);
    }
}
