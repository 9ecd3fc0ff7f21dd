//! The panels of a map: measured, model, and the error of the model, each with its key.

use device::ReadMap;
use words::say;

use super::classes::Classes;
use super::judged::{Judged, signed};
use super::{DriveMaps, Percentile};
use crate::figure::Width;
use crate::number;
use crate::svg::{Anchor, Canvas, Drawing, width};

/// Room above a plot for its name and its key, and below it for ticks.
const HEAD: f64 = 56.0;
const TICKS: f64 = 20.0;
/// Room below the last row of panels for the name of the axis.
const FOOT: f64 = 22.0;
/// Room left of the first panel for ticks, and between two panels.
const LEFT: f64 = 46.0;
const GAP: f64 = 26.0;
/// Height of the squares of a key.
const KEY: f64 = 9.0;
/// Widest square of a key.
const KEY_STEP_MOST: f64 = 34.0;
/// Room that a tick takes on the axis below.
const TICK_ROOM: f64 = 44.0;
/// Size of the numbers at a key, and of notes.
const FONT: f64 = 12.0;
/// The limit that is drawn as a line where the classes hold one like it, ns: a read that takes longer is felt
/// in every transaction.
const LINE_NS: f64 = 1e6;
/// The end of a class is like it if it lies within this factor.
const LIKE_IT: f64 = 1.6;

/// One panel: a name, a value for each point, and the classes that colour them.
struct Panel<'a> {
    name: &'static str,
    values: Vec<f64>,
    classes: &'a Classes,
    /// The number of a value, and of an end of a class.
    shown: fn(f64) -> String,
    unit: &'static str,
    /// The limit of the line between fast and slow.
    line: Option<f64>,
}

/// The place of a panel's plot: left, top, width and height.
#[derive(Clone, Copy)]
struct Place {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    /// True if it has the ticks of the vertical axis.
    is_first: bool,
}

/// Draws a percentile of the maps.
pub(super) fn draw(
    maps: &DriveMaps<'_>,
    percentile: Percentile,
    judged: Option<&Judged>,
    (id, title, at): (&str, &str, Width),
) -> Drawing {
    let model = (percentile.of)(maps.model).to_vec();
    let measured = maps.measured.as_ref().map(|measured| (percentile.of)(measured.map).to_vec());
    // Values at which the measurement was cut off say nothing about how slow the model may be.
    let latencies = Classes::of_latencies(measured.as_ref().unwrap_or(&model).iter());
    let errors = Classes::of_errors();
    let line = line_of(&latencies);
    let latency = |name, values| Panel {
        name,
        values,
        classes: &latencies,
        shown: milliseconds,
        unit: say!("map-key"),
        line,
    };
    let mut panels: Vec<Panel<'_>> =
        measured.into_iter().map(|values| latency(say!("map-measured"), values)).collect();
    panels.push(latency(say!("map-model"), model));
    panels.extend(judged.map(|judged| Panel {
        name: say!("map-error"),
        values: (0..maps.model.p50_ns.len()).map(|index| judged.at(index).unwrap_or(f64::NAN)).collect(),
        classes: &errors,
        shown: signed,
        unit: "%",
        line: None,
    }));
    let mut canvas = Canvas::new();
    let height = arrange(&mut canvas, maps.model, &panels, at);
    canvas.finish(id, at.class(), (at.units(), height), title, say!("map-reading"))
}

/// The end of a class that is nearest to the limit, where one is near.
fn line_of(classes: &Classes) -> Option<f64> {
    let off = |end: &f64| (end / LINE_NS).ln().abs();
    let nearest = classes.ends.iter().copied().min_by(|a, b| off(a).total_cmp(&off(b)))?;
    (off(&nearest) <= LIKE_IT.ln()).then_some(nearest)
}

/// A latency in ns as the ends of classes are written, in ms with two digits.
fn milliseconds(value_ns: f64) -> String {
    trimmed(number::two_digits(value_ns / 1e6))
}

/// A rate at an axis with two digits: `62k`, `1.4k`, `340`.
fn tick(value: f64) -> String {
    match number::two_digits(value) {
        rounded if rounded >= 1e6 => format!("{}M", trimmed(rounded / 1e6)),
        rounded if rounded >= 1e3 => format!("{}k", trimmed(rounded / 1e3)),
        rounded => trimmed(rounded),
    }
}

/// A number of few digits without zeros at its end.
fn trimmed(value: f64) -> String {
    let text = number::plain(value);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Panels beside each other, one below the other on a phone; the height of the drawing.
fn arrange(canvas: &mut Canvas, map: &ReadMap, panels: &[Panel<'_>], at: Width) -> f64 {
    let is_stacked = at == Width::Narrow;
    let beside = if is_stacked { 1 } else { panels.len() };
    let room = (at.units() - LEFT - GAP * (beside as f64 - 1.0)) / beside as f64;
    let height = if at == Width::Middle { 200.0 } else { 240.0 };
    let step = HEAD + height + TICKS + FOOT;
    canvas.text("axis", (0.0, 12.0), Anchor::Start, say!("map-writes"));
    for (index, panel) in panels.iter().enumerate() {
        let (column, row) = if is_stacked { (0, index) } else { (index, 0) };
        let place = Place {
            left: LEFT + column as f64 * (room + GAP),
            top: HEAD + row as f64 * step + 14.0,
            width: room,
            height,
            is_first: column == 0,
        };
        panel.draw(canvas, map, place);
    }
    step * if is_stacked { panels.len() as f64 } else { 1.0 } + 14.0
}

impl Panel<'_> {
    fn draw(&self, canvas: &mut Canvas, map: &ReadMap, place: Place) {
        let (columns, rows) = (map.reads_per_s.len(), map.write_bytes_per_s.len());
        let size = (place.width / columns as f64, place.height / rows as f64);
        let corner = |index: usize| {
            let (row, column) = (index / columns, index % columns);
            (place.left + size.0 * column as f64, place.top + place.height - size.1 * (row + 1) as f64)
        };
        canvas.text("k-panel", (place.left, place.top - 42.0), Anchor::Start, self.name);
        self.key(canvas, place);
        for (index, value) in self.values.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
            let hint = say!(
                "map-hint",
                reads = number::short(map.reads_per_s[index % columns]),
                writes = number::short(map.write_bytes_per_s[index / columns] / 1e6),
                value = format!("{} {}", (self.shown)(*value), self.unit),
            );
            canvas.rect(&self.classes.style(self.classes.of(*value)), corner(index), size, &hint);
        }
        self.draw_line(canvas, place, (columns, size), corner);
        let bottom = place.top + place.height;
        canvas.line("base", (place.left, bottom), (place.left + place.width, bottom));
        canvas.line("base", (place.left, place.top), (place.left, bottom));
        self.note_unreached(canvas, columns, place);
        for column in ticks(columns, (place.width / TICK_ROOM) as usize) {
            let x = place.left + size.0 * (column as f64 + 0.5);
            let text = tick(map.reads_per_s[column]);
            let end = place.left + place.width;
            let is_inside = x + width::of(&text, FONT, false) / 2.0 <= end;
            let (x, anchor) = if is_inside { (x, Anchor::Middle) } else { (end, Anchor::End) };
            canvas.text("tick", (x, bottom + 16.0), anchor, &text);
        }
        if place.is_first {
            for row in ticks(rows, 6) {
                let text = tick(map.write_bytes_per_s[row] / 1e6);
                let y = corner(row * columns).1 + size.1 / 2.0 + 4.0;
                canvas.text("tick", (place.left - 6.0, y), Anchor::End, &text);
            }
        }
        let middle = place.left + place.width / 2.0;
        canvas.text("axis", (middle, bottom + TICKS + 14.0), Anchor::Middle, say!("map-reads"));
    }

    /// The classes with the values between them.
    fn key(&self, canvas: &mut Canvas, place: Place) {
        let step = KEY_STEP_MOST.min(place.width * 0.9 / self.classes.count() as f64);
        let top = place.top - 34.0;
        for class in 0..self.classes.count() {
            let at = (place.left + step * class as f64, top);
            canvas.rect(&self.classes.style(class), at, (step, KEY), "");
        }
        let mut free_from = f64::NEG_INFINITY;
        for (index, end) in self.classes.ends.iter().enumerate() {
            let (x, text) = (place.left + step * (index + 1) as f64, (self.shown)(*end));
            let half = width::of(&text, FONT, false) / 2.0;
            // Every second one where there is no room for all.
            if x - half >= free_from {
                canvas.text("tick", (x, top + KEY + 13.0), Anchor::Middle, &text);
                free_from = x + half + 1.0;
            }
        }
        let end = place.left + step * self.classes.count() as f64 + 5.0;
        canvas.text("tick", (end, top + KEY), Anchor::Start, self.unit);
    }

    /// The line between the points below the limit and those above it, with its name.
    fn draw_line(
        &self,
        canvas: &mut Canvas,
        place: Place,
        (columns, size): (usize, (f64, f64)),
        corner: impl Fn(usize) -> (f64, f64),
    ) {
        let Some(limit) = self.line else { return };
        let is_slow = |index: usize| self.values.get(index).map(|value| *value >= limit);
        let differs = |a: usize, b: usize| {
            let known = !self.values[a].is_nan() && self.values.get(b).is_some_and(|value| !value.is_nan());
            known && is_slow(a) != is_slow(b)
        };
        let mut highest: Option<(f64, f64)> = None;
        for index in 0..self.values.len() {
            let (x, y) = corner(index);
            if !(index + 1).is_multiple_of(columns) && differs(index, index + 1) {
                canvas.line("one", (x + size.0, y), (x + size.0, y + size.1));
                highest = highest.filter(|at| at.1 <= y).or(Some((x + size.0, y)));
            }
            if differs(index, index + columns) {
                canvas.line("one", (x, y), (x + size.0, y));
                highest = highest.filter(|at| at.1 <= y).or(Some((x, y)));
            }
        }
        if let Some((x, y)) = highest {
            let name = format!("{} {}", (self.shown)(limit), self.unit);
            // Above the line, or within the plot where it begins at the upper edge.
            let y = if y - place.top < 18.0 { y + 16.0 } else { y - 4.0 };
            let is_left = x - place.left < place.width / 2.0;
            let (x, anchor) = if is_left { (x + 4.0, Anchor::Start) } else { (x - 4.0, Anchor::End) };
            canvas.text("k-panel", (x, y), anchor, &name);
        }
    }

    /// Says that the drive does not do the loads at the upper right, where they are blank.
    fn note_unreached(&self, canvas: &mut Canvas, columns: usize, place: Place) {
        let note = say!("map-unreached");
        let needed = width::of(note, FONT, false);
        let rows = self.values.len() / columns;
        let blank = |index: usize| self.values[index].is_nan();
        let from = columns - ((needed / place.width * columns as f64).ceil() as usize + 1).min(columns);
        let top = rows - (rows / 6 + 1).min(rows);
        let is_free = needed < place.width * 0.8
            && (top..rows).all(|row| (from..columns).all(|column| blank(row * columns + column)));
        if is_free {
            canvas.text("tick", (place.left + place.width - 4.0, place.top + 14.0), Anchor::End, note);
        }
    }
}

/// Places of at most so many ticks on an axis of so many points.
fn ticks(points: usize, most: usize) -> impl Iterator<Item = usize> {
    (0..points).step_by(points.div_ceil(most.max(1)).max(1))
}
