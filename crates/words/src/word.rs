//! Enums whose variants are words with a stable name.

/// A type whose values are words with a stable name.
pub trait Word: Copy + PartialEq + 'static {
    /// The doc comment of the type, as it is written.
    const ABOUT: &'static str;
    /// Every word, in the order of the list.
    const ALL: &'static [Self];

    /// The name that is stored and shown.
    fn name(self) -> &'static str;

    /// The doc comment of the word, as it is written.
    fn about(self) -> &'static str;
}

/// Declares an enum of words: each variant with its doc comment and its stable name.
#[macro_export]
macro_rules! words {
    (
        $(#[doc = $about:literal])*
        $(#[derive($($derive:path),+)])?
        $(#[serde($($serde:tt)+)])?
        pub enum $Type:ident { $($(#[doc = $doc:literal])* $Variant:ident = $name:literal,)* }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash $(, $($derive),+)?)]
        $(#[serde($($serde)+)])?
        pub enum $Type {
            $($(#[doc = $doc])* $Variant,)*
        }

        impl $crate::Word for $Type {
            const ABOUT: &'static str = concat!($($about, "\n"),*);
            // An item of the type itself takes precedence over that of this trait.
            const ALL: &'static [$Type] = $Type::ALL;

            fn name(self) -> &'static str {
                $Type::name(self)
            }

            fn about(self) -> &'static str {
                match self {
                    $($Type::$Variant => concat!($($doc, "\n"),*),)*
                }
            }
        }

        impl $Type {
            /// Every one, in the order of the list.
            pub const ALL: &'static [$Type] = &[$($Type::$Variant),*];

            /// The name that is stored and shown.
            pub const fn name(self) -> &'static str {
                match self {
                    $($Type::$Variant => $name,)*
                }
            }

            /// The one of this name; `None` for a name that this build does not know.
            pub fn of(name: &str) -> Option<$Type> {
                Self::ALL.iter().copied().find(|word| word.name() == name)
            }
        }

        impl std::fmt::Display for $Type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl From<$Type> for String {
            fn from(word: $Type) -> String {
                word.name().to_owned()
            }
        }

        impl TryFrom<String> for $Type {
            type Error = String;

            fn try_from(name: String) -> Result<$Type, String> {
                $Type::of(&name).ok_or_else(|| format!("`{name}` is no {}", stringify!($Type)))
            }
        }

        impl PartialEq<$Type> for str {
            fn eq(&self, word: &$Type) -> bool {
                self == word.name()
            }
        }

        impl PartialEq<$Type> for String {
            fn eq(&self, word: &$Type) -> bool {
                self == word.name()
            }
        }
    };
}

pub(crate) use words;
