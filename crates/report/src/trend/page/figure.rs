//! One metric at a place over runs: a dot and a whisker for each run, mean and band of each stretch without a
//! change, the changes with their sizes and what changed there, a zigzag where the machine became another,
//! and a letter where something else around the runs changed.

mod axis;
mod notes;

use super::Links;
use crate::figure::{Frame, ValueAxis, Width};
use crate::naming;
use crate::svg::scale::Scale;
use crate::svg::{Anchor, BedMark, Canvas, Drawing, width};
use crate::trend::{Line, Trend};
use axis::{Across, value_axis};
use words::say;

/// Height of a plot.
const PLOT: f64 = 220.0;
/// Room above the plot for the heading of its axis, for the two rows of notes of changes, and for letters.
const HEAD: f64 = 28.0;
const NOTES: f64 = 36.0;
const LETTERS: f64 = 16.0;
/// Rows below the plot: numbers of runs, their days or times, then the one day and the breaks.
const ROW: f64 = 16.0;
const FOOT: f64 = 20.0;
/// Size of the label at the last dot.
const END_FONT: f64 = 13.0;

/// The letter of a change around the runs, by its place among all.
pub(super) fn letter(index: usize) -> String {
    let letter = char::from(b'a' + u8::try_from(index % 26).unwrap_or(0));
    if index < 26 { letter.to_string() } else { format!("{letter}{}", index / 26) }
}

/// A metric at one width, ready to be drawn.
struct Plot<'a> {
    trend: &'a Trend,
    line: &'a Line,
    frame: Frame,
    x: Across,
    y: Scale,
    links: Links,
}

/// Draws a metric at one width.
pub(super) fn draw(
    trend: &Trend,
    index: usize,
    line: &Line,
    (title, at): (&str, Width),
    links: Links,
) -> Drawing {
    let axis = value_axis(line);
    let has_letters = trend.turns.iter().any(|turn| !turn.is_break());
    let has_breaks = trend.turns.iter().any(super::super::turn::Turn::is_break);
    let room = |is_needed: bool, room: f64| if is_needed { room } else { 0.0 };
    let top = HEAD + room(!line.shifts.is_empty(), NOTES) + room(has_letters, LETTERS);
    let rows = 2.0 + room(axis::one_day(trend).is_some(), 1.0) + room(has_breaks, 1.0);
    let height = top + PLOT + FOOT + ROW * (rows - 1.0) + 6.0;
    let frame = Frame {
        at,
        height,
        left: axis.room(at.font()).max(width::of(say!("trend-axis-runs"), at.font(), false) + 10.0),
        right: at.units() - end_room(trend, line),
        top,
        bottom: top + PLOT,
        edge: at.units(),
    };
    let plot = Plot { trend, line, x: Across::new(trend, &frame), y: axis.scale(&frame), frame, links };
    let mut canvas = Canvas::new();
    frame.draw_grid(&mut canvas, &axis);
    canvas.text("axis", (0.0, 11.0), Anchor::Start, &heading(line, &axis));
    plot.draw_breaks(&mut canvas);
    plot.draw_stretches(&mut canvas);
    plot.draw_letters(&mut canvas);
    plot.draw_changes(&mut canvas);
    plot.draw_values(&mut canvas);
    plot.draw_end(&mut canvas);
    plot.draw_runs(&mut canvas);
    let id = format!("trend-{index}-{}", at.class());
    let described: Vec<String> = line.shifts.iter().map(|shift| trend.changed(line, shift)).collect();
    let described = if described.is_empty() { trend.steady(line) } else { words::parts(described) };
    canvas.finish(&id, at.class(), (at.units(), height), title, &described)
}

/// The unit, and where the axis begins if not at zero.
fn heading(line: &Line, axis: &ValueAxis) -> String {
    let label = line.metric.shown().map_or_else(|| line.unit.clone(), |shown| shown.axis_label.to_owned());
    let start = axis.texts().first().cloned().unwrap_or_default();
    match axis.ticks[0] > 0.0 {
        true => say!("trend-axis-from", axis = label, start),
        false => label,
    }
}

/// The two lines of the label at the last dot: its value and its run.
fn end_texts(trend: &Trend, line: &Line) -> Option<[String; 2]> {
    let (run, value) = line.values.last()?;
    let shown = crate::number::Digits::alone(*value).show(*value);
    Some([shown, say!("name-run", number = trend.runs[*run].0.to_string())])
}

fn end_room(trend: &Trend, line: &Line) -> f64 {
    let texts = end_texts(trend, line).into_iter().flatten();
    texts.map(|text| width::of(&text, END_FONT, true)).fold(0.0, f64::max) + 12.0
}

impl Plot<'_> {
    /// The mean of each stretch, and its interval as a band.
    fn draw_stretches(&self, canvas: &mut Canvas) {
        let mark = BedMark::default();
        for stretch in &self.line.stretches {
            let run = |at: usize| self.x.run(self.line.values[at].0);
            let overhang = (0.3 * self.x.step()).min(14.0);
            let (from, to) = (run(stretch.of.start) - overhang, run(stretch.of.end - 1) + overhang);
            if let Some((low, high)) = stretch.band {
                let (low, high) = (self.y.place(low), self.y.place(high));
                let corners = [(from, low), (to, low), (to, high), (from, high)];
                canvas.polygon(&format!("band {}", mark.class()), &corners);
            }
            let y = self.y.place(stretch.mean);
            canvas.polyline(&format!("k-mean {}", mark.class()), &[(from, y), (to, y)]);
        }
    }

    fn draw_values(&self, canvas: &mut Canvas) {
        let mark = BedMark::default();
        let radius = if self.x.step() < 9.0 { 2.8 } else { 4.2 };
        for ((run, value), interval) in self.line.values.iter().zip(&self.line.intervals) {
            let at = self.x.run(*run);
            if let Some((low, high)) = interval {
                let class = format!("whisker {}", mark.class());
                canvas.line(&class, (at, self.y.place(*low)), (at, self.y.place(*high)));
            }
            let (number, started) = &self.trend.runs[*run];
            let hint = say!(
                "trend-point",
                run = number.to_string(),
                started = naming::minute(started),
                value = self.line.shown(*value)
            );
            canvas.linked(self.links.of(number.0).as_deref(), |canvas| {
                canvas.marker(&mark, (at, self.y.place(*value)), radius, Some(&hint));
            });
        }
    }

    /// The value of the last dot beside it.
    fn draw_end(&self, canvas: &mut Canvas) {
        let (Some((run, value)), Some([shown, number])) =
            (self.line.values.last(), end_texts(self.trend, self.line))
        else {
            return;
        };
        let (x, y) = (self.x.run(*run).max(self.frame.right - 8.0) + 10.0, self.y.place(*value));
        let y = y.clamp(self.frame.top + 8.0, self.frame.bottom - 8.0);
        canvas.text(&format!("end {}", BedMark::default().class()), (x, y + 1.0), Anchor::Start, &shown);
        canvas.text("axis", (x, y + 15.0), Anchor::Start, &number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_do_not_run_out() {
        assert_eq!((letter(0), letter(27)), ("a".to_owned(), "b1".to_owned()));
    }
}
