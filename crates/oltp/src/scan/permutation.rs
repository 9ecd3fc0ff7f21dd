//! A permutation of 0 to n - 1 that needs no memory.

/// Rounds of the Feistel network: three make a permutation that looks random (Luby and Rackoff 1988), the
/// fourth is for good measure.
const ROUNDS: u64 = 4;

/// The image of `index` in a permutation of `count`. A Feistel network over the next power of four, walked
/// until it lands inside.
pub(super) fn permuted(index: u32, count: u32, seed: u64) -> u32 {
    let bits = 64 - u64::from(count.max(2) - 1).leading_zeros();
    let half = bits.div_ceil(2);
    let mask = (1_u64 << half) - 1;
    let mut value = u64::from(index);
    loop {
        let (mut left, mut right) = (value >> half, value & mask);
        for round in 0..ROUNDS {
            (left, right) = (right, left ^ (mix(right ^ seed.rotate_left(17) ^ (round << 56)) & mask));
        }
        value = left << half | right;
        if let Some(inside) = u32::try_from(value).ok().filter(|inside| *inside < count) {
            return inside;
        }
    }
}

/// The finaliser of splitmix64.
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_comes_once(count in 1_u32..3000, seed: u64) {
            let mut seen = vec![false; count as usize];
            for index in 0..count {
                let to = permuted(index, count, seed) as usize;
                prop_assert!(!seen[to]);
                seen[to] = true;
            }
        }
    }

    #[test]
    fn neighbours_are_far_apart() {
        let near = (0..9_999).filter(|&i| permuted(i, 10_000, 1).abs_diff(permuted(i + 1, 10_000, 1)) < 100);
        // By chance: 2 % of the pairs.
        assert!(near.count() < 400);
    }
}
