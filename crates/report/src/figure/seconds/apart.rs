//! One panel for each bed, each with its own phases: what lasts twice as long on one bed is seen to.

use super::{Trace, draw_phases, draw_trace, span_s};
use crate::figure::{Caption, Frame, ValueAxis, Width};
use crate::number::{self, Digits};
use crate::svg::scale::{self, Scale, Spread};
use crate::svg::{Anchor, Canvas, Drawing, width};
use measure::Series;
use notebook::Phase;
use words::{Metric, MetricName, PhaseName, say};

/// Room above the first panel for the heading of the axis, above each for its bed and the names of phases.
const TOP: f64 = 18.0;
const HEAD: f64 = 34.0;
/// Height of a plot.
const PLOT: f64 = 92.0;
/// Room below the last plot for the axis.
const FOOT: f64 = 42.0;

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
    let mut canvas = Canvas::new();
    canvas.text("axis", (0.0, 11.0), Anchor::Start, &axis.heading(axis_label));
    for (index, trace) in traces.iter().enumerate() {
        let top = TOP + HEAD + index as f64 * (HEAD + PLOT + 8.0);
        let (right, bottom) = (at.units() - 6.0, top + PLOT);
        let frame = Frame { at, height: bottom + FOOT, left, right, top, bottom, edge: right };
        let x = Scale::new(Spread::Linear, (start, end), (frame.left, frame.right));
        draw_phases(&mut canvas, &frame, &x, &trace.phases, end);
        frame.draw_grid(&mut canvas, axis);
        draw_name(&mut canvas, &frame, trace);
        draw_trace(&mut canvas, trace, &x, &axis.scale(&frame));
        if index + 1 == traces.len() {
            let most = if matches!(at, Width::Full | Width::Middle) { 10 } else { 5 };
            let ticks: Vec<(f64, String)> = scale::time_ticks(start, end, most)
                .into_iter()
                .map(|second| (x.place(second), number::level(second)))
                .collect();
            frame.draw_bottom_axis(&mut canvas, &ticks, say!("axis-seconds"));
        }
    }
    let height = TOP + traces.len() as f64 * (HEAD + PLOT + 8.0) + FOOT - 8.0;
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), height), &caption.title, &caption.description)
}

/// The bed above its panel, and what its users lost in its own windows.
fn draw_name(canvas: &mut Canvas, frame: &Frame, trace: &Trace) {
    let font = frame.at.font() + 1.0;
    let y = frame.top - HEAD + 10.0;
    let name = trace.bed.fit(font, frame.right * 0.6);
    canvas.marker(&trace.bed, (5.0, y - 4.5), 4.4, None);
    canvas.text(&format!("end {}", trace.bed.class()), (15.0, y), Anchor::Start, &name);
    if let Some(loss) = loss(trace) {
        let room = frame.right - width::of(&name, font, true) - 30.0;
        canvas.text("value", (frame.right, y), Anchor::End, &width::fit(&loss, font, true, room));
    }
}

/// `1,490 in backup, 2,100 otherwise: −29 %`: the mean rate inside the windows of backups or neighbours
/// against that of the other seconds. `None` for a series that is no rate of users, or without such seconds.
fn loss(trace: &Trace) -> Option<String> {
    if MetricName::read(&trace.series.metric) != Metric::Tpm {
        return None;
    }
    let of = |kind: &PhaseName| -> Vec<&Phase> {
        trace.phases.iter().filter(|phase| phase.name.starts_with(kind.name())).collect()
    };
    let kinds = [PhaseName::Backup, PhaseName::Neighbour];
    let (kind, windows) = kinds.iter().map(|kind| (kind, of(kind))).find(|(_, found)| !found.is_empty())?;
    let (inside, outside) = split(&trace.series, &windows);
    let (during, otherwise) = (mean(&inside)?, mean(&outside).filter(|rate| *rate > 0.0)?);
    let change = 100.0 * (during / otherwise - 1.0);
    let sign = if change >= 0.5 { "+" } else { "" };
    let percent = format!("{sign}{}", Digits::decimals(0).show(change));
    let [during, otherwise] = [during, otherwise].map(|rate| Digits::alone(rate).show(rate));
    let what = words::spoken_phase(kind.name());
    Some(say!("seconds-loss", during, what, otherwise, percent))
}

/// The whole seconds inside the windows, and those outside of all.
fn split(series: &Series, windows: &[&Phase]) -> (Vec<f64>, Vec<f64>) {
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for (index, value) in series.values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
        let (from, to) = (series.start_s + index as f64, series.start_s + index as f64 + 1.0);
        if windows.iter().any(|phase| phase.start_s <= from && to <= phase.end_s) {
            inside.push(*value);
        } else if windows.iter().all(|phase| to <= phase.start_s || phase.end_s <= from) {
            outside.push(*value);
        }
    }
    (inside, outside)
}

fn mean(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    mean.is_finite().then_some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::BedMark;

    #[test]
    fn a_loss_is_that_of_whole_seconds_inside_the_beds_own_window() {
        let phase = |name: &str, start_s, end_s| Phase { name: name.to_owned(), start_s, end_s };
        let values = vec![100.0, 100.0, 60.0, 50.0, 50.0, 100.0];
        let trace = |metric: &str| Trace {
            bed: BedMark::default(),
            series: Series::new(metric, "1/min", 0.0, values.clone()),
            phases: vec![phase("backup 1", 2.5, 5.0), phase("restore 1", 5.0, 6.0)],
        };
        // The third second is half inside and counts for neither.
        assert_eq!(loss(&trace("tpm")).as_deref(), Some("50.0 in backup, 100 otherwise: \u{2212}50\u{a0}%"));
        assert_eq!(loss(&trace("read_bandwidth")), None);
    }
}
