//! The cells: what bounded them, all of them with their numbers, and those that do not count.

use super::{Section, list};
use crate::figure::plan::{self, Plan};
use crate::figure::{Figure, Width};
use crate::html::details;
use crate::limiter;
use crate::loaded_run::{LoadedRun, Measured};
use crate::number;
use crate::sentences;
use crate::source::Source;
use crate::table::{Column, Entry, Table, Tone, columns};
use notebook::{Cell, CellState};
use words::{Limiter, Shown, say, spoken};

/// `72 cells: 70 done, 1 invalid, 1 interrupted`.
pub(super) fn tally(loaded: &LoadedRun) -> String {
    let states =
        [CellState::Done, CellState::Invalid, CellState::Interrupted, CellState::Running, CellState::Planned];
    let parts: Vec<String> = states
        .into_iter()
        .map(|state| (state, loaded.cells.iter().filter(|m| m.cell.state == state).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(state, count)| {
            format!(
                "{count} {}",
                if state == CellState::Planned { say!("cell-not-run") } else { words::Spoken::spoken(state) }
            )
        })
        .collect();
    format!("{}: {}", sentences::cells(loaded.cells.len()), words::list(parts))
}

/// The findings of the durability test.
pub(super) fn crashes(source: &Source<'_>) -> Section {
    if source.comparison.crashes.is_empty() {
        return Section::default();
    }
    Section {
        id: "crashes".into(),
        heading: say!("page-crashes").to_owned(),
        lead: vec![say!("page-crashes-lead").to_owned()],
        figures: Vec::new(),
        body: source.comparison.crash_table().to_html(&say!("page-crashes-caption", mark = source.mark)),
    }
}

/// The fairness of several instances.
pub(super) fn instances(source: &Source<'_>) -> Section {
    if source.comparison.instances.is_empty() {
        return Section::default();
    }
    Section {
        id: "instances".into(),
        heading: say!("page-instances").to_owned(),
        lead: vec![say!("page-instances-lead").to_owned()],
        figures: Vec::new(),
        body: source.comparison.instance_table().to_html(&say!("page-instances-caption", mark = source.mark)),
    }
}

/// The delay of the load generator.
pub(super) fn pace(source: &Source<'_>) -> Section {
    if source.comparison.paces.is_empty() {
        return Section::default();
    }
    Section {
        id: "pace".into(),
        heading: say!("page-pace").to_owned(),
        lead: vec![say!("page-pace-lead").to_owned()],
        figures: Vec::new(),
        body: source.comparison.pace_table().to_html(&say!("page-pace-caption", mark = source.mark)),
    }
}

/// The hosts of a fleet.
pub(super) fn hosts(source: &Source<'_>) -> Section {
    if source.comparison.hosts.is_empty() {
        return Section::default();
    }
    let lead = [say!("page-hosts-lead").to_owned()];
    Section {
        id: "hosts".into(),
        heading: say!("page-hosts").to_owned(),
        lead: lead.into_iter().chain(source.comparison.host_sentences()).collect(),
        figures: Vec::new(),
        body: source.comparison.host_table().to_html(&say!("page-hosts-caption", mark = source.mark)),
    }
}

/// The check of the users' input against the clauses.
pub(super) fn inputs(source: &Source<'_>) -> Section {
    if source.comparison.inputs.is_empty() {
        return Section::default();
    }
    Section {
        id: "inputs".into(),
        heading: say!("page-inputs").to_owned(),
        lead: vec![say!("page-inputs-lead").to_owned()],
        figures: Vec::new(),
        body: source.comparison.input_table().to_html(&say!("page-inputs-caption", mark = source.mark)),
    }
}

/// The limiter of each bed at each level.
pub(super) fn limiters(source: &Source<'_>) -> Section {
    let mut body = String::new();
    let bounded = |workload: &&str| source.comparison.limiters.iter().any(|l| l.workload == *workload);
    for workload in source.loaded.workloads().into_iter().filter(bounded) {
        let level_name = source.loaded.level_name(workload).heading();
        let caption = say!("page-limiters-caption", workload, level_name, mark = source.mark);
        body.push_str(&source.comparison.limiter_table(workload).to_html(&caption));
        let behind = detail_table(source, workload);
        if !behind.rows.is_empty() {
            let caption = say!("page-limiters-detail", workload, level_name, mark = source.mark);
            let table = behind.to_html(&caption);
            body.push_str(&details(say!("page-limiters-figures"), &table));
        }
    }
    if body.is_empty() {
        return Section::default();
    }
    Section {
        id: "limiters".into(),
        heading: say!("page-limiters").to_owned(),
        lead: std::iter::once(say!("page-limiters-lead").to_owned())
            .chain(limiter::meanings(&source.comparison.limiters))
            .collect(),
        figures: Vec::new(),
        body,
    }
}

fn detail_table(source: &Source<'_>, workload: &str) -> Table {
    let mut table = Table::new(columns![
        number source.loaded.level_name(workload).heading(),
        text say!("column-bed"),
        text say!("column-limited-by"),
        text say!("column-figures"),
    ]);
    for limiters in source.comparison.limiters.iter().filter(|limiters| limiters.workload == workload) {
        let Some(figures) = &limiters.figures else { continue };
        let bed = source.comparison.shown(&limiters.bed);
        table.row([&number::level(limiters.level), bed, &limiters.in_short(), &figures.to_string()]);
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
        body.push_str(&format!("<p>{}</p>{}", say!("page-left-out"), list(&sentences)));
    }
    for workload in loaded.workloads() {
        let table = cell_table(source, workload);
        let cells = sentences::grouped(table.rows.len());
        let caption = say!("page-cells-caption", workload, mark = source.mark);
        body.push_str(&details(&say!("page-all-cells", cells), &table.to_html(&caption)));
    }
    let order = if loaded.run.order == words::Order::Interleaved {
        say!("page-order-interleaved")
    } else {
        say!("page-order-sequential")
    };
    Section {
        id: "cells".into(),
        heading: say!("page-cells").to_owned(),
        lead: vec![format!("{}. {order}", tally(loaded))],
        figures: vec![order_of_cells(source)],
        body,
    }
}

/// The cells in the order in which they ran.
fn order_of_cells(source: &Source<'_>) -> Figure {
    let beds: Vec<_> =
        source.comparison.beds.iter().map(|bed| (bed.mark.clone(), bed.name.clone())).collect();
    let cells: Vec<_> = source.loaded.cells.iter().map(|measured| measured.cell.clone()).collect();
    let said = |cell: &Cell| source.loaded.level_name(&cell.workload).said(cell.level);
    let plan = Plan { beds: &beds, cells: &cells, said: &said, now: None };
    let mut table = Table::new(columns![
        number say!("column-order"),
        text say!("column-bed"),
        text say!("column-level"),
        number say!("column-repeat"),
        text say!("column-state"),
    ]);
    for cell in &cells {
        table.row([
            (cell.position + 1).to_string(),
            source.comparison.shown(&cell.bed).to_owned(),
            (plan.said)(cell),
            (cell.repeat + 1).to_string(),
            words::Spoken::spoken(cell.state).to_owned(),
        ]);
    }
    Figure {
        id: "order".to_owned(),
        title: say!("page-order").to_owned(),
        reading: say!("live-plan-note").to_owned(),
        drawings: Width::ROW.iter().map(|at| plan::draw(&plan, *at)).collect(),
        table,
        wide: true,
    }
}

fn cell_table(source: &Source<'_>, workload: &str) -> Table {
    let metrics: Vec<Shown> =
        source.loaded.kind(workload).columns.iter().filter_map(|metric| metric.shown()).collect();
    let mut columns = columns![
        number say!("column-order"),
        text say!("column-bed"),
        number source.loaded.level_name(workload).heading(),
        number say!("column-repeat"),
        text say!("column-state"),
    ];
    columns.extend(metrics.iter().map(|metric| Column::number(metric.head())));
    columns.push(Column::text(say!("column-limited-by")));
    let mut table = Table::new(columns);
    for measured in source.loaded.of(workload) {
        table.row(cell_row(source, measured, &metrics));
    }
    table
}

fn cell_row(source: &Source<'_>, measured: &Measured, metrics: &[Shown]) -> Vec<Entry> {
    let cell = &measured.cell;
    let state = match cell.state {
        CellState::Done => Entry::toned(words::Spoken::spoken(CellState::Done), Tone::Soft),
        CellState::Planned => Entry::toned(say!("cell-not-run"), Tone::Flag),
        state => Entry::toned(words::Spoken::spoken(state), Tone::Flag),
    };
    let mut row: Vec<Entry> = vec![
        (cell.position + 1).to_string().into(),
        source.comparison.shown(&cell.bed).into(),
        source.loaded.level_name(&cell.workload).said_under(cell.level).into(),
        (cell.repeat + 1).to_string().into(),
        state,
    ];
    row.extend(metrics.iter().map(|metric| match measured.values.get(metric.metric) {
        Some(value) => Entry::from(number::plain(value)),
        None => Entry::toned("-", Tone::Soft),
    }));
    row.push(cell.limiter.as_deref().map_or("-", spoken::<Limiter>).into());
    row
}
