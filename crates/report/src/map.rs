//! Read latency over the load as a figure: the model's own map beside the measured one.

use device::ReadMap;
use words::say;

use crate::export::FigureFile;
use crate::figure::Width;
use crate::number;
use crate::page::style;
use crate::svg::{Anchor, Canvas, Drawing};

/// Shades of a map, from fast to slow.
const SHADES: usize = 10;
/// Height of a panel's plot.
const PLOT: f64 = 320.0;
/// Room above the plot for its name, and below it for ticks and the name of the axis.
const TOP: f64 = 34.0;
const FOOT: f64 = 46.0;
/// Height of the key of shades.
const KEY: f64 = 42.0;
/// Room left of a panel for ticks.
const LEFT: f64 = 62.0;
const GAP: f64 = 22.0;

/// One percentile of a map, ns.
type Values = fn(&ReadMap) -> &[f64];

/// The maps of a drive: its own numbers, in virtual time, and the measured ones where there are some.
#[derive(Clone, Copy, Debug)]
pub struct DriveMaps<'a> {
    /// The drive's name in files.
    pub name: &'a str,
    /// The drive's name for people.
    pub title: &'a str,
    /// The model's map.
    pub model: &'a ReadMap,
    /// The measured map, and where it was measured.
    pub measured: Option<(&'a ReadMap, &'a str)>,
}

/// The figures of a drive's maps: median and 95th percentile.
#[must_use]
pub fn map_figures(maps: &DriveMaps<'_>) -> Vec<FigureFile> {
    let percentiles: [(&str, &str, Values); 2] =
        [("p50", say!("map-median"), |map| &map.p50_ns), ("p95", say!("map-p95"), |map| &map.p95_ns)];
    let css = style::of_drawing();
    let figure = |(id, percentile, of): (&str, &str, Values)| {
        let title = say!("map-title", percentile = percentile, drive = maps.title);
        let reading = say!("map-reading").to_owned();
        let source = match maps.measured {
            Some((_, from)) => say!("map-source-measured", from = from),
            None => say!("map-source-model").to_owned(),
        };
        let drawing = draw(maps, of, &title);
        let svg = drawing.standing_alone(&title, &reading, &source, &css);
        FigureFile { name: format!("{}-map-{id}", maps.name), title, svg }
    };
    percentiles.into_iter().map(figure).collect()
}

/// The scale of shades over all values of a figure, logarithmic.
struct Shades {
    low_ns: f64,
    high_ns: f64,
}

impl Shades {
    fn over<'a>(values: impl Iterator<Item = &'a f64>) -> Shades {
        let known = values.copied().filter(|value| value.is_finite() && *value > 0.0);
        let (low_ns, high_ns) =
            known.fold((f64::INFINITY, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
        Shades { low_ns: low_ns.min(high_ns), high_ns: high_ns.max(low_ns * 1.01) }
    }

    fn of(&self, value_ns: f64) -> usize {
        let share = (value_ns / self.low_ns).ln() / (self.high_ns / self.low_ns).ln();
        ((share * SHADES as f64) as usize).min(SHADES - 1)
    }

    /// The latency at which a shade begins, ms.
    fn begins_ms(&self, shade: usize) -> f64 {
        self.low_ns * (self.high_ns / self.low_ns).powf(shade as f64 / SHADES as f64) / 1e6
    }
}

fn draw(maps: &DriveMaps<'_>, of: Values, title: &str) -> Drawing {
    let at = Width::Full;
    let measured = maps.measured.map(|(map, _)| (say!("map-measured"), map));
    let panels: Vec<(&str, &ReadMap)> =
        measured.into_iter().chain([(say!("map-model"), maps.model)]).collect();
    // Values at which the measurement was cut off say nothing about how slow the model may be.
    let scale = Shades::over(panels.iter().take(1).flat_map(|(_, map)| of(map)));
    let room = (at.units() - GAP) / 2.0;
    let mut canvas = Canvas::new();
    for (index, (name, map)) in panels.iter().enumerate() {
        let left = index as f64 * (room + GAP) + LEFT;
        canvas.text("k-panel", (left, 14.0), Anchor::Start, name);
        panel(&mut canvas, map, of(map), &scale, (left, room - LEFT));
    }
    let bottom = TOP + PLOT + FOOT;
    key(&mut canvas, &scale, (LEFT, bottom), room - LEFT);
    let height = bottom + KEY;
    canvas.finish(&format!("{}-map", maps.name), at.class(), (at.units(), height), title, say!("map-reading"))
}

/// One map: a square for each point, axes with a few ticks.
fn panel(canvas: &mut Canvas, map: &ReadMap, values: &[f64], scale: &Shades, (left, width): (f64, f64)) {
    let (columns, rows) = (map.reads_per_s.len(), map.write_bytes_per_s.len());
    let size = (width / columns as f64, PLOT / rows as f64);
    let y = |row: usize| TOP + PLOT - size.1 * (row + 1) as f64;
    for (index, value_ns) in values.iter().enumerate() {
        let (row, column) = (index / columns, index % columns);
        if value_ns.is_nan() {
            continue;
        }
        let hint = say!(
            "map-hint",
            reads = number::short(map.reads_per_s[column]),
            writes = number::short(map.write_bytes_per_s[row] / 1e6),
            ms = number::short(value_ns / 1e6),
        );
        let corner = (left + size.0 * column as f64, y(row));
        canvas.rect(&class(scale.of(*value_ns)), corner, size, &hint);
    }
    canvas.line("base", (left, TOP + PLOT), (left + width, TOP + PLOT));
    canvas.line("base", (left, TOP), (left, TOP + PLOT));
    for column in ticks(columns) {
        let x = left + size.0 * (column as f64 + 0.5);
        canvas.text(
            "tick",
            (x, TOP + PLOT + 16.0),
            Anchor::Middle,
            &number::short_tick(map.reads_per_s[column]),
        );
    }
    for row in ticks(rows) {
        let text = number::short_tick(map.write_bytes_per_s[row] / 1e6);
        canvas.text("tick", (left - 6.0, y(row) + size.1 / 2.0 + 4.0), Anchor::End, &text);
    }
    canvas.text("axis", (left + width / 2.0, TOP + PLOT + 36.0), Anchor::Middle, say!("map-reads"));
    canvas.text("axis", (left - LEFT, TOP - 6.0), Anchor::Start, say!("map-writes"));
}

/// The classes of a square in a shade.
fn class(shade: usize) -> String {
    ["k-heat", &format!("k-heat{shade}")].join(" ")
}

/// Places of at most six ticks on an axis of so many points.
fn ticks(points: usize) -> impl Iterator<Item = usize> {
    (0..points).step_by(points.div_ceil(6).max(1))
}

/// The shades with the latencies at which they begin.
fn key(canvas: &mut Canvas, scale: &Shades, (left, top): (f64, f64), width: f64) {
    let step = width / SHADES as f64;
    for shade in 0..SHADES {
        let x = left + step * shade as f64;
        let ms = number::short(scale.begins_ms(shade));
        canvas.rect(&class(shade), (x, top), (step, 12.0), &ms);
        if shade % 2 == 0 {
            canvas.text("tick", (x, top + 26.0), Anchor::Start, &ms);
        }
    }
    canvas.text("axis", (left + width + 10.0, top + 11.0), Anchor::Start, say!("map-key"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_maps_are_drawn_on_one_scale_with_a_square_for_each_known_point() {
        let map = |factor: f64| ReadMap {
            reads_per_s: vec![0.0, 1000.0],
            write_bytes_per_s: vec![0.0, 1e8],
            p50_ns: vec![1e5 * factor, 2e5, 4e5, f64::NAN],
            p95_ns: vec![2e5 * factor, 4e5, 8e5, f64::NAN],
        };
        let (model, measured) = (map(1.0), map(1.1));
        let maps = DriveMaps {
            name: "a",
            title: "A <drive>",
            model: &model,
            measured: Some((&measured, "a bench")),
        };
        let figures = map_figures(&maps);
        assert_eq!(figures.len(), 2);
        for figure in &figures {
            // Three known points in each map, ten shades of the key.
            assert_eq!(figure.svg.matches("class=\"k-heat ").count(), 16, "{}", figure.svg);
            assert!(figure.svg.contains("A &lt;drive&gt;") && figure.svg.contains("a bench"));
        }
        let alone = map_figures(&DriveMaps { measured: None, ..maps });
        assert_eq!(alone[0].svg.matches("class=\"k-heat ").count(), 13);
    }
}
