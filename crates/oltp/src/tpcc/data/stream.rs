//! Random numbers and texts of the data, with every derivation spelled out (golden vectors below).

use ground::Random;

use super::text::Text;

/// Letters and digits of a-strings (4.3.2.2): uniform, so that storage cannot compress them below 6 bits a
/// character.
const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS: &[u8; 10] = b"0123456789";

/// One independent stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Stream(Random);

impl Stream {
    /// Stream number `number` of `seed`.
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        Self(Random::stream(seed, number))
    }

    /// Uniform in `low..=high` without bias.
    pub(crate) fn uniform(&mut self, low: u32, high: u32) -> u32 {
        self.0.within(low, high)
    }

    /// True in `percent` of 100.
    pub(crate) fn percent(&mut self, percent: u32) -> bool {
        self.uniform(1, 100) <= percent
    }

    /// Fisher and Yates' shuffle.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.uniform(0, last as u32) as usize;
            items.swap(last, other);
        }
    }

    /// An a-string of random length from `low` to `high` characters.
    pub(crate) fn letters<const N: usize>(&mut self, low: usize, high: usize) -> Text<N> {
        self.text(LETTERS, low, high)
    }

    /// An n-string of random length from `low` to `high` digits.
    pub(crate) fn digits<const N: usize>(&mut self, low: usize, high: usize) -> Text<N> {
        self.text(DIGITS, low, high)
    }

    fn text<const N: usize, const M: usize>(
        &mut self,
        alphabet: &[u8; M],
        low: usize,
        high: usize,
    ) -> Text<N> {
        let mut text = Text::EMPTY;
        let length = self.uniform(low as u32, high as u32) as usize;
        self.fill(alphabet, text.resize(length));
        text
    }

    /// Eight characters from each random number: it is read as a fraction in base `M`, which is uniform to
    /// 2^-16.
    fn fill<const M: usize>(&mut self, alphabet: &[u8; M], bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let mut fraction = self.0.next_u64();
            for byte in chunk {
                let wide = u128::from(fraction) * M as u128;
                *byte = alphabet[(wide >> 64) as usize];
                fraction = wide as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Made by an independent implementation of the same definitions.
    #[test]
    fn golden_vectors() {
        let mut stream = Stream::new(42, 7);
        let numbers: Vec<u32> = (0..8).map(|_| stream.uniform(1, 3_000)).collect();
        assert_eq!(numbers, GOLDEN_NUMBERS);
        assert_eq!(stream.letters::<26>(14, 24).as_str(), GOLDEN_LETTERS);
        assert_eq!(stream.digits::<16>(16, 16).as_str(), GOLDEN_DIGITS);
        let mut cards: Vec<u8> = (0..10).collect();
        stream.shuffle(&mut cards);
        assert_eq!(cards, GOLDEN_SHUFFLE);
    }

    const GOLDEN_NUMBERS: [u32; 8] = [117, 2397, 2893, 367, 984, 1911, 537, 846];
    const GOLDEN_LETTERS: &str = "arrXyXfNhBx5VgP7YhF";
    const GOLDEN_DIGITS: &str = "4306878638360958";
    const GOLDEN_SHUFFLE: [u8; 10] = [7, 3, 1, 0, 4, 9, 8, 6, 5, 2];

    #[test]
    fn texts_use_the_whole_alphabet_and_every_length() {
        let mut stream = Stream::new(3, 1);
        let mut counts = [0_u32; 256];
        let mut lengths = [false; 11];
        for _ in 0..20_000 {
            let text = stream.letters::<10>(6, 10);
            lengths[text.as_str().len()] = true;
            for byte in text.as_str().bytes() {
                counts[usize::from(byte)] += 1;
            }
        }
        assert_eq!(lengths.iter().filter(|&&seen| seen).count(), 5);
        let used: Vec<u32> = counts.iter().copied().filter(|&n| n > 0).collect();
        assert_eq!(used.len(), 62);
        let mean = f64::from(used.iter().sum::<u32>()) / 62.0;
        // Chi-square with 61 degrees of freedom: 100.9 is the 0.1 % point.
        let chi: f64 = used.iter().map(|&n| (f64::from(n) - mean).powi(2) / mean).sum();
        assert!(chi < 100.9, "{chi}");
    }
}
