//! `/metrics`: the run under way in Prometheus' text format, version 0.0.4, in base units.

use std::fmt::Write as _;
use std::path::Path;

use notebook::{Cell, CellState, Notebook, NotebookError, Run};

use crate::now::{Drive, Now};

/// The counters of a drive: family, its explanation, and the name in the feed.
const OF_DRIVES: [(&str, &str, &str); 7] = [
    ("drivetrain_drive_reads_total", "Reads of a drive since the running cell began.", "reads"),
    ("drivetrain_drive_writes_total", "Writes of a drive since the running cell began.", "writes"),
    (
        "drivetrain_drive_read_bytes_total",
        "Bytes read from a drive since the running cell began.",
        "read_bytes",
    ),
    (
        "drivetrain_drive_written_bytes_total",
        "Bytes written to a drive since the running cell began.",
        "written_bytes",
    ),
    (
        "drivetrain_drive_read_time_seconds_total",
        "Times of the reads of a drive, summed, since the running cell began.",
        "read_s",
    ),
    (
        "drivetrain_drive_write_time_seconds_total",
        "Times of the writes of a drive, summed, since the running cell began.",
        "write_s",
    ),
    (
        "drivetrain_drive_busy_seconds_total",
        "Time in which a drive had I/O under way since the running cell began.",
        "busy_s",
    ),
];

/// The document.
pub(crate) fn text(notebook: &Notebook, path: &Path) -> Result<String, NotebookError> {
    let mut text = String::new();
    family(&mut text, "drivetrain_runs", "gauge", "Runs in the notebook.");
    sample(&mut text, "drivetrain_runs", &[], notebook.run_count()? as f64);
    if let Some(run) = notebook.run_under_way()? {
        of_run(&mut text, &run, &notebook.cells(run.id)?, &Now::of(path));
    }
    Ok(text)
}

/// A label and its value.
type Label<'a> = (&'static str, &'a str);

fn of_run(text: &mut String, run: &Run, cells: &[Cell], now: &Now) {
    let id = run.id.to_string();
    let of_run: [Label<'_>; 2] = [("run", &id), ("experiment", &run.plan.name)];
    family(text, "drivetrain_cells", "gauge", "Cells of the running experiment by state.");
    for state in
        [CellState::Planned, CellState::Running, CellState::Done, CellState::Invalid, CellState::Interrupted]
    {
        let count = cells.iter().filter(|cell| cell.state == state).count();
        let labels = [&of_run[..], &[("state", state.as_str())]].concat();
        sample(text, "drivetrain_cells", &labels, count as f64);
    }
    let number = now.number().unwrap_or_default();
    if let Some(cell) = cells.iter().find(|cell| u64::from(cell.position) + 1 == number) {
        let (level, repeat) = (cell.level.to_string(), (cell.repeat + 1).to_string());
        let of_cell: [Label<'_>; 5] = [
            ("bed", &cell.bed),
            ("workload", &cell.workload),
            ("level", &level),
            ("repeat", &repeat),
            ("phase", now.phase()),
        ];
        self::of_cell(text, now, &[&of_run[..], &of_cell].concat());
    }
}

fn of_cell(text: &mut String, now: &Now, labels: &[Label<'_>]) {
    if let Some((rate, unit)) = now.rate() {
        let name = "drivetrain_work_per_second";
        family(text, name, "gauge", "Work of the running cell in the last second, of the named unit.");
        sample(text, name, &[labels, &[("unit", unit)]].concat(), rate);
    }
    let mut latencies = now.latencies_s().peekable();
    if latencies.peek().is_some() {
        let name = "drivetrain_latency_seconds";
        family(text, name, "gauge", "Latency in the last second, by percentile.");
        for (percentile, latency_s) in latencies {
            sample(text, name, &[labels, &[("percentile", percentile)]].concat(), latency_s);
        }
    }
    if let Some(idle) = now.cpu_idle() {
        let name = "drivetrain_processors_idle_ratio";
        family(text, name, "gauge", "Idle share of the machine's processors in the last second.");
        sample(text, name, labels, idle);
    }
    let drives: Vec<Drive<'_>> = now.drives().collect();
    for (name, help, counter) in OF_DRIVES.iter().filter(|_| !drives.is_empty()) {
        family(text, name, "counter", help);
        for drive in &drives {
            let of_drive: [Label<'_>; 3] = [
                ("drive", drive.name),
                ("role", if drive.is_log { "log" } else { "data" }),
                ("modelled", if drive.is_modelled { "true" } else { "false" }),
            ];
            sample(text, name, &[labels, &of_drive].concat(), drive.counter(counter));
        }
    }
}

fn family(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn sample(text: &mut String, name: &str, labels: &[Label<'_>], value: f64) {
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
