//! The units that serve reads side by side, each busy with one read at a time.
//!
//! A read goes to the unit that holds its page, not to any free one. That makes a drive slower at middle
//! depths than a pool of servers would be, and its tail longer.

use crate::bounds::{PAGE_BYTES, TIME_MAX_NS, UNITS_MAX};
use crate::spec::DriveSpec;

/// Units that one read can keep busy: it bounds the work of one submission.
const PIECES_MAX: u64 = 32;

#[derive(Clone, Debug)]
pub(crate) struct Units {
    free_ns: Vec<u64>,
    page_ns: u64,
    piece_ns: u64,
    piece_bytes: u64,
    slowdown: f64,
    salt: u64,
}

impl Units {
    pub(crate) fn new(spec: &DriveSpec, salt: u64) -> Units {
        let count = spec.read_units.clamp(1, UNITS_MAX) as usize;
        let time_ns = |per_s: f64| ((count as f64 / per_s * 1e9).round() as u64).min(TIME_MAX_NS);
        let page_ns = time_ns(spec.read_4k_per_s);
        let piece_ns = spec.read_8k_per_s.map_or(page_ns, time_ns);
        let piece_bytes = spec.read_piece_bytes.max(PAGE_BYTES);
        let slowdown = spec.read_slowdown_by_writes.clamp(0.0, 100.0);
        Units { free_ns: vec![0; count], page_ns, piece_ns, piece_bytes, slowdown, salt }
    }

    /// Books a read and returns the nanoseconds it loses: waiting for its units and, while writes slow them
    /// down, the longer time in them. The time in an idle unit is part of the read's base latency.
    #[inline]
    pub(crate) fn reserve(&mut self, now_ns: u64, offset: u64, len: u32, writing: f64) -> u64 {
        let len = u64::from(len);
        let busy_ns = if len <= PAGE_BYTES { self.page_ns } else { self.piece_ns };
        if busy_ns == 0 {
            return 0;
        }
        let slower_ns =
            if self.slowdown > 0.0 { (busy_ns as f64 * self.slowdown * writing) as u64 } else { 0 };
        let busy_ns = busy_ns + slower_ns;
        let first = self.home(offset);
        if len <= self.piece_bytes {
            return self.book_unit(first, now_ns, busy_ns).saturating_add(slower_ns);
        }
        let pieces = len.div_ceil(self.piece_bytes);
        let touched = pieces.min(PIECES_MAX).min(self.free_ns.len() as u64);
        let busy_ns = busy_ns.saturating_mul(pieces) / touched;
        let mut waited_ns = 0;
        let mut unit = first;
        for _ in 0..touched {
            waited_ns = waited_ns.max(self.book_unit(unit, now_ns, busy_ns));
            unit = if unit + 1 == self.free_ns.len() { 0 } else { unit + 1 };
        }
        waited_ns.saturating_add(slower_ns)
    }

    /// Keeps `unit` busy and returns how long the read waits for it.
    #[inline]
    fn book_unit(&mut self, unit: usize, now_ns: u64, busy_ns: u64) -> u64 {
        let free_ns = &mut self.free_ns[unit];
        let start_ns = (*free_ns).max(now_ns);
        *free_ns = start_ns.saturating_add(busy_ns);
        start_ns - now_ns
    }

    /// The unit that holds the page at `offset`; which one differs from seed to seed.
    #[inline]
    fn home(&self, offset: u64) -> usize {
        let hash = ground::scatter((offset >> 12) ^ self.salt);
        (((hash >> 32) * self.free_ns.len() as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_spread_evenly_over_units() {
        let spec = DriveSpec { read_units: 10, read_4k_per_s: 1e5, ..DriveSpec::free() };
        for salt in [0, 1, u64::MAX] {
            let units = Units::new(&spec, salt);
            let mut counts = [0; 10];
            for page in 0..10_000u64 {
                counts[units.home(page * 4096)] += 1;
            }
            assert!(counts.iter().all(|count| (850..1150).contains(count)), "salt {salt}: {counts:?}");
        }
    }

    #[test]
    fn a_large_read_keeps_many_units_busy_for_its_bytes() {
        let spec = DriveSpec { read_units: 4, read_4k_per_s: 4e4, ..DriveSpec::free() };
        let mut units = Units::new(&spec, 3);
        assert_eq!(units.reserve(0, 0, 128 * 1024, 0.0), 0);
        // Eight pieces on four units: each unit serves two, 100 us each.
        assert!(units.free_ns.iter().all(|&ns| ns == 200_000), "{:?}", units.free_ns);
        assert_eq!(units.reserve(50_000, 0, 4096, 0.0), 150_000);
    }

    #[test]
    fn a_known_8k_rate_sets_the_time_of_larger_reads() {
        let spec =
            DriveSpec { read_units: 1, read_4k_per_s: 1e5, read_8k_per_s: Some(5e4), ..DriveSpec::free() };
        let mut units = Units::new(&spec, 3);
        let waits = [4096, 8192, 32_768, 4096].map(|len| units.reserve(0, 0, len, 0.0));
        assert_eq!(waits, [0, 10_000, 30_000, 70_000]);
    }

    #[test]
    fn writes_slow_shared_units_down() {
        let spec = DriveSpec {
            read_units: 1,
            read_4k_per_s: 1000.0,
            read_slowdown_by_writes: 0.85,
            ..DriveSpec::free()
        };
        let mut units = Units::new(&spec, 0);
        assert_eq!(units.reserve(0, 0, 4096, 1.0), 850_000);
        assert_eq!(units.reserve(0, 0, 4096, 0.0), 1_850_000);
    }
}
