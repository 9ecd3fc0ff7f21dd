//! One panel for each bed, each with its own phases: what lasts twice as long on one bed is seen to.

use super::beside::{self, Beside};
use super::{Trace, draw_phases, draw_trace, span_s};
use crate::figure::{Caption, Frame, ValueAxis, Width};
use crate::number::{self, Digits};
use crate::svg::scale::{self, Scale, Spread};
use crate::svg::{Anchor, Canvas, Drawing, width};
use notebook::Phase;
use words::say;

/// Room above the first panel for the heading of the axis, above each for its bed and the names of phases.
const TOP: f64 = 18.0;
const HEAD: f64 = 34.0;
/// Height of a plot.
const PLOT: f64 = 92.0;
/// Room below the last plot for the axis.
const FOOT: f64 = 42.0;

/// Room behind the panels for the texts of each, where a whole row is wide enough for it.
const BEHIND: f64 = 220.0;
/// Room above a panel whose bed stands behind it: for the names of phases alone.
const HEAD_BEHIND: f64 = 22.0;

/// All panels over one axis of time, so that lengths can be compared.
pub(super) fn draw(
    caption: &Caption,
    axis_label: &str,
    axis: &ValueAxis,
    traces: &[Trace],
    at: Width,
) -> Drawing {
    let (start, end) = span_s(traces);
    let left = axis.room(at.font());
    let (behind, head) = if at == Width::Full { (BEHIND, HEAD_BEHIND) } else { (6.0, HEAD) };
    let mut canvas = Canvas::new();
    canvas.text("axis", (0.0, 11.0), Anchor::Start, &axis.heading(axis_label));
    for (index, trace) in traces.iter().enumerate() {
        let top = TOP + head + index as f64 * (head + PLOT + 8.0);
        let (right, bottom) = (at.units() - behind, top + PLOT);
        let frame = Frame { at, height: bottom + FOOT, left, right, top, bottom, edge: at.units() };
        let x = Scale::new(Spread::Linear, (start, end), (frame.left, frame.right));
        let y = axis.scale(&frame);
        let beside = Beside::of(&trace.series, &trace.phases);
        // Beside the loss in a window the other phases would be read as its parts.
        let shaded: Vec<Phase> = match beside::windows(&trace.series, &trace.phases) {
            Some((_, windows)) => windows.into_iter().cloned().collect(),
            None => trace.phases.clone(),
        };
        draw_phases(&mut canvas, &frame, &x, &shaded, end);
        frame.draw_grid(&mut canvas, axis);
        let has_windows = beside::windows(&trace.series, &trace.phases).is_some();
        let told = beside.map(rates).or(has_windows.then(|| say!("seconds-too-short").to_owned()));
        draw_name(&mut canvas, &frame, trace, told.as_deref());
        draw_trace(&mut canvas, trace, &x, &y);
        if let Some(beside) = beside {
            draw_loss(&mut canvas, (&frame, &x, &y), trace, beside);
        }
        if index + 1 == traces.len() {
            let most = if matches!(at, Width::Full | Width::Middle) { 10 } else { 5 };
            let ticks: Vec<(f64, String)> = scale::time_ticks(start, end, most)
                .into_iter()
                .map(|second| (x.place(second), number::level(second)))
                .collect();
            frame.draw_bottom_axis(&mut canvas, &ticks, say!("axis-seconds"));
        }
    }
    let height = TOP + traces.len() as f64 * (head + PLOT + 8.0) + FOOT - 8.0;
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), height), &caption.title, &caption.description)
}

/// The bed above its panel or behind it, and what is told of its users.
fn draw_name(canvas: &mut Canvas, frame: &Frame, trace: &Trace, told: Option<&str>) {
    let font = frame.at.font() + 1.0;
    let class = format!("end {}", trace.bed.class());
    if frame.at == Width::Full {
        let (x, room) = (frame.right + 16.0, frame.edge - frame.right - 34.0);
        canvas.marker(&trace.bed, (x + 5.0, frame.top + 9.5), 4.4, None);
        canvas.text(&class, (x + 15.0, frame.top + 14.0), Anchor::Start, &trace.bed.fit(font, room));
        if let Some(told) = told {
            let told = width::fit(told, frame.at.font(), false, room + 15.0);
            canvas.text("endvalue", (x, frame.top + 32.0), Anchor::Start, &told);
        }
        return;
    }
    let y = frame.top - HEAD + 10.0;
    let name = trace.bed.fit(font, frame.right * 0.6);
    canvas.marker(&trace.bed, (5.0, y - 4.5), 4.4, None);
    canvas.text(&class, (15.0, y), Anchor::Start, &name);
    if let Some(told) = told {
        let room = frame.right - width::of(&name, font, true) - 30.0;
        let told = width::fit(told, frame.at.font(), false, room);
        canvas.text("endvalue", (frame.right, y), Anchor::End, &told);
    }
}

/// `1,490 during, 2,100 otherwise`.
fn rates(beside: Beside) -> String {
    let [during, otherwise] = [beside.during, beside.otherwise].map(|rate| Digits::alone(rate).show(rate));
    say!("seconds-rates", during, otherwise)
}

/// The rate outside of the windows as a dotted line, and at the end of each window the change inside of it.
fn draw_loss(canvas: &mut Canvas, (frame, x, y): (&Frame, &Scale, &Scale), trace: &Trace, beside: Beside) {
    let level = y.place(beside.otherwise);
    canvas.line("phasemark", (frame.left, level), (frame.right, level));
    let windows = beside::windows(&trace.series, &trace.phases).map(|(_, windows)| windows);
    for window in windows.unwrap_or_default() {
        let Some(rate) = beside::mean_in(&trace.series, window) else { continue };
        let text = change(rate / beside.otherwise - 1.0);
        let (end, inside) = (x.place(window.end_s), y.place(rate));
        canvas.line("k-whisker", (end + 2.5, level), (end + 2.5, inside));
        let wide = width::of(&text, 13.0, true) + 8.0;
        let (anchor, at) = match end + wide <= frame.right {
            true => (Anchor::Start, end + 7.0),
            false => (Anchor::End, end - 4.0),
        };
        let middle = f64::midpoint(level, inside).clamp(frame.top + 10.0, frame.bottom - 6.0);
        canvas.text("k-panel", (at, middle + 4.5), anchor, &text);
    }
}

/// A change of a rate in whole per cent: `−29 %`.
fn change(share: f64) -> String {
    let sign = if share >= 0.005 { "+" } else { "" };
    format!("{sign}{}\u{a0}%", Digits::decimals(0).show(100.0 * share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::BedMark;
    use measure::Series;
    use words::Axis;

    #[test]
    fn a_loss_is_told_at_the_end_of_the_beds_own_window_and_other_phases_are_not_shaded() {
        let phase =
            |name: &str, start_s, end_s| Phase { name: words::StoredPhase::read(name), start_s, end_s };
        let values = vec![100.0, 100.0, 60.0, 50.0, 50.0, 100.0];
        let drawn = |metric: &str| {
            let trace = Trace {
                bed: BedMark::default(),
                series: Series::new(metric, "1/min", 0.0, values.clone()),
                phases: vec![phase("backup 1", 2.5, 5.0), phase("restore 1", 5.0, 6.0)],
            };
            let caption =
                Caption { id: "f".into(), title: "t".into(), reading: "r".into(), description: "d".into() };
            let axis = ValueAxis::enclosing(&values, Axis::FromZero);
            [Width::Full, Width::Narrow]
                .map(|at| draw(&caption, "1/min", &axis, std::slice::from_ref(&trace), at).markup(""))
        };
        for svg in drawn("tpm") {
            // The third second is half inside and counts for neither.
            assert!(svg.contains(">\u{2212}50\u{a0}%</text>"), "{svg}");
            assert!(svg.contains("50.0 during, 100 otherwise") && svg.contains("<title>backup 1, "));
            assert!(!svg.contains("<title>restore 1, "));
        }
        for svg in drawn("read_bandwidth") {
            assert!(svg.contains("<title>restore 1, ") && !svg.contains("during"));
        }
    }
}
