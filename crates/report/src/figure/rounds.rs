//! The work of every round: a column for each, with the part that was lost at its top.

use super::{BedMark, Caption, Figure, Frame, ValueAxis, Width};
use crate::number;
use crate::svg::scale;
use crate::svg::{Anchor, Canvas, Drawing, width};
use crate::table::Table;
use words::{Axis, say};

/// One round.
#[derive(Clone, Debug)]
pub(crate) struct Round {
    pub(crate) whole: f64,
    /// The part of it that was lost.
    pub(crate) lost: f64,
    /// True if the round was not passed.
    pub(crate) failed: bool,
    /// The round in words.
    pub(crate) hint: String,
}

/// The rounds of one bed in one figure.
#[derive(Clone, Debug)]
pub(crate) struct Panel {
    pub(crate) bed: BedMark,
    /// Name and unit of the axis.
    pub(crate) axis: String,
    pub(crate) rounds: Vec<Round>,
}

/// A figure that can stand in the first place of a page; `table` is behind it.
pub(crate) fn figure(caption: Caption, panels: &[Panel], table: Table) -> Figure {
    let drawings = Width::ROW.into_iter().map(|at| draw(&caption, panels, at)).collect();
    Figure { id: caption.id, title: caption.title, reading: caption.reading, drawings, table, wide: true }
}

/// Room above a plot for the bed and the name of the axis, height of a plot, room below it.
const HEAD: f64 = 40.0;
const PLOT: f64 = 110.0;
const FOOT: f64 = 44.0;

fn draw(caption: &Caption, panels: &[Panel], at: Width) -> Drawing {
    let mut canvas = Canvas::new();
    for (index, panel) in panels.iter().enumerate() {
        let top = index as f64 * (HEAD + PLOT + FOOT) + HEAD;
        let values: Vec<f64> = panel.rounds.iter().map(|round| round.whole).collect();
        let axis = ValueAxis::enclosing(&values, Axis::FromZero);
        let left = axis.room(at.font());
        let (right, bottom) = (at.units() - 4.0, top + PLOT);
        let frame = Frame { at, height: bottom + 40.0, left, right, top, bottom, edge: right };
        let name = width::fit(&panel.bed.name, 13.0, true, at.units() - 20.0);
        canvas.marker(&panel.bed, (5.0, top - HEAD + 8.0), 4.4, None);
        canvas.text(&format!("end {}", panel.bed.class()), (15.0, top - HEAD + 12.5), Anchor::Start, &name);
        canvas.text("axis", (0.0, top - 12.0), Anchor::Start, &panel.axis);
        frame.draw_grid(&mut canvas, &axis);
        draw_rounds(&mut canvas, &frame, &axis, panel);
    }
    let height = panels.len() as f64 * (HEAD + PLOT + FOOT);
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), height), &caption.title, &caption.description)
}

fn draw_rounds(canvas: &mut Canvas, frame: &Frame, axis: &ValueAxis, panel: &Panel) {
    let y = axis.scale(frame);
    let step = (frame.right - frame.left) / panel.rounds.len().max(1) as f64;
    let wide = (step * 0.7).min(36.0);
    let mut places = Vec::new();
    for (index, round) in panel.rounds.iter().enumerate() {
        let middle = frame.left + step * (index as f64 + 0.5);
        let left = middle - wide / 2.0;
        let (top, kept) = (y.place(round.whole), y.place(round.whole - round.lost));
        let class = format!("k-bar0 {}", panel.bed.class());
        canvas.rect(&class, (left, kept), (wide, frame.bottom - kept), &round.hint);
        if round.lost > 0.0 {
            canvas.rect("k-lost", (left, top), (wide, kept - top), &round.hint);
        }
        if round.failed {
            canvas.text("k-worse", (middle, top - 4.0), Anchor::Middle, "\u{2717}");
        }
        places.push((middle, number::level(index as f64 + 1.0)));
    }
    let widths: Vec<f64> = places.iter().map(|(_, text)| width::of(text, frame.at.font(), false)).collect();
    let centres: Vec<f64> = places.iter().map(|place| place.0).collect();
    for ((x, text), shown) in places.iter().zip(scale::thin(&centres, &widths, 8.0)) {
        if shown {
            canvas.text("tick", (*x, frame.bottom + 16.0), Anchor::Middle, text);
        }
    }
    canvas.text("axis", (frame.left, frame.bottom + 31.0), Anchor::Start, say!("axis-crashes"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_seen_in_its_round_and_nowhere_else() {
        let round = |lost: f64| Round { whole: 700.0, lost, failed: lost > 0.0, hint: "round".into() };
        let panel = Panel {
            bed: BedMark::default(),
            axis: "orders".into(),
            rounds: vec![round(0.0), round(700.0), round(0.0)],
        };
        let caption =
            Caption { id: "f".into(), title: "t".into(), reading: "r".into(), description: "d".into() };
        for svg in figure(caption, &[panel], Table::default()).drawings.iter().map(|one| one.markup("")) {
            assert_eq!(svg.matches("class=\"k-lost\"").count(), 1);
            assert_eq!(svg.matches('\u{2717}').count(), 1);
        }
    }
}
