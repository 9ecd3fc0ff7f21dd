//! The beds at the top of the page: their names, and their differences.

use crate::comparison::Comparison;
use crate::naming::BedName;
use crate::nuisance::Nuisance;
use crate::source::Source;
use crate::svg::Canvas;
use crate::table::{Entry, Table, Tone};

/// One bed with its line and marker.
#[derive(Debug)]
pub(super) struct BedKey {
    pub(super) swatch: String,
    pub(super) name: String,
    pub(super) detail: String,
}

/// The beds in the order of the experiment.
pub(super) fn keys(source: &Source<'_>) -> Vec<BedKey> {
    source.comparison.beds.iter().map(|bed| key(source, bed)).collect()
}

fn key(source: &Source<'_>, bed: &BedName) -> BedKey {
    let mut canvas = Canvas::new();
    canvas.line(&format!("line {}", bed.mark.line_class()), (0.0, 8.0), (46.0, 8.0));
    canvas.marker(&bed.mark, (23.0, 8.0), 4.4, None);
    let id = format!("bed-{}", bed.mark.slot);
    let description = format!("line and marker of {} in every figure", bed.shown);
    let mut detail = Vec::new();
    if bed.label != bed.shown {
        detail.push(bed.label.clone());
    } else if bed.name != bed.shown {
        detail.push(format!("\u{201c}{}\u{201d} where space is short", bed.name));
    }
    detail.push(bed.storage.clone());
    if bed.name == source.comparison.baseline && source.comparison.beds.len() > 1 {
        detail.push("the baseline".to_owned());
    }
    BedKey {
        swatch: canvas.finish(&id, "swatch", (46.0, 16.0), &bed.shown, &description),
        name: bed.shown.clone(),
        detail: detail.join(" \u{b7} "),
    }
}

/// The meaning of the nuisances, or the statement that there are none, with its basis.
pub(super) fn nuisance_sentence(source: &Source<'_>) -> String {
    let comparison = source.comparison;
    if comparison.beds.len() < 2 {
        return String::new();
    }
    if comparison.nuisances.is_empty() {
        let treatment = source.loaded.run.treatment.join(" and ");
        return format!(
            "The beds differ in {treatment} only: everything else that was recorded of host, file system and database is the same."
        );
    }
    comparison.nuisance_sentence()
}

/// The nuisances as a table; empty markup when there are none.
pub(super) fn nuisance_table(comparison: &Comparison) -> String {
    if comparison.nuisances.is_empty() {
        return String::new();
    }
    differing_table(comparison, &comparison.nuisances)
        .to_html("Factors in which the beds differ besides the treatment")
}

/// Facts by bed.
pub(super) fn differing_table(comparison: &Comparison, nuisances: &[Nuisance]) -> Table {
    let mut heads = vec!["factor"];
    let beds: Vec<&str> =
        nuisances.iter().flat_map(|n| n.values.iter().map(|(bed, _)| bed.as_str())).collect();
    let mut seen: Vec<&str> = Vec::new();
    for bed in beds {
        if !seen.contains(&bed) {
            seen.push(bed);
        }
    }
    heads.extend(seen.iter().map(|bed| comparison.shown(bed)));
    let mut table = Table::new(&heads);
    for nuisance in nuisances {
        let mut row = vec![Entry::from(nuisance.fact.clone())];
        row.extend(nuisance.values.iter().map(|(_, value)| match value {
            Some(value) => Entry::from(value.clone()),
            None => Entry::toned("not recorded", Tone::Soft),
        }));
        table.row(row);
    }
    table
}
