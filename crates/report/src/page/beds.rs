//! The beds at the top of the page: their names, and their differences.

use super::Section;
use crate::comparison::Comparison;
use crate::naming::BedName;
use crate::nuisance::Nuisance;
use crate::sentences;
use crate::source::Source;
use crate::svg::{Canvas, escape};
use crate::table::{Column, Entry, Table, Tone, columns};
use words::{BedDrive, say};

/// One bed with its line and marker, as markup, and its storage.
#[derive(Debug)]
struct BedKey {
    swatch: String,
    name: String,
    detail: String,
}

/// The beds in the order of the experiment, with their marks and their storage.
pub(super) fn section(source: &Source<'_>) -> Section {
    let item = |bed: &BedName| {
        let BedKey { swatch, name, detail } = key(source, bed);
        format!("<li>{swatch}<b>{}</b><span>{}</span></li>", escape(&name), escape(&detail))
    };
    let items: String = source.comparison.beds.iter().map(item).collect();
    Section {
        id: "beds".into(),
        heading: say!("page-beds").to_owned(),
        body: format!("<ul class=\"beds\">{items}</ul>"),
        ..Section::default()
    }
}

fn key(source: &Source<'_>, bed: &BedName) -> BedKey {
    let mut canvas = Canvas::new();
    canvas.line(&format!("line {}", bed.mark.line_class()), (0.0, 8.0), (46.0, 8.0));
    canvas.marker(&bed.mark, (23.0, 8.0), 4.4, None);
    let id = format!("bed-{}", bed.mark.slot);
    let description = say!("page-swatch", bed = bed.shown);
    let mut detail = Vec::new();
    if bed.label != bed.shown {
        detail.push(bed.label.clone());
    } else if bed.name != bed.shown {
        detail.push(say!("page-bed-short", bed = bed.name));
    }
    detail.push(bed.storage.clone());
    if bed.name == source.comparison.baseline && source.comparison.beds.len() > 1 {
        detail.push(say!("page-baseline").to_owned());
    }
    BedKey {
        swatch: canvas.finish(&id, "swatch", (46.0, 16.0), &bed.shown, &description).markup(""),
        name: bed.shown.clone(),
        detail: detail.join(" \u{b7} "),
    }
}

/// The meaning of the nuisances, or the statement that there are none, with its basis.
pub(super) fn nuisance_sentence(source: &Source<'_>) -> String {
    let comparison = source.comparison;
    if comparison.beds.len() < 2 || comparison.shares_drive {
        return String::new();
    }
    if comparison.nuisances.is_empty() {
        let treatment: Vec<&str> =
            source.loaded.run.treatment.iter().map(|name| sentences::treatment(name)).collect();
        let treatment = sentences::and(&treatment);
        return say!("page-no-nuisance", treatment);
    }
    comparison.nuisance_sentence()
}

/// The consequence of nuisances, where there are any: it changes how far every verdict holds.
pub(super) fn nuisance_warning(comparison: &Comparison) -> Option<String> {
    (comparison.beds.len() > 1 && !comparison.nuisances.is_empty()).then(|| comparison.nuisance_sentence())
}

/// The nuisances as a table; empty markup when there are none.
pub(super) fn nuisance_table(comparison: &Comparison) -> String {
    if comparison.nuisances.is_empty() {
        return String::new();
    }
    differing_table(comparison, &comparison.nuisances).to_html(say!("page-nuisances"))
}

/// A fact of a bed as a reader sees it.
fn said(key: &str, value: &str) -> String {
    match key {
        "storage.drive" | "log.drive" => BedDrive::read(value).spoken(),
        _ => value.to_owned(),
    }
}

/// Facts by bed.
pub(super) fn differing_table(comparison: &Comparison, nuisances: &[Nuisance]) -> Table {
    let mut columns = columns![text say!("column-factor")];
    let beds: Vec<&str> =
        nuisances.iter().flat_map(|n| n.values.iter().map(|(bed, _)| bed.as_str())).collect();
    let mut seen: Vec<&str> = Vec::new();
    for bed in beds {
        if !seen.contains(&bed) {
            seen.push(bed);
        }
    }
    columns.extend(seen.iter().map(|bed| Column::text(comparison.shown(bed))));
    let mut table = Table::new(columns);
    for nuisance in nuisances {
        let mut row = vec![Entry::from(nuisance.fact.clone())];
        row.extend(nuisance.values.iter().map(|(_, value)| match value {
            Some(value) => Entry::from(said(&nuisance.fact, value)),
            None => Entry::toned(say!("not-recorded"), Tone::Soft),
        }));
        table.row(row);
    }
    table
}
