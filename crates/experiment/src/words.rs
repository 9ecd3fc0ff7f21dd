//! How the words of the file are displayed.

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
