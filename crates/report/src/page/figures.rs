//! The figures of the page: which metrics are drawn for which workload, and how each is to be read.

use super::titles::{id, titled};
use super::{Section, Source, operations};
use crate::book::{self, Measured, Place};
use crate::contrast::Contrast;
use crate::error::ReportError;
use crate::figure::forest::{self, Ground, Row};
use crate::figure::levels;
use crate::figure::line::{Line, Point, REPEATS_DRAWN_MIN};
use crate::figure::percentiles::{self, Curve};
use crate::figure::seconds::{self, Trace};
use crate::figure::{Caption, Figure};
use crate::metric::{self, Axis, Kind, Metric};
use crate::number;
use crate::words;
use measure::Direction;

/// Metrics drawn against the levels, with the line that says how to read each; `{marks}` stands for what the
/// marks mean.
fn drawn(kind: Kind) -> &'static [(&'static str, &'static str)] {
    match kind {
        Kind::Transactions => &[
            ("nopm", "{marks} Higher is better."),
            ("tpm", "All five transactions, committed, counted at the client; rollbacks are left out."),
            (
                "tpm_per_user",
                "What one user gets done. A falling line: users wait for storage, for a processor or for each other.",
            ),
            ("latency_mean", "From sending a transaction to its answer, all five kinds. Lower is better."),
            (
                "latency_p99",
                "One transaction in a hundred takes longer. Each dot is the p99 of one cell; p99s are never averaged within a cell.",
            ),
            (
                "cpu_idle",
                "Processor time that nothing used. What stays idle under load waits for storage or something else.",
            ),
            (
                "ios_per_transaction",
                "Reads, writes and syncs that reached the drive, per committed transaction.",
            ),
            (
                "bytes_per_transaction",
                "Bytes read and written at the drive, the log included, per committed transaction.",
            ),
            (
                "buffer_reads_per_transaction",
                "Pages that the server asked the operating system for, per transaction: what more memory would save. The \
                 operating system's own cache may have answered.",
            ),
        ],
        Kind::Sysbench => &[
            ("tps", "{marks} Higher is better."),
            (
                "qps",
                "All statements of completed transactions, BEGIN and COMMIT among them, as sysbench counts.",
            ),
            ("latency_mean", "From sending a transaction to its answer. Lower is better."),
            (
                "latency_p99",
                "One transaction in a hundred takes longer. Each dot is the p99 of one cell; p99s are never averaged within a cell.",
            ),
            (
                "client_cpu_per_transaction",
                "Processor time that the load generator itself spent on one transaction.",
            ),
            (
                "cpu_idle",
                "Processor time that nothing used. What stays idle under load waits for storage or something else.",
            ),
        ],
        Kind::Block => &[
            ("iops", "{marks} Higher is better."),
            ("bandwidth", "Bytes moved per second, reads and writes together; 1 MB is a million bytes."),
            ("latency_mean", "From the intended start of an I/O to its completion. Lower is better."),
            (
                "latency_p99",
                "One I/O in a hundred takes longer. Each dot is the p99 of one cell; p99s are never averaged within a cell.",
            ),
            ("read_iops", "Reads only."),
            ("write_iops", "Writes only."),
            ("cpu_per_io", "Processor time that the load generator itself spent on one I/O."),
            ("cpu_idle", "Processor time that nothing used."),
        ],
        Kind::Durability => &[],
        Kind::Backup => &[
            ("backup_time", "{marks} Lower is better."),
            (
                "restore_time",
                "From the first byte until the restored instance answers; its proof is not in it.",
            ),
            (
                "backup_bandwidth",
                "The database's size over the time of the backup, whatever the backup itself weighs.",
            ),
            ("restore_bandwidth", "The database's size over the time of the restore."),
        ],
        Kind::Scan => &[("lookup_over_scan_cold", "{marks} Above 1 the scan is faster.")],
        Kind::Fragmentation => &[
            ("cold_scan_time", "{marks} At 0 the file was allocated at once. Lower is better."),
            (
                "fragments",
                "Pieces that do not lie side by side on the drive, as the file system tells (FIEMAP).",
            ),
        ],
        Kind::Neighbour => &[],
    }
}

/// A series that is drawn second by second.
struct Drawn {
    /// Name in the notebook.
    name: &'static str,
    title: &'static str,
    axis_label: &'static str,
    axis: Axis,
    /// Whether it takes a whole row.
    wide: bool,
}

const fn drawn_series(
    name: &'static str,
    title: &'static str,
    axis_label: &'static str,
    axis: Axis,
    wide: bool,
) -> Drawn {
    Drawn { name, title, axis_label, axis, wide }
}

/// Drawn for every kind of load that has them.
const TPM: Drawn = drawn_series(
    "tpm",
    "Transactions per minute, second by second",
    "transactions per minute",
    Axis::FromZero,
    true,
);
const CPU_IDLE: Drawn =
    drawn_series("cpu_idle", "CPU idle, second by second", "% of CPU time", Axis::Percent, false);
const DRIVE_READS: Drawn = drawn_series(
    "drive_reads",
    "Reads at the drive, second by second",
    "reads per second",
    Axis::FromZero,
    false,
);
const DRIVE_WRITES: Drawn = drawn_series(
    "drive_writes",
    "Writes at the drive, second by second",
    "writes per second",
    Axis::FromZero,
    false,
);

/// In the order of the page.
const SERIES: [Drawn; 8] = [
    TPM,
    drawn_series(
        "tps",
        "Transactions per second, second by second",
        "transactions per second",
        Axis::FromZero,
        true,
    ),
    drawn_series(
        "iops",
        "I/O operations per second, second by second",
        "I/O operations per second",
        Axis::FromZero,
        true,
    ),
    drawn_series("latency_p99", "p99 latency, second by second", "ms", Axis::LogWhenWide, true),
    CPU_IDLE,
    DRIVE_READS,
    DRIVE_WRITES,
    drawn_series("bandwidth", "Bandwidth, second by second", "MB per second", Axis::FromZero, false),
];

/// Of backups, scans and neighbours: what the drive does meanwhile comes first.
const OF_OPERATIONS: [Drawn; 9] = [
    drawn_series(
        "read_bandwidth",
        "Read from the drive, second by second",
        "MB per second",
        Axis::FromZero,
        true,
    ),
    drawn_series(
        "write_bandwidth",
        "Written to the drive, second by second",
        "MB per second",
        Axis::FromZero,
        true,
    ),
    TPM,
    drawn_series(
        "drive_read_latency",
        "Mean read latency of the drive, second by second",
        "ms",
        Axis::LogWhenWide,
        false,
    ),
    drawn_series(
        "drive_write_latency",
        "Mean write latency of the drive, second by second",
        "ms",
        Axis::LogWhenWide,
        false,
    ),
    DRIVE_READS,
    DRIVE_WRITES,
    drawn_series(
        "neighbour_rate",
        "The neighbour's own progress, second by second",
        "MB per second",
        Axis::FromZero,
        false,
    ),
    CPU_IDLE,
];

/// Ratios of the primary metrics to the baseline, at every level.
pub(super) fn verdicts(source: &Source<'_>) -> Section {
    let comparison = source.comparison;
    let mut figures = Vec::new();
    for (workload, metric) in comparison.metrics(true) {
        figures.extend(metric::find(&metric).and_then(|metric| forest(source, &workload, metric)));
    }
    let exploratory: Vec<_> = comparison.contrasts.iter().filter(|contrast| !contrast.primary).collect();
    let body = if exploratory.is_empty() {
        String::new()
    } else {
        let table = comparison.contrast_table(&exploratory, true);
        let heading = comparison.exploratory_sentence(exploratory.len());
        let caption = format!("Exploratory contrasts ({})", source.mark);
        format!(
            "<details><summary>{}</summary><p>{}</p>{}</details>",
            words::count(exploratory.len(), "exploratory contrast", "exploratory contrasts"),
            crate::svg::escape(&heading),
            table.to_html(&caption)
        )
    };
    let mut lead = comparison.same_bed_sentences();
    if figures.is_empty() && !body.is_empty() {
        lead.push("No primary metric could be compared; the reasons stand above.".to_owned());
    }
    Section { id: "verdicts".into(), heading: "Verdicts".to_owned(), lead, figures, body }
}

/// Said where repeats are too few for an interval that could be drawn.
const NOT_DRAWN: &str = "Intervals from fewer than three repeats stand in the table alone. ";

/// The deciding interval of a ratio, where it rests on enough repeats to be drawn.
fn drawn_interval(contrast: &Contrast) -> Option<(f64, f64)> {
    let (above, below) = contrast.judgement.ratio.pairs_or_runs;
    let deciding = contrast.judgement.deciding();
    (above.min(below) >= REPEATS_DRAWN_MIN).then_some((deciding.low, deciding.high))
}

fn forest(source: &Source<'_>, workload: &str, metric: &Metric) -> Option<Figure> {
    let comparison = source.comparison;
    let contrasts: Vec<_> = comparison.of_metric(workload, metric.name).collect();
    let first = contrasts.first()?;
    let rows: Vec<Row> = contrasts
        .iter()
        .map(|contrast| {
            let ratio = &contrast.judgement.ratio;
            let bed = comparison.beds.iter().find(|bed| bed.name == contrast.treatment_bed);
            Row {
                bed: bed.map(|bed| bed.mark.clone()).unwrap_or_default(),
                what: words::level_under(contrast.level, &contrast.level_name),
                value: ratio.value,
                interval: drawn_interval(contrast),
                shown: number::decided(&contrast.judgement)[0].clone(),
                word: words::verdict(contrast.verdict()).to_owned(),
                hollow: false,
            }
        })
        .collect();
    let (left, right) = match first.direction {
        Direction::HigherIsBetter => ("\u{2190} worse", "better \u{2192}"),
        Direction::LowerIsBetter => ("\u{2190} better", "worse \u{2192}"),
    };
    let ground = Ground {
        zone: first.judgement.equivalence_limits(),
        heading: words::level_short(&first.level_name).to_owned(),
        sides: (left.to_owned(), right.to_owned()),
    };
    let baseline = comparison.shown(&comparison.baseline);
    let description = contrasts
        .iter()
        .map(|c| {
            let bed = comparison.shown(&c.treatment_bed);
            let at = words::level(c.level, &c.level_name);
            let [value, interval] = number::decided(&c.judgement);
            format!("{bed} at {at}: {value}, {interval}, {}.", words::verdict(c.verdict()))
        })
        .collect::<Vec<_>>()
        .join(" ");
    let caption = Caption {
        id: id(source, workload, &format!("ratio-{}", metric.name)),
        title: titled(source, workload, &format!("{} relative to {baseline}", metric.title)),
        reading: format!(
            "Ratio with the interval that decided its verdict (99 %; 95 % for equivalent and where repeats are few), one row for each bed and level. {}Within the grey zone (\u{b1}{}) a difference is too small to matter. In the table, means are geometric.",
            if contrasts.iter().all(|contrast| drawn_interval(contrast).is_some()) { "" } else { NOT_DRAWN },
            number::percent(first.judgement.smallest_effect)
        ),
        description,
    };
    let table = comparison.contrast_table(&contrasts, false);
    Some(forest::figure(caption, &ground, &rows, table))
}

/// One section of figures for each workload.
pub(super) fn of_workloads(source: &Source<'_>) -> Result<Vec<Section>, ReportError> {
    let mut sections = Vec::new();
    let workloads = source.book.workloads();
    for (index, workload) in workloads.iter().enumerate() {
        let kind = source.book.kind(workload);
        let mut figures = operations::figures(source, workload);
        let against =
            |(name, reading): &(&str, &str)| against_levels(source, workload, metric::find(name)?, reading);
        let telling = drawn(kind).iter().filter(|(name, _)| tells_something(source, workload, name));
        figures.extend(telling.filter_map(against));
        figures.extend(second_by_second(source, workload)?);
        figures.extend(distribution(source, workload, kind)?);
        let mut body = String::new();
        if kind == Kind::Block {
            figures.extend(super::block::figures(source, workload)?);
            body = super::block::tables(source, workload)?;
        }
        let found = if source.book.is_simulated() { "Simulated" } else { "Measured" };
        let heading = if workloads.len() == 1 { found.to_owned() } else { format!("{found}: {workload}") };
        sections.push(Section {
            id: Section::id_of("measured", index),
            heading,
            lead: Vec::new(),
            figures,
            body,
        });
    }
    Ok(sections)
}

/// Reads and writes apart tell something only where there are both.
fn tells_something(source: &Source<'_>, workload: &str, metric: &str) -> bool {
    let any = |name: &str| {
        source.book.of(workload).any(|measured| measured.values.get(name).is_some_and(|value| *value > 0.0))
    };
    !["read_iops", "write_iops"].contains(&metric) || (any("read_iops") && any("write_iops"))
}

/// A metric against the levels; none when no valid cell measured it.
fn against_levels(source: &Source<'_>, workload: &str, metric: &Metric, reading: &str) -> Option<Figure> {
    let book = source.book;
    let lines: Vec<Line> = source
        .comparison
        .beds
        .iter()
        .map(|bed| {
            let point = |level: f64| {
                let values = book.values(&Place { workload, level, bed: &bed.name }, metric.name);
                Point::new(level, values.into_iter().map(|pair| pair.1).collect())
            };
            Line {
                bed: bed.mark.clone(),
                points: book.levels(workload).into_iter().filter_map(point).collect(),
            }
        })
        .collect();
    if lines.iter().all(|line| line.points.is_empty()) {
        return None;
    }
    let level_name = book.level_name(workload);
    let (mean, interval) = if book.levels(workload).len() > 1 { ("Line", "Band") } else { ("Marker", "Bar") };
    let mut points = lines.iter().flat_map(|line| &line.points);
    let interval = match points.any(|point| point.drawn_interval().is_some()) {
        true => format!(" {interval}: 95 % interval of the mean, from three repeats on."),
        false => String::new(),
    };
    let reading =
        reading.replace("{marks}", &format!("{mean}: mean of the repeats. Dots: every repeat.{interval}"));
    let missing: Vec<&str> =
        lines.iter().filter(|l| l.points.is_empty()).map(|l| l.bed.name.as_str()).collect();
    let missing = match missing.as_slice() {
        [] => String::new(),
        beds => format!(" No valid cell: {}.", beds.join(", ")),
    };
    let caption = Caption {
        id: id(source, workload, metric.name),
        title: titled(source, workload, metric.title),
        reading: format!("{reading}{missing}"),
        description: describe(&lines, metric, level_name),
    };
    Some(levels::figure(caption, metric, level_name, &lines))
}

/// Where every line begins and ends, in words.
fn describe(lines: &[Line], metric: &Metric, level_name: &str) -> String {
    let line = |line: &Line| {
        let (first, last) = (line.points.first()?, line.points.last()?);
        let at = |point: &Point| {
            format!("{} {} at {}", point.shown(), metric.unit, words::level(point.level, level_name))
        };
        let from = if first.level < last.level { format!("from {} to ", at(first)) } else { String::new() };
        Some(format!("{}: {from}{}.", line.bed.name, at(last)))
    };
    lines.iter().filter_map(line).collect::<Vec<_>>().join(" ")
}

/// The series of one cell of each bed at the highest level: the repeat with the median throughput.
fn second_by_second(source: &Source<'_>, workload: &str) -> Result<Vec<Figure>, ReportError> {
    let book = source.book;
    let Some((level, cells)) = typical_cells(source, workload) else { return Ok(Vec::new()) };
    let kind = book.kind(workload);
    let shaded = match kind {
        Kind::Neighbour => "Shaded: the neighbour at work, in the first bed's cell.",
        Kind::Backup | Kind::Scan | Kind::Fragmentation => "Shaded: what the first bed's cell did.",
        _ => "Shaded: not measured.",
    };
    let mut read = Vec::new();
    for (mark, measured) in cells {
        let (mut series, mut phases) = book::series_of(source.notebook, measured)?;
        series.iter_mut().for_each(|series| seconds::end_with_measuring(series, &phases));
        if kind == Kind::Neighbour {
            phases.retain(|phase| phase.name == "neighbour");
        }
        read.push((mark, series, phases, measured.cell.repeat));
    }
    let repeats: Vec<String> =
        read.iter().map(|(mark, _, _, repeat)| format!("{} repeat {}", mark.name, repeat + 1)).collect();
    let at = words::level(level, book.level_name(workload));
    let mut figures = Vec::new();
    let drawn: &[Drawn] = if operations::is_operation(book, workload) { &OF_OPERATIONS } else { &SERIES };
    for &Drawn { name, title, axis_label, axis, wide } in drawn {
        let traces: Vec<Trace> = read
            .iter()
            .filter_map(|(bed, series, phases, _)| {
                let series = series.iter().find(|series| series.metric == name)?.clone();
                Some(Trace { bed: bed.clone(), series, phases: phases.clone() })
            })
            .filter(|trace| !trace.series.values.is_empty())
            .collect();
        if traces.is_empty() {
            continue;
        }
        let caption = Caption {
            id: id(source, workload, &format!("seconds-{name}")),
            title: titled(source, workload, title),
            reading: if wide {
                format!(
                    "One cell of each bed at {at}, the one with the median throughput ({}). {shaded}",
                    repeats.join(", ")
                )
            } else {
                format!("The same cells as above, at {at}. {shaded}")
            },
            description: format!(
                "{} lines over {} seconds; the table holds the values.",
                traces.len(),
                traces.iter().map(|trace| trace.series.values.len()).max().unwrap_or(0)
            ),
        };
        figures.push(seconds::figure(caption, axis_label, axis, wide, &traces));
    }
    Ok(figures)
}

/// Number of the arm in which victims stand beside the neighbour.
const WITH_NEIGHBOUR: f64 = 3.0;

/// The highest level at which a bed has a valid cell, and of each bed the valid cell with the median
/// throughput there.
fn typical_cells<'a>(
    source: &Source<'a>,
    workload: &'a str,
) -> Option<(f64, Vec<(crate::figure::BedMark, &'a Measured)>)> {
    let book = source.book;
    let throughput = book.kind(workload).throughput();
    let cells_at = |level: f64| -> Vec<(crate::figure::BedMark, &'a Measured)> {
        let typical = |bed: &crate::naming::BedName| {
            let mut cells = book.valid(&Place { workload, level, bed: &bed.name });
            let value = |m: &&Measured| m.values.get(throughput).copied().unwrap_or(0.0);
            cells.sort_by(|a, b| value(a).total_cmp(&value(b)));
            let middle = cells.len().checked_sub(1)? / 2;
            Some((bed.mark.clone(), cells[middle]))
        };
        source.comparison.beds.iter().filter_map(typical).collect()
    };
    let mut levels = book.levels(workload);
    levels.reverse();
    if book.kind(workload) == Kind::Neighbour {
        // The arm that the question is about.
        levels.sort_by_key(|level| *level != WITH_NEIGHBOUR);
    }
    levels.into_iter().map(|level| (level, cells_at(level))).find(|(_, cells)| !cells.is_empty())
}

/// Latency of all valid repeats at the highest level, merged.
fn distribution(source: &Source<'_>, workload: &str, kind: Kind) -> Result<Vec<Figure>, ReportError> {
    let Some((level, _)) = typical_cells(source, workload) else { return Ok(Vec::new()) };
    let (wanted, counted): (&[(&str, &str)], &str) = match kind {
        Kind::Transactions => (
            &[
                ("latency", "Latency distribution, all transactions"),
                ("new_order", "Latency distribution, new orders"),
            ],
            "transactions",
        ),
        Kind::Sysbench => (&[("latency", "Latency distribution")], "transactions"),
        Kind::Block => (&[("latency", "Latency distribution")], "I/Os"),
        Kind::Neighbour => (&[("latency", "Latency distribution of all victims")], "transactions"),
        Kind::Durability | Kind::Backup | Kind::Scan | Kind::Fragmentation => (&[], "cells"),
    };
    let mut figures = Vec::new();
    for (name, title) in wanted {
        let mut curves = Vec::new();
        for bed in &source.comparison.beds {
            let cells = source.book.valid(&Place { workload, level, bed: &bed.name });
            let histogram = book::merged_histogram(source.notebook, &cells, name)?;
            if !histogram.is_empty() {
                curves.push(Curve { bed: bed.mark.clone(), histogram });
            }
        }
        if curves.is_empty() {
            continue;
        }
        let at = words::level(level, source.book.level_name(workload));
        let caption = Caption {
            id: id(source, workload, &format!("distribution-{name}")),
            title: titled(source, workload, title),
            reading: format!(
                "At {at}, the latencies of all valid repeats pooled: a pooled percentile is not the mean of the repeats' own, which tables and tiles \
                 show. A curve ends where the sample no longer bounds the percentile."
            ),
            description: curves.iter().map(percentiles::describe).collect::<Vec<_>>().join(" "),
        };
        figures.push(percentiles::figure(caption, counted, &curves));
    }
    Ok(figures)
}
