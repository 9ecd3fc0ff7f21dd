//! `/metrics`: the run under way in Prometheus' text format, version 0.0.4, in base units.

use std::fmt::Write as _;
use std::path::Path;

use notebook::{Cell, CellState, Notebook, NotebookError, RunState};

use crate::now::Now;

/// The document.
pub(crate) fn text(notebook: &Notebook, path: &Path) -> Result<String, NotebookError> {
    let mut text = String::new();
    let runs = notebook.runs()?;
    family(&mut text, "drivetrain_runs", "gauge", "Runs in the notebook.");
    sample(&mut text, "drivetrain_runs", "", runs.len() as f64);
    let Some(run) = runs.iter().rev().find(|run| run.state == RunState::Running) else { return Ok(text) };
    let of_run = format!("run=\"{}\",experiment=\"{}\"", run.id, escaped(&run.name));
    let cells = notebook.cells(run.id)?;
    family(&mut text, "drivetrain_cells", "gauge", "Cells of the running experiment by state.");
    for state in [CellState::Planned, CellState::Running, CellState::Done, CellState::Invalid] {
        let count = cells.iter().filter(|cell| cell.state == state).count();
        sample(&mut text, "drivetrain_cells", &format!("{of_run},state=\"{state}\""), count as f64);
    }
    let now = Now::of(path);
    let number = now.number.unwrap_or_default();
    if let Some(cell) = cells.iter().find(|cell| u64::from(cell.position) + 1 == number) {
        of_cell(&mut text, &now, &labels(&of_run, cell, &now));
    }
    Ok(text)
}

fn labels(of_run: &str, cell: &Cell, now: &Now) -> String {
    format!(
        "{of_run},bed=\"{}\",workload=\"{}\",level=\"{}\",repeat=\"{}\",phase=\"{}\"",
        escaped(&cell.bed),
        escaped(&cell.workload),
        cell.level,
        cell.repeat + 1,
        escaped(now.phase.as_deref().unwrap_or_default())
    )
}

fn of_cell(text: &mut String, now: &Now, labels: &str) {
    if let Some((rate, unit)) = &now.rate {
        let name = "drivetrain_work_per_second";
        family(text, name, "gauge", "Work of the running cell, of the named unit.");
        sample(text, name, &format!("{labels},unit=\"{}\"", escaped(unit)), *rate);
    }
    if !now.latencies.is_empty() {
        let name = "drivetrain_latency_seconds";
        family(text, name, "gauge", "Latency in the last full second, by quantile.");
        for (quantile, latency_ns) in &now.latencies {
            let labels = format!("{labels},quantile=\"{quantile}\"");
            sample(text, name, &labels, *latency_ns as f64 / 1e9);
        }
    }
}

fn family(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn sample(text: &mut String, name: &str, labels: &str, value: f64) {
    let labels = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
    let _ = writeln!(text, "{name}{labels} {value}");
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
