//! The way to a mount and back, which is part of every modelled time: by kind of operation, size, and number
//! of operations at once.
//!
//! The kernel takes a caller's request to the mount and the answer back; with the size come copies, and with
//! the number of callers a queue for the processors. Each was rehearsed at a few points; what lies between
//! them is taken from the straight line.

use std::array::from_fn;

/// Kinds of operations: reads, writes, syncs.
pub(super) const KINDS: usize = 3;
/// Sizes of operations that were rehearsed, bytes: pages of databases, extents, the largest request.
pub(super) const SIZES: [u64; 4] = [4 << 10, 16 << 10, 128 << 10, 1 << 20];
/// Numbers of callers that were rehearsed.
pub(super) const CALLERS: [u32; 3] = [1, 4, 16];
/// The place of syncs among kinds, which have no size.
const SYNC: usize = 2;

/// Times by kind, size and number of callers, ns.
pub(super) type Table = [[[u64; CALLERS.len()]; SIZES.len()]; KINDS];

/// The times of the way, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ways(pub(super) Table);

impl Ways {
    /// The way of an operation of this kind and size, one of so many at once, ns.
    pub(super) fn ns(&self, kind: usize, size_bytes: u64, at_once: u32) -> u64 {
        let of_size = |size: usize| between(&CALLERS.map(u64::from), &self.0[kind][size], at_once.into());
        if kind == SYNC {
            return of_size(0);
        }
        between(&SIZES, &from_fn::<u64, { SIZES.len() }, _>(of_size), size_bytes)
    }
}

/// The rehearsed size that an operation is nearest to, by its logarithm.
pub(crate) fn size_class(kind: usize, size_bytes: u64) -> usize {
    if kind == SYNC {
        return 0;
    }
    let is_beyond = |pair: &&[u64]| size_bytes.saturating_mul(size_bytes) > pair[0] * pair[1];
    SIZES.windows(2).take_while(is_beyond).count()
}

/// The value at `x` of the line through these points, whose `xs` rise; constant beyond the ends.
fn between(xs: &[u64], ys: &[u64], x: u64) -> u64 {
    let above = xs.partition_point(|known| *known < x);
    if above == 0 || above == xs.len() {
        return ys[above.min(xs.len() - 1)];
    }
    let (x0, x1, y0, y1) = (xs[above - 1], xs[above], ys[above - 1], ys[above]);
    let part = (x - x0) as f64 / (x1 - x0) as f64;
    (y0 as f64 + (y1 as f64 - y0 as f64) * part).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_what_was_rehearsed_the_way_is_on_the_line() {
        let mut table = Table::default();
        table[0] = [[10_000, 13_000, 25_000], [20_000; 3], [30_000; 3], [40_000; 3]];
        table[2][0] = [8_000, 8_000, 16_000];
        let ways = Ways(table);
        assert_eq!(
            [1, 2, 4, 10, 16, 99].map(|callers| ways.ns(0, 4096, callers)),
            [10_000, 11_000, 13_000, 19_000, 25_000, 25_000]
        );
        assert_eq!(
            [512, 10 << 10, 16 << 10, 8 << 20].map(|size| ways.ns(0, size, 1)),
            [10_000, 15_000, 20_000, 40_000]
        );
        assert_eq!((ways.ns(2, 0, 10), ways.ns(2, 1 << 20, 1), ways.ns(1, 4096, 1)), (12_000, 8_000, 0));
    }

    #[test]
    fn every_size_belongs_to_the_nearest() {
        let classes = [0, 4096, 8192, 8193, 16_384, 46_340, 46_341, 131_072, 1 << 20, u64::MAX];
        assert_eq!(classes.map(|size| size_class(1, size)), [0, 0, 0, 1, 1, 1, 2, 2, 3, 3]);
        assert_eq!(size_class(2, 1 << 20), 0);
    }
}
