//! Random numbers derived as sysbench derives them, from a fraction in [0, 1) with 53 bits (golden vectors
//! below).

/// Digits in one group of a text; one random number makes one group.
pub(crate) const GROUP_DIGITS: usize = 11;
/// Groups are as many as there are numbers of eleven digits.
const GROUPS: u64 = 100_000_000_000;

/// One independent stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(super) ground::Random);

impl Random {
    /// Stream number `number` of `seed`.
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        Self(ground::Random::stream(seed, number))
    }

    /// Uniform in [0, 1).
    #[inline]
    pub(crate) fn fraction(&mut self) -> f64 {
        self.0.unit()
    }

    /// Uniform in `low..=high`.
    #[inline]
    pub(crate) fn uniform(&mut self, low: u32, high: u32) -> u32 {
        debug_assert!(low <= high);
        low + (self.fraction() * (f64::from(high - low) + 1.0)) as u32
    }

    /// Eleven random digits, '0' to '9' each.
    #[inline]
    pub(crate) fn digits(&mut self, group: &mut [u8; GROUP_DIGITS]) {
        let mut number = self.0.below(GROUPS);
        for digit in group.iter_mut().rev() {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_vectors() {
        let mut random = Random::new(42, 7);
        let numbers: [u32; 6] = std::array::from_fn(|_| random.uniform(1, 10_000));
        assert_eq!(numbers, [388, 7988, 9643, 1223, 3279, 6368]);
        let mut group = [0; GROUP_DIGITS];
        random.digits(&mut group);
        assert_eq!(std::str::from_utf8(&group).unwrap(), "17887228682");
    }

    #[test]
    fn digits_are_even_at_every_place() {
        let mut random = Random::new(3, 1);
        let mut counts = [[0_u32; 10]; GROUP_DIGITS];
        let mut group = [0; GROUP_DIGITS];
        for _ in 0..20_000 {
            random.digits(&mut group);
            for (place, digit) in group.iter().enumerate() {
                counts[place][usize::from(digit - b'0')] += 1;
            }
        }
        for place in counts {
            // Chi-square with 9 degrees of freedom: 33.7 is the 0.01 % point.
            let chi: f64 = place.iter().map(|&n| (f64::from(n) - 2e3).powi(2) / 2e3).sum();
            assert!(chi < 33.7, "{place:?}: {chi}");
        }
    }
}
