//! One level only: a row for each bed, every repeat a dot, the mean a marker and its 95 % interval a whisker.

use super::line::{Line, Point, end_value};
use super::{Caption, ValueAxis, Width};
use crate::svg::scale::{self, Scale};
use crate::svg::{Anchor, Canvas, Drawing, width};
use words::{Shown, say};

/// Height of a bed's row.
const ROW: f64 = 42.0;
/// Room above the rows for the name of the level.
const TOP: f64 = 24.0;
/// Room below the rows for ticks and the name of the axis.
const FOOT: f64 = 42.0;

/// Draws the strip at one width; `level` names the one level that there is.
pub(crate) fn draw(
    caption: &Caption,
    metric: &Shown,
    axis: &ValueAxis,
    level: &str,
    lines: &[Line],
    at: Width,
) -> Drawing {
    let bottom = TOP + ROW * lines.len().max(1) as f64;
    let height = bottom + FOOT;
    let left = name_room(lines, at);
    let ends = (axis.ticks[0], axis.ticks[axis.ticks.len() - 1]);
    let x = Scale::new(axis.spread, ends, (left, at.units() - 16.0));
    let mut canvas = Canvas::new();
    canvas.text("axis", (0.0, 11.0), Anchor::Start, level);
    draw_axis(&mut canvas, axis, &x, bottom, at);
    let middle = f64::midpoint(left, at.units() - 16.0);
    canvas.text("axis", (middle, height - 6.0), Anchor::Middle, &axis.heading(metric.axis_label));
    for (index, line) in lines.iter().enumerate() {
        let y = TOP + ROW * (index as f64 + 0.5);
        let name = line.bed.fit(at.font() + 1.0, left - 12.0);
        canvas.text(&format!("end {}", line.bed.class()), (0.0, y + 4.0), Anchor::Start, &name);
        match line.points.first() {
            Some(point) => draw_bed(&mut canvas, metric, line, point, &x, y, at),
            None => canvas.text("tick", (left + 8.0, y + 4.0), Anchor::Start, say!("limiter-no-valid-cell")),
        }
    }
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), height), &caption.title, &caption.description)
}

/// Room for the widest name of a bed, at most a third of the drawing.
fn name_room(lines: &[Line], at: Width) -> f64 {
    let font = at.font() + 1.0;
    let most = at.units() / 3.0;
    let widest =
        lines.iter().map(|line| width::of(&line.bed.fit(font, most), font, true)).fold(0.0, f64::max);
    widest.min(most) + 16.0
}

/// Grid lines with their tick texts, thinned so that none touches another.
fn draw_axis(canvas: &mut Canvas, axis: &ValueAxis, x: &Scale, bottom: f64, at: Width) {
    let texts = axis.texts();
    let places: Vec<f64> = axis.ticks.iter().map(|tick| x.place(*tick)).collect();
    let widths: Vec<f64> = texts.iter().map(|text| width::of(text, at.font(), false)).collect();
    let shown = scale::thin(&places, &widths, 6.0);
    for (((tick, place), text), shown) in axis.ticks.iter().zip(&places).zip(&texts).zip(shown) {
        let class = if *tick == 0.0 { "base" } else { "grid" };
        canvas.line(class, (*place, TOP), (*place, bottom));
        if shown {
            canvas.text("tick", (*place, bottom + 16.0), Anchor::Middle, text);
        }
    }
}

/// One bed's row: the mean above, its repeats below it, the value on the side that has room.
fn draw_bed(canvas: &mut Canvas, metric: &Shown, line: &Line, point: &Point, x: &Scale, y: f64, at: Width) {
    let class = line.bed.class();
    let mean = (x.place(point.mean), y - 4.0);
    let (low, high) =
        point.drawn_interval().map_or((mean.0, mean.0), |(low, high)| (x.place(low), x.place(high)));
    if point.drawn_interval().is_some() {
        canvas.line(&format!("whisker {class}"), (low, mean.1), (high, mean.1));
    }
    let dots: Vec<(f64, f64)> = point.repeats.iter().map(|value| (x.place(*value), y + 10.0)).collect();
    canvas.dots(&format!("dots {class}"), &dots);
    canvas.marker(&line.bed, mean, 4.5, None);
    let value = end_value(metric, point);
    let (left, right) = (low.min(mean.0), high.max(mean.0));
    if right + 10.0 + width::of(&value, at.font(), false) <= at.units() {
        canvas.text("endvalue", (right + 9.0, mean.1 + 4.0), Anchor::Start, &value);
    } else {
        canvas.text("endvalue", (left - 9.0, mean.1 + 4.0), Anchor::End, &value);
    }
}
