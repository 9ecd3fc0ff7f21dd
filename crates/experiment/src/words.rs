//! The words of the file: how they are written, read and displayed.

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
