//! Enums whose variants are sentences of a result: a stable name and the data; the words are a message.

/// Declares an enum of sentences, one row for each: variant, stable name and data. The name (as `$tag`) and
/// the data are stored; the sentence is made when it is shown, by the message `$tag-$name` of `locales`.
/// A number that is no whole one says with how many decimals it is shown.
macro_rules! sentences {
    ($(#[$about:meta])* pub enum $Type:ident by $tag:literal {
        $($Variant:ident = $name:literal $({ $($field:ident: $Data:ty $(as $decimals:literal)?),+ })?;)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = $tag)]
        #[allow(missing_docs, reason = "the message of a variant says what its fields are")]
        pub enum $Type {
            $(#[doc = concat!("The message `", $tag, "-", $name, "`.")] #[serde(rename = $name)] $Variant $({ $($field: $Data),+ })?,)*
        }

        impl $Type {
            /// The stable names, in the order of the table.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The messages, each with its arguments.
            pub const MESSAGES: &'static [(&'static str, &'static [&'static str])] =
                &[$((concat!($tag, "-", $name), &[$($(stringify!($field)),+)?])),*];
        }

        impl std::fmt::Display for $Type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&match self {
                    $($Type::$Variant $({ $($field),+ })? => $crate::sentence(
                        concat!($tag, "-", $name),
                        &[$($((stringify!($field), $crate::Said::said(&$crate::sentence::shown!($field $($decimals)?)))),+)?],
                    ),)*
                })
            }
        }

        $crate::say::said_as_shown!($Type);
    };
}

/// A field as an argument.
macro_rules! shown {
    ($field:ident) => {
        $field
    };
    ($field:ident $decimals:literal) => {
        $crate::decimals(*$field, $decimals)
    };
}

pub(crate) use {sentences, shown};

#[cfg(test)]
mod tests {
    use crate::{Happening, LimiterFigures, Reading, Reason, Remark};
    use crate::{ScaleChange, ScaleClause, ScaleStatement};

    #[test]
    fn names_are_unique_and_fit_to_be_identifiers() {
        let of_a_cell = [Reason::NAMES, Remark::NAMES, Happening::NAMES, LimiterFigures::NAMES];
        let of_scaling = [ScaleStatement::NAMES, ScaleChange::NAMES, ScaleClause::NAMES];
        for names in of_a_cell.into_iter().chain(of_scaling).chain([Reading::NAMES]) {
            let unique: std::collections::BTreeSet<_> = names.iter().collect();
            assert_eq!(unique.len(), names.len());
            assert!(names.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')));
        }
    }
}
