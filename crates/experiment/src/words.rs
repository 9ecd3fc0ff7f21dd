//! The words of the file: how they are written, read and displayed.

use std::borrow::Cow;

/// A value that the file writes as one word of a fixed set.
pub(crate) trait Word: Copy + 'static {
    /// Every word with its value, in the order in which messages list them.
    fn words() -> Vec<(&'static str, Self)>;
}

macro_rules! words_of_results {
    ($($type:ident)+) => {$(
        impl Word for words::$type {
            fn words() -> Vec<(&'static str, words::$type)> {
                words::$type::ALL.iter().map(|word| (word.name(), *word)).collect()
            }
        }
    )+};
}

words_of_results! { Arm Engine Synchronous }

/// Words of the file, which are read and displayed as they are written there.
macro_rules! written_words {
    ($($type:ident { $($word:ident => $text:literal),+ })+) => {$(
        impl $crate::words::Word for $type {
            fn words() -> Vec<(&'static str, $type)> {
                vec![$(($text, $type::$word)),+]
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $($type::$word => $text),+ })
            }
        }
    )+};
}

pub(crate) use written_words;

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
