//! Two ways to the same end against the share of what is asked for: one panel for each bed, in it a line for
//! each way, and the place where they cross.

use super::line::Point;
use super::{BedMark, Caption, Figure, Frame, ValueAxis, Width};
use crate::number::{self, Digits};
use crate::svg::place::{Area, Paper, beside};
use crate::svg::scale::{self, Scale, Spread};
use crate::svg::{Anchor, Canvas, Drawing, width};
use crate::table::{Column, Table, columns};
use words::{Axis, say};

/// One way on one bed. Both ways have the bed's colour; dash and label tell them apart.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) mark: BedMark,
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
}

/// The place where the ways of a bed take the same time.
#[derive(Clone, Debug)]
pub(crate) struct Crossing {
    /// Share of the rows, %.
    pub(crate) share: f64,
    /// Ends of its interval, where enough repeats carry it.
    pub(crate) interval: Option<(f64, f64)>,
    /// `0.29 % of the rows`.
    pub(crate) shown: String,
}

/// One bed.
#[derive(Clone, Debug)]
pub(crate) struct Panel {
    pub(crate) bed: BedMark,
    pub(crate) ways: Vec<Way>,
    pub(crate) crossing: Option<Crossing>,
}

/// Names of the axes: what is asked for, and the time.
pub(crate) struct Axes<'a> {
    pub(crate) share: &'a str,
    pub(crate) time: &'a str,
}

/// A figure over the whole row.
pub(crate) fn figure(caption: Caption, axes: &Axes<'_>, panels: &[Panel]) -> Figure {
    let drawings = Width::ROW.into_iter().map(|at| draw(&caption, axes, panels, at)).collect();
    let table = table(axes, panels);
    Figure { id: caption.id, title: caption.title, reading: caption.reading, drawings, table, wide: true }
}

/// Room above a plot for the name of the bed and the heading of the axis.
const HEAD: f64 = 42.0;
/// Height of a plot.
const PLOT: f64 = 210.0;
/// Room below a plot for its axis.
const FOOT: f64 = 58.0;
/// Between columns of panels.
const GAP: f64 = 26.0;

fn draw(caption: &Caption, axes: &Axes<'_>, panels: &[Panel], at: Width) -> Drawing {
    let most = match at {
        Width::Full => 3,
        Width::Lead | Width::Middle => 2,
        Width::Half | Width::Narrow => 1,
    };
    let across = most.min(panels.len()).max(1);
    let column = (at.units() - GAP * (across - 1) as f64) / across as f64;
    let points = || panels.iter().flat_map(|panel| panel.ways.iter().flat_map(|way| &way.points));
    let times: Vec<f64> = points().flat_map(|point| point.repeats.iter().copied()).collect();
    let axis = ValueAxis::enclosing(&times, Axis::LogWhenWide);
    let shares = points().map(|point| point.level);
    let shares = shares.fold((f64::INFINITY, 0.0f64), |(low, high), one| (low.min(one), high.max(one)));
    let mut canvas = Canvas::new();
    for (index, panel) in panels.iter().enumerate() {
        let left = (index % across) as f64 * (column + GAP);
        let top = (index / across) as f64 * (HEAD + PLOT + FOOT) + HEAD;
        let frame = Frame {
            at,
            height: top + PLOT + FOOT - 18.0,
            left: left + axis.room(at.font()),
            right: left + column - 4.0,
            top,
            bottom: top + PLOT,
            edge: left + column,
        };
        let name = width::fit(&panel.bed.name, 13.0, true, column - 16.0);
        canvas.marker(&panel.bed, (left + 5.0, top - HEAD + 8.0), 4.4, None);
        canvas.text(
            &format!("end {}", panel.bed.class()),
            (left + 15.0, top - HEAD + 12.5),
            Anchor::Start,
            &name,
        );
        canvas.text("axis", (left, top - HEAD + 31.0), Anchor::Start, &axis.heading(axes.time));
        draw_panel(&mut canvas, &frame, (&axis, axes.share), shares, panel);
    }
    let height = panels.len().div_ceil(across) as f64 * (HEAD + PLOT + FOOT) - 14.0;
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), height), &caption.title, &caption.description)
}

fn draw_panel(
    canvas: &mut Canvas,
    frame: &Frame,
    (axis, share): (&ValueAxis, &str),
    shares: (f64, f64),
    panel: &Panel,
) {
    let x = draw_shares(canvas, frame, share, shares);
    let y = axis.scale(frame);
    frame.draw_grid(canvas, axis);
    let mut paper =
        Paper::new(Area { left: frame.left + 2.0, top: frame.top, right: frame.edge, bottom: frame.bottom });
    if let Some(crossing) = &panel.crossing {
        draw_interval(canvas, frame, &x, panel, crossing);
    }
    for way in &panel.ways {
        let means: Vec<(f64, f64)> = way.points.iter().map(|p| (x.place(p.level), y.place(p.mean))).collect();
        canvas.polyline(&format!("line {}", way.mark.line_class()), &means);
        paper.take_line(&means);
        let repeats =
            way.points.iter().flat_map(|p| p.repeats.iter().map(|v| (x.place(p.level), y.place(*v))));
        canvas.dots(&format!("dots {}", way.mark.class()), &repeats.collect::<Vec<_>>());
        for (point, place) in way.points.iter().zip(&means) {
            let hint = say!(
                "ways-hint",
                way = way.mark.name,
                share = number::level(point.level),
                time = point.shown()
            );
            canvas.marker(&way.mark, *place, 3.8, Some(&hint));
            paper.take(Area::around(*place, 5.0));
        }
    }
    if let Some(crossing) = &panel.crossing {
        draw_crossing(canvas, &mut paper, frame, (&x, &y), panel, crossing);
    }
    for way in &panel.ways {
        let Some(last) = way.points.last() else { continue };
        let text = say!("ways-end", way = way.name, time = last.shown());
        let at = (x.place(last.level), y.place(last.mean));
        let area = paper.place(at, (width::of(&text, frame.at.font(), true), 14.0));
        let (text_x, anchor) = beside(&area, at);
        canvas.text(&format!("k-note {}", way.mark.class()), (text_x, area.top + 11.0), anchor, &text);
    }
}

/// The axis of the shares, logarithmic where they lie far apart.
fn draw_shares(canvas: &mut Canvas, frame: &Frame, name: &str, (low, high): (f64, f64)) -> Scale {
    let is_log = low > 0.0 && high / low >= 4.0;
    let steps = if is_log { scale::log_ticks(low, high, 7) } else { scale::linear_ticks(0.0, high, 4) };
    let spread = if is_log { Spread::Log } else { Spread::Linear };
    let ends = if is_log { (low / 1.3, high * 1.3) } else { (0.0, steps[steps.len() - 1]) };
    let x = Scale::new(spread, ends, (frame.left, frame.right));
    let inside = steps.iter().filter(|step| (ends.0..=ends.1).contains(*step));
    let ticks: Vec<(f64, String)> = inside
        .map(|step| (x.place(*step), Digits::decimals(super::decimals_of(*step)).show(*step)))
        .collect();
    let name = if is_log { say!("axis-log", axis = name) } else { name.to_owned() };
    frame.draw_bottom_axis(canvas, &ticks, &name);
    x
}

/// The interval of the crossing, over the whole height.
fn draw_interval(canvas: &mut Canvas, frame: &Frame, x: &Scale, panel: &Panel, crossing: &Crossing) {
    if let Some((low, high)) = crossing.interval {
        let (low, high) = (x.place(low), x.place(high));
        let corner = (low, frame.top);
        let class = format!("band {}", panel.bed.class());
        canvas.rect(&class, corner, ((high - low).max(1.0), frame.bottom - frame.top), &crossing.shown);
    }
}

/// A ring where the lines cross, a line down to the axis, and the share.
fn draw_crossing(
    canvas: &mut Canvas,
    paper: &mut Paper,
    frame: &Frame,
    (x, y): (&Scale, &Scale),
    panel: &Panel,
    crossing: &Crossing,
) {
    let Some(time) = panel.ways.first().and_then(|way| time_at(&way.points, crossing.share)) else { return };
    let at = (x.place(crossing.share), y.place(time));
    canvas.line("phasemark", at, (at.0, frame.bottom));
    canvas.ring(&panel.bed.class(), at, 7.5, &crossing.shown);
    paper.take(Area::around(at, 8.0));
    let text = say!("ways-crossing", share = crossing.shown);
    let area = paper.place(at, (width::of(&text, frame.at.font() + 1.0, true), 15.0));
    let (text_x, anchor) = beside(&area, at);
    canvas.text("value", (text_x, area.top + 12.0), anchor, &text);
}

/// The time of a way at a share between its points, on a line through logarithms: times grow as powers of the
/// share.
fn time_at(points: &[Point], share: f64) -> Option<f64> {
    let pair = points.windows(2).find(|pair| (pair[0].level..=pair[1].level).contains(&share))?;
    let (x0, x1) = (pair[0].level.ln(), pair[1].level.ln());
    let (y0, y1) = (pair[0].mean.ln(), pair[1].mean.ln());
    Some((y0 + (y1 - y0) * (share.ln() - x0) / (x1 - x0)).exp()).filter(|time| time.is_finite())
}

fn table(axes: &Axes<'_>, panels: &[Panel]) -> Table {
    let ways: Vec<&Way> = panels.iter().flat_map(|panel| &panel.ways).collect();
    let mut levels: Vec<f64> =
        ways.iter().flat_map(|way| way.points.iter().map(|point| point.level)).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    let mut columns = columns![number axes.share];
    for way in &ways {
        columns.push(Column::number(format!("{} (s)", way.mark.name)));
        columns.push(Column::number(say!("column-repeats")));
    }
    let mut table = Table::new(columns);
    for level in levels {
        let mut row = vec![number::level(level)];
        for way in &ways {
            match way.points.iter().find(|point| point.level == level) {
                Some(point) => row.extend([point.shown(), point.repeats.len().to_string()]),
                None => row.extend(["-".to_owned(), "0".to_owned()]),
            }
        }
        table.row(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(name: &str, times: &[(f64, f64)]) -> Way {
        let point = |(share, time): &(f64, f64)| Point::new(*share, vec![*time]).expect("one repeat");
        let mark = BedMark { name: name.to_owned(), ..BedMark::default() };
        Way { mark, name: name.to_owned(), points: times.iter().map(point).collect() }
    }

    #[test]
    fn the_crossing_is_ringed_on_the_line_and_told() {
        let lookup = way("lookup", &[(0.1, 0.01), (1.0, 0.1), (100.0, 10.0)]);
        assert!(time_at(&lookup.points, 10.0).is_some_and(|time| (time - 1.0).abs() < 1e-9));
        assert_eq!(time_at(&lookup.points, 1000.0), None);
        let scan = way("scan", &[(0.1, 1.0), (1.0, 1.0), (100.0, 1.0)]);
        let crossing =
            Crossing { share: 10.0, interval: Some((9.0, 11.0)), shown: "10 % of the rows".into() };
        let panel = Panel { bed: BedMark::default(), ways: vec![lookup, scan], crossing: Some(crossing) };
        let caption =
            Caption { id: "f".into(), title: "t".into(), reading: "r".into(), description: "d".into() };
        let drawn = figure(caption, &Axes { share: "% of the rows", time: "s" }, &[panel.clone(), panel]);
        for svg in drawn.drawings.iter().map(|one| one.markup("")) {
            assert_eq!(svg.matches("class=\"k-ring").count(), 2, "{svg}");
            assert!(svg.contains("10 % of the rows</text>") && !svg.contains("NaN"), "{svg}");
        }
        assert_eq!(drawn.table.rows.len(), 3);
    }
}
