//! Latency against throughput: what one pays for a deeper or a faster load. One panel for each job, in it a
//! line for each bed with its knee ringed.

use super::{BedMark, Caption, Figure, Frame, ValueAxis, Width, knee};
use crate::number::{self, Digits};
use crate::svg::place::{Area, Paper, beside};
use crate::svg::scale::{self, Scale, Spread};
use crate::svg::{Anchor, Canvas, Drawing, width};
use crate::table::{Table, columns};
use words::{Axis, say};

/// One load of a bed: what came about, and how long it took.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CurvePoint {
    /// `50%`, `depth 8`.
    pub(crate) name: String,
    /// I/Os per second that came about.
    pub(crate) iops: f64,
    /// Mean time of an I/O at the drive, ms.
    pub(crate) service_ms: f64,
    /// 99th percentile of the latency from the intended start, ms.
    pub(crate) p99_ms: Option<f64>,
    /// True for the load that is the job's result: its maximum.
    pub(crate) is_result: bool,
}

/// The loads of one bed.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) bed: BedMark,
    /// By throughput.
    loads: Vec<CurvePoint>,
    /// The isotonic fit of their latencies, ms: more load never makes a drive faster, so what falls is noise.
    fit: Vec<f64>,
}

/// Fewer loads than this are no curve.
const LOADS_MIN: usize = 3;
/// Fewer loads than this lie too far apart to say where latency doubled.
const LOADS_OF_A_KNEE: usize = 5;

impl Line {
    /// A line; `None` of fewer than three loads that came about.
    pub(crate) fn new(bed: BedMark, mut loads: Vec<CurvePoint>) -> Option<Line> {
        loads.retain(|load| load.iops > 0.0 && load.service_ms > 0.0);
        loads.sort_by(|a, b| a.iops.total_cmp(&b.iops));
        let latencies: Vec<f64> = loads.iter().map(|load| load.service_ms).collect();
        let fit = knee::isotonic(&latencies);
        (loads.len() >= LOADS_MIN).then_some(Line { bed, loads, fit })
    }

    /// True if the loads lie close enough together for a knee.
    pub(crate) fn can_have_knee(&self) -> bool {
        self.loads.len() >= LOADS_OF_A_KNEE
    }

    /// The last load before latency is above twice that of light loads, and stays there (see [`knee::of`]).
    pub(crate) fn knee(&self) -> Option<&CurvePoint> {
        self.loads.get(knee::of(&self.fit)?).filter(|_| self.can_have_knee())
    }

    /// The job's result, else the load of the greatest throughput.
    pub(crate) fn most(&self) -> &CurvePoint {
        let result = self.loads.iter().find(|load| load.is_result);
        result.unwrap_or(&self.loads[self.loads.len() - 1])
    }
}

/// One job.
#[derive(Clone, Debug)]
pub(crate) struct Panel {
    /// Name of the job.
    pub(crate) title: String,
    /// `queue depth 128`, or nothing.
    pub(crate) note: String,
    pub(crate) lines: Vec<Line>,
}

/// A figure over the whole row, or over half of it for one panel.
pub(crate) fn figure(caption: Caption, panels: &[Panel]) -> Figure {
    let wide = panels.len() > 1;
    let widths: &[Width] = if wide { &Width::ROW } else { &Width::SHARED };
    let drawings = widths.iter().map(|at| draw(&caption, panels, *at)).collect();
    let table = table(panels);
    Figure { id: caption.id, title: caption.title, reading: caption.reading, drawings, table, wide }
}

/// The places of the knees, in words.
pub(crate) fn describe(panels: &[Panel]) -> String {
    let line = |title: &str, line: &Line| {
        let (bed, job) = (&line.bed.name, title);
        Some(match line.knee() {
            Some(knee) => say!(
                "curve-knee",
                job,
                bed,
                load = knee.name,
                iops = Digits::alone(knee.iops).show(knee.iops),
                ms = number::plain(knee.service_ms)
            ),
            None if line.can_have_knee() => say!("curve-no-knee", job, bed),
            None => say!("curve-few-loads", job, bed),
        })
    };
    let lines = panels.iter().flat_map(|panel| panel.lines.iter().map(|one| (&panel.title, one)));
    lines.filter_map(|(title, one)| line(title, one)).collect::<Vec<_>>().join(" ")
}

/// Room above a plot for the job, its note and the heading of the axis.
const HEAD: f64 = 56.0;
/// Height of a plot.
const PLOT: f64 = 200.0;
/// Room below a plot for its axis.
const FOOT: f64 = 62.0;
/// Between columns of panels.
const GAP: f64 = 36.0;

fn draw(caption: &Caption, panels: &[Panel], at: Width) -> Drawing {
    let across = if matches!(at, Width::Full | Width::Middle) { 2.min(panels.len()) } else { 1 };
    let lines = || panels.iter().flat_map(|panel| &panel.lines);
    let latencies: Vec<f64> =
        lines().flat_map(|line| line.loads.iter().map(|load| load.service_ms)).collect();
    let axis = ValueAxis::enclosing(&latencies, Axis::LogWhenWide);
    let room = axis.room(at.font());
    let column = (at.units() - GAP * (across - 1) as f64) / across as f64;
    let mut canvas = Canvas::new();
    for (index, panel) in panels.iter().enumerate() {
        let left = (index % across) as f64 * (column + GAP);
        let top = (index / across) as f64 * (HEAD + PLOT + FOOT) + HEAD;
        let frame = Frame {
            at,
            height: top + PLOT + FOOT - 18.0,
            left: left + room,
            right: left + column - 6.0,
            top,
            bottom: top + PLOT,
            edge: left + column,
        };
        let head = frame.top - HEAD;
        canvas.text(
            "k-panel",
            (left, head + 12.0),
            Anchor::Start,
            &width::fit(&panel.title, 13.0, true, column),
        );
        canvas.text(
            "tick",
            (left, head + 28.0),
            Anchor::Start,
            &width::fit(&panel.note, at.font(), false, column),
        );
        canvas.text("axis", (left, head + 46.0), Anchor::Start, &axis.heading(say!("curve-axis")));
        draw_panel(&mut canvas, &frame, &axis, panel);
    }
    let height = panels.len().div_ceil(across) as f64 * (HEAD + PLOT + FOOT) - 16.0;
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), height), &caption.title, &caption.description)
}

fn draw_panel(canvas: &mut Canvas, frame: &Frame, axis: &ValueAxis, panel: &Panel) {
    let rates = || panel.lines.iter().flat_map(|line| line.loads.iter().map(|load| load.iops));
    let x = draw_rates(canvas, frame, rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max));
    let y = axis.scale(frame);
    frame.draw_grid(canvas, axis);
    let place = |load: &CurvePoint| (x.place(load.iops), y.place(load.service_ms));
    let mut paper =
        Paper::new(Area { left: frame.left, top: frame.top - 4.0, right: frame.edge, bottom: frame.bottom });
    for line in &panel.lines {
        let fitted: Vec<(f64, f64)> =
            line.loads.iter().zip(&line.fit).map(|(load, ms)| (x.place(load.iops), y.place(*ms))).collect();
        canvas.polyline(&format!("line {}", line.bed.line_class()), &fitted);
        paper.take_line(&fitted);
        for load in &line.loads {
            canvas.marker(&line.bed, place(load), 3.8, Some(&hint(line, load)));
            paper.take(Area::around(place(load), 5.0));
        }
    }
    for line in &panel.lines {
        draw_end(canvas, &mut paper, frame, line, place(line.most()));
    }
    for line in &panel.lines {
        if let Some(knee) = line.knee() {
            draw_knee(canvas, &mut paper, frame, line, (knee, place(knee)));
        }
    }
}

/// Room on both sides of the rates on a logarithmic axis, as a factor.
const BESIDE: f64 = 1.25;

/// The axis of the rates with its ticks, logarithmic where they lie far apart.
fn draw_rates(canvas: &mut Canvas, frame: &Frame, low: f64, high: f64) -> Scale {
    let is_log = high / low > 4.0;
    let most = if frame.edge - frame.left > 300.0 { 8 } else { 6 };
    let mut steps =
        if is_log { scale::log_ticks(low, high, most) } else { scale::linear_ticks(0.0, high, 5) };
    let ends = if is_log { (low / BESIDE, high * BESIDE) } else { (0.0, steps[steps.len() - 1]) };
    steps.retain(|step| (ends.0..=ends.1).contains(step));
    let spread = if is_log { Spread::Log } else { Spread::Linear };
    let x = Scale::new(spread, ends, (frame.left, frame.right));
    let ticks: Vec<(f64, String)> =
        steps.iter().map(|step| (x.place(*step), number::short_tick(*step))).collect();
    let name = if is_log { say!("axis-log", axis = say!("axis-iops")) } else { say!("axis-iops").to_owned() };
    frame.draw_bottom_axis(canvas, &ticks, &name);
    x
}

fn hint(line: &Line, load: &CurvePoint) -> String {
    say!(
        "curve-hint",
        bed = line.bed.name,
        load = load.name,
        iops = Digits::alone(load.iops).show(load.iops),
        ms = number::plain(load.service_ms)
    )
}

/// `612k · 0.206 ms`.
fn rate_and_time(load: &CurvePoint) -> String {
    say!("curve-rate-and-time", rate = number::short(load.iops), ms = number::plain(load.service_ms))
}

/// The bed and its maximum, beside the place of the maximum.
fn draw_end(canvas: &mut Canvas, paper: &mut Paper, frame: &Frame, line: &Line, at: (f64, f64)) {
    let font = frame.at.font();
    let name = line.bed.fit(font + 1.0, (frame.edge - frame.left) / 2.0);
    // A short step may complete more than the job's result does over its whole time.
    let value = match line.most().is_result {
        true => say!("curve-result", what = rate_and_time(line.most())),
        false => say!("curve-most", what = rate_and_time(line.most())),
    };
    let wide = width::of(&name, font + 1.0, true).max(width::of(&value, font, false));
    let area = paper.place(at, (wide, 27.0));
    if let Some(end) = area.leader_to(at) {
        canvas.line("leader", at, end);
    }
    let (x, anchor) = beside(&area, at);
    canvas.text(&format!("end {}", line.bed.class()), (x, area.top + 11.0), anchor, &name);
    canvas.text("endvalue", (x, area.top + 24.5), anchor, &value);
}

/// The ring around the knee, and its place in numbers.
fn draw_knee(
    canvas: &mut Canvas,
    paper: &mut Paper,
    frame: &Frame,
    line: &Line,
    (knee, at): (&CurvePoint, (f64, f64)),
) {
    let text = say!("curve-knee-mark", what = rate_and_time(knee));
    canvas.ring(&line.bed.class(), at, 7.5, &hint(line, knee));
    let area = paper.place(at, (width::of(&text, frame.at.font(), true), 14.0));
    if let Some(end) = area.leader_to(at) {
        canvas.line("leader", at, end);
    }
    let (x, anchor) = beside(&area, at);
    canvas.text(&format!("k-note {}", line.bed.class()), (x, area.top + 11.0), anchor, &text);
}

fn table(panels: &[Panel]) -> Table {
    let mut table = Table::new(
        columns![text say!("column-workload"), text say!("column-bed"), text say!("column-load"), number say!("column-i-os-per-second"), number say!("column-mean-service-time-ms"), number say!("column-p99-latency-ms"), text say!("column-knee")],
    );
    for (panel, line) in panels.iter().flat_map(|panel| panel.lines.iter().map(move |line| (panel, line))) {
        let knee = line.knee();
        for load in &line.loads {
            table.row([
                panel.title.clone(),
                line.bed.name.clone(),
                load.name.clone(),
                Digits::alone(load.iops).show(load.iops),
                number::plain(load.service_ms),
                load.p99_ms.map_or("-".to_owned(), number::plain),
                if knee == Some(load) { say!("column-knee") } else { "" }.to_owned(),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(name: &str, iops: f64, service_ms: f64) -> CurvePoint {
        let is_result = name == "depth 64";
        CurvePoint { name: name.to_owned(), iops, service_ms, p99_ms: Some(service_ms * 3.0), is_result }
    }

    fn bed(name: &str) -> BedMark {
        BedMark { name: name.to_owned(), ..BedMark::default() }
    }

    #[test]
    fn the_knee_is_ringed_once_for_each_bed_that_bends() {
        let loads = vec![
            load("depth 1", 10.0, 0.1),
            load("depth 2", 20.0, 0.1),
            load("depth 4", 40.0, 0.11),
            load("depth 8", 70.0, 0.12),
            load("depth 64", 80.0, 0.8),
        ];
        let line = Line::new(bed("nvme"), loads.clone()).expect("three loads");
        assert_eq!(line.knee().map(|load| load.name.as_str()), Some("depth 8"));
        assert!(Line::new(bed("nvme"), loads[..2].to_vec()).is_none(), "two loads are no curve");
        let few = Line::new(bed("nvme"), loads[2..].to_vec()).expect("three loads");
        assert!(few.knee().is_none(), "three loads are too far apart");
        let flat = vec![load("depth 1", 10.0, 0.1), load("depth 8", 70.0, 0.1), load("depth 64", 80.0, 0.1)];
        let flat = Line::new(bed("sata"), flat).expect("three loads");
        let panel = |title: &str| Panel {
            title: title.to_owned(),
            note: String::new(),
            lines: vec![line.clone(), flat.clone()],
        };
        let panels = [panel("reads"), panel("writes")];
        let caption = Caption {
            id: "f".into(),
            title: "t".into(),
            reading: "r".into(),
            description: describe(&panels),
        };
        assert!(caption.description.contains("depth 8"), "{}", caption.description);
        let drawn = figure(caption, &panels);
        assert_eq!(drawn.drawings.len(), Width::ROW.len());
        for svg in drawn.drawings.iter().map(|one| one.markup("")) {
            assert_eq!(svg.matches("class=\"k-ring").count(), 2, "{svg}");
            assert!(svg.contains("full load 80.0 · 0.800 ms") && !svg.contains("NaN"), "{svg}");
        }
        assert_eq!(drawn.table.rows.len(), 16);
    }
}
