//! The limits of instances, and the bytes written to the drives.

use super::Section;
use crate::html::details;
use crate::source::Source;
use words::say;

/// The limits of the instances, where there were any.
pub(super) fn limits(source: &Source<'_>) -> Section {
    if source.comparison.held.is_empty() {
        return Section::default();
    }
    Section {
        id: "held".into(),
        heading: say!("page-held").to_owned(),
        lead: vec![say!("page-held-lead").to_owned()],
        figures: Vec::new(),
        body: source.comparison.held_table().to_html(&say!("page-held-caption", mark = source.mark)),
    }
}

/// The bytes written to the drives.
pub(super) fn wear(source: &Source<'_>) -> Section {
    if source.comparison.wear.is_empty() {
        return Section::default();
    }
    let by_log = source.comparison.wear.iter().any(|wear| wear.by_drive_log_bytes.is_some());
    let log = if by_log { say!("page-written-by-log") } else { say!("page-written-no-log") };
    Section {
        id: "written".into(),
        heading: say!("page-written").to_owned(),
        lead: vec![say!("page-written-lead", log)],
        figures: Vec::new(),
        body: details(
            say!("page-written-table"),
            &source.comparison.wear_table().to_html(&say!("page-written-caption", mark = source.mark)),
        ),
    }
}
