//! The reader of latency maps: `w_mb_per_s,r_iops,p50_ms,p95_ms`, one line per point.

use std::ops::Range;

use tomlfile::{Diagnostics, Fault};

use super::{Cell, LatencyMap, Percentiles};

const HEADER: [&str; 4] = ["w_mb_per_s", "r_iops", "p50_ms", "p95_ms"];
/// More points than any measurement has.
const POINTS_MAX: usize = 1 << 18;
/// Faults that are told; a file of another kind has one in each line.
const FAULTS_MAX: usize = 20;
const LATENCY_MAX_MS: f64 = 60_000.0;
/// 100 ns: memory takes as long.
const LATENCY_MIN_MS: f64 = 1e-4;
/// Every storage does so many reads.
const READS_LEAST_PER_S: f64 = 1.0;
/// Beyond what any storage does; the model would be busy with a single point for hours.
const READS_MAX_PER_S: f64 = 1e9;
const WRITES_MAX_MB_PER_S: f64 = 1e6;

struct Line {
    write_bytes_per_s: f64,
    reads_per_s: f64,
    cell: Cell,
    span: Range<usize>,
}

/// Reads a map; `file` is its name, for messages.
///
/// # Errors
/// Every line that is none of a map, with its place; a map with too few points to be fitted.
pub fn parse(text: &str, file: &str) -> Result<LatencyMap, Diagnostics> {
    let mut faults = Vec::new();
    let lines = lines(text, &mut faults);
    let map = if faults.is_empty() { assemble(lines, text.len(), &mut faults) } else { None };
    map.ok_or_else(|| Diagnostics::new(file, text, faults))
}

fn fault(faults: &mut Vec<Fault>, span: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
    if faults.len() < FAULTS_MAX {
        faults.push(Fault { span, message: message.into(), label: String::new(), help: Some(help.into()) });
    }
}

fn lines(text: &str, faults: &mut Vec<Fault>) -> Vec<Line> {
    let (mut lines, mut at, mut has_header) = (Vec::new(), 0, false);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        let span = start..start + line.len();
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if !has_header {
            has_header = true;
            if line.trim_start_matches('\u{feff}').split(',').map(str::trim).ne(HEADER) {
                let help = format!("begin with {}", HEADER.join(","));
                fault(faults, span, "is not the header of a latency map", help);
                return lines;
            }
            continue;
        }
        if lines.len() >= POINTS_MAX {
            fault(faults, span, "the map has too many points", format!("give {POINTS_MAX} at most"));
            return lines;
        }
        lines.extend(point(line, span, faults));
    }
    if !has_header {
        fault(faults, 0..text.len().min(1), "the file is empty", format!("begin with {}", HEADER.join(",")));
    }
    lines
}

fn point(line: &str, span: Range<usize>, faults: &mut Vec<Fault>) -> Option<Line> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let [write, reads, p50, p95] = fields.as_slice() else {
        let message = format!("{} fields instead of {}", fields.len(), HEADER.len());
        fault(faults, span, message, HEADER.join(","));
        return None;
    };
    let mut number = |text: &str, name: &str, most: f64| {
        let number = text.parse::<f64>().ok().filter(|number| (0.0..=most).contains(number));
        if number.is_none() {
            let start = span.start + (text.as_ptr() as usize - line.as_ptr() as usize);
            let place = start..start + text.len().max(1);
            fault(faults, place, format!("`{text}` is no {name}"), format!("give a number from 0 to {most}"));
        }
        number
    };
    let (write, reads) =
        (number(write, HEADER[0], WRITES_MAX_MB_PER_S), number(reads, HEADER[1], READS_MAX_PER_S));
    let (write, reads) = (write?, reads?);
    let line = |cell| Line { write_bytes_per_s: write * 1e6, reads_per_s: reads, cell, span: span.clone() };
    if p50.is_empty() && p95.is_empty() {
        return Some(line(Cell::Empty));
    }
    if p50.is_empty() || p95.is_empty() {
        let help = "give both, or leave both empty where the target was missed";
        fault(faults, span.clone(), "one percentile without the other", help);
        return None;
    }
    let (p50, p95) = (number(p50, HEADER[2], LATENCY_MAX_MS), number(p95, HEADER[3], LATENCY_MAX_MS));
    let (p50, p95) = (p50?, p95?);
    if p50 <= 0.0 || p95 < p50 {
        let help = "give 0 < p50 <= p95, or leave both empty where the target was missed";
        fault(faults, span.clone(), format!("p50 {p50} ms and p95 {p95} ms cannot be"), help);
        return None;
    }
    if p50 < LATENCY_MIN_MS {
        let help = format!("give milliseconds, {LATENCY_MIN_MS} at least");
        fault(faults, span.clone(), format!("p50 {p50} ms: no storage answers so soon"), help);
        return None;
    }
    Some(line(Cell::Known(Percentiles { p50_ns: p50 * 1e6, p95_ns: p95 * 1e6 })))
}

fn assemble(lines: Vec<Line>, length: usize, faults: &mut Vec<Fault>) -> Option<LatencyMap> {
    let axis = |of: fn(&Line) -> f64| {
        let mut axis: Vec<f64> = lines.iter().map(of).collect();
        axis.sort_by(f64::total_cmp);
        axis.dedup();
        axis
    };
    let (reads_per_s, write_bytes_per_s) =
        (axis(|line| line.reads_per_s), axis(|line| line.write_bytes_per_s));
    let columns = reads_per_s.len();
    // Fewer than two rows for each rate: no row has a neighbour to be predicted from.
    if write_bytes_per_s.len() > 1 && columns >= 4 && columns * 2 > lines.len() {
        let message =
            format!("{columns} read rates in {} points: the rates differ between rows", lines.len());
        let help = "write the read rate that was asked for, the same ones for each write bandwidth, and not the one that was reached";
        fault(faults, 0..length.min(1), message, help);
        return None;
    }
    let room = columns.checked_mul(write_bytes_per_s.len()).filter(|cells| *cells <= POINTS_MAX * 4);
    let Some(room) = room.filter(|_| columns >= 4 && reads_per_s[columns - 1] > 0.0 && columns <= 1024)
    else {
        let help = "give at least 4 read rates, and the same ones for each write bandwidth";
        fault(faults, 0..length.min(1), format!("{columns} read rates make no map"), help);
        return None;
    };
    if reads_per_s[columns - 1] < READS_LEAST_PER_S {
        let message = format!("the highest read rate is {}/s", reads_per_s[columns - 1]);
        fault(faults, 0..length.min(1), message, "give r_iops in reads per second");
        return None;
    }
    let mut cells = vec![None; room];
    for line in &lines {
        let place = |axis: &[f64], value: f64| axis.partition_point(|known| *known < value);
        let row = place(&write_bytes_per_s, line.write_bytes_per_s);
        let slot = &mut cells[row * columns + place(&reads_per_s, line.reads_per_s)];
        if slot.replace(line.cell).is_some() {
            fault(faults, line.span.clone(), "this point is given twice", "give it once");
        }
    }
    // A point without a line was not measured, so nothing is known of it.
    let cells: Vec<Cell> = cells.into_iter().map(|cell| cell.unwrap_or(Cell::Hidden)).collect();
    let known = cells.iter().filter(|cell| matches!(cell, Cell::Known(_))).count();
    if known < 8 {
        let help = "a fit needs 8 points with latencies at least";
        fault(faults, 0..length.min(1), format!("only {known} points have latencies"), help);
    }
    faults.is_empty().then(|| LatencyMap {
        ceiling_ns: ceiling(&cells),
        cells,
        reads_per_s,
        write_bytes_per_s,
    })
}

/// The latency at which a measurement was cut off: the highest value of the whole map, where several points
/// have exactly it.
pub(super) fn ceiling(cells: &[Cell]) -> Option<f64> {
    let values = cells.iter().flat_map(|cell| match cell {
        Cell::Known(values) => vec![values.p50_ns, values.p95_ns],
        Cell::Empty | Cell::Hidden => Vec::new(),
    });
    let values: Vec<f64> = values.collect();
    let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    // A map of one value alone has no ceiling.
    (values.iter().filter(|value| **value == highest).count() > 1 && highest > 2.0 * least).then_some(highest)
}
