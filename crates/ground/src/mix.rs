//! Hashes of single numbers, and the short generator made of one.

/// The increment of SplitMix64: 2^64 divided by the golden ratio, made odd.
pub(crate) const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of SplitMix64 (Steele, Lea and Flood 2014): a bijection that spreads every bit. Values
/// that differ by one share nothing afterwards.
#[inline]
#[must_use]
pub fn mix(value: u64) -> u64 {
    finalise(value.wrapping_add(GAMMA))
}

/// [`mix`] without its increment, which leaves 0 where it is.
#[inline]
#[must_use]
pub fn finalise(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4): the high bits of the
/// product spread neighbouring numbers evenly over the whole range.
#[inline]
#[must_use]
pub fn spread(number: u64) -> u64 {
    number.wrapping_mul(GAMMA)
}

/// Two rounds of shift by 32 bits and multiplication (the mixer of Degski, without its last shift): cheaper
/// than [`mix`], a bijection whose high half depends on every bit. Take the high half.
#[inline]
#[must_use]
pub fn scatter(number: u64) -> u64 {
    const MULTIPLIER: u64 = 0xd6e8_feb8_6659_fd93;
    let number = (number ^ (number >> 32)).wrapping_mul(MULTIPLIER);
    (number ^ (number >> 32)).wrapping_mul(MULTIPLIER)
}

/// The seed of part `number` of a whole that has `seed`: each part draws other numbers, the same ones each
/// time. Part 0 has the seed of the whole.
#[must_use]
pub fn seed_of_part(seed: u64, number: u64) -> u64 {
    // The multiplier for 64-bit streams of Steele and Vigna, "Computationally easy, spectrally good
    // multipliers for congruential pseudorandom number generators", 2021.
    seed ^ number.wrapping_mul(0xd134_2543_de82_ef95)
}

/// First value of an FNV-1a hash of 64 bits.
pub const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// One step of FNV-1a (Fowler, Noll and Vo). `part` is a byte in the published hash; wider parts are hashed
/// as one.
#[inline]
#[must_use]
pub fn fnv1a(hash: u64, part: u64) -> u64 {
    (hash ^ part).wrapping_mul(0x0100_0000_01b3)
}

/// SplitMix64 as a generator: eight bytes of state, for the pauses of many users. All other numbers come from
/// [`Random`](crate::Random).
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Stream `number` of `seed`.
    #[must_use]
    pub fn stream(seed: u64, number: u64) -> SplitMix64 {
        SplitMix64(seed_of_part(seed, number).wrapping_add(GAMMA))
    }

    /// The next number.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        finalise(self.0)
    }

    /// Uniform in (0, 1].
    pub fn fraction(&mut self) -> f64 {
        ((self.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// Exponential with mean 1: -ln(r).
    pub fn exponential(&mut self) -> f64 {
        -self.fraction().ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_vectors() {
        // First outputs of the published SplitMix64 (Vigna's splitmix64.c) for the state 0.
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(GAMMA), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(mix(GAMMA.wrapping_mul(2)), 0x06c4_5d18_8009_454f);
        let mut short = SplitMix64(0);
        let drawn = [short.next_u64(), short.next_u64(), short.next_u64()];
        assert_eq!(drawn, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }

    #[test]
    fn numbers_are_spread_and_parts_have_seeds_of_their_own() {
        assert_eq!([spread(0), spread(1), spread(2)], [0, GAMMA, 0x3c6e_f372_fe94_f82a]);
        assert_eq!(seed_of_part(7, 0), 7);
        assert_eq!(seed_of_part(0, 1), 0xd134_2543_de82_ef95);
    }

    #[test]
    fn golden_vectors_of_scattered_numbers() {
        // From an implementation written apart from this one.
        let scattered = [0, 1, 2, u64::MAX].map(scatter);
        assert_eq!(scattered, [0, 0x4179_b061_a1b9_50b1, 0x1c99_6330_4372_a162, 0x448e_29ce_909e_1d97]);
    }

    #[test]
    fn golden_vectors_of_short_streams() {
        // Likewise; the last bits of a logarithm are those of the system's mathematical library.
        let mut short = SplitMix64::stream(42, 7);
        let drawn: [u64; 4] = std::array::from_fn(|_| short.next_u64());
        let golden =
            [0x39a7_648d_815a_79d5, 0x8997_fcf7_22bd_9a01, 0xa0ad_c8f4_6056_5252, 0x0508_9ae9_76c9_bc4e];
        assert_eq!(drawn, golden);
        let mut short = SplitMix64::stream(42, 7);
        for golden in [1.490_719_930_932_793_2, 0.620_872_278_055_740_2, 0.465_769_807_196_326_6] {
            assert!((short.exponential() / golden - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn fnv_is_the_published_one() {
        // From the FNV authors' list of test vectors.
        let hash = |text: &str| text.bytes().fold(FNV_START, |hash, byte| fnv1a(hash, u64::from(byte)));
        assert_eq!(
            [hash(""), hash("a"), hash("foobar")],
            [FNV_START, 0xaf63_dc4c_8601_ec8c, 0x8594_4171_f739_67e8]
        );
    }

    #[test]
    fn short_streams_differ_and_repeat() {
        let draw = |seed, number| SplitMix64::stream(seed, number).next_u64();
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
        assert_ne!(draw(1, 2), draw(2, 2));
    }
}
