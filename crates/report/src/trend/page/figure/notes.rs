//! The marks between runs: zigzags of breaks, letters of other changes around the runs, and the changes of
//! the metric with their sizes and what changed there.

use super::{HEAD, Plot, ROW};
use crate::svg::{Anchor, Canvas, width};
use crate::trend::page::Standing;
use crate::trend::shift::Shift;
use crate::trend::turn::Turn;
use crate::trend::turned;
use measure::Verdict;
use words::say;

/// Changes, and breaks, that have a note, at most.
const NOTES_MOST: usize = 3;
/// Letters nearer to each other than this would touch.
const LETTER: f64 = 12.0;
/// Sizes of the two rows of a note.
const SIZE_FONT: f64 = 13.0;
/// Room between two notes.
const GAP: f64 = 14.0;
/// Half of the distance of the two lines of a break, half of the width of a tooth, and its height.
const ZIGZAG: f64 = 3.5;
const TOOTH: f64 = 2.0;
const TOOTH_HEIGHT: f64 = 6.0;

impl Plot<'_> {
    /// The places of the changes around the runs with their numbers among all.
    fn turns(&self) -> impl Iterator<Item = (usize, f64, &Turn)> {
        self.trend.turns.iter().enumerate().filter_map(|(index, turn)| {
            let run = self.trend.runs.iter().position(|known| known.0 == turn.run)?;
            Some((index, self.x.before(run), turn))
        })
    }

    /// Breaks: a gap between two zigzags, and what changed there below the plot.
    pub(super) fn draw_breaks(&self, canvas: &mut Canvas) {
        let (top, bottom) = (self.frame.top - 4.0, self.frame.bottom + 5.0);
        for (_, at, turn) in self.turns().filter(|(_, _, turn)| turn.is_break()) {
            let (left, right) = (zigzag(at - ZIGZAG, top, bottom), zigzag(at + ZIGZAG, top, bottom));
            let gap: Vec<(f64, f64)> = left.iter().copied().chain(right.iter().rev().copied()).collect();
            canvas.polygon("k-gap", &gap);
            canvas.polyline("k-zigzag", &left);
            canvas.polyline("k-zigzag", &right);
            let hint = turned(turn, turn.whole());
            canvas.rect("measured", (at - 7.0, top), (14.0, bottom - top), &hint);
        }
        self.draw_break_notes(canvas);
    }

    fn draw_break_notes(&self, canvas: &mut Canvas) {
        let rows = if super::axis::one_day(self.trend).is_some() { 3.0 } else { 2.0 };
        let y = self.frame.bottom + 18.0 + ROW * rows;
        let breaks: Vec<(f64, &Turn)> =
            self.turns().filter(|(_, _, turn)| turn.is_break()).map(|(_, at, turn)| (at, turn)).collect();
        let mut free = 0.0;
        for (index, (at, turn)) in breaks.iter().take(NOTES_MOST).enumerate() {
            // Half of the way to the next break is the room of this one.
            let next = breaks.get(index + 1).map_or(self.frame.edge, |(next, _)| f64::midpoint(*at, *next));
            let texts = turn.candidates().into_iter().map(|facts| say!("trend-break-note", facts));
            let font = self.frame.at.font();
            let room = next - free;
            let Some(text) = texts.into_iter().find(|text| width::of(text, font, true) <= room) else {
                continue;
            };
            let wide = width::of(&text, font, true);
            let middle = at.min(next - wide / 2.0).max(free + wide / 2.0);
            canvas.text("k-break-note", (middle, y), Anchor::Middle, &text);
            free = middle + wide / 2.0 + GAP;
        }
    }

    /// A dotted line and a letter for each other change around the runs.
    pub(super) fn draw_letters(&self, canvas: &mut Canvas) {
        let frame = &self.frame;
        let mut free = f64::NEG_INFINITY;
        for (index, at, turn) in self.turns().filter(|(_, _, turn)| !turn.is_break()) {
            canvas.line("k-break", (at, frame.top - 2.0), (at, frame.bottom));
            let hint = turned(turn, turn.whole());
            canvas.rect(
                "measured",
                (at - 4.0, frame.top - 2.0),
                (8.0, frame.bottom - frame.top + 2.0),
                &hint,
            );
            if at - free >= LETTER {
                // A change has its line here and its size to the right.
                canvas.text("k-break-note", (at - 4.0, frame.top - 6.0), Anchor::End, &super::letter(index));
                free = at;
            }
        }
    }

    /// The changes: a line between two runs; the first few with their size and what changed there. One at a
    /// break has the zigzag for its line.
    pub(super) fn draw_changes(&self, canvas: &mut Canvas) {
        let mut free = 0.0;
        for (index, shift) in self.line.shifts.iter().enumerate() {
            let at = self.place_of(shift);
            let standing = self.trend.standing(self.line, shift);
            let (class, mark) = look(standing);
            let bottom = match standing {
                Some(Standing::AcrossBreak) => self.frame.top - 6.0,
                _ => self.frame.bottom,
            };
            canvas.line(&format!("k-change {class}"), (at, HEAD - 8.0), (at, bottom));
            if index < NOTES_MOST {
                let next = self.line.shifts.get(index + 1).filter(|_| index + 1 < NOTES_MOST);
                let end = next.map_or(self.frame.edge, |next| self.place_of(next) - GAP);
                free = self.draw_note(canvas, shift, (class, mark), (free, end));
            }
        }
    }

    fn place_of(&self, shift: &Shift) -> f64 {
        self.x.before(self.line.values[shift.at].0)
    }

    /// The note of a change in two rows: its size, and what changed there; where the interval does not fit
    /// beside the size, it takes the second row. Gives the end of the room that it takes.
    fn draw_note(
        &self,
        canvas: &mut Canvas,
        shift: &Shift,
        (class, mark): (&str, &str),
        (free, end): (f64, f64),
    ) -> f64 {
        let at = self.place_of(shift);
        let font = self.frame.at.font();
        let (size, interval) = self.line.parts(shift);
        let whole = format!("{mark}{}", self.line.signed(shift));
        // To the right of the line, or to the left of it where there is more room.
        let (right, left) = (end - at - 6.0, at - 6.0 - free);
        let wide = width::of(&whole, SIZE_FONT, true);
        let is_left = wide > right && left > right;
        let (room, x, anchor) =
            if is_left { (left, at - 6.0, Anchor::End) } else { (right, at + 6.0, Anchor::Start) };
        let (size, below) = match wide <= room {
            true => (whole, self.below(shift)),
            false => (format!("{mark}{size}"), vec![interval]),
        };
        let below = below.into_iter().find(|text| width::of(text, font, false) <= room).unwrap_or_default();
        let wide = width::of(&size, SIZE_FONT, true).max(width::of(&below, font, false));
        let y = HEAD + 4.0;
        canvas.text(class, (x, y), anchor, &size);
        canvas.text("axis", (x, y + 16.0), anchor, &below);
        if is_left { at + 6.0 } else { at + 6.0 + wide + GAP }
    }

    /// The texts below the size of a change, the longest first. What changed at a break stands below the
    /// plot.
    fn below(&self, shift: &Shift) -> Vec<String> {
        match self.trend.turn_before(self.line.values[shift.at].0) {
            Some((_, turn)) if turn.is_break() => vec![say!("trend-not-compared").to_owned()],
            Some((_, turn)) => turn.candidates(),
            None => Vec::new(),
        }
    }
}

/// The class of a change and the sign before its size.
fn look(standing: Option<Standing>) -> (&'static str, &'static str) {
    match standing {
        Some(Standing::Judged(Verdict::Worse)) => ("k-worse", "\u{25bc} "),
        Some(Standing::Judged(Verdict::Better)) => ("k-better", "\u{25b2} "),
        _ => ("k-strong", ""),
    }
}

/// A line of teeth from top to bottom.
fn zigzag(at: f64, top: f64, bottom: f64) -> Vec<(f64, f64)> {
    let teeth = ((bottom - top) / TOOTH_HEIGHT).floor() as usize;
    let point = |tooth: usize| {
        let side = if tooth.is_multiple_of(2) { -TOOTH } else { TOOTH };
        (at + side, top + tooth as f64 * TOOTH_HEIGHT)
    };
    (0..=teeth).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zigzag_stays_between_its_ends() {
        let points = zigzag(10.0, 0.0, 25.0);
        assert_eq!(points, [(8.0, 0.0), (12.0, 6.0), (8.0, 12.0), (12.0, 18.0), (8.0, 24.0)]);
    }
}
