//! The cells: what bounded them, all of them with their numbers, and those that do not count.

use super::{Section, list};
use crate::limiter;
use crate::loaded_run::{LoadedRun, Measured};
use crate::number;
use crate::sentences;
use crate::source::Source;
use crate::table::{Entry, Table, Tone};
use notebook::CellState;
use words::Shown;

/// `72 cells: 70 done, 1 invalid, 1 interrupted`.
pub(super) fn tally(loaded: &LoadedRun) -> String {
    let states =
        [CellState::Done, CellState::Invalid, CellState::Interrupted, CellState::Running, CellState::Planned];
    let parts: Vec<String> = states
        .into_iter()
        .map(|state| (state, loaded.cells.iter().filter(|m| m.cell.state == state).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(state, count)| {
            format!("{count} {}", if state == CellState::Planned { "not run" } else { state.as_str() })
        })
        .collect();
    format!("{}: {}", sentences::count(loaded.cells.len(), "cell", "cells"), parts.join(", "))
}

/// The findings of the durability test.
pub(super) fn crashes(source: &Source<'_>) -> Section {
    if source.comparison.crashes.is_empty() {
        return Section::default();
    }
    Section {
        id: "crashes".into(),
        heading: "Crashes and what was there afterwards".to_owned(),
        lead: vec![
            "Users worked, the database was crashed under them at one moment, it recovered, and every order whose commit had \
             returned was looked for with all its lines (clause 3.5.4)."
                .to_owned(),
        ],
        figures: Vec::new(),
        body: source.comparison.crash_table().to_html(&format!("The durability test, by bed ({})", source.mark)),
    }
}

/// The fairness of several instances.
pub(super) fn instances(source: &Source<'_>) -> Section {
    if source.comparison.instances.is_empty() {
        return Section::default();
    }
    Section {
        id: "instances".into(),
        heading: "Instances side by side".to_owned(),
        lead: vec![
            "Equal instances on one storage, started at one moment and driven by one process. The fairness of Jain, Chiu and Hawe \
             is 1 when all got the same, and 1 divided by their number when one got all."
                .to_owned(),
        ],
        figures: Vec::new(),
        body: source
            .comparison
            .instance_table()
            .to_html(&format!("Rates of the instances, means over repeats ({})", source.mark)),
    }
}

/// The check of the users' input against the clauses.
pub(super) fn inputs(source: &Source<'_>) -> Section {
    if source.comparison.inputs.is_empty() {
        return Section::default();
    }
    Section {
        id: "inputs".into(),
        heading: "What the users asked".to_owned(),
        lead: vec![
            "The shares of clause 5.5.1.5 as they were submitted, over all valid cells. A generator that leaves these limits \
             measures another workload."
                .to_owned(),
        ],
        figures: Vec::new(),
        body: source.comparison.input_table().to_html(&format!("Input beside its limits ({})", source.mark)),
    }
}

/// The limiter of each bed at each level.
pub(super) fn limiters(source: &Source<'_>) -> Section {
    let mut body = String::new();
    let bounded = |workload: &&str| source.comparison.limiters.iter().any(|l| l.workload == *workload);
    for workload in source.loaded.workloads().into_iter().filter(bounded) {
        let level_name = source.loaded.level_name(workload);
        let caption =
            format!("{workload}: limiter by {level_name}; a number where repeats disagree ({})", source.mark);
        body.push_str(&source.comparison.limiter_table(workload).to_html(&caption));
        let details = detail_table(source, workload);
        if !details.rows.is_empty() {
            let caption =
                format!("{workload}: a typical cell of each bed and {level_name} ({})", source.mark);
            let table = details.to_html(&caption);
            body.push_str(&format!("<details><summary>The figures behind it</summary>{table}</details>"));
        }
    }
    if body.is_empty() {
        return Section::default();
    }
    Section {
        id: "limiters".into(),
        heading: "What bounded each cell".to_owned(),
        lead: std::iter::once(
            "What took the largest part of the time, or left no processor idle. A difference between drives shows in full only where the \
             drive or the log was the limit, elsewhere as far as they took a part of the time. Every cell's own limiter is in the table of \
             all cells."
                .to_owned(),
        )
        .chain(limiter::meanings(&source.comparison.limiters))
        .collect(),
        figures: Vec::new(),
        body,
    }
}

fn detail_table(source: &Source<'_>, workload: &str) -> Table {
    let mut table =
        Table::new(&[&format!("#{}", source.loaded.level_name(workload)), "bed", "limited by", "figures"]);
    for limiters in source.comparison.limiters.iter().filter(|limiters| limiters.workload == workload) {
        let Some(figures) = &limiters.figures else { continue };
        let bed = source.comparison.shown(&limiters.bed);
        table.row([&number::level(limiters.level), bed, limiters.main(), &figures.to_string()]);
    }
    table
}

/// Every cell in the order in which it was run, and those that do not count with their reasons.
pub(super) fn all(source: &Source<'_>) -> Section {
    let loaded = source.loaded;
    let mut body = String::new();
    if !source.comparison.excluded.is_empty() {
        let sentences: Vec<String> =
            source.comparison.excluded.iter().map(|cell| source.comparison.excluded_sentence(cell)).collect();
        body.push_str(&format!("<p>Left out of every figure and verdict:</p>{}", list(&sentences)));
    }
    for workload in loaded.workloads() {
        let table = cell_table(source, workload);
        let rows = sentences::count(table.rows.len(), "cell", "cells");
        let caption = format!("{workload}: every cell in the order in which it was run ({})", source.mark);
        body.push_str(&format!(
            "<details><summary>All {rows}</summary>{}</details>",
            table.to_html(&caption)
        ));
    }
    let order = if loaded.run.order == "interleaved" {
        "Order: randomised complete blocks, every bed and level once in each block."
    } else {
        "Order: one bed after the other, not randomised."
    };
    Section {
        id: "cells".into(),
        heading: "All cells".to_owned(),
        lead: vec![format!("{}. {order}", tally(loaded))],
        figures: Vec::new(),
        body,
    }
}

fn cell_table(source: &Source<'_>, workload: &str) -> Table {
    let metrics: Vec<Shown> =
        source.loaded.kind(workload).columns.iter().filter_map(|metric| metric.shown()).collect();
    let mut heads =
        vec!["#order".to_owned(), "bed".to_owned(), format!("#{}", source.loaded.level_name(workload))];
    heads.extend(["#repeat".to_owned(), "state".to_owned()]);
    heads.extend(metrics.iter().map(|metric| match metric.unit {
        "" => format!("#{}", metric.short),
        unit => format!("#{} ({unit})", metric.short),
    }));
    heads.push("limited by".to_owned());
    let mut table = Table::new(&heads);
    for measured in source.loaded.of(workload) {
        table.row(cell_row(source, measured, &metrics));
    }
    table
}

fn cell_row(source: &Source<'_>, measured: &Measured, metrics: &[Shown]) -> Vec<Entry> {
    let cell = &measured.cell;
    let state = match cell.state {
        CellState::Done => Entry::toned("done", Tone::Soft),
        CellState::Planned => Entry::toned("not run", Tone::Flag),
        state => Entry::toned(state.as_str(), Tone::Flag),
    };
    let mut row: Vec<Entry> = vec![
        (cell.position + 1).to_string().into(),
        source.comparison.shown(&cell.bed).into(),
        sentences::level_under(cell.level, &cell.level_name).into(),
        (cell.repeat + 1).to_string().into(),
        state,
    ];
    row.extend(metrics.iter().map(|metric| match measured.values.get(metric.metric) {
        Some(value) => Entry::from(number::plain(value)),
        None => Entry::toned("-", Tone::Soft),
    }));
    row.push(cell.limiter.clone().unwrap_or_else(|| "-".to_owned()).into());
    row
}
