//! Figures and tables that only block I/O has: matrices, rounds until a steady state, bursts, streams.

use crate::level::LevelUnit;
use std::collections::BTreeMap;
use words::{EventKind, Family, Latency, Metric, MetricName, PointKind, Statistic, say};

use notebook::{Notebook, Point};

use super::{DIRECTIONS, direction, is_mixed, matrix};
use crate::error::ReportError;
use crate::figure::levels;
use crate::figure::line::{self, Line};
use crate::figure::percentiles::{self, Curve};
use crate::figure::{Caption, Figure};
use crate::loaded_run::{self, GroupKey, LoadedRun, Measured};
use crate::naming::BedName;
use crate::number::{self, Digits};
use crate::source::Source;
use crate::svg::BedMark;
use crate::table::{Table, columns};
use crate::titles::{id, titled};

/// The points of every valid cell at the highest level of each bed.
pub(super) type OfBeds = Vec<(BedMark, Vec<Vec<Point>>)>;

/// All figures of a block workload beyond those that every workload has.
pub(super) fn figures(source: &Source<'_>, workload: &str) -> Result<Vec<Figure>, ReportError> {
    let points = points(source, workload)?;
    let mut figures = Vec::new();
    figures.extend(over_block_sizes(source, workload, &points));
    figures.extend(convergence(source, workload, &points));
    figures.extend(over_written(source, workload, &points));
    figures.extend(bursts(source, workload)?);
    Ok(figures)
}

/// Tables as markup: the matrix, the steady state, bursts, streams.
pub(super) fn tables(source: &Source<'_>, workload: &str) -> Result<String, ReportError> {
    let mut html = matrix::markup(source, workload)?;
    for (title, table) in [
        (say!("block-table-bursts"), burst_table(source, workload)),
        (say!("block-table-streams"), stream_table(source, workload)),
    ] {
        if !table.rows.is_empty() {
            html.push_str(&table.to_html(&say!("block-table", workload, title, mark = source.mark)));
        }
    }
    html.push_str(&said(source, workload));
    Ok(html)
}

/// The valid cells of each bed at the highest level at which any bed has some.
pub(super) fn highest_level<'a>(source: &Source<'a>, workload: &'a str) -> Vec<(BedMark, Vec<&'a Measured>)> {
    let levels = source.loaded.levels(workload).into_iter().rev();
    let cells_at = |level| cells_at(source.loaded, &source.comparison.beds, workload, level);
    levels.map(cells_at).find(|beds| !beds.is_empty()).unwrap_or_default()
}

/// The valid cells of each bed at a level.
pub(super) fn cells_at<'a>(
    loaded: &'a LoadedRun,
    beds: &[BedName],
    workload: &'a str,
    level: f64,
) -> Vec<(BedMark, Vec<&'a Measured>)> {
    let cells = |bed: &str| loaded.valid(&GroupKey { workload, level, bed });
    let beds = beds.iter().map(|bed| (bed.mark.clone(), cells(&bed.name)));
    beds.filter(|(_, cells)| !cells.is_empty()).collect()
}

/// The points of those cells.
pub(super) fn points(source: &Source<'_>, workload: &str) -> Result<OfBeds, ReportError> {
    points_of(source.notebook, highest_level(source, workload))
}

/// The points of such cells.
pub(super) fn points_of(
    notebook: &Notebook,
    cells: Vec<(BedMark, Vec<&Measured>)>,
) -> Result<OfBeds, ReportError> {
    let mut all = Vec::new();
    for (bed, cells) in cells {
        let of_cells: Vec<Vec<Point>> =
            cells.iter().map(|cell| notebook.points(cell.cell.id)).collect::<Result<_, _>>()?;
        all.push((bed, of_cells.into_iter().filter(|points| !points.is_empty()).collect::<Vec<_>>()));
    }
    all.retain(|(_, cells)| !cells.is_empty());
    Ok(all)
}

/// True if the cells go through points that were planned: their seconds show the plan.
pub(super) fn has_steps(points: &OfBeds) -> bool {
    let planned = [PointKind::Curve, PointKind::Search, PointKind::Matrix];
    let is_planned = |point: &Point| planned.iter().any(|kind| point.kind == *kind);
    points.iter().flat_map(|(_, cells)| cells.iter().flatten()).any(is_planned)
}

/// A line per bed over some property of its points; repeats become the dots.
fn line_over(
    (bed, cells): &(BedMark, Vec<Vec<Point>>),
    metric: Metric,
    level: impl Fn(&Point) -> Option<f64>,
) -> Option<Line> {
    let mut at: BTreeMap<u64, (f64, Vec<f64>)> = BTreeMap::new();
    for point in cells.iter().flatten() {
        if let (Some(level), Some(value)) = (level(point), point.value(metric)) {
            at.entry(level.to_bits()).or_insert((level, Vec::new())).1.push(value);
        }
    }
    let mut points: Vec<line::Point> =
        at.into_values().filter_map(|(level, values)| line::Point::new(level, values)).collect();
    points.sort_by(|a, b| a.level.total_cmp(&b.level));
    (points.len() > 1).then(|| Line { bed: bed.clone(), points })
}

fn figure_over(
    source: &Source<'_>,
    workload: &str,
    (what, title, reading): (&str, &str, &str),
    metric: Metric,
    axis: &str,
    lines: Vec<Line>,
) -> Option<Figure> {
    let metric = metric.shown()?;
    if lines.is_empty() {
        return None;
    }
    let ends = lines.iter().filter_map(|line| {
        let last = line.points.last()?;
        Some(say!(
            "block-end",
            bed = line.bed.name,
            value = last.shown(),
            unit = metric.unit,
            at = number::level(last.level),
            level_name = axis
        ))
    });
    let caption = Caption {
        id: id(source, workload, what),
        title: titled(source, workload, title),
        reading: reading.to_owned(),
        description: ends.collect::<Vec<_>>().join(" "),
    };
    Some(levels::figure(caption, &metric, &LevelUnit::Other(axis.to_owned().into()), &lines))
}

/// IOPS and bandwidth over the block sizes of a matrix that has one share of reads.
fn over_block_sizes(source: &Source<'_>, workload: &str, points: &OfBeds) -> Vec<Figure> {
    let reads = |point: &&Point| point.read_share.map(f64::to_bits);
    let mut shares: Vec<Option<u64>> =
        points.iter().flat_map(|(_, cells)| cells.iter().flatten()).map(|point| reads(&point)).collect();
    shares.sort_unstable();
    shares.dedup();
    if shares.len() != 1 {
        return Vec::new();
    }
    let kib = |point: &Point| Some(point.block_size_bytes? as f64 / 1024.0);
    let reading = say!("block-reading-sizes");
    let drawn = [
        ("sizes-iops", say!("block-sizes-iops"), Metric::Iops),
        ("sizes-bandwidth", say!("block-sizes-bandwidth"), Metric::Bandwidth),
        ("sizes-latency", say!("block-sizes-latency"), Metric::LATENCY_MEAN),
    ];
    let one = |(what, title, metric): (&str, &str, Metric)| {
        let lines = points.iter().filter_map(|bed| line_over(bed, metric, kib)).collect();
        figure_over(source, workload, (what, title, reading), metric, say!("axis-kib-per-io"), lines)
    };
    drawn.into_iter().filter_map(one).collect()
}

/// The points of each round that are tracked, or the slowest of each matrix: how the drive came to its steady
/// state.
fn convergence(source: &Source<'_>, workload: &str, points: &OfBeds) -> Option<Figure> {
    let rounds =
        points.iter().flat_map(|(_, cells)| cells.iter().flatten()).map(|point| point.round).max()?;
    if rounds < 2 {
        return None;
    }
    // Writes of the smallest blocks settle last; rules track them.
    let key = |point: &Point| {
        (
            point.read_share.unwrap_or(0.0).to_bits(),
            (point.block_size_bytes.unwrap_or(4096) as i64 - 4096).abs(),
        )
    };
    let chosen =
        points.iter().flat_map(|(_, cells)| cells.iter().flatten()).min_by_key(|point| key(point))?.clone();
    let is_chosen = |point: &Point| {
        (point.read_share, point.block_size_bytes) == (chosen.read_share, chosen.block_size_bytes)
    };
    let level = |point: &Point| is_chosen(point).then(|| f64::from(point.round));
    let lines = points.iter().filter_map(|bed| line_over(bed, Metric::Iops, level)).collect();
    let what = if chosen.kind == PointKind::Matrix { chosen.name.as_str() } else { say!("block-the-load") };
    let title = say!("block-convergence", what);
    let reading = say!("block-reading-convergence");
    figure_over(source, workload, ("convergence", &title, reading), Metric::Iops, say!("axis-round"), lines)
}

/// IOPS against the written bytes, where all points are rounds of one load.
fn over_written(source: &Source<'_>, workload: &str, points: &OfBeds) -> Option<Figure> {
    let is_plain = points
        .iter()
        .flat_map(|(_, cells)| cells.iter().flatten())
        .all(|point| point.kind == PointKind::Round);
    if !is_plain {
        return None;
    }
    let written = |point: &Point| point.value(Metric::WrittenBytes).map(|bytes| bytes / 1e9);
    let lines = points.iter().filter_map(|bed| line_over(bed, Metric::Iops, written)).collect();
    let reading = say!("block-reading-written");
    figure_over(
        source,
        workload,
        ("written", say!("block-written"), reading),
        Metric::Iops,
        say!("axis-gb-written"),
        lines,
    )
}

/// Latencies of reads inside and between bursts.
fn bursts(source: &Source<'_>, workload: &str) -> Result<Option<Figure>, ReportError> {
    let mut curves = Vec::new();
    for (bed, cells) in highest_level(source, workload) {
        let whens = [
            (Latency::ReadInsideBursts, say!("block-inside"), say!("block-inside.short")),
            (Latency::ReadBetweenBursts, say!("block-between"), say!("block-between.short")),
        ];
        for (way, (of, shown, short)) in whens.into_iter().enumerate() {
            let histogram = loaded_run::merged_histogram(source.notebook, &cells, of)?;
            if !histogram.is_empty() {
                let names = (format!("{} {shown}", bed.name), format!("{} {short}", bed.short));
                let bed = bed.on_way(way, names.0, names.1);
                curves.push(Curve::new(bed, histogram));
            }
        }
    }
    if curves.is_empty() {
        return Ok(None);
    }
    let caption = Caption {
        id: id(source, workload, "bursts"),
        title: titled(source, workload, say!("block-bursts")),
        reading: say!("block-reading-bursts").to_owned(),
        description: curves.iter().map(percentiles::describe).collect::<Vec<_>>().join(" "),
    };
    Ok(Some(percentiles::figure(caption, say!("counted-reads"), &curves)))
}

fn mean_of(cells: &[&Measured], metric: impl Into<MetricName>) -> Option<f64> {
    let metric = metric.into();
    let values: Vec<f64> = cells.iter().filter_map(|cell| cell.values.get(metric.clone())).collect();
    measure::typical(&values)
}

pub(super) fn shown(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| Digits::alone(value).show(value))
}

fn burst_table(source: &Source<'_>, workload: &str) -> Table {
    let mut table = Table::new(
        columns![text say!("column-bed"), text say!("column-reads"), number say!("column-i-os-per-second"), number say!("column-mean-ms"), number say!("column-p50-ms"), number say!("column-p99-ms"), number say!("column-share-of-the-time")],
    );
    for (bed, cells) in highest_level(source, workload) {
        let Some(share) = mean_of(&cells, Metric::BurstShare) else { continue };
        let parts = [
            (say!("block-reads-inside"), share, Latency::ReadInsideBursts, Metric::ReadIopsInsideBursts),
            (
                say!("block-reads-between"),
                100.0 - share,
                Latency::ReadBetweenBursts,
                Metric::ReadIopsBetweenBursts,
            ),
        ];
        for (when, time, latency, iops) in parts {
            let of = |statistic| shown(mean_of(&cells, Metric::Latency(latency, statistic)));
            table.row([
                bed.name.clone(),
                when.to_owned(),
                shown(mean_of(&cells, iops)),
                of(Statistic::Mean),
                of(Statistic::P50),
                of(Statistic::P99),
                shown(Some(time)),
            ]);
        }
    }
    table
}

/// The stream of a name that is its rate.
fn stream_of(name: &MetricName) -> Option<&str> {
    match name {
        MetricName::Of(Metric::Iops, Family::Stream(stream)) => Some(stream),
        _ => None,
    }
}

/// Every stream with its own percentiles; flushes have a row of their own, for they are what commits wait
/// for.
fn stream_table(source: &Source<'_>, workload: &str) -> Table {
    let mut table = Table::new(
        columns![text say!("column-bed"), text say!("column-stream"), text say!("column-of"), number say!("column-per-second"), number say!("column-mean-ms"), number say!("column-p50-ms"), number say!("column-p99-ms"), number say!("column-p99-9-ms")],
    );
    for (bed, cells) in highest_level(source, workload) {
        let streams = cells.first().into_iter().flat_map(|cell| cell.values.names()).filter_map(stream_of);
        for stream in streams {
            let of_stream =
                |metric| mean_of(&cells, MetricName::Of(metric, Family::Stream(stream.to_owned())));
            let has = |latency: &Latency| of_stream(Metric::Latency(*latency, Statistic::Mean)).is_some();
            let directions: Vec<Latency> = DIRECTIONS.into_iter().filter(has).collect();
            let is_mixed = is_mixed(&directions);
            let mut row = |latency: Option<Latency>, rate: Option<f64>| {
                let mut row =
                    vec![bed.name.clone(), stream.to_owned(), direction(latency).to_owned(), shown(rate)];
                let figures = [Statistic::Mean, Statistic::P50, Statistic::P99, Statistic::P999];
                let of = |statistic| of_stream(Metric::Latency(latency?, statistic));
                row.extend(figures.map(|statistic| shown(of(statistic))));
                table.row(row);
            };
            if is_mixed {
                row(None, of_stream(Metric::Iops));
            }
            for latency in directions {
                let has_rate = latency != Latency::Flush && !is_mixed;
                row(Some(latency), of_stream(Metric::Iops).filter(|_| has_rate));
            }
        }
    }
    table
}

/// A block size in the largest unit that leaves a whole number: `512 B`, `4 KiB`, `1 MiB`.
pub(super) fn size_said(bytes: u64) -> String {
    match bytes {
        0 => "0 B".to_owned(),
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", number::count(bytes >> 20)),
        _ if bytes.is_multiple_of(1 << 10) => format!("{} KiB", number::count(bytes >> 10)),
        _ => format!("{} B", number::count(bytes)),
    }
}

/// The cells' events of preconditioning, steady state and search.
fn said(source: &Source<'_>, workload: &str) -> String {
    let mut sentences = Vec::new();
    let several = source.comparison.beds.len() > 1;
    for (bed, cells) in highest_level(source, workload) {
        let kinds = [EventKind::Purge, EventKind::Steady, EventKind::Search];
        let is_told = |event: &&notebook::Event| event.kind.word().is_some_and(|kind| kinds.contains(&kind));
        let events = cells.iter().flat_map(|cell| cell.events.iter().filter(is_told));
        for event in events {
            let who = if several { format!("{}: ", bed.name) } else { String::new() };
            let sentence = format!("{who}{}", event.message);
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
    }
    crate::html::list(&sentences)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_size_has_the_largest_unit_that_leaves_a_whole_number() {
        let said = [512, 1 << 10, 1536, 4 << 10, 128 << 10, 1 << 20].map(size_said);
        assert_eq!(said, ["512 B", "1 KiB", "1,536 B", "4 KiB", "128 KiB", "1 MiB"]);
        let share = number::percent(0.65);
        assert_eq!(say!("block-reads-share", share), format!("{share} reads"));
    }
}
