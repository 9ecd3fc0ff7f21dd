//! The kind of a printed number.

use serde::{Deserialize, Serialize};

/// The kind of a printed number. Files and notebooks keep it by its name; without one it is a measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum NumberKind {
    /// Measured, as it was printed.
    #[default]
    Measured,
    /// Measured, with a misprint put right.
    MeasuredRepaired,
    /// A ratio or a statement of the authors.
    Claim,
    /// Of a drive's data sheet.
    VendorSpec,
    /// A limit of what was measured.
    Bound,
    /// A kind that this build does not know.
    Other(String),
}

impl NumberKind {
    /// Its name in files and notebooks.
    pub fn name(&self) -> &str {
        match self {
            NumberKind::Measured => "measured",
            NumberKind::MeasuredRepaired => "measured-repaired",
            NumberKind::Claim => "claim",
            NumberKind::VendorSpec => "vendor-spec",
            NumberKind::Bound => "bound",
            NumberKind::Other(name) => name,
        }
    }

    /// True for a number that the study measured.
    pub fn is_measured(&self) -> bool {
        matches!(self, NumberKind::Measured | NumberKind::MeasuredRepaired)
    }
}

impl From<String> for NumberKind {
    fn from(name: String) -> NumberKind {
        match name.as_str() {
            "" | "measured" => NumberKind::Measured,
            "measured-repaired" => NumberKind::MeasuredRepaired,
            "claim" => NumberKind::Claim,
            "vendor-spec" => NumberKind::VendorSpec,
            "bound" => NumberKind::Bound,
            _ => NumberKind::Other(name),
        }
    }
}

impl From<NumberKind> for String {
    fn from(kind: NumberKind) -> String {
        kind.name().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_read_by_its_name_and_an_unknown_one_keeps_it() {
        for number in crate::all() {
            assert!(!matches!(number.kind, NumberKind::Other(_)), "{}: {}", number.id, number.kind.name());
        }
        for name in ["measured", "measured-repaired", "claim", "vendor-spec", "bound", "a later one"] {
            let kind = NumberKind::from(name.to_owned());
            assert_eq!((kind.name(), kind.is_measured()), (name, name.starts_with("measured")));
        }
        assert_eq!(NumberKind::from(String::new()), NumberKind::default());
    }
}
