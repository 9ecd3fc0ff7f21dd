//! `/metrics`: the run under way in Prometheus' text format, version 0.0.4, in base units.

use std::fmt::Write as _;
use std::path::Path;

use notebook::{Cell, CellState, Notebook, NotebookError, Run};
use words::Unit;

use crate::now::{Drive, Now};

/// The counters of a drive: family, its unit, its explanation, and the name in the feed.
const OF_DRIVES: [(&str, Unit, &str, &str); 7] = [
    ("drivetrain_drive_reads_total", Unit::Count, "Reads of a drive since the running cell began.", "reads"),
    (
        "drivetrain_drive_writes_total",
        Unit::Count,
        "Writes of a drive since the running cell began.",
        "writes",
    ),
    (
        "drivetrain_drive_read_bytes_total",
        Unit::Bytes,
        "Bytes read from a drive since the running cell began.",
        "read_bytes",
    ),
    (
        "drivetrain_drive_written_bytes_total",
        Unit::Bytes,
        "Bytes written to a drive since the running cell began.",
        "written_bytes",
    ),
    (
        "drivetrain_drive_read_time_seconds_total",
        Unit::Seconds,
        "Times of the reads of a drive, summed, since the running cell began.",
        "read_s",
    ),
    (
        "drivetrain_drive_write_time_seconds_total",
        Unit::Seconds,
        "Times of the writes of a drive, summed, since the running cell began.",
        "write_s",
    ),
    (
        "drivetrain_drive_busy_seconds_total",
        Unit::Seconds,
        "Time in which a drive had I/O under way since the running cell began.",
        "busy_s",
    ),
];

/// Figures of one name, with the same labels each.
pub(crate) struct Family {
    /// Its name ends with its unit, and `_total` for a counter.
    pub(crate) name: &'static str,
    #[cfg_attr(not(feature = "otlp"), expect(dead_code, reason = "a collector alone is told it"))]
    pub(crate) unit: Unit,
    /// True for a counter, which grows from the beginning of the running cell; else it is a gauge.
    pub(crate) is_counter: bool,
    pub(crate) help: &'static str,
    /// Labels and value of each.
    pub(crate) samples: Vec<(Vec<Label>, f64)>,
}

/// A label and its value.
pub(crate) type Label = (&'static str, String);

impl Family {
    fn gauge(name: &'static str, unit: Unit, help: &'static str) -> Family {
        Family { name, unit, is_counter: false, help, samples: Vec::new() }
    }

    fn add(&mut self, labels: &[Label], more: &[(&'static str, &str)], value: f64) {
        let more = more.iter().map(|(label, of)| (*label, (*of).to_owned()));
        self.samples.push((labels.iter().cloned().chain(more).collect(), value));
    }
}

/// The document.
pub(crate) fn text(notebook: &Notebook, path: &Path) -> Result<String, NotebookError> {
    let mut text = String::new();
    for family in families(notebook, &Now::of(path))? {
        let (name, kind) = (family.name, if family.is_counter { "counter" } else { "gauge" });
        let _ = writeln!(text, "# HELP {name} {}\n# TYPE {name} {kind}", family.help);
        family.samples.iter().for_each(|(labels, value)| sample(&mut text, name, labels, *value));
    }
    Ok(text)
}

/// The figures of the run under way, and the number of runs.
pub(crate) fn families(notebook: &Notebook, now: &Now) -> Result<Vec<Family>, NotebookError> {
    let mut runs = Family::gauge("drivetrain_runs", Unit::Count, "Runs in the notebook.");
    runs.add(&[], &[], notebook.run_count()? as f64);
    let mut families = vec![runs];
    if let Some(run) = notebook.run_under_way()? {
        of_run(&mut families, &run, &notebook.cells(run.id)?, now);
    }
    families.retain(|family| !family.samples.is_empty());
    Ok(families)
}

fn of_run(families: &mut Vec<Family>, run: &Run, cells: &[Cell], now: &Now) {
    let of_run: [Label; 2] = [("run", run.id.to_string()), ("experiment", run.plan.name.clone())];
    let mut by_state =
        Family::gauge("drivetrain_cells", Unit::Count, "Cells of the running experiment by state.");
    for state in
        [CellState::Planned, CellState::Running, CellState::Done, CellState::Invalid, CellState::Interrupted]
    {
        let count = cells.iter().filter(|cell| cell.state == state).count();
        by_state.add(&of_run, &[("state", state.name())], count as f64);
    }
    families.push(by_state);
    let number = now.number().unwrap_or_default();
    if let Some(cell) = cells.iter().find(|cell| u64::from(cell.position) + 1 == number) {
        let of_cell: [Label; 5] = [
            ("bed", cell.bed.clone()),
            ("workload", cell.workload.clone()),
            ("level", cell.level.to_string()),
            ("repeat", (cell.repeat + 1).to_string()),
            ("phase", now.phase().to_owned()),
        ];
        self::of_cell(families, now, &[&of_run[..], &of_cell].concat());
    }
}

fn of_cell(families: &mut Vec<Family>, now: &Now, labels: &[Label]) {
    let mut work = Family::gauge(
        "drivetrain_work_per_second",
        Unit::PerSecond,
        "Work of the running cell in the last second, of the named unit.",
    );
    now.rate().into_iter().for_each(|(rate, unit)| work.add(labels, &[("unit", unit)], rate));
    let mut latency = Family::gauge(
        "drivetrain_latency_seconds",
        Unit::Seconds,
        "Latency in the last second, by percentile.",
    );
    for (percentile, latency_s) in now.latencies_s() {
        latency.add(labels, &[("percentile", percentile)], latency_s);
    }
    let mut idle = Family::gauge(
        "drivetrain_processors_idle_ratio",
        Unit::Index,
        "Idle share of the machine's processors in the last second.",
    );
    now.cpu_idle().into_iter().for_each(|share| idle.add(labels, &[], share));
    families.extend([work, latency, idle]);
    let drives: Vec<Drive<'_>> = now.drives().collect();
    for (name, unit, help, counter) in OF_DRIVES {
        let mut family = Family { is_counter: true, ..Family::gauge(name, unit, help) };
        for drive in &drives {
            let of_drive = [
                ("drive", drive.name),
                ("role", if drive.is_log { "log" } else { "data" }),
                ("modelled", if drive.is_modelled { "true" } else { "false" }),
            ];
            family.add(labels, &of_drive, drive.counter(counter));
        }
        families.push(family);
    }
}

fn sample(text: &mut String, name: &str, labels: &[Label], value: f64) {
    text.push_str(name);
    for (at, (label, of)) in labels.iter().enumerate() {
        let open = if at == 0 { '{' } else { ',' };
        let _ = write!(text, "{open}{label}=\"{}\"", escaped(of));
    }
    text.push_str(if labels.is_empty() { " " } else { "} " });
    let _ = writeln!(text, "{value}");
}

/// A label's value: backslash, quote and end of line are escaped.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_labels_are_escaped() {
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}
