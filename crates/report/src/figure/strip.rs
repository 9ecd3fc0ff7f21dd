//! One level only: beds side by side, every repeat a dot, the mean a marker and its 95 % interval a whisker.

use super::line::{Line, end_value};
use super::{Caption, Frame, ValueAxis, Width};
use crate::metric::Metric;
use crate::svg::{Anchor, Canvas, bed_class};

/// Draws the strip at one width; `level` names the one level that there is.
pub(crate) fn draw(
    caption: &Caption,
    metric: &Metric,
    axis: &ValueAxis,
    level: &str,
    lines: &[Line],
    at: Width,
) -> String {
    let height = if at == Width::Narrow { 280.0 } else { 290.0 };
    let frame = Frame::new(at, height, axis, 12.0);
    let y = axis.scale(&frame);
    let mut canvas = Canvas::new();
    frame.draw_value_axis(&mut canvas, axis, metric.axis_label);
    let step = (frame.right - frame.left) / lines.len().max(1) as f64;
    for (index, line) in lines.iter().enumerate() {
        let x = frame.left + step * (index as f64 + 0.5);
        let class = bed_class(line.bed.slot);
        let name = line.bed.fit(at.font() + 1.0, step - 8.0);
        canvas.text(&format!("end {class}"), (x, frame.bottom + 18.0), Anchor::Middle, &name);
        let Some(point) = line.points.first() else {
            canvas.text("tick", (x, frame.bottom - 8.0), Anchor::Middle, "no valid cell");
            continue;
        };
        if let Some((low, high)) = point.interval {
            canvas.line(&format!("whisker {class}"), (x, y.place(low)), (x, y.place(high)));
        }
        let dots: Vec<(f64, f64)> = point.repeats.iter().map(|value| (x - 14.0, y.place(*value))).collect();
        canvas.dots(&format!("dots {class}"), &dots);
        canvas.marker(line.bed.slot, (x, y.place(point.mean)), 4.5, None);
        canvas.text(
            "endvalue",
            (x + 10.0, y.place(point.mean) + 4.0),
            Anchor::Start,
            &end_value(metric, point),
        );
    }
    canvas.text("axis", ((frame.left + frame.right) / 2.0, height - 4.0), Anchor::Middle, level);
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), height), &caption.title, &caption.description)
}
