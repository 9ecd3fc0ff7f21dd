//! The course of the last values without axes, small enough for the row of a table.

use crate::number;
use crate::svg::Canvas;

/// Size of the drawing, and the values that it has room for.
const SIZE: (f64, f64) = (120.0, 22.0);
const VALUES: usize = 60;

/// The last values, the latest at the right edge, from zero; `name` is its accessible name.
pub fn spark(values: &[f64], name: &str) -> String {
    let drawn = &values[values.len().saturating_sub(VALUES)..];
    let high = drawn.iter().copied().fold(1e-9, f64::max);
    let step = SIZE.0 / VALUES as f64;
    let left = SIZE.0 - drawn.len() as f64 * step;
    let point = |(index, value): (usize, &f64)| {
        (left + index as f64 * step, SIZE.1 - 2.0 - value / high * (SIZE.1 - 4.0))
    };
    let mut canvas = Canvas::new();
    canvas.polyline("trace c0", &drawn.iter().enumerate().map(point).collect::<Vec<_>>());
    let told = drawn.last().map(|value| number::plain(*value)).unwrap_or_default();
    canvas.finish("spark", "spark", SIZE, name, &told).markup("")
}
