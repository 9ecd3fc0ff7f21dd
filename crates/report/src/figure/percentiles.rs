//! The distribution of latency as a percentile curve, drawn only as far as the sample supports it.

use super::{BedMark, Caption, Figure, Frame, LineEnd, ValueAxis, Width, label_room};
use crate::number;
use crate::svg::scale::{Scale, Spread};
use crate::svg::{Canvas, Drawing};
use crate::table::{Column, Table, columns};
use measure::Histogram;
use words::{Axis, say};

/// Quantiles that are marked and tabled, with their names.
const MARKED: [(f64, &str); 6] =
    [(0.5, "p50"), (0.9, "p90"), (0.95, "p95"), (0.99, "p99"), (0.999, "p99.9"), (0.9999, "p99.99")];
/// Points of the curve per factor of ten of the share that is slower.
const POINTS_PER_DECADE: usize = 24;

/// The name of a quantile of the latencies of several repeats thrown together. It is not the mean of the
/// repeats' own quantiles, which tables and charts over levels show under the plain name.
fn pooled(name: &str) -> String {
    say!("percentile-pooled", name)
}

/// All latencies of one bed, merged over its valid repeats.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    pub(crate) bed: BedMark,
    pub(crate) histogram: Histogram,
}

/// The curve in words: its percentiles as far as the sample supports them.
pub(crate) fn describe(curve: &Curve) -> String {
    let supported = MARKED.iter().filter(|(quantile, _)| curve.histogram.supports(*quantile));
    let texts: Vec<String> = supported
        .map(|(quantile, name)| {
            say!(
                "percentile-value",
                name = pooled(name),
                ms = number::plain(milliseconds(&curve.histogram, *quantile))
            )
        })
        .collect();
    format!("{}: {}.", curve.bed.name, texts.join(", "))
}

/// A figure that shares a row.
pub(crate) fn figure(caption: Caption, counted: &str, curves: &[Curve]) -> Figure {
    let lines: Vec<(BedMark, Vec<(f64, f64)>)> =
        curves.iter().map(|curve| (curve.bed.clone(), points(&curve.histogram))).collect();
    let values: Vec<f64> = lines.iter().flat_map(|(_, points)| points.iter().map(|point| point.1)).collect();
    let axis = ValueAxis::enclosing(&values, Axis::LogWhenWide);
    let drawings =
        Width::SHARED.into_iter().map(|at| draw(&caption, &axis, (counted, curves), &lines, at)).collect();
    let table = table(counted, curves);
    Figure { id: caption.id, title: caption.title, reading: caption.reading, drawings, table, wide: false }
}

/// The curve: number of nines against milliseconds, up to the last quantile that the sample supports.
fn points(histogram: &Histogram) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for step in 1..=6 * POINTS_PER_DECADE {
        let nines = step as f64 / POINTS_PER_DECADE as f64;
        let quantile = 1.0 - 10f64.powf(-nines);
        if !histogram.supports(quantile) {
            break;
        }
        points.push((nines, milliseconds(histogram, quantile)));
    }
    points
}

fn milliseconds(histogram: &Histogram, quantile: f64) -> f64 {
    histogram.quantile_ns(quantile) as f64 / 1e6
}

/// Nines of a quantile: 1 for p90, 2 for p99.
fn nines(quantile: f64) -> f64 {
    -(1.0 - quantile).log10()
}

fn draw(
    caption: &Caption,
    axis: &ValueAxis,
    (counted, curves): (&str, &[Curve]),
    lines: &[(BedMark, Vec<(f64, f64)>)],
    at: Width,
) -> Drawing {
    let ends: Vec<(BedMark, String)> =
        curves.iter().map(|c| (c.bed.clone(), end_text(&c.histogram, at))).collect();
    let height = if at == Width::Narrow { 300.0 } else { 312.0 };
    let frame = Frame::new(at, height, axis, label_room(at, &ends));
    let last = lines.iter().flat_map(|(_, points)| points.last()).map(|point| point.0).fold(1.0, f64::max);
    let x = Scale::new(Spread::Linear, (0.0, last), (frame.left + 4.0, frame.right - 2.0));
    let y = axis.scale(&frame);
    let mut canvas = Canvas::new();
    frame.draw_value_axis(&mut canvas, axis, "ms");
    let shown = MARKED.iter().filter(|(q, name)| nines(*q) <= last + 1e-9 && *name != "p95");
    let ticks: Vec<(f64, String)> = shown.map(|(q, name)| (x.place(nines(*q)), (*name).to_owned())).collect();
    let share = say!("axis-share", counted);
    frame.draw_bottom_axis(&mut canvas, &ticks, &share);
    let mut labels = Vec::new();
    for ((bed, points), curve) in lines.iter().zip(curves) {
        let places: Vec<(f64, f64)> = points.iter().map(|(n, ms)| (x.place(*n), y.place(*ms))).collect();
        canvas.polyline(&format!("line {}", bed.line_class()), &places);
        for (quantile, name) in MARKED.iter().filter(|(q, _)| curve.histogram.supports(*q)) {
            let ms = milliseconds(&curve.histogram, *quantile);
            let hint = say!("percentile-hint", bed = bed.name, name = pooled(name), ms = number::plain(ms));
            canvas.marker(bed, (x.place(nines(*quantile)), y.place(ms)), 3.8, Some(&hint));
        }
        if let Some(end) = places.last() {
            labels.push(LineEnd { bed: bed.clone(), at: *end, value: end_text(&curve.histogram, at) });
        }
    }
    frame.draw_line_ends(&mut canvas, &labels);
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), height), &caption.title, &caption.description)
}

/// `pooled p99 12.3 ms`: the last tabled percentile that the sample supports. A narrow drawing has no room
/// for the word, which the text above it says.
fn end_text(histogram: &Histogram, at: Width) -> String {
    let last = MARKED.iter().rev().find(|(quantile, _)| histogram.supports(*quantile));
    last.map(|(quantile, name)| {
        let name = if at == Width::Narrow { (*name).to_owned() } else { pooled(name) };
        say!("percentile-value", name, ms = number::plain(milliseconds(histogram, *quantile)))
    })
    .unwrap_or_default()
}

fn table(counted: &str, curves: &[Curve]) -> Table {
    let mut columns = columns![text say!("column-percentile")];
    columns.extend(curves.iter().map(|curve| Column::number(format!("{} (ms)", curve.bed.name))));
    let mut table = Table::new(columns);
    for (quantile, name) in MARKED {
        let mut row = vec![pooled(name)];
        row.extend(curves.iter().map(|curve| match curve.histogram.supports(quantile) {
            true => number::plain(milliseconds(&curve.histogram, quantile)),
            false => say!("percentile-too-few").to_owned(),
        }));
        table.row(row);
    }
    let of = |name: &str, show: fn(&Histogram) -> String| {
        let mut row = vec![name.to_owned()];
        row.extend(curves.iter().map(|curve| show(&curve.histogram)));
        row
    };
    table.row(of(&pooled(say!("percentile-mean")), |histogram| number::plain(histogram.mean_ns() / 1e6)));
    table.row(of(say!("percentile-longest"), |histogram| number::plain(histogram.max_ns() as f64 / 1e6)));
    table.row(of(counted, |histogram| number::count(histogram.len())));
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(count: u64) -> Curve {
        let mut histogram = Histogram::new();
        (1..=count).for_each(|index| histogram.record(index * 10_000));
        Curve { bed: BedMark { name: "nvme".to_owned(), ..BedMark::default() }, histogram }
    }

    #[test]
    fn the_curve_ends_where_the_sample_ends() {
        let reach = |count| points(&curve(count).histogram).last().map_or(0.0, |point| point.0);
        assert!(reach(298) < 2.0, "298 samples do not bound p99");
        assert!((2.0..3.0).contains(&reach(400)));
        assert!((3.0..4.0).contains(&reach(3000)));
        assert!(points(&Histogram::new()).is_empty());
    }

    #[test]
    fn the_table_says_too_few_instead_of_a_number() {
        let table = table("transactions", &[curve(400)]);
        let cell =
            |name: &str| table.rows.iter().find(|row| row[0].text == name).map(|row| row[1].text.clone());
        assert_eq!(cell("pooled p99").as_deref(), Some("3.96"));
        assert_eq!(cell("p99"), None, "that is the mean over repeats");
        assert_eq!(cell("pooled p99.9").as_deref(), Some("too few"));
        assert_eq!(cell("transactions").as_deref(), Some("400"));
    }
}
