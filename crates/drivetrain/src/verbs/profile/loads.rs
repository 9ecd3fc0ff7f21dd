//! Measured loads as a table and as data.

use measure::Histogram;
use serde_json::{Value, json};
use study::profile::{Direction, Load, MeasuredLoads};

/// The table of all loads, and what is not in it.
pub(super) fn table(measured: &MeasuredLoads) -> String {
    let header = ["load", "reads/s", "writes/s", "MB/s", "read p50", "p99", "write p50", "p99", "flush p50"];
    let mut rows = vec![header.map(str::to_owned)];
    rows.extend(measured.loads.iter().map(row));
    let mut widths = [0; 9];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let line = |row: &[String; 9]| {
        let first = format!("{:1$}", row[0], widths[0]);
        let others = row.iter().zip(widths).skip(1).map(|(cell, width)| format!("  {cell:>width$}"));
        format!("{first}{}", others.collect::<String>()).trim_end().to_owned()
    };
    let mut text: String = rows.iter().map(line).collect::<Vec<_>>().join("\n");
    if measured.missing > 0 {
        let are =
            if measured.missing == 1 { "1 cell is" } else { &format!("{} cells are", measured.missing) };
        text.push_str(&format!(
            "\n{are} missing: not begun, cut short or invalid (`drivetrain show --full` says why)"
        ));
    }
    text
}

fn row(load: &Load) -> [String; 9] {
    let rate = |direction: &Option<Direction>| match direction {
        Some(direction) => format!("{:.0}", direction.per_s),
        None => String::new(),
    };
    let per_s =
        [&load.reads, &load.writes].into_iter().flatten().map(|direction| direction.per_s).sum::<f64>();
    let at = |direction: &Option<Direction>, quantile: f64| match direction {
        Some(direction) => time(direction.latency.quantile_ns(quantile)),
        None => String::new(),
    };
    [
        load.name.clone(),
        rate(&load.reads),
        rate(&load.writes),
        format!("{:.1}", per_s * load.block_bytes as f64 / 1e6),
        at(&load.reads, 0.5),
        at(&load.reads, 0.99),
        at(&load.writes, 0.5),
        at(&load.writes, 0.99),
        at(&load.flushes, 0.5),
    ]
}

/// A latency in three digits or so.
fn time(ns: u64) -> String {
    match ns as f64 {
        ns if ns < 1e5 => format!("{:.1} us", ns / 1e3),
        ns if ns < 1e6 => format!("{:.0} us", ns / 1e3),
        ns if ns < 1e8 => format!("{:.2} ms", ns / 1e6),
        ns => format!("{:.0} ms", ns / 1e6),
    }
}

/// All loads for programs.
pub(super) fn document(measured: &MeasuredLoads) -> Value {
    measured.loads.iter().map(load).collect()
}

fn load(load: &Load) -> Value {
    let of = |direction: &Option<Direction>| direction.as_ref().map(direction_document);
    json!({
        "name": load.name,
        "read_share": load.read_share,
        "block_bytes": load.block_bytes,
        "is_sequential": load.is_sequential,
        "depth": load.depth,
        "offered_per_s": load.offered_per_s,
        "flush_every": load.flush_every,
        "written_before_bytes": load.written_before_bytes,
        "measured_s": load.measured_s,
        "reads": of(&load.reads),
        "writes": of(&load.writes),
        "flushes": of(&load.flushes),
        "counts": load.counts,
        "interval_s": load.interval_s,
    })
}

fn direction_document(direction: &Direction) -> Value {
    let latency: &Histogram = &direction.latency;
    let at = |quantile| latency.quantile_ns(quantile);
    json!({
        "per_s": direction.per_s,
        "mean_ns": latency.mean_ns(),
        "p50_ns": at(0.5),
        "p95_ns": at(0.95),
        "p99_ns": at(0.99),
        "p999_ns": at(0.999),
        "count": latency.len(),
    })
}
