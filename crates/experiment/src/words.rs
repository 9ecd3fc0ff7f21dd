//! How the words of the file and the command line are displayed.

use std::borrow::Cow;

/// Words are displayed as they are written in the file.
macro_rules! displayed_as_written {
    ($($type:ident { $($word:ident => $text:literal),+ })+) => {$(
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $($type::$word => $text),+ })
            }
        }
    )+};
}

pub(crate) use displayed_as_written;

/// A word in a message: a long one by its beginning. It is seen whole where it stands.
pub(crate) fn short(word: &str) -> Cow<'_, str> {
    const LONGEST: usize = 60;
    match word.char_indices().nth(LONGEST) {
        Some((end, _)) => Cow::Owned(format!("{}...", &word[..end])),
        None => Cow::Borrowed(word),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn only_a_long_word_is_cut_and_between_characters() {
        assert_eq!(short(&"é".repeat(60)), "é".repeat(60));
        assert_eq!(short(&"é".repeat(61)), format!("{}...", "é".repeat(60)));
    }
}
