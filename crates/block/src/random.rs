//! The one random generator of this crate: xoshiro256++ (Blackman and Vigna, 2019), seeded through
//! SplitMix64.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A stream of random numbers; equal seed and stream number, equal numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The `stream`-th independent stream of a seed.
    pub(crate) fn new(seed: u64, stream: u64) -> Random {
        Random(Xoshiro256PlusPlus::seed_from_u64(mix(seed ^ mix(stream))))
    }

    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in 0..bound by multiplication (Lemire 2019, without the rejection step: the bias is below
    /// bound / 2^64).
    #[inline]
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// Uniform in [0, 1) with 53 bits.
    #[inline]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Fills with incompressible bytes.
    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection that spreads every bit.
#[inline]
pub(crate) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_vector() {
        let mut random = Random::new(42, 7);
        let drawn: Vec<u64> = (0..4).map(|_| random.next()).collect();
        assert_eq!(
            drawn, GOLDEN,
            "the random stream changed: stored seeds would no longer reproduce old runs"
        );
    }

    /// From a reference implementation of SplitMix64 and xoshiro256++ written apart from this one.
    const GOLDEN: [u64; 4] =
        [0x09ea_8783_9ff4_4b3a, 0xcc79_c7e7_46c8_cf71, 0xf6da_2f11_7435_fe97, 0x1f4c_66e2_2335_1b1d];

    #[test]
    fn below_covers_its_range_evenly() {
        let mut random = Random::new(1, 0);
        let mut counts = [0u32; 10];
        (0..100_000).for_each(|_| counts[random.below(10) as usize] += 1);
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
    }

    #[test]
    fn unit_stays_below_one() {
        let mut random = Random::new(2, 0);
        let mean =
            (0..100_000).map(|_| random.unit()).inspect(|u| assert!((0.0..1.0).contains(u))).sum::<f64>();
        assert!((mean / 100_000.0 - 0.5).abs() < 0.01);
    }
}
