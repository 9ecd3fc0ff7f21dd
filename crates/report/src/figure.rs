//! Figures: what a reader sees, how to read it, and the table behind it.
//!
//! Invariant: a figure is drawn from the same numbers as its table, once for each width at which it may be
//! shown; text in a drawing is never scaled below what a phone can show, because a narrow screen gets its own
//! drawing.

pub(crate) mod bars;
pub(crate) mod course;
pub(crate) mod curve;
pub(crate) mod forest;
pub(crate) mod knee;
pub(crate) mod levels;
pub(crate) mod line;
pub(crate) mod parts;
pub(crate) mod percentiles;
pub(crate) mod phases;
pub(crate) mod plan;
pub(crate) mod rounds;
pub(crate) mod seconds;
pub(crate) mod sheet;
pub(crate) mod spark;
pub(crate) mod strip;
pub(crate) mod ways;

/// A latency axis becomes logarithmic when its largest value is this many times its smallest.
const LOG_AXIS_FROM: f64 = 12.0;
use crate::number::Digits;
use crate::svg::label;
use crate::svg::scale::{self, Scale, Spread};
use crate::svg::{Anchor, BedMark, Canvas, Drawing, width};
use crate::table::Table;
use words::{Axis, say};

/// A finished figure.
#[derive(Debug)]
pub(crate) struct Figure {
    /// Unique within the page.
    pub(crate) id: String,
    /// Its title.
    pub(crate) title: String,
    /// One line: how to read it.
    pub(crate) reading: String,
    /// The drawings, one per width.
    pub(crate) drawings: Vec<Drawing>,
    /// The numbers behind it.
    pub(crate) table: Table,
    /// True if it takes a whole row.
    pub(crate) wide: bool,
}

/// The words of a figure, whatever its form.
#[derive(Clone, Debug)]
pub(crate) struct Caption {
    /// Unique within the page.
    pub(crate) id: String,
    /// Its title.
    pub(crate) title: String,
    /// The instruction for reading it.
    pub(crate) reading: String,
    /// The picture in words, from the data, for those who cannot see it.
    pub(crate) description: String,
}

/// The widths at which figures are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// The whole row of a wide screen.
    Full,
    /// Beside the tiles of a wide screen, or the whole row of a smaller one.
    Lead,
    /// The whole row of a tablet or of paper.
    Middle,
    /// Half a row.
    Half,
    /// A phone.
    Narrow,
}

impl Width {
    /// Widths of a figure that shares a row.
    pub(crate) const SHARED: [Width; 2] = [Width::Half, Width::Narrow];
    /// Widths of a figure beside the tiles.
    pub(crate) const LEAD: [Width; 2] = [Width::Lead, Width::Narrow];
    /// Widths of a figure that takes a whole row.
    pub(crate) const ROW: [Width; 3] = [Width::Full, Width::Middle, Width::Narrow];

    /// The width for a place of this many CSS pixels: the drawing is stretched to it.
    pub(crate) fn for_place(width_px: u32) -> Width {
        match width_px {
            ..=500 => Width::Narrow,
            501..=700 => Width::Middle,
            701..=915 => Width::Lead,
            _ => Width::Full,
        }
    }

    /// The class by which the style sheet shows exactly one of the drawings.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Width::Full => "at-full",
            Width::Lead => "at-lead",
            Width::Middle => "at-middle",
            Width::Half => "at-half",
            Width::Narrow => "at-narrow",
        }
    }

    /// Width of the drawing in its own units, about one CSS pixel each.
    pub(crate) fn units(self) -> f64 {
        match self {
            Width::Full => 1088.0,
            Width::Lead => 744.0,
            Width::Middle => 660.0,
            Width::Half => 528.0,
            Width::Narrow => 350.0,
        }
    }

    /// Size of tick labels.
    pub(crate) fn font(self) -> f64 {
        match self {
            Width::Full | Width::Lead | Width::Middle => 12.0,
            Width::Half => 11.5,
            Width::Narrow => 12.0,
        }
    }
}

/// The place of the plot within a drawing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) at: Width,
    pub(crate) height: f64,
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
    /// The end of the room for labels beyond `right`.
    pub(crate) edge: f64,
}

/// A value axis: its ticks, their texts and the scale.
#[derive(Clone, Debug)]
pub(crate) struct ValueAxis {
    /// The scale of the values.
    pub(crate) spread: Spread,
    /// Grid lines; the first and last are the ends.
    pub(crate) ticks: Vec<f64>,
}

impl ValueAxis {
    /// An axis that encloses `values`, laid out as the metric wants it.
    pub(crate) fn enclosing(values: &[f64], axis: Axis) -> ValueAxis {
        let finite = values.iter().copied().filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        match axis {
            Axis::Percent => ValueAxis { spread: Spread::Linear, ticks: vec![0.0, 25.0, 50.0, 75.0, 100.0] },
            Axis::LogWhenWide if low > 0.0 && high / low > LOG_AXIS_FROM => {
                ValueAxis { spread: Spread::Log, ticks: scale::log_ticks(low, high, 10) }
            }
            _ => ValueAxis { spread: Spread::Linear, ticks: scale::linear_ticks(low, high, 4) },
        }
    }

    /// The scale over a frame's height.
    pub(crate) fn scale(&self, frame: &Frame) -> Scale {
        let ends = (self.ticks[0], self.ticks[self.ticks.len() - 1]);
        Scale::new(self.spread, ends, (frame.bottom, frame.top))
    }

    /// Tick texts, all with the same decimals on a linear axis.
    pub(crate) fn texts(&self) -> Vec<String> {
        let step = self.ticks.get(1).map_or(1.0, |second| second - self.ticks[0]);
        let shared = decimals_of(step);
        self.ticks
            .iter()
            .map(|&tick| match self.spread {
                Spread::Linear => Digits::decimals(shared).show(tick),
                Spread::Log => Digits::decimals(decimals_of(tick)).show(tick),
            })
            .collect()
    }

    /// Room that the widest tick text needs.
    pub(crate) fn room(&self, font: f64) -> f64 {
        self.texts().iter().map(|text| width::of(text, font, false)).fold(0.0, f64::max) + 10.0
    }

    /// The heading above the axis: its unit, and "logarithmic" if it is.
    pub(crate) fn heading(&self, label: &str) -> String {
        match self.spread {
            Spread::Linear => label.to_owned(),
            Spread::Log => say!("axis-log", axis = label),
        }
    }
}

/// Decimals that a round step needs: 0 for 2,500, 1 for 2.5, 2 for 0.25.
pub(crate) fn decimals_of(step: f64) -> u32 {
    (0..9)
        .find(|&decimals| {
            let scaled = step * 10f64.powi(decimals);
            (scaled - scaled.round()).abs() < 1e-6 * scaled.abs().max(1.0)
        })
        .map_or(9, i32::unsigned_abs)
}

/// The end of a line, to be labelled.
#[derive(Clone, Debug)]
pub(crate) struct LineEnd {
    pub(crate) bed: BedMark,
    pub(crate) at: (f64, f64),
    pub(crate) value: String,
}

/// Room to the right of the plot for the labels of line ends: beds and the values beside them.
pub(crate) fn label_room(at: Width, ends: &[(BedMark, String)]) -> f64 {
    let font = at.font() + 1.0;
    let most = if at == Width::Narrow { 84.0 } else { 140.0 };
    let widest = ends
        .iter()
        .map(|(bed, value)| {
            width::of(&bed.fit(font, most), font, true).max(width::of(value, font - 1.0, false))
        })
        .fold(0.0, f64::max);
    widest.min(most) + 14.0
}

impl Frame {
    /// A frame with room for the value axis on the left and `right` units of labels on the right.
    pub(crate) fn new(at: Width, height: f64, axis: &ValueAxis, right: f64) -> Frame {
        let left = axis.room(at.font());
        let (right, edge) = (at.units() - right, at.units());
        Frame { at, height, left, right, top: 30.0, bottom: height - 42.0, edge }
    }

    /// Grid lines, tick texts and the heading of the value axis.
    pub(crate) fn draw_value_axis(&self, canvas: &mut Canvas, axis: &ValueAxis, label: &str) {
        self.draw_grid(canvas, axis);
        canvas.text("axis", (0.0, 11.0), Anchor::Start, &axis.heading(label));
    }

    /// Grid lines and tick texts alone: for panels that share one heading.
    pub(crate) fn draw_grid(&self, canvas: &mut Canvas, axis: &ValueAxis) {
        let scale = axis.scale(self);
        for (tick, text) in axis.ticks.iter().zip(axis.texts()) {
            let y = scale.place(*tick);
            let class = if *tick == 0.0 { "base" } else { "grid" };
            canvas.line(class, (self.left, y), (self.right, y));
            canvas.text("tick", (self.left - 8.0, y + 4.0), Anchor::End, &text);
        }
    }

    /// Tick texts under the plot, thinned so that none touches another, and the name of the axis.
    pub(crate) fn draw_bottom_axis(&self, canvas: &mut Canvas, ticks: &[(f64, String)], name: &str) {
        let places: Vec<f64> = ticks.iter().map(|(x, _)| *x).collect();
        let widths: Vec<f64> = ticks.iter().map(|(_, text)| width::of(text, self.at.font(), false)).collect();
        let shown = scale::thin(&places, &widths, 6.0);
        for (((x, text), wide), shown) in ticks.iter().zip(widths).zip(shown) {
            canvas.line("tickmark", (*x, self.bottom), (*x, self.bottom + 4.0));
            if shown {
                // A text at the edge stays within the drawing.
                let middle = x.min(self.at.units() - wide / 2.0);
                canvas.text("tick", (middle, self.bottom + 18.0), Anchor::Middle, text);
            }
        }
        // A name wider than the plot stays within the drawing.
        let name = width::fit(name, self.at.font(), false, self.at.units());
        let half = width::of(&name, self.at.font(), false) / 2.0;
        let middle = f64::midpoint(self.left, self.right).min(self.at.units() - half).max(half);
        canvas.text("axis", (middle, self.height - 6.0), Anchor::Middle, &name);
    }

    /// Labels at the ends of lines, moved apart; a thin leader joins a label that had to move.
    pub(crate) fn draw_line_ends(&self, canvas: &mut Canvas, ends: &[LineEnd]) {
        let font = self.at.font() + 1.0;
        let (top, bottom) = (self.top - 14.0, self.bottom + 8.0);
        let values = ends.iter().any(|end| !end.value.is_empty());
        let two_lines = values && ends.len() as f64 * 31.0 <= bottom - top;
        let height = if two_lines { 31.0 } else { 15.0 };
        let wanted: Vec<f64> = ends.iter().map(|end| end.at.1).collect();
        let x = self.right + 12.0;
        let room = self.edge - x;
        for (end, y) in ends.iter().zip(label::spread(&wanted, height, top, bottom)) {
            let moved = (y - end.at.1).abs() > 7.0;
            if moved || self.right - end.at.0 > 8.0 {
                canvas.line("leader", (end.at.0 + 5.0, end.at.1), (x - 3.0, y));
            }
            let name = end.bed.fit(font, room);
            let baseline = if two_lines { y - 1.0 } else { y + 4.0 };
            canvas.text(&format!("end {}", end.bed.class()), (x, baseline), Anchor::Start, &name);
            if two_lines {
                canvas.text("endvalue", (x, y + 12.5), Anchor::Start, &end.value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_texts_share_their_decimals_when_linear() {
        let axis = ValueAxis::enclosing(&[0.1, 0.9], Axis::FromZero);
        assert_eq!(axis.texts(), ["0.00", "0.25", "0.50", "0.75", "1.00"]);
        let log = ValueAxis::enclosing(&[0.4, 90.0], Axis::LogWhenWide);
        assert_eq!(log.texts(), ["0.2", "0.5", "1", "2", "5", "10", "20", "50", "100"]);
    }

    #[test]
    fn zero_or_missing_values_never_make_a_log_axis() {
        assert_eq!(ValueAxis::enclosing(&[0.0, 90.0], Axis::LogWhenWide).spread, Spread::Linear);
        assert_eq!(ValueAxis::enclosing(&[], Axis::LogWhenWide).spread, Spread::Linear);
        assert_eq!(ValueAxis::enclosing(&[f64::NAN], Axis::FromZero).ticks[0], 0.0);
    }
}
