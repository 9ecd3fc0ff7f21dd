//! The points of a matrix one by one: block sizes down, shares of reads across.

use words::{Latency, Metric, PointKind, Statistic, say};

use notebook::{Notebook, Point};

use super::points::{OfBeds, cells_at, points_of, shown, size_said};
use crate::error::ReportError;
use crate::loaded_run::LoadedRun;
use crate::naming::BedName;
use crate::number;
use crate::source::Source;
use crate::table::{Column, Table, columns};

/// As markup. Matrices with one share of reads are a figure there.
pub(super) fn markup(source: &Source<'_>, workload: &str) -> Result<String, ReportError> {
    let tables = tables(source.notebook, source.loaded, &source.comparison.beds, (workload, 2))?;
    let html = |(bed, table): (String, Table)| {
        table.to_html(&say!("block-matrix", workload, bed, mark = source.mark))
    };
    Ok(tables.into_iter().map(html).collect())
}

/// As text.
pub(super) fn told(
    notebook: &Notebook,
    loaded: &LoadedRun,
    beds: &[BedName],
    workload: &str,
) -> Result<String, ReportError> {
    let tables = tables(notebook, loaded, beds, (workload, 1))?.into_iter();
    let text = |(bed, table): (String, Table)| {
        format!("\n{}\n{}", say!("summary-points", workload, bed), table.to_text("  "))
    };
    Ok(tables.map(text).collect())
}

/// The tables of a workload at all its levels, with the names of their beds; of matrices that have so many
/// shares of reads at least.
fn tables(
    notebook: &Notebook,
    loaded: &LoadedRun,
    beds: &[BedName],
    (workload, least_shares): (&str, usize),
) -> Result<Vec<(String, Table)>, ReportError> {
    let levels = loaded.levels(workload);
    let mut all = Vec::new();
    for &level in &levels {
        let points = points_of(notebook, cells_at(loaded, beds, workload, level))?;
        for (mut name, table) in of_points(&points, least_shares) {
            if levels.len() > 1 {
                name = format!("{name}, {}", loaded.level_said(workload, level));
            }
            all.push((name, table));
        }
    }
    Ok(all)
}

/// Of each bed, averages over the points that count.
fn of_points(points: &OfBeds, least_shares: usize) -> Vec<(String, Table)> {
    let mut tables = Vec::new();
    for (bed, cells) in points {
        let counting: Vec<&Point> =
            cells.iter().flatten().filter(|point| point.kind == PointKind::Matrix && point.counts).collect();
        let mut reads: Vec<f64> = counting.iter().filter_map(|point| point.read_share).collect();
        reads.sort_by(|a, b| b.total_cmp(a));
        reads.dedup();
        let mut sizes: Vec<u64> = counting.iter().filter_map(|point| point.block_size_bytes).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes.dedup();
        if reads.len() < least_shares {
            continue;
        }
        for (what, metric) in [
            (say!("block-iops"), Metric::Iops),
            (say!("block-mb"), Metric::Bandwidth),
            (say!("block-mean-latency"), Metric::LATENCY_MEAN),
            (say!("block-longest-latency"), Metric::Latency(Latency::Answer, Statistic::Max)),
        ] {
            let mut columns = columns![text say!("block-sizes-down", what)];
            columns.extend(
                reads
                    .iter()
                    .map(|read| Column::number(say!("block-reads-share", share = number::percent(*read)))),
            );
            let mut table = Table::new(columns);
            let rows: Vec<Option<u64>> =
                if sizes.is_empty() { vec![None] } else { sizes.iter().copied().map(Some).collect() };
            for size in rows {
                let mut row = vec![size.map_or(say!("block-as-written").to_owned(), size_said)];
                row.extend(reads.iter().map(|read| shown(average(&counting, size, *read, metric))));
                table.row(row);
            }
            tables.push((format!("{}, {what}", bed.name), table));
        }
    }
    tables
}

fn average(points: &[&Point], size: Option<u64>, read: f64, metric: Metric) -> Option<f64> {
    let here = points.iter().filter(|point| point.block_size_bytes == size && point.read_share == Some(read));
    let values: Vec<f64> = here.filter_map(|point| point.value(metric)).collect();
    measure::typical(&values)
}
