//! The seconds of one cell beside those of other beds: the rate above the latencies, on the clock of the
//! cells.
//!
//! The dash tells the statistic here, for three lines of one bed stand together; colour and marker tell the
//! bed.

use super::seconds::{draw_phases, stretches};
use super::{BedMark, Frame, LineEnd, ValueAxis, Width, label_room};
use crate::course::{Course, Seconds};
use crate::number;
use crate::svg::label;
use crate::svg::scale::{self, Scale, Spread};
use crate::svg::{Anchor, Canvas, Drawing, width};
use crate::table::{Column, Table, columns};
use measure::Series;
use words::{Axis, MetricName, PhaseName, Statistic, say};

/// Height of a plot, and the room above the first and between the two.
const PLOT: f64 = 160.0;
const TOP: f64 = 44.0;
const BETWEEN: f64 = 40.0;
/// Room below the last plot for the axis of time.
const FOOT: f64 = 42.0;
/// The axis covers this many seconds at least, so that the first ones do not fill it.
const SPAN_MIN_S: f64 = 10.0;
/// Beside more beds than this the others' middles are left out: their lines would hide each other.
const MIDDLES_MOST: usize = 2;
/// Labels stand within the plot where this share of it is free.
const FREE: f64 = 0.3;
/// The distance of such a label from its line.
const ASIDE: f64 = 11.0;
/// Notes in one plot.
const NOTES_MOST: usize = 3;
/// Rows of the table: an hour.
const ROWS_MOST: usize = 3600;

/// One line: its series, its statistic where it is a latency, and its bed.
struct Drawn<'a> {
    of: &'a Seconds,
    series: Series,
    statistic: Option<Statistic>,
    is_shown: bool,
}

/// Draws a course at one width.
pub(crate) fn draw(course: &Course, at: Width) -> Drawing {
    let (rates, latencies) = (rates(course), latencies(course));
    let rate_axis = ValueAxis::enclosing(&values(&rates), Axis::FromZero);
    let latency_axis = ValueAxis::enclosing(&values(&latencies), Axis::LogWhenWide);
    let left = rate_axis.room(at.font()).max(latency_axis.room(at.font()));
    let names: Vec<(BedMark, String)> =
        rates.iter().chain(&latencies).map(|one| (named(one, at), value(one))).collect();
    let (right, edge) = (at.units() - label_room(at, &names), at.units());
    let lower = TOP + PLOT + BETWEEN;
    let height = if latencies.is_empty() { TOP + PLOT } else { lower + PLOT } + FOOT;
    let frame = |top: f64| Frame { at, height, left, right, top, bottom: top + PLOT, edge };
    let end = end_s(course);
    let x = Scale::new(Spread::Linear, (0.0, end), (left, right));
    let mut canvas = Canvas::new();
    let upper = frame(TOP);
    draw_phases(&mut canvas, &upper, &x, &course.shown.phases, end);
    canvas.text(
        "axis",
        (0.0, 11.0),
        Anchor::Start,
        &rate_axis.heading(&rate_label(&course.shown.rate, course)),
    );
    panel(&mut canvas, &upper, &rate_axis, &x, &rates);
    draw_stalls(&mut canvas, &upper, &x, &course.shown);
    let mut last = upper;
    if !latencies.is_empty() {
        last = frame(lower);
        shade(&mut canvas, &last, &x, course, end);
        let heading = latency_axis.heading(say!("course-latency"));
        canvas.text("axis", (0.0, lower - 12.0), Anchor::Start, &heading);
        panel(&mut canvas, &last, &latency_axis, &x, &latencies);
    }
    let most = if at == Width::Narrow { 5 } else { 8 };
    let ticks = scale::time_ticks(0.0, end, most).into_iter().map(|s| (x.place(s), number::level(s)));
    last.draw_bottom_axis(&mut canvas, &ticks.collect::<Vec<_>>(), say!("axis-seconds"));
    let id = format!("course-{}", at.class());
    canvas.finish(&id, at.class(), (at.units(), height), say!("course-title"), &described(course))
}

/// `NVMe: 12,256 new orders per minute now; 1 stall, 2 s at most`; of a finished cell the mean while it was
/// measured.
pub(crate) fn finding(course: &Course) -> String {
    let shown = &course.shown;
    let measured = shown.phases.iter().find(|phase| phase.name == PhaseName::Measure);
    let is_measured = |index: &usize| {
        let at_s = shown.rate.start_s + *index as f64;
        measured.is_none_or(|phase| phase.start_s <= at_s && at_s + 1.0 <= phase.end_s)
    };
    let values = shown.rate.values.iter().enumerate().filter(|(index, _)| is_measured(index));
    let values: Vec<f64> = values.map(|(_, value)| *value).filter(|value| value.is_finite()).collect();
    let rate = if course.is_running {
        last(&shown.rate)
    } else {
        Some(values.iter().sum::<f64>() / values.len() as f64).filter(|mean| mean.is_finite())
    };
    let Some(rate) = rate else { return shown.bed.clone() };
    let stalls = shown.stalls();
    let longest = stalls.iter().map(|(_, length)| *length).fold(0.0, f64::max);
    let (bed, rate, unit) = (shown.bed.as_str(), number::plain(rate), rate_label(&shown.rate, course));
    let told = match course.is_running {
        true => say!("course-now", bed, rate, unit),
        false => say!("course-mean-rate", bed, rate, unit),
    };
    match stalls.len() {
        0 => told,
        count => say!("course-stalls", told, count, longest = number::level(longest)),
    }
}

/// The drawing in words, for readers who cannot see it.
fn described(course: &Course) -> String {
    say!("page-seconds-described", lines = course.others.len() + 1, seconds = course.shown.rate.values.len())
}

/// The lines of the upper plot, the heavy one last, above the others.
fn rates(course: &Course) -> Vec<Drawn<'_>> {
    let of = |seconds, is_shown| Drawn {
        series: Seconds::clone(seconds).rate,
        of: seconds,
        statistic: None,
        is_shown,
    };
    // Another metric is another axis.
    let is_like = |other: &&Seconds| {
        course.shown.rate.values.is_empty() || other.rate.metric == course.shown.rate.metric
    };
    let others = course.others.iter().filter(is_like).map(|other| of(other, false));
    others.chain([of(&course.shown, true)]).filter(has_value).collect()
}

/// The lines of the lower plot. Of the other beds the 99.9th percentile is left out.
fn latencies(course: &Course) -> Vec<Drawn<'_>> {
    let has_middles = course.others.len() <= MIDDLES_MOST;
    let is_drawn = |statistic: Statistic, is_shown: bool| match statistic {
        Statistic::P999 => is_shown,
        Statistic::P99 => true,
        _ => is_shown || has_middles,
    };
    let all = course.others.iter().map(|other| (other, false)).chain([(&course.shown, true)]);
    let lines = all.flat_map(|(of, is_shown)| {
        let drawn = of.latencies.iter().filter(move |(statistic, _)| is_drawn(*statistic, is_shown));
        drawn.map(move |(statistic, series)| {
            // A second without an answer has no latency.
            let values = series.values.iter().map(|value| if *value > 0.0 { *value } else { f64::NAN });
            let series = Series { values: values.collect(), ..series.clone() };
            Drawn { of, series, statistic: Some(*statistic), is_shown }
        })
    });
    lines.filter(has_value).collect()
}

fn has_value(line: &Drawn<'_>) -> bool {
    line.series.values.iter().any(|value| value.is_finite())
}

fn values(lines: &[Drawn<'_>]) -> Vec<f64> {
    lines.iter().flat_map(|line| line.series.values.iter().copied()).collect()
}

/// The unit of the rates.
fn rate_label(rate: &Series, course: &Course) -> String {
    let known = std::iter::once(rate).chain(course.others.iter().map(|other| &other.rate));
    let named = known.into_iter().find(|series| !series.values.is_empty()).unwrap_or(rate);
    let shown = match MetricName::read(&named.metric) {
        MetricName::Plain(metric) => metric.shown(),
        _ => None,
    };
    shown.map_or_else(|| named.unit.clone(), |shown| shown.axis_label.to_owned())
}

/// The end of the axis of time.
fn end_s(course: &Course) -> f64 {
    let all = std::iter::once(&course.shown).chain(&course.others);
    let least = if course.is_running { SPAN_MIN_S } else { 1.0 };
    all.map(|seconds| seconds.rate.end_s()).fold(least, f64::max)
}

/// The grid, the lines, and the labels at their ends.
fn panel(canvas: &mut Canvas, frame: &Frame, axis: &ValueAxis, x: &Scale, lines: &[Drawn<'_>]) {
    frame.draw_grid(canvas, axis);
    let y = axis.scale(frame);
    let (mut ends, mut inside) = (Vec::new(), Vec::new());
    for line in lines {
        let mut end = None;
        for stretch in stretches(&line.series) {
            let points: Vec<(f64, f64)> = stretch.iter().map(|(t, v)| (x.place(*t), y.place(*v))).collect();
            draw_line(canvas, line, &points);
            end = points.last().copied().or(end);
        }
        let Some(at) = end else { continue };
        canvas.marker(&line.of.mark, at, if line.is_shown { 5.0 } else { 3.6 }, None);
        let end = LineEnd { bed: named(line, frame.at), at, value: value(line) };
        // A running cell has not reached the right edge yet: its labels stand where it is.
        if line.is_shown && frame.right - at.0 > FREE * (frame.right - frame.left) && fits(frame, &end) {
            inside.push(end);
        } else {
            ends.push(end);
        }
    }
    let room = ((frame.bottom - frame.top + 22.0) / 15.0) as usize;
    let skipped = ends.len().saturating_sub(room);
    frame.draw_line_ends(canvas, &ends[skipped..]);
    draw_inside(canvas, frame, &inside);
}

fn draw_line(canvas: &mut Canvas, line: &Drawn<'_>, points: &[(f64, f64)]) {
    let dash = match line.statistic {
        None | Some(Statistic::P99) => "",
        Some(Statistic::P999) => " d2",
        Some(_) => " d1",
    };
    let weight = if line.is_shown { "k-heavy" } else { "k-light" };
    let class = line.of.mark.class();
    match points {
        [_] => canvas.dots(&format!("dots {class}"), points),
        _ => canvas.polyline(&format!("trace {class} {weight}{dash}"), points),
    }
}

/// True if there is room for a label between the end of its line and the right edge.
fn fits(frame: &Frame, end: &LineEnd) -> bool {
    width::of(&inside_text(end), frame.at.font() + 1.0, true) + ASIDE <= frame.right - end.at.0
}

fn inside_text(end: &LineEnd) -> String {
    format!("{} {}", end.bed.name, end.value).trim().to_owned()
}

/// Labels to the right of lines that end within the plot, where they stay from second to second.
fn draw_inside(canvas: &mut Canvas, frame: &Frame, ends: &[LineEnd]) {
    let wanted: Vec<f64> = ends.iter().map(|end| end.at.1).collect();
    let places = label::spread(&wanted, 15.0, frame.top - 8.0, frame.bottom + 6.0);
    for (end, y) in ends.iter().zip(places) {
        let class = format!("k-inside {}", end.bed.class());
        canvas.text(&class, (end.at.0 + ASIDE, y + 4.0), Anchor::Start, &inside_text(end));
    }
}

/// The mark of a line with the text at its end: the bed beside a rate, the statistic beside a latency.
fn named(line: &Drawn<'_>, at: Width) -> BedMark {
    let mark = line.of.mark.clone();
    let Some(statistic) = line.statistic else { return mark };
    let name = match statistic {
        Statistic::Mean => say!("course-mean").to_owned(),
        Statistic::P999 => "p99.9".to_owned(),
        other => other.name().to_owned(),
    };
    let last = last(&line.series).map(number::plain).unwrap_or_default();
    let unit = if at == Width::Narrow { "" } else { " ms" };
    let name = format!("{name} {last}{unit}");
    BedMark { short: name.clone(), name, ..mark }
}

/// The last value of a rate; a latency has it in its name.
fn value(line: &Drawn<'_>) -> String {
    if line.statistic.is_some() {
        return String::new();
    }
    last(&line.series).map(number::plain).unwrap_or_default()
}

fn last(series: &Series) -> Option<f64> {
    series.values.iter().rev().copied().find(|value| value.is_finite())
}

/// Shades what is not measured, without the names that stand above the upper plot.
fn shade(canvas: &mut Canvas, frame: &Frame, x: &Scale, course: &Course, end: f64) {
    for phase in course.shown.phases.iter().filter(|phase| phase.name != PhaseName::Measure) {
        let (from, to) = (x.place(phase.start_s), x.place(phase.end_s.min(end)));
        if to - from >= 1.0 {
            canvas.rect("phase", (from, frame.top), (to - from, frame.bottom - frame.top), "");
        }
    }
}

/// Marks the seconds without work, and says how long the longest were.
fn draw_stalls(canvas: &mut Canvas, frame: &Frame, x: &Scale, shown: &Seconds) {
    let stalls = shown.stalls();
    let mut told = stalls.clone();
    told.sort_by(|a, b| b.1.total_cmp(&a.1));
    told.truncate(NOTES_MOST);
    let mut free = f64::NEG_INFINITY;
    for (start, length) in stalls {
        let at = x.place(start);
        canvas.line("k-stall", (at, frame.top), (at, frame.bottom));
        let foot = frame.bottom + 1.0;
        canvas.polygon("k-lost", &[(at, foot - 8.0), (at + 5.0, foot), (at - 5.0, foot)]);
        let text = say!("live-stall", seconds = number::level(length));
        let room = width::of(&text, frame.at.font(), true);
        let right = at + 5.0 + room <= frame.right;
        let from = if right { at + 5.0 } else { at - 5.0 - room };
        if told.contains(&(start, length)) && from > free {
            let (x, anchor) = if right { (at + 5.0, Anchor::Start) } else { (at - 5.0, Anchor::End) };
            canvas.text("k-stall-note", (x, frame.bottom - 10.0), anchor, &text);
            free = from + room + 6.0;
        }
    }
}

/// The seconds as a table.
pub(crate) fn table(course: &Course) -> String {
    let Seconds { rate, latencies, .. } = &course.shown;
    let mut columns = columns![number say!("column-seconds"), number rate_label(rate, course)];
    columns.extend(latencies.iter().map(|(statistic, _)| {
        let name = match statistic {
            Statistic::Mean => say!("course-mean"),
            Statistic::P999 => "p99.9",
            other => other.name(),
        };
        Column::number(format!("{name} (ms)"))
    }));
    let mut table = Table::new(columns);
    let first = rate.values.len().saturating_sub(ROWS_MOST);
    for (index, value) in rate.values.iter().enumerate().skip(first) {
        let second = rate.start_s + index as f64;
        let mut row = vec![number::level(second), number::plain(*value)];
        row.extend(latencies.iter().map(|(_, series)| {
            let at = (second - series.start_s).round();
            let value = if at < 0.0 { None } else { series.values.get(at as usize) };
            value.filter(|value| **value > 0.0).map_or_else(|| "-".to_owned(), |value| number::plain(*value))
        }));
        table.row(row);
    }
    table.to_html(&say!("course-caption", cell = course.shown.number.to_string()))
}
