//! Titles and identifiers of the figures of one workload.

use crate::source::Source;

/// A page with several workloads names the workload in every title.
pub(crate) fn titled(source: &Source<'_>, workload: &str, title: &str) -> String {
    if source.loaded.has_several_workloads() { format!("{title} ({workload})") } else { title.to_owned() }
}

/// An identifier that is unique within the page and safe in markup.
pub(crate) fn id(source: &Source<'_>, workload: &str, what: &str) -> String {
    let index = source.loaded.place_of(workload);
    format!("f{index}-{what}").replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "-")
}
