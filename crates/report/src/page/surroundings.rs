//! The surroundings of the run: the cost of the emulation layer, and the fingerprint of host, beds and
//! databases.

use super::beds::differing_table;
use super::{Section, list};
use crate::floor;
use crate::html::details;
use crate::loaded_run::{Facts, LoadedRun};
use crate::nuisance::Nuisance;
use crate::source::Source;
use crate::svg::escape;
use crate::table::{Column, Entry, Table, Tone, columns};
use notebook::COMMAND;
use study::profile::FIT;
use words::{NoteKind, say};

/// The cost of the emulation layer, bed by bed, and the drives that are faster than it can show.
pub(super) fn floor(source: &Source<'_>) -> Option<Section> {
    let loaded = source.loaded;
    if !loaded.is_emulated() {
        return None;
    }
    let floors: Vec<(String, Facts)> = scopes(loaded, "floor:");
    if floors.is_empty() && loaded.command().is_some() {
        // No byte moved: there was no layer.
        return None;
    }
    if floors.is_empty() {
        return Some(Section {
            id: "floor".into(),
            heading: say!("page-floor").to_owned(),
            lead: vec![say!("page-floor-not-recorded").to_owned()],
            ..Section::default()
        });
    }
    let mut body = matrix(source, &floors, false).to_html(&say!("page-floor-caption", mark = source.mark));
    let flags: Vec<String> = floors
        .iter()
        .flat_map(|(bed, facts)| {
            let told = floor::sentences(facts).into_iter();
            told.map(move |what| format!("{}: {what}", source.comparison.shown(bed)))
        })
        .collect();
    body.push_str(&list(&flags));
    Some(Section {
        id: "floor".into(),
        heading: say!("page-floor").to_owned(),
        lead: vec![say!("page-floor-lead").to_owned()],
        figures: Vec::new(),
        body,
    })
}

/// Fact sets of one kind of scope, by bed.
fn scopes(loaded: &LoadedRun, prefix: &str) -> Vec<(String, Facts)> {
    let named =
        |(scope, facts): &(String, Facts)| Some((scope.strip_prefix(prefix)?.to_owned(), facts.clone()));
    loaded.facts.iter().filter_map(named).collect()
}

/// Keys as rows, beds as columns; on request what differs is bold.
fn matrix(source: &Source<'_>, sets: &[(String, Facts)], bold: bool) -> Table {
    let mut keys: Vec<&String> = sets.iter().flat_map(|(_, facts)| facts.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.retain(|key| !floor::is_told(key));
    let mut columns = columns![text say!("column-fact")];
    columns.extend(sets.iter().map(|(bed, _)| Column::text(source.comparison.shown(bed))));
    let mut table = Table::new(columns);
    for key in keys {
        let values: Vec<Option<&String>> = sets.iter().map(|(_, facts)| facts.get(key)).collect();
        let differs = bold && values.windows(2).any(|pair| pair[0] != pair[1]);
        let tone = if differs { Tone::Strong } else { Tone::Plain };
        let mut row = vec![Entry::from(key.clone())];
        row.extend(values.into_iter().map(|value| match value {
            Some(value) => Entry::toned(value.clone(), tone),
            None => Entry::toned(say!("not-recorded"), Tone::Soft),
        }));
        table.row(row);
    }
    table
}

/// Everything about host, beds and databases that could change a result.
pub(super) fn fingerprint(source: &Source<'_>) -> Section {
    let loaded = source.loaded;
    let mut body = String::new();
    if !source.comparison.treatment.is_empty() {
        let table = differing_table(source.comparison, &source.comparison.treatment);
        body.push_str(&table.to_html(say!("page-treatment-caption")));
    }
    for (prefix, title) in [
        ("bed:", say!("page-fact-beds")),
        ("database:", say!("page-fact-database")),
        ("drive:", say!("page-fact-drives")),
    ] {
        let sets = scopes(loaded, prefix);
        if !sets.is_empty() {
            let table = matrix(source, &sets, true).to_html(&say!("page-facts-caption", title));
            body.push_str(&details(title, &table));
        }
    }
    let single = |(scope, _): &&(String, Facts)| {
        !["bed:", "database:", "drive:", "floor:", "attribution:", COMMAND, FIT]
            .iter()
            .any(|p| scope.starts_with(p))
    };
    for (scope, facts) in loaded.facts.iter().filter(single) {
        let mut table = Table::new(columns![text say!("column-fact"), text say!("column-value")]);
        facts.iter().for_each(|(key, value)| table.row([key.clone(), value.clone()]));
        let html =
            table.to_html(&say!("page-facts-of", scope)).replacen("<table>", "<table class=\"keys\">", 1);
        let summary = say!("page-facts-count", count = facts.len(), scope);
        body.push_str(&details(&summary, &html));
    }
    let doctor: Vec<&str> = loaded.notes_of(NoteKind::Doctor).collect();
    if !doctor.is_empty() {
        let items: String = doctor.iter().map(|text| format!("<li>{}</li>", escape(text))).collect();
        body.push_str(&format!("<p>{}</p><ul class=\"plain\">{items}</ul>", say!("page-doctor")));
    }
    Section {
        id: "fingerprint".into(),
        heading: say!("page-fingerprint").to_owned(),
        lead: vec![say!("page-fingerprint-lead").to_owned()],
        figures: Vec::new(),
        body,
    }
}

/// The study's facts about its own beds, where they differ.
pub(super) fn study_setup(source: &Source<'_>) -> Option<Table> {
    let loaded = source.loaded;
    let mut keys: Vec<&String> = loaded.beds.iter().flat_map(|bed| bed.facts.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let rows: Vec<Nuisance> = keys
        .into_iter()
        .map(|key| Nuisance {
            fact: key.clone(),
            values: loaded.beds.iter().map(|bed| (bed.name.clone(), bed.facts.get(key).cloned())).collect(),
        })
        .collect();
    (!rows.is_empty()).then(|| differing_table(source.comparison, &rows))
}
