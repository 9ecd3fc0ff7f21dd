//! The model's predictions for loads that its fit had not seen, against the measurements: a panel for the
//! mean and one for the 99th percentile.

use crate::figure::{Caption, Figure, Frame, ValueAxis, Width};
use crate::number;
use crate::svg::scale::Scale;
use crate::svg::{Anchor, BedMark, Canvas, Drawing, width};
use crate::table::{Table, columns};
use study::profile::{KeptFit, KeptPoint, Side};
use words::{Axis, say};

/// Fewer points are no figure.
const POINTS_MIN: usize = 2;
/// Predictions between these shares of the measured value lie in the band.
const BAND: (f64, f64) = (0.8, 1.25);

/// One figure of latency.
struct Panel {
    title: &'static str,
    /// Point, measured and predicted, ms.
    points: Vec<(KeptPoint, f64, f64)>,
}

/// The figure; `None` where fewer than two loads could be left out.
pub(super) fn figure(fit: &KeptFit) -> Option<Figure> {
    let panels: Vec<Panel> = [(0, say!("profile-mean")), (3, "p99")]
        .into_iter()
        .map(|(at, title)| Panel { title, points: points(fit, at) })
        .filter(|panel| panel.points.len() >= POINTS_MIN)
        .collect();
    if panels.is_empty() {
        return None;
    }
    let [median, nine] = [fit.errors[0].median, fit.errors[0].nine_in_ten].map(number::percent_rounded);
    let title = say!("profile-predicted-title", median, nine);
    let caption = Caption {
        id: "predicted".to_owned(),
        reading: say!("profile-predicted-reading").to_owned(),
        description: title.clone(),
        title,
    };
    let drawings = Width::LEAD.iter().map(|at| draw(&caption, &panels, *at)).collect();
    let table = table(fit);
    let (id, title, reading) = (caption.id, caption.title, caption.reading);
    Some(Figure { id, title, reading, drawings, table, wide: false })
}

fn points(fit: &KeptFit, at: usize) -> Vec<(KeptPoint, f64, f64)> {
    let point =
        |point: &KeptPoint| Some((*point, point.measured_ns[at] / 1e6, point.predicted_ns[at]? / 1e6));
    fit.points.iter().filter_map(point).filter(|(_, was, is)| *was > 0.0 && *is > 0.0).collect()
}

/// Colour, shape and name of the operations of a point.
fn mark(side: Side) -> BedMark {
    let (slot, name) = match side {
        Side::Reads => (0, say!("profile-reads")),
        Side::Writes => (1, say!("profile-writes")),
        Side::Flushes => (2, say!("profile-flushes")),
    };
    BedMark { slot, way: 0, name: name.to_owned(), short: name.to_owned() }
}

/// Room above the panels for the key, above a plot for its heads, below it for its axis, and between panels.
const KEY: f64 = 26.0;
const HEAD: f64 = 40.0;
const FOOT: f64 = 46.0;
const GAP: f64 = 30.0;

fn draw(caption: &Caption, panels: &[Panel], at: Width) -> Drawing {
    let across = if at == Width::Narrow { 1 } else { panels.len() };
    let column = (at.units() - GAP * (across - 1) as f64) / across as f64;
    let plot = if at == Width::Narrow { 230.0 } else { 250.0 };
    let mut canvas = Canvas::new();
    key(&mut canvas, panels);
    for (index, panel) in panels.iter().enumerate() {
        let left = (index % across) as f64 * (column + GAP);
        let top = KEY + (index / across) as f64 * (HEAD + plot + FOOT) + HEAD;
        let values: Vec<f64> = panel.points.iter().flat_map(|(_, was, is)| [*was, *is]).collect();
        let axis = ValueAxis::enclosing(&values, Axis::LogWhenWide);
        let frame = Frame {
            at,
            height: top + plot + FOOT - 6.0,
            left: left + axis.room(at.font()),
            right: left + column - 8.0,
            top,
            bottom: top + plot,
            edge: left + column,
        };
        canvas.text("k-panel", (left, top - HEAD + 14.0), Anchor::Start, panel.title);
        canvas.text("axis", (left, top - 11.0), Anchor::Start, &axis.heading(say!("profile-axis-predicted")));
        draw_panel(&mut canvas, &frame, &axis, panel);
    }
    let height = KEY + panels.len().div_ceil(across) as f64 * (HEAD + plot + FOOT);
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), height), &caption.title, &caption.description)
}

/// The marks of reads, writes and flushes, as far as there are some.
fn key(canvas: &mut Canvas, panels: &[Panel]) {
    let mut x = 6.0;
    let has =
        |side: Side| panels.iter().flat_map(|panel| &panel.points).any(|(point, ..)| point.side == side);
    for side in Side::ALL.iter().copied().filter(|side| has(*side)) {
        let mark = mark(side);
        canvas.marker(&mark, (x, 8.0), 4.4, None);
        canvas.text("tick", (x + 10.0, 12.0), Anchor::Start, &mark.name);
        x += 34.0 + width::of(&mark.name, 12.0, false);
    }
}

fn draw_panel(canvas: &mut Canvas, frame: &Frame, axis: &ValueAxis, panel: &Panel) {
    let ends = (axis.ticks[0], axis.ticks[axis.ticks.len() - 1]);
    let x = Scale::new(axis.spread, ends, (frame.left, frame.right));
    let y = axis.scale(frame);
    band(canvas, (&x, &y), ends);
    frame.draw_grid(canvas, axis);
    let ticks: Vec<(f64, String)> =
        axis.ticks.iter().zip(axis.texts()).map(|(tick, text)| (x.place(*tick), text)).collect();
    frame.draw_bottom_axis(canvas, &ticks, &axis.heading(say!("profile-axis-measured")));
    canvas.line("one", (x.place(ends.0), y.place(ends.0)), (x.place(ends.1), y.place(ends.1)));
    for (point, was, is) in &panel.points {
        let hint = say!(
            "profile-hint",
            load = point.shape.said(),
            side = mark(point.side).name,
            measured = number::plain(*was),
            predicted = number::plain(*is)
        );
        canvas.marker(&mark(point.side), (x.place(*was), y.place(*is)), 4.2, Some(&hint));
    }
}

/// Steps of the edges of the band: on a linear axis they are straight lines, on a logarithmic one too, and
/// both are cut where the axis ends.
const STEPS: usize = 48;

fn band(canvas: &mut Canvas, (x, y): (&Scale, &Scale), (low, high): (f64, f64)) {
    let at = |step: usize| low + (high - low) * (step as f64 / STEPS as f64).powi(3);
    let edge = |factor: f64| move |value: f64| (x.place(value), y.place(value * factor));
    let mut points: Vec<(f64, f64)> = (0..=STEPS).map(at).map(edge(BAND.0)).collect();
    points.extend((0..=STEPS).rev().map(at).map(edge(BAND.1)));
    canvas.polygon("k-tube", &points);
}

fn table(fit: &KeptFit) -> Table {
    let mut table = Table::new(columns![
        text say!("column-load"),
        text say!("profile-column-of"),
        number say!("profile-column-mean-measured"),
        number say!("profile-column-mean-predicted"),
        number say!("profile-column-p99-measured"),
        number say!("profile-column-p99-predicted"),
    ]);
    let ms = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), |ns| number::plain(ns / 1e6));
    for point in &fit.points {
        let p99 = point.predicted_ns[3];
        table.row([
            point.shape.said(),
            mark(point.side).name,
            ms(Some(point.measured_ns[0])),
            ms(point.predicted_ns[0]),
            ms(p99.map(|_| point.measured_ns[3])),
            ms(p99),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::given::shape;
    use super::*;
    use study::profile::Errors;

    fn fit(points: usize) -> KeptFit {
        let shape = shape(0.7);
        let point = |index: usize| {
            let ns = 1e5 * 2f64.powi(index as i32);
            KeptPoint {
                side: Side::ALL[index % 2],
                shape,
                measured_ns: [ns; 4],
                predicted_ns: [Some(1.1 * ns), None, None, (index > 1).then_some(0.9 * ns)],
            }
        };
        KeptFit {
            drive: "A".to_owned(),
            loads: 9,
            errors: [Errors { median: 0.1, nine_in_ten: 0.1, points }; 4],
            points: (0..points).map(point).collect(),
            systematic: Vec::new(),
            alone: Vec::new(),
            at_queue: None,
            numbers: Vec::new(),
        }
    }

    #[test]
    fn each_point_is_drawn_once_in_each_panel_that_has_it() {
        let drawn = figure(&fit(6)).expect("six points");
        for svg in drawn.drawings.iter().map(|drawing| drawing.markup("")) {
            // Six means, four p99s, two marks of the key.
            assert_eq!(svg.matches("class=\"mark ").count(), 12, "{svg}");
            assert!(svg.contains("random 4KiB, 70 % reads, depth 4") && !svg.contains("NaN"), "{svg}");
        }
        assert_eq!(drawn.table.rows.len(), 6);
        assert!(figure(&fit(1)).is_none(), "one point is no figure");
    }
}
