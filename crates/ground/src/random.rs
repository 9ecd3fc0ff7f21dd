//! The generator of this workspace: xoshiro256++ (Blackman and Vigna, 2019), seeded through SplitMix64. Every
//! derivation is spelled out here, so that a stream stays the same whatever becomes of the libraries.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::mix::mix;

/// A stream of random numbers. Equal seed and stream number give equal numbers.
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The stream that belongs to the seed itself.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The `number`-th independent stream of a seed.
    #[must_use]
    pub fn stream(seed: u64, number: u64) -> Random {
        Random::new(mix(seed ^ mix(number)))
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// The upper half of the next number, which is its better one.
    #[inline]
    fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// Uniform in 0..bound by multiplication (Lemire 2019, without the rejection step: the bias is below
    /// bound / 2^64).
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Uniform in `low..=high` without bias (Lemire 2019, "Fast Random Integer Generation in an Interval").
    pub fn within(&mut self, low: u32, high: u32) -> u32 {
        debug_assert!(low <= high);
        let range = u64::from(high - low) + 1;
        let mut product = u64::from(self.next_u32()) * range;
        if u64::from(product as u32) < range {
            let threshold = (1_u64 << 32) % range;
            while u64::from(product as u32) < threshold {
                product = u64::from(self.next_u32()) * range;
            }
        }
        low + (product >> 32) as u32
    }

    /// Uniform in [0, 1) with 53 bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Exponential with mean 1, by inversion.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }

    /// Normal with mean 0 and standard deviation 1, by the method of Box and Muller.
    #[inline]
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Fills with incompressible bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }

    /// Puts items in random order (Fisher and Yates, in Durstenfeld's form). One number serves as many places
    /// as fit into its 32 bits, as in the crate `rand` 0.10, by which stored seeds ordered their cells.
    ///
    /// # Panics
    /// For more items than 2^32 - 2.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        assert!(items.len() < u32::MAX as usize, "a shuffle of {} items", items.len());
        // The first place takes the first item and needs no number.
        let (mut chunk, mut left) = (0, 1);
        for place in 0..items.len() as u32 {
            let among = place + 1;
            if left == 0 {
                let bound;
                (bound, left) = product_from(among);
                chunk = self.canon(bound);
            }
            left -= 1;
            let other = if left == 0 { chunk } else { chunk % among };
            chunk /= among;
            items.swap(place as usize, other as usize);
        }
    }

    /// Uniform in 0..bound by Canon's method with one more number at the most: the bias is below 2^-32.
    fn canon(&mut self, bound: u32) -> u32 {
        let product = u64::from(self.next_u32()) * u64::from(bound);
        let (mut result, rest) = ((product >> 32) as u32, product as u32);
        if rest > bound.wrapping_neg() {
            let more = (u64::from(self.next_u32()) * u64::from(bound)) >> 32;
            result += u32::from(rest.checked_add(more as u32).is_none());
        }
        result
    }
}

/// The product first * (first + 1) * ... of as many factors as fit into 32 bits, and their number.
fn product_from(first: u32) -> (u32, u32) {
    let (mut product, mut factors) = (first, 1);
    while let Some(longer) = product.checked_mul(first + factors) {
        (product, factors) = (longer, factors + 1);
    }
    (product, factors)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From a reference implementation of SplitMix64 and xoshiro256++ written apart from this one.
    const GOLDEN: [u64; 4] =
        [0x09ea_8783_9ff4_4b3a, 0xcc79_c7e7_46c8_cf71, 0xf6da_2f11_7435_fe97, 0x1f4c_66e2_2335_1b1d];

    #[test]
    fn golden_vectors() {
        let mut random = Random::stream(42, 7);
        let drawn: [u64; 4] = std::array::from_fn(|_| random.next_u64());
        assert_eq!(drawn, GOLDEN, "stored seeds would no longer give what they gave in old runs");
        let mut random = Random::stream(42, 7);
        let within: [u32; 8] = std::array::from_fn(|_| random.within(1, 3_000));
        assert_eq!(within, [117, 2397, 2893, 367, 984, 1911, 537, 846]);
        let mut random = Random::stream(42, 7);
        assert_eq!([random.below(1000), random.below(1000)], [38, 798]);
        let mut random = Random::stream(42, 7);
        assert_eq!(random.unit(), (GOLDEN[0] >> 11) as f64 / (1_u64 << 53) as f64);
        assert_eq!(random.exponential(), -(1.0 - (GOLDEN[1] >> 11) as f64 / (1_u64 << 53) as f64).ln());
    }

    #[test]
    fn golden_vectors_of_continuous_draws() {
        // By the same reference implementation. The last bits are those of the system's mathematical library.
        let is_near = |drawn: [f64; 4], golden: [f64; 4]| {
            drawn.iter().zip(golden).all(|(drawn, golden)| (drawn / golden - 1.0).abs() < 1e-14)
        };
        let mut random = Random::stream(42, 7);
        let drawn = std::array::from_fn(|_| random.exponential());
        let golden = [
            0.039_505_032_838_812_71,
            1.603_124_030_250_761,
            3.331_672_853_466_499_4,
            0.130_404_344_419_177_34,
        ];
        assert!(is_near(drawn, golden), "{drawn:?}");
        let mut random = Random::stream(42, 7);
        let drawn = std::array::from_fn(|_| random.normal());
        let golden = [
            0.084_730_246_523_364_74,
            1.856_444_096_327_724_7,
            -0.581_890_123_389_134_5,
            -0.125_374_878_892_771_5,
        ];
        assert!(is_near(drawn, golden), "{drawn:?}");
    }

    #[test]
    fn xoshiro_is_the_published_one() {
        // First outputs of xoshiro256++ for state 1, 2, 3, 4 (Blackman and Vigna's reference code).
        let mut state = [0_u8; 32];
        for (word, bytes) in (1_u64..).zip(state.chunks_mut(8)) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let mut random = Random(Xoshiro256PlusPlus::from_seed(state));
        let first: [u64; 4] = std::array::from_fn(|_| random.next_u64());
        assert_eq!(first, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
    }

    #[test]
    fn streams_of_one_seed_differ_and_repeat() {
        let draw = |seed, number| Random::stream(seed, number).next_u64();
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
        assert_ne!(draw(1, 2), draw(2, 1));
        assert_ne!(draw(1, 2), Random::new(1).next_u64());
    }

    /// Chi-square of counts against an even spread.
    fn chi(counts: &[u32]) -> f64 {
        let mean = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
        counts.iter().map(|&count| (f64::from(count) - mean).powi(2) / mean).sum()
    }

    #[test]
    fn ranges_are_covered_evenly_from_end_to_end() {
        let mut random = Random::stream(1, 0);
        let (mut below, mut within) = ([0; 10], [0; 7]);
        for _ in 0..70_000 {
            below[random.below(10) as usize] += 1;
            within[random.within(10, 16) as usize - 10] += 1;
        }
        // The 0.1 % points of chi-square with 9 and 6 degrees of freedom.
        assert!(chi(&below) < 27.88 && chi(&within) < 22.46, "{below:?}, {within:?}");
        assert_eq!((random.within(5, 5), random.below(1)), (5, 0));
        random.within(0, u32::MAX);
    }

    #[test]
    fn continuous_draws_have_their_moments() {
        let mut random = Random::stream(2, 0);
        let draws = 100_000;
        let mut mean = |draw: fn(&mut Random) -> f64| {
            (0..draws).map(|_| draw(&mut random)).sum::<f64>() / f64::from(draws)
        };
        assert!((mean(|random| random.unit()) - 0.5).abs() < 0.01);
        assert!((mean(|random| random.exponential()) - 1.0).abs() < 0.02);
        assert!(mean(|random| random.normal()).abs() < 0.02);
        assert!((mean(|random| random.normal().powi(2)) - 1.0).abs() < 0.03);
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.unit())));
    }

    #[test]
    fn every_order_of_a_shuffle_is_as_likely() {
        let mut random = Random::new(3);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            random.shuffle(&mut items);
            *counts.entry(items).or_insert(0) += 1;
        }
        let counts: Vec<u32> = counts.into_values().collect();
        // The 0.1 % point of chi-square with 23 degrees of freedom.
        assert!(counts.len() == 24 && chi(&counts) < 49.73, "{counts:?}");
    }

    #[test]
    fn golden_order_of_a_shuffle() {
        // Drawn with `rand` 0.10.3.
        let mut items: Vec<u32> = (0..20).collect();
        Random::new(1).shuffle(&mut items);
        assert_eq!(items, [13, 9, 8, 17, 6, 0, 12, 7, 16, 11, 15, 2, 19, 4, 18, 14, 10, 1, 5, 3]);
    }
}
