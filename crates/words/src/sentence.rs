//! Enums whose variants are sentences of a result: a stable name, the data, and the English of it.

/// Declares an enum of sentences, one row for each: variant, stable name, data, and the English sentence
/// with the data by name. The name (as `$tag`) and the data are stored; a sentence is made when it is shown,
/// and a translation replaces the last column alone.
macro_rules! sentences {
    ($(#[$about:meta])* pub enum $Type:ident by $tag:literal {
        $($Variant:ident = $name:literal $({ $($field:ident: $Data:ty),+ })? => $english:literal;)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = $tag)]
        #[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
        pub enum $Type {
            $(#[doc = $english] #[serde(rename = $name)] $Variant $({ $($field: $Data),+ })?,)*
        }

        impl $Type {
            /// The stable names, in the order of the table.
            pub const NAMES: &'static [&'static str] = &[$($name),*];
        }

        impl std::fmt::Display for $Type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $($Type::$Variant $({ $($field),+ })? => write!(f, $english),)*
                }
            }
        }
    };
}

pub(crate) use sentences;
