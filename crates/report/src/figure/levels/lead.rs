//! A metric against the load as the first figure of a page: the ratio to the baseline at the points, and
//! below the same axis a strip of each bed with its limiters.

use super::{Line, draw_band, draw_line, drawn_values, end_value, level_scale, log_from};
use crate::figure::{BedMark, Caption, Figure, Frame, LineEnd, ValueAxis, Width, label_room};
use crate::level::LevelUnit;
use crate::number;
use crate::svg::place::{Area, Paper, beside};
use crate::svg::scale::Scale;
use crate::svg::{Anchor, Canvas, Drawing, width};
use words::{Shown, say};

/// The ratio of a bed to the baseline at one level.
#[derive(Clone, Debug)]
pub(crate) struct Ratio {
    pub(crate) bed: BedMark,
    pub(crate) level: f64,
    /// `1.81x`.
    pub(crate) value: String,
    /// `1.74 to 1.88`, or the reason why there is none.
    pub(crate) interval: String,
}

/// The limiters of a bed by level, in the order of the levels.
#[derive(Clone, Debug)]
pub(crate) struct Strip {
    pub(crate) bed: BedMark,
    pub(crate) limiters: Vec<(f64, String)>,
}

/// Everything that the figure shows.
#[derive(Clone, Debug)]
pub(crate) struct Plot<'a> {
    pub(crate) metric: &'a Shown,
    pub(crate) level_name: &'a LevelUnit,
    pub(crate) lines: Vec<Line>,
    pub(crate) ratios: Vec<Ratio>,
    pub(crate) strips: Vec<Strip>,
}

/// The figure beside the tiles.
pub(crate) fn figure(caption: Caption, plot: &Plot<'_>) -> Figure {
    let level_name = plot.level_name.heading();
    let levels = plot.levels();
    let drawings = Width::LEAD.into_iter().map(|at| draw(&caption, plot, &levels, at)).collect();
    let table = super::table(plot.metric, &level_name, &levels, &plot.lines);
    Figure { id: caption.id, title: caption.title, reading: caption.reading, drawings, table, wide: false }
}

impl Plot<'_> {
    fn levels(&self) -> Vec<f64> {
        let mut levels: Vec<f64> =
            self.lines.iter().flat_map(|line| &line.points).map(|point| point.level).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        levels
    }
}

/// Height of the plot with its axis.
const PLOT: f64 = 288.0;
/// Height of a strip with the room above the next, and of the line above the first.
const STRIP: f64 = 24.0;
const STRIPS_HEAD: f64 = 20.0;

fn draw(caption: &Caption, plot: &Plot<'_>, levels: &[f64], at: Width) -> Drawing {
    let axis = ValueAxis::enclosing(&drawn_values(&plot.lines), plot.metric.axis);
    let ends: Vec<(BedMark, String)> = plot
        .lines
        .iter()
        .filter_map(|line| Some((line.bed.clone(), end_value(plot.metric, line.points.last()?))))
        .collect();
    let strips = if plot.strips.is_empty() { 0.0 } else { STRIPS_HEAD + STRIP * plot.strips.len() as f64 };
    let height = PLOT + strips;
    let frame = Frame { bottom: PLOT - 46.0, ..Frame::new(at, PLOT - 4.0, &axis, label_room(at, &ends)) };
    let (x, log) = level_scale(levels, &frame, log_from(plot.level_name));
    let y = axis.scale(&frame);
    let mut canvas = Canvas::new();
    frame.draw_value_axis(&mut canvas, &axis, plot.metric.axis_label);
    let ticks: Vec<(f64, String)> =
        levels.iter().map(|&level| (x.place(level), number::level(level))).collect();
    let level_name = plot.level_name.heading();
    let name = if log { say!("axis-level-log", level_name) } else { level_name.into_owned() };
    frame.draw_bottom_axis(&mut canvas, &ticks, &name);
    plot.lines.iter().for_each(|line| draw_band(&mut canvas, line, &x, &y));
    plot.lines.iter().for_each(|line| draw_line(&mut canvas, plot.metric, plot.level_name, line, &x, &y));
    draw_ratios(&mut canvas, &frame, plot, (&x, &y));
    let ends: Vec<LineEnd> = plot
        .lines
        .iter()
        .filter_map(|line| {
            let last = line.points.last()?;
            let place = (x.place(last.level), y.place(last.mean));
            Some(LineEnd { bed: line.bed.clone(), at: place, value: end_value(plot.metric, last) })
        })
        .collect();
    frame.draw_line_ends(&mut canvas, &ends);
    draw_strips(&mut canvas, &frame, plot, levels, &x);
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), height), &caption.title, &caption.description)
}

/// Each ratio beside its point, where it covers no line and no other label.
fn draw_ratios(canvas: &mut Canvas, frame: &Frame, plot: &Plot<'_>, (x, y): (&Scale, &Scale)) {
    let top = frame.top - 12.0;
    let mut paper =
        Paper::new(Area { left: frame.left, top, right: frame.right + 8.0, bottom: frame.bottom });
    let place = |level: f64, value: f64| (x.place(level), y.place(value));
    for line in &plot.lines {
        let points: Vec<(f64, f64)> =
            line.points.iter().map(|point| place(point.level, point.mean)).collect();
        paper.take_line(&points);
        points.iter().for_each(|point| paper.take(Area::around(*point, 6.0)));
    }
    let font = frame.at.font();
    // A phone has no room for intervals.
    let with_interval = frame.at != Width::Narrow;
    for ratio in &plot.ratios {
        let line = plot.lines.iter().find(|line| line.bed == ratio.bed);
        let point = line.and_then(|line| line.points.iter().find(|point| point.level == ratio.level));
        let Some(at) = point.map(|point| place(point.level, point.mean)) else { continue };
        let interval = if with_interval { ratio.interval.as_str() } else { "" };
        let height = if interval.is_empty() { 14.0 } else { 27.0 };
        let wide = width::of(&ratio.value, font + 1.0, true).max(width::of(interval, font - 1.0, false));
        let area = paper.place(at, (wide, height));
        if let Some(end) = area.leader_to(at) {
            canvas.line("leader", at, end);
        }
        let (text_x, anchor) = beside(&area, at);
        let class = format!("end {}", ratio.bed.class());
        canvas.text(&class, (text_x, area.top + 11.5), anchor, &ratio.value);
        canvas.text("endvalue", (text_x, area.top + 24.0), anchor, interval);
    }
}

/// One strip for each bed, cut where the nearest level changes; equal neighbours are one piece.
fn draw_strips(canvas: &mut Canvas, frame: &Frame, plot: &Plot<'_>, levels: &[f64], x: &Scale) {
    if plot.strips.is_empty() {
        return;
    }
    let top = PLOT + STRIPS_HEAD - 8.0;
    canvas.text("axis", (0.0, PLOT + 6.0), Anchor::Start, say!("lead-limiters"));
    let (first, last) = (frame.left - 12.0, frame.right + 6.0);
    let cuts: Vec<f64> = std::iter::once(first)
        .chain(levels.windows(2).map(|pair| f64::midpoint(x.place(pair[0]), x.place(pair[1]))))
        .chain([last])
        .collect();
    for (index, strip) in plot.strips.iter().enumerate() {
        let y = top + STRIP * index as f64;
        canvas.marker(&strip.bed, (first - 12.0, y + 9.0), 4.2, None);
        for piece in pieces(strip, levels) {
            let (left, right) = (cuts[piece.from], cuts[piece.to]);
            canvas.rect("k-strip", (left, y), (right - left - 2.0, 18.0), piece.text);
            let text = width::fit(piece.text, frame.at.font() - 0.5, false, right - left - 8.0);
            if text != "\u{2026}" {
                canvas.text("k-strip-text", (f64::midpoint(left, right), y + 13.2), Anchor::Middle, &text);
            }
        }
        let room = frame.edge - last - 8.0;
        let name = width::fit(&strip.bed.short, frame.at.font(), true, room);
        canvas.text(&format!("end {}", strip.bed.class()), (last + 6.0, y + 13.2), Anchor::Start, &name);
    }
}

/// Neighbouring levels with one limiter, from one cut to another.
struct Piece<'a> {
    from: usize,
    to: usize,
    text: &'a str,
}

fn pieces<'a>(strip: &'a Strip, levels: &[f64]) -> Vec<Piece<'a>> {
    let mut pieces: Vec<Piece<'a>> = Vec::new();
    for (index, level) in levels.iter().enumerate() {
        let Some((_, text)) = strip.limiters.iter().find(|(at, _)| at == level) else { continue };
        match pieces.last_mut() {
            Some(last) if last.to == index && last.text == text => last.to = index + 1,
            _ => pieces.push(Piece { from: index, to: index + 1, text }),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_with_one_limiter_are_one_piece() {
        let limiters = [(1.0, "drive"), (2.0, "drive"), (8.0, "CPU")];
        let strip = Strip {
            bed: BedMark::default(),
            limiters: limiters.into_iter().map(|(level, text)| (level, text.to_owned())).collect(),
        };
        let found: Vec<(usize, usize, &str)> = pieces(&strip, &[1.0, 2.0, 4.0, 8.0])
            .into_iter()
            .map(|piece| (piece.from, piece.to, piece.text))
            .collect();
        assert_eq!(found, [(0, 2, "drive"), (3, 4, "CPU")]);
    }
}
