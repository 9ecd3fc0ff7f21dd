//! One run on a terminal: the answer, the means by level and bed, and how far the run came.

use crate::book::{Book, Place};
use crate::compare;
use crate::comparison::Comparison;
use crate::error::ReportError;
use crate::figure::line::Point;
use crate::limiter;
use crate::metric::{self, Kind};
use crate::number;
use crate::table::Table;
use crate::text::wrap;
use crate::words;
use notebook::{CellState, Notebook, RunId};

/// A summary for `show`: plain text, ending with a line end.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read or the run was never planned.
pub fn summary(notebook: &Notebook, run: RunId) -> Result<String, ReportError> {
    let book = Book::read(notebook, run)?;
    let comparison = compare::of_book(&book);
    let done = book.cells.iter().filter(|measured| measured.cell.state == CellState::Done).count();
    let mut text = wrap(&format!("{} ({}), run {}", book.run.title, book.run.name, book.run.id), "");
    text.push_str(&format!(
        "{}, begun {} UTC, {done} of {} valid, seed {}, {}, {}\n\n",
        book.run.state,
        crate::across::minute(&book.run.started_at),
        words::count(book.cells.len(), "cell", "cells"),
        book.run.seed,
        book.run.realm,
        number::scale(book.run.scale),
    ));
    text.push_str(&wrap(&comparison.answer, ""));
    for workload in book.workloads() {
        text.push_str(&format!(
            "\n{workload}: geometric mean over repeats and half width of its 95 % interval\n"
        ));
        text.push_str(&means(&book, &comparison, workload).to_text("  "));
    }
    text.extend(limiter::meanings(&comparison.limiters).iter().map(|meaning| wrap(meaning, "  ")));
    if !comparison.warnings.is_empty() {
        text.push('\n');
        text.extend(comparison.warnings.iter().map(|warning| wrap(warning, "- ")));
    }
    Ok(text)
}

/// The metrics that a summary shows.
fn shown_metrics(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Transactions => &["nopm", "tpm", "latency_mean", "latency_p99", "cpu_idle"],
        Kind::Sysbench => &["tps", "qps", "latency_mean", "latency_p99", "cpu_idle"],
        Kind::Block => &["iops", "bandwidth", "latency_mean", "latency_p99", "cpu_idle"],
        Kind::Backup => {
            &["backup_time", "restore_time", "backup_bandwidth", "restore_bandwidth", "proven_restores"]
        }
        Kind::Scan => &["scan_cold_time", "lookup_cold_time", "lookup_over_scan_cold"],
        Kind::Fragmentation => &["cold_scan_time", "fragments", "fragment_size"],
        Kind::Neighbour => &["nopm", "latency_p99", "neighbour_rate"],
        Kind::Durability => &["orders_acknowledged", "orders_lost", "recovery_s"],
    }
}

fn means(book: &Book, comparison: &Comparison, workload: &str) -> Table {
    let metrics: Vec<&metric::Metric> =
        shown_metrics(book.kind(workload)).iter().filter_map(|name| metric::find(name)).collect();
    let mut heads = vec![format!("#{}", book.level_name(workload)), "bed".to_owned(), "#valid".to_owned()];
    for metric in &metrics {
        heads.push(format!("#{} ({})", metric.short, metric.unit));
        heads.push("#\u{b1}".to_owned());
    }
    heads.push("limited by".to_owned());
    let mut table = Table::new(&heads);
    for level in book.levels(workload) {
        for bed in &book.beds {
            let place = Place { workload, level, bed: &bed.name };
            let (valid, all) = (book.valid(&place).len(), book.group(&place).len());
            let mut row = vec![
                words::level_under(level, book.level_name(workload)),
                comparison.shown(&bed.name).to_owned(),
                format!("{valid}/{all}"),
            ];
            for metric in &metrics {
                let values = book.values(&place, metric.name).into_iter().map(|pair| pair.1).collect();
                row.extend(mean_and_half(Point::new(level, values)));
            }
            let limiters = comparison
                .limiters
                .iter()
                .find(|l| l.workload == workload && l.level == level && l.bed == bed.name);
            row.push(limiters.map(|limiters| limiters.shown()).unwrap_or_default());
            table.row(row);
        }
    }
    table
}

fn mean_and_half(point: Option<Point>) -> [String; 2] {
    let Some(point) = point else { return ["-".to_owned(), String::new()] };
    let half = point.interval.map(|(low, high)| point.digits().show((high - low) / 2.0));
    [point.shown(), half.unwrap_or_else(|| "-".to_owned())]
}
