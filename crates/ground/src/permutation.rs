//! Every position once in random order, without remembering which: a keyed permutation.

use crate::mix::{GAMMA, finalise};

/// Rounds of the Feistel network: three make a permutation that looks random (Luby and Rackoff 1988), the
/// fourth is a margin.
const ROUNDS: u64 = 4;

/// A permutation of 0..count: a Feistel network over the next even power of two, walked until the result is
/// in range ("cycle walking": Black and Rogaway, "Ciphers with arbitrary finite domains", 2002). Less than
/// four walks on average.
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    count: u64,
    half_bits: u32,
    key: u64,
    increment: u64,
}

impl Permutation {
    /// The permutation of a key; its rounds are [`mix`](crate::mix).
    #[must_use]
    pub fn new(count: u64, key: u64) -> Permutation {
        Permutation { increment: GAMMA, ..Permutation::without_increment(count, key) }
    }

    /// Another permutation of the key: its rounds leave out the increment of [`mix`](crate::mix). Tables for
    /// scans are laid out by it.
    #[must_use]
    pub fn without_increment(count: u64, key: u64) -> Permutation {
        let count = count.max(1);
        let bits = u64::BITS - (count - 1).leading_zeros();
        Permutation { count, half_bits: bits.div_ceil(2).max(1), key, increment: 0 }
    }

    /// The position of an index below the count.
    #[inline]
    #[must_use]
    pub fn position(&self, index: u64) -> u64 {
        let mut place = index;
        loop {
            place = self.walk(place);
            if place < self.count {
                return place;
            }
        }
    }

    #[inline]
    fn walk(&self, value: u64) -> u64 {
        let mask = (1_u64 << self.half_bits) - 1;
        let (mut left, mut right) = (value >> self.half_bits, value & mask);
        for round in 0..ROUNDS {
            let mixed = finalise((self.key ^ (round << 56) ^ right).wrapping_add(self.increment));
            (left, right) = (right, left ^ mixed & mask);
        }
        left << self.half_bits | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn golden_vectors() {
        let of = |permutation: Permutation| -> [u64; 6] {
            std::array::from_fn(|index| permutation.position(index as u64))
        };
        // Made by an independent implementation of the same definitions.
        assert_eq!(of(Permutation::new(1000, 42)), [41, 641, 166, 892, 168, 261]);
        assert_eq!(of(Permutation::without_increment(1000, 42)), [293, 709, 459, 13, 440, 984]);
    }

    #[test]
    fn every_position_comes_once_and_orders_differ() {
        for count in 1..300 {
            for permutation in [Permutation::new, Permutation::without_increment] {
                let order =
                    |key| (0..count).map(|index| permutation(count, key).position(index)).collect::<Vec<_>>();
                let mut sorted = order(1);
                sorted.sort_unstable();
                assert!(sorted.iter().copied().eq(0..count), "count {count}");
                assert!(count < 20 || order(1) != order(2), "count {count}");
            }
        }
    }

    #[test]
    fn neighbours_are_far_apart() {
        let to = |index| Permutation::new(10_000, 1).position(index);
        let near = (0..9_999).filter(|&index| to(index).abs_diff(to(index + 1)) < 100);
        // By chance: 2 % of the pairs.
        assert!(near.count() < 400);
    }

    proptest! {
        #[test]
        fn positions_stay_in_range(count in 1u64..(1 << 50), index: u64, key: u64) {
            prop_assert!(Permutation::new(count, key).position(index % count) < count);
        }
    }
}
