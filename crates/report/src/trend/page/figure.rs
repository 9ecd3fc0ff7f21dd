//! One metric at a place over runs: a dot and a whisker for each run, the mean of each stretch without a
//! change, the changes with their sizes, and a lettered mark where something around the runs changed.

use super::{Links, is_loss};
use crate::figure::{Frame, ValueAxis, Width};
use crate::naming;
use crate::number;
use crate::svg::scale::{Scale, Spread, linear_ticks, thin};
use crate::svg::{Anchor, BedMark, Canvas, width};
use crate::trend::{Line, Trend};
use words::say;

/// Room above the plot for the axis' heading, the notes of changes and the letters; below it for runs and
/// letters.
const TOP: f64 = 62.0;
const FOOT: f64 = 48.0;
/// Height of a plot.
const PLOT: f64 = 220.0;
/// Changes that have their size beside them, at most.
const NOTES_MOST: usize = 3;
/// Letters nearer to each other than this would touch.
const LETTER: f64 = 12.0;

/// The letter of a break, by its place among all.
pub(super) fn letter(index: usize) -> String {
    let letter = char::from(b'a' + u8::try_from(index % 26).unwrap_or(0));
    if index < 26 { letter.to_string() } else { format!("{letter}{}", index / 26) }
}

/// Draws a metric at one width.
pub(super) fn draw(
    trend: &Trend,
    index: usize,
    line: &Line,
    (title, at): (&str, Width),
    links: Links,
) -> String {
    let axis = value_axis(line);
    let height = TOP + PLOT + FOOT;
    let frame = Frame {
        at,
        height,
        left: axis.room(at.font()),
        right: at.units() - 14.0,
        top: TOP,
        bottom: TOP + PLOT,
        edge: at.units(),
    };
    let last = trend.runs.len().saturating_sub(1).max(1) as f64;
    let x = Scale::new(Spread::Linear, (-0.5, last + 0.5), (frame.left, frame.right));
    let y = axis.scale(&frame);
    let mut canvas = Canvas::new();
    frame.draw_grid(&mut canvas, &axis);
    canvas.text("axis", (0.0, 11.0), Anchor::Start, &heading(line, &axis));
    draw_breaks(&mut canvas, &frame, trend, &x);
    draw_stretches(&mut canvas, trend, line, (&x, &y));
    draw_changes(&mut canvas, &frame, line, &x);
    draw_values(&mut canvas, trend, line, (&x, &y), links);
    draw_runs(&mut canvas, &frame, trend, &x);
    let id = format!("trend-{index}-{}", at.class());
    let described = trend.steady(line);
    canvas.finish(&id, at.class(), (at.units(), height), title, &described).markup(&say!(
        "trend-source",
        name = trend.name_short(),
        place = line.place
    ))
}

/// An axis around the values and their intervals. It need not begin at zero: changes of a few per cent are
/// what a history is read for.
fn value_axis(line: &Line) -> ValueAxis {
    let values = line.values.iter().map(|pair| pair.1);
    let ends = line.intervals.iter().flatten().flat_map(|(low, high)| [*low, *high]);
    let all: Vec<f64> = values.chain(ends).filter(|value| value.is_finite()).collect();
    let (low, high) = all.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), v| (l.min(*v), h.max(*v)));
    let room = (0.25 * (high - low)).max(0.02 * high);
    let base = (low - room).max(0.0);
    // Ticks from zero are shifted, so that they stay round.
    let step = {
        let ticks = linear_ticks(0.0, high - base + room, 4);
        ticks.get(1).copied().unwrap_or(1.0)
    };
    let first = (base / step).floor() * step;
    let count = (((high + room / 2.0) - first) / step).ceil().max(1.0) as usize;
    ValueAxis {
        spread: Spread::Linear,
        ticks: (0..=count).map(|index| first + index as f64 * step).collect(),
    }
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

/// The places of the breaks, between the runs.
fn breaks<'a>(
    trend: &'a Trend,
    x: &'a Scale,
) -> impl Iterator<Item = (usize, f64, &'a (notebook::RunId, Vec<String>))> {
    trend.breaks.iter().enumerate().filter_map(|(index, one)| {
        let at = trend.runs.iter().position(|known| known.0 == one.0)?;
        Some((index, x.place(at as f64 - 0.5), one))
    })
}

fn draw_breaks(canvas: &mut Canvas, frame: &Frame, trend: &Trend, x: &Scale) {
    let mut free = f64::NEG_INFINITY;
    for (index, at, (run, facts)) in breaks(trend, x) {
        let hint = say!("trend-break", run = run.to_string(), facts = words::parts(facts));
        canvas.line("k-break", (at, frame.top - 2.0), (at, frame.bottom));
        canvas.rect("measured", (at - 4.0, frame.top - 2.0), (8.0, frame.bottom - frame.top + 2.0), &hint);
        if at - free >= LETTER {
            // A change has its line here and its size to the right.
            canvas.text("k-break-note", (at - 4.0, frame.top - 6.0), Anchor::End, &letter(index));
            free = at;
        }
    }
}

/// The mean of each stretch without a change, with a gap at each break.
fn draw_stretches(canvas: &mut Canvas, trend: &Trend, line: &Line, (x, y): (&Scale, &Scale)) {
    let mark = BedMark::default();
    let cuts: Vec<usize> = trend
        .breaks
        .iter()
        .filter_map(|(run, _)| trend.runs.iter().position(|known| known.0 == *run))
        .collect();
    let mut start = 0;
    for stop in line.changes.iter().map(|change| change.at).chain([line.values.len()]) {
        let stretch = &line.values[start..stop];
        start = stop;
        let Some(mean) = measure::typical(&stretch.iter().map(|pair| pair.1).collect::<Vec<_>>()) else {
            continue;
        };
        let mut piece: Vec<f64> = Vec::new();
        for (run, _) in stretch {
            if cuts.contains(run) {
                draw_piece(canvas, &mark, &piece, (x, y), mean);
                piece.clear();
            }
            piece.push(*run as f64);
        }
        draw_piece(canvas, &mark, &piece, (x, y), mean);
    }
}

fn draw_piece(canvas: &mut Canvas, mark: &BedMark, runs: &[f64], (x, y): (&Scale, &Scale), mean: f64) {
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else { return };
    let ends = [first - 0.3, last + 0.3].map(|run| (x.place(run), y.place(mean)));
    canvas.polyline(&format!("k-mean {}", mark.class()), &ends);
}

/// The changes: a line between two runs, and the size of the first few beside it.
fn draw_changes(canvas: &mut Canvas, frame: &Frame, line: &Line, x: &Scale) {
    let mut free = f64::NEG_INFINITY;
    for (index, change) in line.changes.iter().enumerate() {
        let at = x.place(line.values[change.at].0 as f64 - 0.5);
        let (class, mark) = match is_loss(line, change) {
            Some(true) => ("k-worse", "\u{25bc} "),
            Some(false) => ("k-better", "\u{25b2} "),
            None => ("k-strong", ""),
        };
        canvas.line(&format!("k-change {class}"), (at, frame.top - 20.0), (at, frame.bottom));
        let text = format!("{mark}{}", number::ratio_alone(change.after / change.before));
        let room = width::of(&text, 13.0, true);
        let right = at + 6.0 + room <= frame.edge;
        let from = if right { at + 6.0 } else { at - 6.0 - room };
        if index < NOTES_MOST && from > free {
            let (place, anchor) = if right { (at + 6.0, Anchor::Start) } else { (at - 6.0, Anchor::End) };
            canvas.text(class, (place, frame.top - 24.0), anchor, &text);
            free = from + room + 8.0;
        }
    }
}

fn draw_values(canvas: &mut Canvas, trend: &Trend, line: &Line, (x, y): (&Scale, &Scale), links: Links) {
    let mark = BedMark::default();
    for ((run, value), interval) in line.values.iter().zip(&line.intervals) {
        let at = x.place(*run as f64);
        if let Some((low, high)) = interval {
            canvas.line(&format!("whisker {}", mark.class()), (at, y.place(*low)), (at, y.place(*high)));
        }
        let (number, started) = &trend.runs[*run];
        let hint = say!(
            "trend-point",
            run = number.to_string(),
            started = naming::minute(started),
            value = line.shown(*value)
        );
        canvas.linked(links.of(number.0).as_deref(), |canvas| {
            canvas.marker(&mark, (at, y.place(*value)), 4.2, Some(&hint));
        });
    }
}

/// The numbers of the runs below the plot, thinned, and the moments of the first and the last.
fn draw_runs(canvas: &mut Canvas, frame: &Frame, trend: &Trend, x: &Scale) {
    let numbers: Vec<String> = trend.runs.iter().map(|(run, _)| run.to_string()).collect();
    let places: Vec<f64> = (0..numbers.len()).map(|index| x.place(index as f64)).collect();
    let widths: Vec<f64> = numbers.iter().map(|text| width::of(text, frame.at.font(), false)).collect();
    for ((place, text), shown) in places.iter().zip(&numbers).zip(thin(&places, &widths, 8.0)) {
        canvas.line("tickmark", (*place, frame.bottom), (*place, frame.bottom + 4.0));
        if shown {
            canvas.text("tick", (*place, frame.bottom + 18.0), Anchor::Middle, text);
        }
    }
    let ends =
        [(trend.runs.first(), frame.left, Anchor::Start), (trend.runs.last(), frame.right, Anchor::End)];
    for (run, place, anchor) in ends {
        let Some((_, started)) = run else { continue };
        canvas.text("axis", (place, frame.bottom + 36.0), anchor, &naming::minute(started));
    }
    let middle = f64::midpoint(frame.left, frame.right);
    canvas.text("axis", (middle, frame.bottom + 36.0), Anchor::Middle, say!("trend-axis-runs"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_encloses_the_values_and_stays_round() {
        let line = |values: &[f64]| Line {
            place: String::new(),
            bed: String::new(),
            workload: String::new(),
            level: 1.0,
            metric: words::Metric::Nopm,
            unit: String::new(),
            values: values.iter().copied().enumerate().collect(),
            intervals: vec![None; values.len()],
            changes: Vec::new(),
        };
        for values in [vec![12_700.0, 14_200.0], vec![5.0, 5.0], vec![0.001, 0.002], vec![3.0]] {
            let axis = value_axis(&line(&values));
            let (first, last) = (axis.ticks[0], axis.ticks[axis.ticks.len() - 1]);
            assert!(first >= 0.0 && values.iter().all(|value| first <= *value && *value <= last), "{axis:?}");
            assert!((2..=9).contains(&axis.ticks.len()), "{axis:?}");
        }
        assert_eq!((letter(0), letter(27)), ("a".to_owned(), "b1".to_owned()));
    }
}
