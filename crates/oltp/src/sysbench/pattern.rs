//! The texts of sysbench's rows: groups of eleven random digits with dashes between them. They compress about
//! twofold.

use super::random::{GROUP_DIGITS, Random};

/// A group and the dash behind it.
const STEP: usize = GROUP_DIGITS + 1;
/// Length of column `c`'s text: ten groups. The column is one longer.
pub(crate) const C_LENGTH: usize = 10 * STEP - 1;
/// Length of column `pad`'s text: five groups. The column is one longer.
pub(crate) const PAD_LENGTH: usize = 5 * STEP - 1;

/// The text of column `c`.
pub(crate) type CText = Pattern<C_LENGTH>;
/// The text of column `pad`.
pub(crate) type PadText = Pattern<PAD_LENGTH>;

/// A text of `N` characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pattern<const N: usize>([u8; N]);

impl<const N: usize> Pattern<N> {
    pub(crate) fn draw(random: &mut Random) -> Self {
        let mut text = [b'-'; N];
        for group in text.chunks_mut(STEP) {
            if let Some(digits) = group.first_chunk_mut() {
                random.digits(digits);
            }
        }
        Self(text)
    }

    pub(crate) fn as_bytes(&self) -> &[u8; N] {
        &self.0
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("digits and dashes are ASCII")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_look_as_sysbench_makes_them() {
        let mut random = Random::new(1, 1);
        for (text, groups, length) in [
            (CText::draw(&mut random).as_str().to_owned(), 10, 119),
            (PadText::draw(&mut random).as_str().to_owned(), 5, 59),
        ] {
            assert_eq!(text.len(), length);
            let parts: Vec<&str> = text.split('-').collect();
            assert_eq!(parts.len(), groups);
            for part in parts {
                assert!(part.len() == 11 && part.bytes().all(|byte| byte.is_ascii_digit()), "{text}");
            }
        }
        assert_ne!(CText::draw(&mut random), CText::draw(&mut random));
    }
}
