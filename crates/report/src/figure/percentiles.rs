//! The distribution of latency as a percentile curve, drawn only as far as the sample supports it.

use super::{BedMark, Caption, Figure, Frame, LineEnd, ValueAxis, Width, label_room};
use crate::number;
use crate::svg::scale::{Scale, Spread};
use crate::svg::{Anchor, Canvas, Drawing, width};
use crate::table::{Column, Table, columns};
use measure::Histogram;
use words::{Axis, Unit, say};

/// Quantiles that are marked and tabled, with their names.
const MARKED: [(f64, &str); 6] =
    [(0.5, "p50"), (0.9, "p90"), (0.95, "p95"), (0.99, "p99"), (0.999, "p99.9"), (0.9999, "p99.99")];
/// Points of the curve per factor of ten of the odds.
const POINTS_PER_DECADE: usize = 24;
/// The curve ends at p99.99 at the latest: odds of ten thousand to one.
const DECADES_MOST: usize = 4;

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
    /// The line that is drawn: see [`points`].
    line: Vec<(f64, f64)>,
}

impl Curve {
    /// The curve of these latencies.
    pub(crate) fn new(bed: BedMark, histogram: Histogram) -> Curve {
        let line = points(&histogram);
        Curve { bed, histogram, line }
    }
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
    format!("{}: {}.", curve.bed.name, words::list(texts))
}

/// One plot of a figure: the curves of one job.
#[derive(Clone, Debug)]
pub(crate) struct Panel {
    /// Name of the job; nothing where there is only one.
    pub(crate) title: String,
    pub(crate) curves: Vec<Curve>,
}

/// A figure that shares a row.
pub(crate) fn figure(caption: Caption, counted: &str, curves: &[Curve]) -> Figure {
    panels(caption, counted, &[Panel { title: String::new(), curves: curves.to_vec() }])
}

/// A figure of several jobs with one axis for all; over the whole row where there is more than one.
pub(crate) fn panels(caption: Caption, counted: &str, panels: &[Panel]) -> Figure {
    let wide = panels.len() > 1;
    let widths: &[Width] = if wide { &Width::ROW } else { &Width::SHARED };
    let drawings = widths.iter().map(|at| draw(&caption, counted, panels, *at)).collect();
    let mut curves = Vec::new();
    for panel in panels {
        curves.extend(panel.curves.iter().map(|curve| {
            let mut curve = curve.clone();
            if wide {
                curve.bed.name = format!("{}, {}", panel.title, curve.bed.name);
            }
            curve
        }));
    }
    let table = table(counted, &curves);
    Figure { id: caption.id, title: caption.title, reading: caption.reading, drawings, table, wide }
}

/// The curve: powers of ten of the odds against milliseconds, up to the last quantile that the sample
/// supports.
fn points(histogram: &Histogram) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for step in 0..=DECADES_MOST * POINTS_PER_DECADE {
        let log_odds = step as f64 / POINTS_PER_DECADE as f64;
        let quantile = 1.0 - 1.0 / (1.0 + 10f64.powf(log_odds));
        if !histogram.supports(quantile) {
            break;
        }
        points.push((log_odds, milliseconds(histogram, quantile)));
    }
    points
}

fn milliseconds(histogram: &Histogram, quantile: f64) -> f64 {
    histogram.quantile_ns(quantile) as f64 / 1e6
}

/// The place of a quantile: the power of ten of its odds, 0 for p50, about 2 for p99. Every further nine has
/// the same width, and the median is where the axis begins.
fn log_odds(quantile: f64) -> f64 {
    (quantile / (1.0 - quantile)).log10()
}

/// The last marked quantile that all of these samples support, with its name.
pub(crate) fn last_marked<'a>(curves: impl IntoIterator<Item = &'a Curve>) -> Option<(f64, &'static str)> {
    let histograms: Vec<&Histogram> = curves.into_iter().map(|curve| &curve.histogram).collect();
    let common = |quantile: f64| histograms.iter().all(|histogram| histogram.supports(quantile));
    MARKED.iter().rev().find(|(quantile, _)| common(*quantile)).copied().filter(|_| !histograms.is_empty())
}

impl Curve {
    /// The latency at a quantile, ms.
    pub(crate) fn ms_at(&self, quantile: f64) -> f64 {
        milliseconds(&self.histogram, quantile)
    }
}

/// Places of the panels of one drawing.
fn frames(panels: &[Panel], axis: &ValueAxis, at: Width) -> (Vec<Frame>, f64) {
    let most = match at {
        Width::Full => 4,
        Width::Lead | Width::Middle => 2,
        Width::Half | Width::Narrow => 1,
    };
    let across = most.min(panels.len()).max(1);
    let gap = 18.0;
    let column = (at.units() - gap * (across - 1) as f64) / across as f64;
    let head = if panels.len() > 1 { 46.0 } else { 30.0 };
    let plot = if panels.len() > 1 { 180.0 } else { 240.0 };
    let room = axis.room(at.font());
    let ends: Vec<(BedMark, String)> = panels
        .iter()
        .flat_map(|panel| {
            let last = last_marked(&panel.curves);
            let text = move |curve| end_text(curve, last, has_room(at, panels.len() > 1));
            panel.curves.iter().map(move |curve| (curve.bed.clone(), text(curve)))
        })
        .collect();
    // Beside another panel only the short names have room.
    let labels = label_room(at, &ends).min(if across > 1 { 96.0 } else { f64::INFINITY });
    let frame = |index: usize| {
        let left = (index % across) as f64 * (column + gap);
        let top = (index / across) as f64 * (head + plot + 40.0) + head;
        let (bottom, edge) = (top + plot, left + column);
        Frame { at, height: bottom + 42.0, left: left + room, right: edge - labels, top, bottom, edge }
    };
    let height = panels.len().div_ceil(across) as f64 * (head + plot + 40.0) + 4.0;
    ((0..panels.len()).map(frame).collect(), height)
}

fn draw(caption: &Caption, counted: &str, panels: &[Panel], at: Width) -> Drawing {
    let curves = || panels.iter().flat_map(|panel| &panel.curves);
    let values: Vec<f64> = curves().flat_map(|curve| &curve.line).map(|point| point.1).collect();
    let axis = ValueAxis::enclosing(&values, Axis::LogWhenWide);
    let last = curves().filter_map(|curve| curve.line.last()).map(|point| point.0).fold(1.0, f64::max);
    let (frames, height) = frames(panels, &axis, at);
    let mut canvas = Canvas::new();
    canvas.text("axis", (0.0, 11.0), Anchor::Start, &axis.heading(Unit::Milliseconds.name()));
    let bottom = frames.iter().map(|frame| frame.bottom).fold(0.0, f64::max);
    for (panel, frame) in panels.iter().zip(&frames) {
        let room = frame.edge - frame.left;
        // Of one panel the figure's title tells it.
        let title = if panels.len() > 1 { width::fit(&panel.title, 13.0, true, room) } else { String::new() };
        canvas.text("k-panel", (frame.left, frame.top - 14.0), Anchor::Start, &title);
        // One name of the axis under each row of panels would be read again and again.
        let named = frame.bottom == bottom && frame.left == frames[0].left;
        draw_panel(
            &mut canvas,
            frame,
            &axis,
            last,
            if named { say!("axis-share", counted) } else { String::new() },
            panel,
        );
    }
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), height), &caption.title, &caption.description)
}

fn draw_panel(canvas: &mut Canvas, frame: &Frame, axis: &ValueAxis, last: f64, name: String, panel: &Panel) {
    let x = Scale::new(Spread::Linear, (0.0, last), (frame.left + 4.0, frame.right - 2.0));
    let y = axis.scale(frame);
    frame.draw_grid(canvas, axis);
    let shown = MARKED.iter().filter(|(q, name)| log_odds(*q) <= last + 1e-2 && *name != "p95");
    let ticks: Vec<(f64, String)> =
        shown.map(|(q, name)| (x.place(log_odds(*q)), (*name).to_owned())).collect();
    frame.draw_bottom_axis(canvas, &ticks, "");
    // A name wider than the drawing begins left of the plot.
    let room = frame.at.units() - width::of(&name, frame.at.font(), false);
    canvas.text("axis", (frame.left.min(room).max(0.0), frame.height - 6.0), Anchor::Start, &name);
    let (mut labels, common) = (Vec::new(), last_marked(&panel.curves));
    for curve in &panel.curves {
        let bed = &curve.bed;
        let places: Vec<(f64, f64)> =
            curve.line.iter().map(|(odds, ms)| (x.place(*odds), y.place(*ms))).collect();
        canvas.polyline(&format!("line {}", bed.line_class()), &places);
        for (quantile, name) in MARKED.iter().filter(|(q, _)| curve.histogram.supports(*q)) {
            let ms = curve.ms_at(*quantile);
            let hint = say!("percentile-hint", bed = bed.name, name = pooled(name), ms = number::plain(ms));
            canvas.marker(bed, (x.place(log_odds(*quantile)), y.place(ms)), 3.8, Some(&hint));
        }
        if let Some(end) = places.last() {
            let value = end_text(curve, common, has_room(frame.at, !panel.title.is_empty()));
            labels.push(LineEnd { bed: bed.clone(), at: *end, value });
        }
    }
    frame.draw_line_ends(canvas, &labels);
}

/// True if the end of a line has room for the word: on a phone and beside other panels the title or the text
/// of the figure has it.
fn has_room(at: Width, is_beside: bool) -> bool {
    at != Width::Narrow && !is_beside
}

/// `pooled p99.9 12.3 ms`: the last tabled percentile that all curves of a panel support, in which their ends
/// can be compared.
fn end_text(curve: &Curve, last: Option<(f64, &str)>, has_room: bool) -> String {
    last.map(|(quantile, name)| {
        let name = if has_room { pooled(name) } else { name.to_owned() };
        say!("percentile-end", name, ms = number::plain(curve.ms_at(quantile)))
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
        Curve::new(BedMark { name: "nvme".to_owned(), ..BedMark::default() }, histogram)
    }

    #[test]
    fn the_curve_ends_where_the_sample_ends() {
        let reach = |count| points(&curve(count).histogram).last().map_or(0.0, |point| point.0);
        assert!(reach(290) < 2.0, "290 samples do not bound p99");
        assert!((2.0..3.0).contains(&reach(400)));
        assert!((3.0..4.0).contains(&reach(3100)));
        assert_eq!(reach(40_000), 4.0, "the axis ends at p99.99");
        let median = points(&curve(40_000).histogram)[0];
        assert!(median.0 == 0.0 && (median.1 - 200.0).abs() < 1.0, "and begins at the median: {median:?}");
        assert!(points(&Histogram::new()).is_empty());
    }

    #[test]
    fn the_ends_of_all_curves_of_a_panel_name_one_percentile() {
        let curves = [curve(400), curve(40_000)];
        let last = last_marked(&curves);
        assert_eq!(
            curves.each_ref().map(|one| end_text(one, last, true)),
            ["pooled p99 3.96 ms", "pooled p99 396 ms"]
        );
        assert_eq!(end_text(&curve(1), last_marked(&[curve(1)]), true), "", "it supports none");
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
