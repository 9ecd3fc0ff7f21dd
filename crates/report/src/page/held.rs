//! The limits of instances, and the bytes written to the drives.

use super::Section;
use crate::source::Source;

/// The limits of the instances, where there were any.
pub(super) fn limits(source: &Source<'_>) -> Section {
    if source.comparison.held.is_empty() {
        return Section::default();
    }
    Section {
        id: "held".into(),
        heading: "Limits of the instances".to_owned(),
        lead: vec![
            "Each instance ran in a control group of its own. Memory counts the page cache that it filled, so that its files are \
             cached by no more than its limit; held back is the time for which processors were kept from it, all instances of a \
             cell together."
                .to_owned(),
        ],
        figures: Vec::new(),
        body: source
            .comparison
            .held_table()
            .to_html(&format!("Limits, and what was run into ({})", source.mark)),
    }
}

/// The bytes written to the drives.
pub(super) fn wear(source: &Source<'_>) -> Section {
    if source.comparison.wear.is_empty() {
        return Section::default();
    }
    let by_log = source.comparison.wear.iter().any(|wear| wear.by_drive_log_bytes.is_some());
    let log = if by_log {
        "The drive's own log counts what it was told to write in the whole cell."
    } else {
        "No drive's own log could be read here: that needs root and an NVMe drive."
    };
    Section {
        id: "written".into(),
        heading: "What the drives had to write".to_owned(),
        lead: vec![format!(
            "Means of the valid cells, for the drive's endurance: divide what it is rated for by the bytes of a transaction. \
             Host counters hold what other programs wrote too; the whole cell has its reset and its check in it. Beside a neighbour the \
             bytes of a transaction are the victims' own. {log}"
        )],
        figures: Vec::new(),
        body: format!(
            "<details><summary>Bytes written, by bed and load</summary>{}</details>",
            source.comparison.wear_table().to_html(&format!("Written in a cell ({})", source.mark))
        ),
    }
}
