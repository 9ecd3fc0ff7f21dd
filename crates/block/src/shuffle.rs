//! Every position once in random order, without remembering which: a keyed permutation.

use crate::random::mix;

/// A permutation of 0..count: a Feistel network of four rounds over the next even power of two, walked until
/// the result is in range ("cycle walking": Black and Rogaway, "Ciphers with arbitrary finite
/// domains", 2002). Less than four walks on average.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shuffle {
    count: u64,
    half_bits: u32,
    key: u64,
}

const ROUNDS: u64 = 4;

impl Shuffle {
    pub(crate) fn new(count: u64, key: u64) -> Shuffle {
        let count = count.max(1);
        let bits = 64 - (count - 1).leading_zeros();
        Shuffle { count, half_bits: bits.div_ceil(2).max(1), key }
    }

    /// The position of an index below `count`.
    #[inline]
    pub(crate) fn position(&self, index: u64) -> u64 {
        let mut place = index;
        loop {
            place = self.walk(place);
            if place < self.count {
                return place;
            }
        }
    }

    fn walk(&self, value: u64) -> u64 {
        let mask = (1u64 << self.half_bits) - 1;
        let (mut left, mut right) = (value >> self.half_bits, value & mask);
        for round in 0..ROUNDS {
            let mixed = mix(self.key ^ (round << 56) ^ right) & mask;
            (left, right) = (right, left ^ mixed);
        }
        left << self.half_bits | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_position_comes_once_and_orders_differ() {
        for count in 1..300 {
            let order =
                |key| (0..count).map(|index| Shuffle::new(count, key).position(index)).collect::<Vec<_>>();
            let mut sorted = order(1);
            sorted.sort_unstable();
            assert!(sorted.iter().copied().eq(0..count), "count {count}");
            assert!(count < 20 || order(1) != order(2), "count {count}");
        }
    }

    proptest! {
        #[test]
        fn positions_stay_in_range(count in 1u64..(1 << 50), index: u64, key: u64) {
            prop_assert!(Shuffle::new(count, key).position(index % count) < count);
        }
    }
}
