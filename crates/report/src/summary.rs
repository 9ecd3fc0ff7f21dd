//! One run on a terminal: the answer, the means by level and bed, and how far the run came.

use crate::again;
use crate::compare;
use crate::comparison::Comparison;
use crate::error::ReportError;
use crate::figure::line::Point;
use crate::limiter;
use crate::lines::wrap;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::number;
use crate::observed;
use crate::sentences;
use crate::table::{Column, Table, columns};
use notebook::{CellState, Notebook, RunId};
use words::{Metric, Realm, Shown, say, spoken};

/// The run in one line: its name, its state, when it began and the sort of its numbers.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read or the run was never planned.
pub fn state(notebook: &Notebook, run: RunId) -> Result<String, ReportError> {
    let loaded = LoadedRun::read(notebook, run)?;
    Ok(wrap(&format!("{}: {}", title_of(&loaded), state_of(&loaded)), ""))
}

fn title_of(loaded: &LoadedRun) -> String {
    let (title, name, run) = (&loaded.run.title, &loaded.run.name, loaded.run.id.to_string());
    say!("summary-title", title, name, run)
}

fn state_of(loaded: &LoadedRun) -> String {
    let valid = loaded.cells.iter().filter(|measured| measured.cell.state == CellState::Done).count();
    let (run, cells) = (&loaded.run, sentences::grouped(loaded.cells.len()));
    let (state, start) = (words::Spoken::spoken(run.state), crate::naming::minute(&run.started_at));
    let realm = spoken::<Realm>(&run.realm);
    if loaded.is_observed() {
        return say!("summary-observed", state, start, valid, cells, program = run.tool_version);
    }
    if loaded.is_imported() {
        return say!("summary-imported", state, start, valid, cells, realm, program = run.tool_version);
    }
    let (seed, scale) = (run.seed.to_string(), number::scale(run.scale));
    say!("summary-run", state, start, valid, cells, seed, realm, scale)
}

/// A summary for `show`: plain text, ending with a line end.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read or the run was never planned.
pub fn summary(notebook: &Notebook, run: RunId) -> Result<String, ReportError> {
    let loaded = LoadedRun::read(notebook, run)?;
    let comparison = compare::of_book(&loaded);
    let mut text = wrap(&title_of(&loaded), "");
    text.push_str(&state_of(&loaded));
    text.push_str("\n\n");
    text.push_str(&wrap(&comparison.answer, ""));
    if loaded.is_observed() {
        text.push_str(&format!("\n{}", observed::told(&loaded, &comparison.limiters)));
    }
    if let Some(profile) = &loaded.profile {
        text.push_str(&format!("\n{}", profile.told(notebook, &loaded)?));
    }
    for workload in loaded.workloads().into_iter().filter(|_| !loaded.is_observed()) {
        text.push_str(&format!("\n{}\n", say!("summary-means", workload)));
        text.push_str(&means(&loaded, &comparison, workload).to_text("  "));
        text.push_str(&(loaded.kind(workload).points)(notebook, &loaded, &comparison.beds, workload)?);
    }
    for workload in loaded.workloads().into_iter().filter(|_| !loaded.is_imported()) {
        text.push_str(&format!("\n{}\n", say!("summary-cells", workload)));
        let cells = again::table(&loaded, workload, |bed| comparison.shown(bed).to_owned());
        text.push_str(&cells.to_text("  "));
        if again::has_straying(&loaded, workload) {
            text.push_str(&wrap(say!("summary-strays"), "  "));
        }
    }
    text.extend(limiter::meanings(&comparison.limiters).iter().map(|meaning| wrap(meaning, "  ")));
    if !comparison.warnings.is_empty() {
        text.push('\n');
        text.extend(comparison.warnings.iter().map(|warning| wrap(warning, "- ")));
    }
    text.push_str(&comparison.excluded_text());
    Ok(text)
}

fn means(loaded: &LoadedRun, comparison: &Comparison, workload: &str) -> Table {
    // Other programs report what they report.
    let is_there = |metric: &&Metric| {
        !loaded.is_imported() || loaded.of(workload).any(|cell| cell.values.get(**metric).is_some())
    };
    let kind = loaded.kind(workload);
    let metrics: Vec<Shown> = kind.summary.iter().filter(is_there).filter_map(|m| m.shown()).collect();
    let mut columns = columns![
        number loaded.level_name(workload).heading(),
        text say!("column-bed"),
        number say!("column-valid"),
    ];
    for metric in &metrics {
        columns.extend(columns![number metric.head(), number "\u{b1}"]);
    }
    if loaded.has_limiters() {
        columns.push(Column::text(say!("column-limited-by")));
    }
    let mut table = Table::new(columns);
    for level in loaded.levels(workload) {
        for bed in &loaded.beds {
            let place = GroupKey { workload, level, bed: &bed.name };
            let (valid, all) = (loaded.valid(&place).len(), loaded.group(&place).len());
            let mut row = vec![
                loaded.level_name(workload).said_under(level),
                comparison.shown(&bed.name).to_owned(),
                format!("{valid}/{all}"),
            ];
            for metric in &metrics {
                let values = loaded.values(&place, metric.metric).into_iter().map(|pair| pair.1).collect();
                row.extend(mean_and_half(metric.metric, Point::of(metric.metric, level, values), valid));
            }
            let limiters = comparison
                .limiters
                .iter()
                .find(|l| l.workload == workload && l.level == level && l.bed == bed.name);
            if loaded.has_limiters() {
                row.push(limiters.map(|limiters| limiters.shown()).unwrap_or_default());
            }
            table.row(row);
        }
    }
    table
}

fn mean_and_half(metric: Metric, point: Option<Point>, cells: usize) -> [String; 2] {
    let Some(point) = point else { return ["-".to_owned(), String::new()] };
    let Some(mean) = point.shown_of(metric, cells) else {
        return [say!("figure-too-few").to_owned(), String::new()];
    };
    let half = point.interval.map(|(low, high)| (high - low) / 2.0);
    // A half width beyond the value would reach below zero, where no end of the interval lies.
    let shown = match half.filter(|half| *half <= point.mean.abs()) {
        Some(half) => point.digits().show(half),
        None => point.interval_shown(),
    };
    [mean, shown]
}
