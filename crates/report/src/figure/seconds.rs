//! One metric second by second in one cell of each bed, with the phases of the cell marked.

mod apart;
pub(crate) mod beside;

use super::{BedMark, Caption, Figure, Frame, LineEnd, ValueAxis, Width, label_room};
use crate::number::{self, Digits};
use crate::svg::scale::{self, Scale, Spread};
use crate::svg::{Anchor, Canvas, Drawing, width};
use crate::table::{Column, Table, columns};
use measure::Series;
use notebook::Phase;
use words::{Axis, PhaseName, say};

/// The series of one bed.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    pub(crate) bed: BedMark,
    pub(crate) series: Series,
    pub(crate) phases: Vec<Phase>,
}

/// More points than this per line are thinned to the smallest and largest value of each stretch.
const POINTS_MOST: usize = 700;
/// The table behind the figure has at most this many rows; each is the mean of as many whole seconds as that
/// takes.
const ROWS_MOST: usize = 40;

/// Cuts a series where measuring ended: the second in which the load stops is not whole and would look like a
/// collapse.
pub(crate) fn end_with_measuring(series: &mut Series, phases: &[Phase]) {
    if let Some(measure) = phases.iter().find(|phase| phase.name == PhaseName::Measure) {
        let whole = (measure.end_s - series.start_s + 0.05).floor().max(0.0);
        series.values.truncate(whole as usize);
    }
}

/// The fewest seconds that show a course.
const SECONDS_MIN: usize = 8;

/// True if the traces have a course to be seen: eight seconds or more of something else than nothing.
pub(crate) fn has_course(traces: &[Trace]) -> bool {
    let counted = |trace: &Trace| trace.series.values.iter().filter(|value| value.is_finite()).count();
    let is_something =
        |trace: &Trace| trace.series.values.iter().any(|value| value.is_finite() && *value != 0.0);
    traces.iter().any(|trace| counted(trace) >= SECONDS_MIN) && traces.iter().any(is_something)
}

/// A figure over the whole row or over half of it.
pub(crate) fn figure(caption: Caption, axis_label: &str, axis: Axis, wide: bool, traces: &[Trace]) -> Figure {
    let values: Vec<f64> = traces.iter().flat_map(|trace| trace.series.values.iter().copied()).collect();
    let axis = ValueAxis::enclosing(&values, axis);
    let widths: &[Width] = if wide { &Width::ROW } else { &Width::SHARED };
    // Phases that differ can only be shaded behind the line that they belong to.
    let draw = if wide && !share_phases(traces) { apart::draw } else { draw };
    let drawings = widths.iter().map(|at| draw(&caption, axis_label, &axis, traces, *at)).collect();
    let table = table(axis_label, traces);
    Figure { id: caption.id, title: caption.title, reading: caption.reading, drawings, table, wide }
}

/// True if the phases of all beds begin and end within a second of each other: then one shading is that of
/// all.
fn share_phases(traces: &[Trace]) -> bool {
    let Some((first, others)) = traces.split_first() else { return true };
    let alike = |a: &Phase, b: &Phase| {
        a.name == b.name && (a.start_s - b.start_s).abs() < 1.0 && (a.end_s - b.end_s).abs() < 1.0
    };
    let as_first = |trace: &Trace| {
        trace.phases.len() == first.phases.len()
            && trace.phases.iter().zip(&first.phases).all(|(a, b)| alike(a, b))
    };
    others.iter().all(as_first)
}

fn draw(caption: &Caption, axis_label: &str, axis: &ValueAxis, traces: &[Trace], at: Width) -> Drawing {
    let names: Vec<(BedMark, String)> = traces.iter().map(|t| (t.bed.clone(), String::new())).collect();
    let height = match at {
        Width::Full | Width::Lead | Width::Middle => 270.0,
        Width::Half | Width::Narrow => 300.0,
    };
    let frame = Frame { top: 44.0, ..Frame::new(at, height, axis, label_room(at, &names)) };
    let (start, end) = span_s(traces);
    let x = Scale::new(Spread::Linear, (start, end), (frame.left, frame.right));
    let y = axis.scale(&frame);
    let mut canvas = Canvas::new();
    if let Some(first) = traces.first().filter(|_| share_phases(traces)) {
        draw_phases(&mut canvas, &frame, &x, &first.phases, end);
    }
    frame.draw_value_axis(&mut canvas, axis, axis_label);
    let most = match at {
        Width::Full | Width::Lead | Width::Middle => 10,
        Width::Half | Width::Narrow => 5,
    };
    let ticks: Vec<(f64, String)> = scale::time_ticks(start, end, most)
        .into_iter()
        .map(|second| (x.place(second), number::level(second)))
        .collect();
    frame.draw_bottom_axis(&mut canvas, &ticks, say!("axis-seconds"));
    let mut ends = Vec::new();
    for trace in traces {
        draw_trace(&mut canvas, trace, &x, &y);
        if let Some((t, v)) = typical_end(&trace.series) {
            ends.push(LineEnd { bed: trace.bed.clone(), at: (x.place(t), y.place(v)), value: String::new() });
        }
    }
    frame.draw_line_ends(&mut canvas, &ends);
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), height), &caption.title, &caption.description)
}

fn draw_trace(canvas: &mut Canvas, trace: &Trace, x: &Scale, y: &Scale) {
    let class = format!("trace {}", trace.bed.line_class());
    for stretch in stretches(&trace.series) {
        let points: Vec<(f64, f64)> = stretch.iter().map(|(t, v)| (x.place(*t), y.place(*v))).collect();
        match points.as_slice() {
            // One second between gaps, or alone, has no line to be seen by.
            [_] => canvas.dots(&format!("dots {}", trace.bed.class()), &points),
            _ => canvas.polyline(&class, &points),
        }
    }
}

/// First and last second that any trace covers, with the phases that are drawn: a last phase shorter than a
/// second has no second of its own. After the measure phase nothing is shown.
fn span_s(traces: &[Trace]) -> (f64, f64) {
    let start = traces.iter().map(|trace| trace.series.start_s).fold(f64::INFINITY, f64::min);
    let mut end = traces.iter().map(|trace| trace.series.end_s()).fold(f64::NEG_INFINITY, f64::max);
    let phases = || traces.iter().flat_map(|trace| &trace.phases);
    if end.is_finite() && !phases().any(|phase| phase.name == PhaseName::Measure) {
        end = phases().map(|phase| phase.end_s).fold(end, f64::max);
    }
    if start < end { (start, end) } else { (0.0, 1.0) }
}

/// Shades the time outside the measure phase and outside proofs, which are this program's own work, and
/// writes the names of phases above the plot where there is room; a tooltip of every phase shows its name and
/// its seconds.
pub(super) fn draw_phases(canvas: &mut Canvas, frame: &Frame, x: &Scale, phases: &[Phase], end_s: f64) {
    for phase in phases.iter().filter(|phase| phase.start_s < end_s && phase.end_s > phase.start_s) {
        let (from, to) = (x.place(phase.start_s), x.place(phase.end_s));
        if to - from < 1.0 {
            continue;
        }
        let is_plain = phase.name == PhaseName::Measure || phase.name.kind() == Some(PhaseName::Proof);
        let class = if is_plain { "measured" } else { "phase" };
        let name = phase.name.spoken();
        let hint = say!(
            "seconds-phase",
            phase = name,
            from = words::decimals(phase.start_s, 1),
            to = words::decimals(phase.end_s, 1)
        );
        canvas.rect(class, (from, frame.top), (to - from, frame.bottom - frame.top), &hint);
        // Hundreds of short phases would be a hatching.
        if to - from >= 6.0 {
            canvas.line("phasemark", (from, frame.top - 14.0), (from, frame.bottom));
        }
        if width::of(&name, frame.at.font(), false) + 6.0 <= to - from {
            canvas.text("tick", (from + 5.0, frame.top - 6.0), Anchor::Start, &name);
        }
    }
}

/// The stretches of a series without gaps, thinned when long. A value belongs to the middle of its second.
pub(super) fn stretches(series: &Series) -> Vec<Vec<(f64, f64)>> {
    let mut stretches: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
    for (index, &value) in series.values.iter().enumerate() {
        if value.is_finite() {
            let last = stretches.len() - 1;
            stretches[last].push((series.start_s + index as f64 + 0.5, value));
        } else if stretches.last().is_some_and(|stretch| !stretch.is_empty()) {
            stretches.push(Vec::new());
        }
    }
    stretches.into_iter().map(thin).collect()
}

/// Keeps the smallest and the largest value of each stretch of seconds, in their order, so that no peak is
/// lost.
fn thin(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    if points.len() <= POINTS_MOST {
        return points;
    }
    let bucket = (2 * points.len()).div_ceil(POINTS_MOST);
    let mut kept = Vec::with_capacity(POINTS_MOST + 2);
    for chunk in points.chunks(bucket) {
        let low = chunk.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
        let high = chunk.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
        let mut pair: Vec<(f64, f64)> = low.into_iter().chain(high).collect();
        pair.sort_by(|a, b| a.0.total_cmp(&b.0));
        pair.dedup();
        kept.extend(pair);
    }
    kept
}

/// The place of a trace's label: its end, at the median of its last tenth, so that one odd second does not
/// move it.
fn typical_end(series: &Series) -> Option<(f64, f64)> {
    let finite: Vec<f64> = series.values.iter().copied().filter(|value| value.is_finite()).collect();
    let tail = &finite[finite.len() - finite.len().div_ceil(10)..];
    Some((series.end_s(), measure::median(tail)?))
}

fn table(axis_label: &str, traces: &[Trace]) -> Table {
    let (start, end) = span_s(traces);
    let seconds = ((end - start) / ROWS_MOST as f64).ceil().max(1.0);
    let mut columns = columns![number say!("column-seconds")];
    columns.extend(traces.iter().map(|trace| Column::number(format!("{} ({axis_label})", trace.bed.name))));
    let mut table = Table::new(columns);
    let mut from = start;
    while from < end && !traces.is_empty() {
        let to = (from + seconds).min(end);
        let mut row = vec![say!("figure-from-to", low = number::level(from), high = number::level(to))];
        row.extend(traces.iter().map(|trace| mean_between(&trace.series, from, to)));
        table.row(row);
        from += seconds;
    }
    table
}

fn mean_between(series: &Series, from_s: f64, to_s: f64) -> String {
    let finite: Vec<f64> =
        series.between(from_s, to_s).iter().copied().filter(|value| value.is_finite()).collect();
    if finite.is_empty() {
        return "-".to_owned();
    }
    let mean = finite.iter().sum::<f64>() / finite.len() as f64;
    Digits::alone(mean).show(mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(name: &str, start_s: f64, end_s: f64) -> Phase {
        Phase { name: words::StoredPhase::read(name), start_s, end_s }
    }

    fn drawn(values: Vec<f64>, phases: Vec<Phase>) -> Figure {
        let caption =
            Caption { id: "f".into(), title: "t".into(), reading: "r".into(), description: "d".into() };
        let bed = BedMark { name: "nvme".to_owned(), ..BedMark::default() };
        let trace = Trace { bed, series: Series::new("tpm", "1/min", 0.0, values), phases };
        figure(caption, "1/min", Axis::FromZero, true, &[trace])
    }

    #[test]
    fn a_few_seconds_and_nothing_at_all_have_no_course() {
        let trace = |values: Vec<f64>| Trace {
            bed: BedMark::default(),
            series: Series::new("tpm", "1/min", 0.0, values),
            phases: Vec::new(),
        };
        assert!(has_course(&[trace(vec![1.0; 8])]));
        assert!(!has_course(&[trace(vec![1.0; 7]), trace(vec![f64::NAN; 9])]));
        assert!(!has_course(&[trace(vec![0.0; 60])]));
        assert!(!has_course(&[]));
    }

    #[test]
    fn gaps_break_the_line() {
        let series = Series::new("tpm", "1/min", 0.0, vec![1.0, 2.0, f64::NAN, f64::NAN, 3.0]);
        let parts = stretches(&series);
        assert_eq!(parts, vec![vec![(0.5, 1.0), (1.5, 2.0)], vec![(4.5, 3.0)]]);
        assert_eq!(mean_between(&series, 2.0, 4.0), "-");
        assert_eq!(mean_between(&series, 0.0, 3.0), "1.50");
    }

    #[test]
    fn one_second_alone_is_a_dot() {
        let figure = drawn(vec![7.0], Vec::new());
        assert!(
            figure
                .drawings
                .iter()
                .map(|one| one.markup(""))
                .all(|svg| svg.contains("class=\"dots ") && !svg.contains("polyline"))
        );
    }

    #[test]
    fn a_phase_too_short_for_its_name_still_tells_it() {
        let phases = vec![phase("backup 1", 0.0, 1.5), phase("restore 1", 600.2, 601.4)];
        let figure = drawn(vec![7.0; 600], phases);
        assert!(figure.drawings[0].markup("").contains("<title>backup 1, 0.0 to 1.5 s</title>"));
        assert!(figure.drawings[0].markup("").contains("<title>restore 1, 600.2 to 601.4 s</title>"));
        assert!(!figure.drawings[0].markup("").contains(">backup 1</text>"));
    }

    #[test]
    fn a_series_ends_with_its_last_whole_measured_second() {
        let mut series = Series::new("tpm", "1/min", 0.0, vec![1.0; 9]);
        end_with_measuring(
            &mut series,
            &[phase("ramp-up", 0.0, 2.0), phase("measure", 2.0, 6.4), phase("check", 6.4, 9.0)],
        );
        assert_eq!(series.values.len(), 6);
        end_with_measuring(&mut series, &[phase("reset", 0.0, 1.0)]);
        assert_eq!(series.values.len(), 6, "without a measure phase nothing is cut");
    }

    #[test]
    fn thinning_keeps_the_peaks_and_the_order() {
        let mut values = vec![10.0; 5000];
        values[2345] = 99.0;
        values[4000] = 1.0;
        let series = Series::new("tpm", "1/min", 0.0, values);
        let parts = stretches(&series);
        assert!(parts[0].len() <= POINTS_MOST + 2, "{}", parts[0].len());
        assert!(parts[0].iter().any(|point| point.1 == 99.0) && parts[0].iter().any(|point| point.1 == 1.0));
        assert!(parts[0].windows(2).all(|pair| pair[0].0 <= pair[1].0));
    }

    #[test]
    fn an_empty_series_is_drawn_as_an_empty_plot() {
        let figure = drawn(Vec::new(), Vec::new());
        assert!(
            figure
                .drawings
                .iter()
                .map(|one| one.markup(""))
                .all(|svg| !svg.contains("NaN") && !svg.contains("polyline"))
        );
    }
}
