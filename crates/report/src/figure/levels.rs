//! A metric against the levels of a workload: one line per bed, every repeat a dot, the 95 % interval a band
//! where four repeats or more carry it.

pub(crate) mod lead;

use super::line::{Line, end_value};
use super::{BedMark, Caption, Figure, Frame, LineEnd, ValueAxis, Width, label_room, strip};
use crate::level::LevelUnit;
use crate::number;
use crate::svg::scale::{Scale, Spread};
use crate::svg::{Canvas, Drawing};
use crate::table::{Table, columns};
use words::{LevelName, Shown, say};

/// True if there is more to see than a table's row says: some value that is not zero, and two points of one
/// line or two repeats of one point.
pub(crate) fn has_course(lines: &[Line]) -> bool {
    let points = || lines.iter().flat_map(|line| &line.points);
    let is_spread = |line: &Line| line.points.len() > 1 || line.points.iter().any(|p| p.repeats.len() > 1);
    points().any(|point| point.mean != 0.0) && lines.iter().any(is_spread)
}

/// A figure of one metric over the levels. With one level only it becomes a strip of beds.
pub(crate) fn figure(caption: Caption, metric: &Shown, unit: &LevelUnit, lines: &[Line]) -> Figure {
    let mut levels: Vec<f64> =
        lines.iter().flat_map(|line| line.points.iter().map(|point| point.level)).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    let axis = ValueAxis::enclosing(&drawn_values(lines), metric.axis);
    let draw = |at: Width| match levels.len() {
        0 | 1 => {
            let level = levels.first().map(|level| unit.said(*level)).unwrap_or_default();
            strip::draw(&caption, metric, &axis, &level, lines, at)
        }
        _ => draw(&caption, metric, &axis, unit, &levels, lines, at),
    };
    let drawings = Width::SHARED.into_iter().map(draw).collect();
    let table = table(metric, &unit.heading(), &levels, lines);
    Figure { id: caption.id, title: caption.title, reading: caption.reading, drawings, table, wide: false }
}

/// Every value that must be inside the axis: repeats always, interval ends as far as they stay near the
/// repeats (an interval of few repeats can be many times wider than the data; it is then cut at the edge).
fn drawn_values(lines: &[Line]) -> Vec<f64> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let mut values: Vec<f64> = points().flat_map(|point| point.repeats.iter().copied()).collect();
    let (low, high) = values.iter().fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(*v), h.max(*v)));
    let ends = points().filter_map(|point| point.drawn_interval()).flat_map(|(a, b)| [a, b]);
    values.extend(ends.filter(|end| *end >= low * 0.7 && *end <= high * 1.2));
    values
}

fn draw(
    caption: &Caption,
    metric: &Shown,
    axis: &ValueAxis,
    unit: &LevelUnit,
    levels: &[f64],
    lines: &[Line],
    at: Width,
) -> Drawing {
    let names: Vec<(BedMark, String)> = lines
        .iter()
        .filter_map(|line| Some((line.bed.clone(), end_value(metric, line.points.last()?))))
        .collect();
    let height = if at == Width::Narrow { 300.0 } else { 312.0 };
    let frame = Frame::new(at, height, axis, label_room(at, &names));
    let (x, log) = level_scale(levels, &frame, log_from(unit));
    let y = axis.scale(&frame);
    let mut canvas = Canvas::new();
    frame.draw_value_axis(&mut canvas, axis, metric.axis_label);
    let ticks: Vec<(f64, String)> =
        levels.iter().map(|&level| (x.place(level), number::level(level))).collect();
    let level_name = unit.heading();
    let name = if log { say!("axis-level-log", level_name) } else { level_name.into_owned() };
    frame.draw_bottom_axis(&mut canvas, &ticks, &name);
    for line in lines {
        draw_band(&mut canvas, line, &x, &y);
    }
    for line in lines {
        draw_line(&mut canvas, metric, unit, line, &x, &y);
    }
    let ends: Vec<LineEnd> = lines
        .iter()
        .filter_map(|line| {
            let last = line.points.last()?;
            let at = (x.place(last.level), y.place(last.mean));
            Some(LineEnd { bed: line.bed.clone(), at, value: end_value(metric, last) })
        })
        .collect();
    frame.draw_line_ends(&mut canvas, &ends);
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), height), &caption.title, &caption.description)
}

/// The ratio of the highest level to the lowest from which on an axis is logarithmic. Users always lie
/// evenly: the bend of the curve is then that of the system.
fn log_from(unit: &LevelUnit) -> f64 {
    if *unit == LevelName::VirtualUsers { f64::INFINITY } else { 4.0 }
}

/// Levels whose ends have a ratio of `far` or more are spread by their ratio, others evenly by value. The
/// ends are set in so that markers stay inside.
fn level_scale(levels: &[f64], frame: &Frame, far: f64) -> (Scale, bool) {
    let (low, high) = (levels[0], levels[levels.len() - 1]);
    let log = low > 0.0 && high / low >= far;
    let spread = if log { Spread::Log } else { Spread::Linear };
    (Scale::new(spread, (low, high), (frame.left + 8.0, frame.right - 2.0)), log)
}

fn draw_band(canvas: &mut Canvas, line: &Line, x: &Scale, y: &Scale) {
    let class = format!("band {}", line.bed.class());
    let edge = |pick: fn(&(f64, f64)) -> f64| -> Vec<(f64, f64)> {
        let points = line
            .points
            .iter()
            .filter_map(|p| p.drawn_interval().map(|i| (x.place(p.level), y.place(pick(&i)))));
        points.collect()
    };
    let mut outline = edge(|interval| interval.1);
    let mut lower = edge(|interval| interval.0);
    if outline.len() > 1 {
        lower.reverse();
        outline.append(&mut lower);
        canvas.polygon(&class, &outline);
    } else if let (Some(&high), Some(&low)) = (outline.first(), lower.first()) {
        canvas.line(&format!("whisker {}", line.bed.class()), high, low);
    }
}

fn draw_line(canvas: &mut Canvas, metric: &Shown, unit: &LevelUnit, line: &Line, x: &Scale, y: &Scale) {
    let means: Vec<(f64, f64)> = line.points.iter().map(|p| (x.place(p.level), y.place(p.mean))).collect();
    canvas.polyline(&format!("line {}", line.bed.line_class()), &means);
    let dots: Vec<(f64, f64)> = line
        .points
        .iter()
        .flat_map(|point| point.repeats.iter().map(|value| (x.place(point.level), y.place(*value))))
        .collect();
    canvas.dots(&format!("dots {}", line.bed.class()), &dots);
    for (point, place) in line.points.iter().zip(means) {
        let hint = say!(
            "levels-hint",
            bed = line.bed.name,
            at = unit.said(point.level),
            value = point.in_words(metric.unit),
            repeats = point.repeats.len()
        );
        canvas.marker(&line.bed, place, 3.8, Some(&hint));
    }
}

/// Rows are levels, and each bed has its mean, its interval and its number of valid repeats.
fn table(metric: &Shown, level_name: &str, levels: &[f64], lines: &[Line]) -> Table {
    let mut columns = columns![number level_name];
    for line in lines {
        let unit = if metric.unit.is_empty() { String::new() } else { format!(" ({})", metric.unit) };
        columns.extend(columns![
            number format!("{}{unit}", line.bed.name),
            number say!("column-interval-95"),
            number say!("column-repeats"),
        ]);
    }
    let mut table = Table::new(columns);
    for &level in levels {
        let mut row = vec![number::level(level)];
        for line in lines {
            match line.points.iter().find(|point| point.level == level) {
                Some(point) => {
                    row.extend([point.shown(), point.interval_shown(), point.repeats.len().to_string()]);
                }
                None => row.extend(["-".to_owned(), "-".to_owned(), "0".to_owned()]),
            }
        }
        table.row(row);
    }
    table
}
