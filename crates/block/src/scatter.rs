//! A fixed permutation of positions, so that popular ranks lie scattered over a region instead of at its
//! start.

/// rank -> rank * multiplier mod count, with a multiplier near the golden section of `count` and coprime to
/// it: a bijection that puts neighbouring ranks far apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scatter {
    count: u64,
    multiplier: u64,
}

impl Scatter {
    pub(crate) fn new(count: u64) -> Scatter {
        let count = count.max(1);
        let mut multiplier = ((count as f64 * 0.618_033_988_749_894_9) as u64).max(1);
        while greatest_common_divisor(multiplier, count) != 1 {
            multiplier += 1;
        }
        Scatter { count, multiplier }
    }

    /// The position of a rank below `count`.
    #[inline]
    pub(crate) fn position(&self, rank: u64) -> u64 {
        match rank.checked_mul(self.multiplier) {
            Some(product) => product % self.count,
            None => (u128::from(rank) * u128::from(self.multiplier) % u128::from(self.count)) as u64,
        }
    }
}

pub(crate) fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_position_is_hit_once() {
        for count in 1..200 {
            let scatter = Scatter::new(count);
            let mut positions: Vec<u64> = (0..count).map(|rank| scatter.position(rank)).collect();
            positions.sort_unstable();
            assert!(positions.iter().copied().eq(0..count), "count {count}");
        }
    }

    proptest! {
        #[test]
        fn positions_stay_in_range(count in 1u64.., rank: u64) {
            prop_assert!(Scatter::new(count).position(rank % count) < count);
        }
    }
}
