//! The level of a write buffer, the time of its emptying, and the delay of writes to a full one.

use super::spec::DatastoreSpec;

/// Share of the buffer from which writes are held back.
const CONGESTION_FROM: f64 = 0.85;
/// The steepness of the delay over the last part of the buffer: vSAN's congestion counts 0 to 255 and its
/// delay is exponential in it (Broadcom KB 326673).
const CONGESTION_STEEPNESS: f64 = 8.0;

/// The level of one write buffer.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    size_bytes: f64,
    held_bytes: f64,
    destage_from: f64,
    congestion_ns: f64,
    /// The ratio of the level's speed to the bytes that cause it.
    haste: f64,
}

impl Buffer {
    pub(super) fn new(spec: &DatastoreSpec) -> Buffer {
        Buffer {
            size_bytes: spec.buffer_bytes as f64,
            held_bytes: 0.0,
            destage_from: spec.destage_from,
            congestion_ns: spec.congestion_ns as f64,
            haste: 1.0,
        }
    }

    pub(super) fn hasten(&mut self, factor: f64) {
        self.haste = factor.max(1.0);
    }

    /// Data written long ago: the buffer keeps all that it need not give away yet.
    pub(super) fn fill(&mut self, bytes: u64) {
        self.held_bytes = (self.held_bytes + bytes as f64).min(self.size_bytes * self.destage_from);
    }

    pub(super) fn held_bytes(&self) -> f64 {
        self.held_bytes
    }

    /// Share in use, 0 to 1.
    pub(super) fn level(&self) -> f64 {
        if self.size_bytes > 0.0 { self.held_bytes / self.size_bytes } else { 0.0 }
    }

    /// Accepts this many bytes that it did not hold yet; returns the nanoseconds for which the write is
    /// delayed.
    pub(super) fn take(&mut self, bytes: f64) -> u64 {
        self.held_bytes = (self.held_bytes + bytes * self.haste).min(self.size_bytes);
        let beyond = (self.level() - CONGESTION_FROM) / (1.0 - CONGESTION_FROM);
        if beyond <= 0.0 {
            return 0;
        }
        let share = ((CONGESTION_STEEPNESS * beyond).exp() - 1.0) / (CONGESTION_STEEPNESS.exp() - 1.0);
        (self.congestion_ns * share) as u64
    }

    pub(super) fn give(&mut self, len: u32) {
        self.held_bytes = (self.held_bytes - f64::from(len) * self.haste).max(0.0);
    }

    /// The urgency of emptying the buffer: 0 up to the threshold, 1 when the outflow equals the inflow, up to
    /// 2 when it is full.
    pub(super) fn urgency(&self) -> f64 {
        let beyond = (self.level() - self.destage_from) / (1.0 - self.destage_from);
        // The first per cent beyond the threshold brings the elevator up to the pace of the writes.
        (beyond * 100.0).clamp(0.0, 1.0) + beyond.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DriveSpec;

    fn buffer() -> Buffer {
        let spec = DatastoreSpec {
            buffer_bytes: 1_000_000,
            destage_from: 0.3,
            congestion_ns: 1_000_000,
            ..DatastoreSpec::of_drive(&DriveSpec::free(), 1 << 40)
        };
        Buffer::new(&spec)
    }

    #[test]
    fn old_data_stays_up_to_the_threshold() {
        let mut buffer = buffer();
        buffer.fill(200_000);
        assert!((buffer.level() - 0.2).abs() < 1e-9 && buffer.urgency() == 0.0);
        buffer.fill(900_000);
        assert!((buffer.level() - 0.3).abs() < 1e-9);
        buffer.take(20_000.0);
        assert!(buffer.urgency() > 1.0);
    }

    #[test]
    fn a_buffer_that_fills_up_holds_writes_back_ever_longer() {
        let mut buffer = buffer();
        let delays: Vec<u64> = (0..100).map(|_| buffer.take(10_000.0)).collect();
        assert!(delays[..80].iter().all(|&ns| ns == 0));
        assert!(delays[86..].windows(2).all(|pair| pair[1] >= pair[0]));
        assert_eq!(delays[99], 1_000_000);
    }
}
