//! What the beds are called: by their names when only the treatment differs, else by letters.
//!
//! "NVMe is twice as fast" is a claim about NVMe. When the beds also differ in processor or memory the
//! numbers do not support it, so the report says "bed A" and lets the reader see what bed A is.

use crate::figure::BedMark;
use crate::loaded_run::LoadedRun;
use crate::svg::width;

/// How one bed is called.
#[derive(Clone, Debug, PartialEq)]
pub struct BedName {
    /// Name in the experiment and the notebook.
    pub name: String,
    /// What sentences and tables call it.
    pub shown: String,
    /// The bed's own label, or its name.
    pub label: String,
    /// One line: the drive or path it keeps its bytes on.
    pub storage: String,
    /// Colour, dash, marker and short name in figures.
    pub(crate) mark: BedMark,
}

/// A label up to this width stands at the end of a line; a wider one makes way for the bed's name.
const LABEL_WIDTH_MOST: f64 = 132.0;

/// Names for all beds of a run, in their order.
pub(crate) fn of(loaded: &LoadedRun, by_treatment: bool) -> Vec<BedName> {
    let name = |(slot, bed): (usize, &notebook::Bed)| {
        let label = bed.label.clone().unwrap_or_else(|| bed.name.clone());
        let lettered = format!("bed {}", letter(slot));
        let short =
            if width::of(&label, 12.5, true) <= LABEL_WIDTH_MOST { label.clone() } else { bed.name.clone() };
        let (shown, short) = if by_treatment { (label.clone(), short) } else { (lettered.clone(), lettered) };
        BedName {
            name: bed.name.clone(),
            shown,
            label,
            storage: bed.storage_summary.clone(),
            mark: BedMark {
                slot,
                way: 0,
                short: if by_treatment { bed.name.clone() } else { short.clone() },
                name: short,
            },
        }
    };
    loaded.beds.iter().enumerate().map(name).collect()
}

/// A to Z, then A1, B1 and so on.
fn letter(slot: usize) -> String {
    let letter = char::from(b'A' + u8::try_from(slot % 26).unwrap_or(0));
    if slot < 26 { letter.to_string() } else { format!("{letter}{}", slot / 26) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_do_not_run_out() {
        assert_eq!([0, 1, 25, 26, 53].map(letter), ["A", "B", "Z", "A1", "B2"]);
    }
}
