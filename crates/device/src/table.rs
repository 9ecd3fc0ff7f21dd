//! Costs by transfer size: looked up per operation instead of computed, and bounded.

use crate::bounds::{PAGE_BYTES, TIME_MAX_NS};

/// Sizes up to 1 MiB have an entry of their own, in steps of a page.
const PAGES_MAX: usize = 256;

/// Nanoseconds by size in pages; above the last entry the cost grows in a straight line.
#[derive(Clone, Debug)]
pub(crate) struct SizeTable {
    cost_ns: Box<[u64; PAGES_MAX + 1]>,
    page_ns: f64,
}

impl SizeTable {
    /// Fills the table from a cost per size in bytes. Every answer stays within [`TIME_MAX_NS`].
    pub(crate) fn new(cost_ns: impl Fn(u64) -> f64) -> SizeTable {
        let at = |pages: usize| cost_ns(pages as u64 * PAGE_BYTES);
        let mut table = Box::new([0; PAGES_MAX + 1]);
        for (pages, entry) in table.iter_mut().enumerate() {
            // A conversion from float saturates and takes NaN for 0, so an absurd cost cannot overflow.
            *entry = (at(pages.max(1)).round() as u64).min(TIME_MAX_NS);
        }
        SizeTable { cost_ns: table, page_ns: at(PAGES_MAX) - at(PAGES_MAX - 1) }
    }

    /// Cost of a transfer of `len` bytes, rounded up to whole pages.
    #[inline]
    pub(crate) fn get(&self, len: u32) -> u64 {
        let pages = (u64::from(len).div_ceil(PAGE_BYTES)) as usize;
        match self.cost_ns.get(pages) {
            Some(&cost_ns) => cost_ns,
            None => {
                let beyond_ns = (pages - PAGES_MAX) as f64 * self.page_ns;
                self.cost_ns[PAGES_MAX].saturating_add(beyond_ns as u64).min(TIME_MAX_NS)
            }
        }
    }
}

/// Nanoseconds that `len` bytes need at `byte_ns` each, rounded.
#[inline]
pub(crate) fn bytes_ns(len: u32, byte_ns: f64) -> u64 {
    ((f64::from(len) * byte_ns + 0.5) as u64).min(TIME_MAX_NS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_round_up_to_pages_and_grow_beyond_the_table() {
        let table = SizeTable::new(|bytes| bytes as f64 / 4096.0 * 10.0);
        assert_eq!([0, 1, 4096, 4097, 8192].map(|len| table.get(len)), [10, 10, 10, 20, 20]);
        assert_eq!(table.get(1 << 20), 2560);
        assert_eq!(table.get(2 << 20), 5120);
        assert_eq!(table.get(u32::MAX), (1 << 20) * 10);
    }

    #[test]
    fn absurd_costs_are_bounded() {
        for cost in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -5.0] {
            let table = SizeTable::new(|_| cost);
            assert!([4096, u32::MAX].iter().all(|&len| table.get(len) <= TIME_MAX_NS), "{cost}");
            assert!(bytes_ns(u32::MAX, cost) <= TIME_MAX_NS);
        }
    }
}
