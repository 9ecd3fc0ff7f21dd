//! The pages of other work on databases than transactions: the figures that no other workload has, and the
//! table behind all.

use super::{Section, list};
use crate::finding::Operation;
use crate::html::details;
use crate::source::Source;
use crate::svg::escape;
use words::{EventKind, say};

/// One section for each such workload: its answer, what the data do not say, and every figure with its
/// interval.
pub(super) fn sections(source: &Source<'_>) -> Vec<Section> {
    let shown = |bed: &str| source.comparison.shown(bed).to_owned();
    let section = |(index, of): (usize, &Operation)| {
        let caption = say!("page-operation-caption", workload = of.workload, mark = source.mark);
        let mut body = of.table(shown).to_html(&caption);
        body.push_str(&events(source, &of.workload));
        body.push_str(&format!("<h3>{}</h3>", say!("heading-not-concluded")));
        body.push_str(&list(&of.limits));
        Section {
            id: Section::id_of("operations", index),
            heading: match source.comparison.operations.len() {
                1 => say!("page-operation").to_owned(),
                _ => say!("page-operation-of", workload = of.workload),
            },
            lead: of.sentences.clone(),
            figures: Vec::new(),
            body,
        }
    };
    source.comparison.operations.iter().enumerate().map(section).collect()
}

/// The events of the cells: cycles, drills, layouts, plans.
fn events(source: &Source<'_>, workload: &str) -> String {
    let mut items = String::new();
    for measured in source.loaded.of(workload) {
        let kinds = [EventKind::Cycle, EventKind::Drill, EventKind::Layout, EventKind::Plan];
        let is_told = |event: &&notebook::Event| event.kind.word().is_some_and(|kind| kinds.contains(&kind));
        for event in measured.events.iter().filter(is_told) {
            let bed = source.comparison.shown(&measured.cell.bed);
            let level = source.loaded.level_name(workload).said(measured.cell.level);
            let place = say!("page-place", bed, level, repeat = measured.cell.repeat + 1);
            items.push_str(&format!(
                "<li>{}: {}: {}</li>",
                escape(&place),
                event.kind.spoken(),
                escape(&event.message)
            ));
        }
    }
    if items.is_empty() {
        return items;
    }
    details(say!("page-noted"), &format!("<ul class=\"plain\">{items}</ul>"))
}
