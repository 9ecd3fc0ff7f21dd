//! Latency against throughput: what one pays for a deeper or a faster load, with the knee of each line
//! marked.

use super::{BedMark, Caption, Figure, Frame, LineEnd, ValueAxis, Width, label_room};
use crate::number::{self, Digits};
use crate::svg::scale::{self, Scale, Spread};
use crate::svg::{Anchor, Canvas, Drawing};
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
}

/// The loads of one bed, in the order in which they were run.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) bed: BedMark,
    pub(crate) loads: Vec<CurvePoint>,
}

impl Line {
    /// The load at which throughput divided by latency is greatest: Kleinrock's power. Beyond it latency
    /// grows faster than throughput.
    pub(crate) fn knee(&self) -> Option<&CurvePoint> {
        let power = |load: &&CurvePoint| load.iops / load.service_ms.max(1e-9);
        self.loads
            .iter()
            .filter(|load| load.iops > 0.0 && load.service_ms > 0.0)
            .max_by(|a, b| power(a).total_cmp(&power(b)))
    }
}

/// A figure that shares a row.
pub(crate) fn figure(caption: Caption, lines: &[Line]) -> Figure {
    let values: Vec<f64> =
        lines.iter().flat_map(|line| line.loads.iter().map(|load| load.service_ms)).collect();
    let axis = ValueAxis::enclosing(&values, Axis::LogWhenWide);
    let drawings = Width::SHARED.into_iter().map(|at| draw(&caption, &axis, lines, at)).collect();
    let table = table(lines);
    Figure { id: caption.id, title: caption.title, reading: caption.reading, drawings, table, wide: false }
}

/// The places of the knees, in words.
pub(crate) fn describe(lines: &[Line]) -> String {
    let line = |line: &Line| {
        let knee = line.knee()?;
        Some(say!(
            "curve-knee",
            bed = line.bed.name,
            load = knee.name,
            iops = Digits::alone(knee.iops).show(knee.iops),
            ms = number::plain(knee.service_ms)
        ))
    };
    lines.iter().filter_map(line).collect::<Vec<_>>().join(" ")
}

fn draw(caption: &Caption, axis: &ValueAxis, lines: &[Line], at: Width) -> Drawing {
    let names: Vec<(BedMark, String)> = lines.iter().map(|line| (line.bed.clone(), String::new())).collect();
    let height = if at == Width::Narrow { 300.0 } else { 312.0 };
    let frame = Frame::new(at, height, axis, label_room(at, &names));
    let most = lines.iter().flat_map(|line| line.loads.iter().map(|load| load.iops)).fold(1.0, f64::max);
    let wanted = if at == Width::Narrow { 3 } else { 5 };
    let steps = scale::linear_ticks(0.0, most, wanted);
    let end = steps.last().copied().unwrap_or(most);
    let x = Scale::new(Spread::Linear, (0.0, end), (frame.left, frame.right - 2.0));
    let y = axis.scale(&frame);
    let mut canvas = Canvas::new();
    frame.draw_value_axis(&mut canvas, axis, "ms");
    let ticks: Vec<(f64, String)> = steps.iter().map(|step| (x.place(*step), number::level(*step))).collect();
    frame.draw_bottom_axis(&mut canvas, &ticks, say!("axis-iops"));
    let mut ends = Vec::new();
    for line in lines {
        let mut sorted: Vec<&CurvePoint> = line.loads.iter().filter(|load| load.service_ms > 0.0).collect();
        sorted.sort_by(|a, b| a.iops.total_cmp(&b.iops));
        let place = |load: &CurvePoint| (x.place(load.iops), y.place(load.service_ms));
        let points: Vec<(f64, f64)> = sorted.iter().map(|load| place(load)).collect();
        canvas.polyline(&format!("line {}", line.bed.line_class()), &points);
        for (load, point) in sorted.iter().zip(&points) {
            let hint = say!(
                "curve-hint",
                bed = line.bed.name,
                load = load.name,
                iops = Digits::alone(load.iops).show(load.iops),
                ms = number::plain(load.service_ms)
            );
            canvas.marker(&line.bed, *point, 3.8, Some(&hint));
        }
        if let Some(knee) = line.knee() {
            let (knee_x, knee_y) = place(knee);
            canvas.hollow_marker((knee_x, knee_y), 8.0);
            canvas.text("tick", (knee_x, knee_y - 12.0), Anchor::Middle, say!("curve-knee-mark"));
        }
        if let Some(last) = points.last() {
            ends.push(LineEnd { bed: line.bed.clone(), at: *last, value: String::new() });
        }
    }
    frame.draw_line_ends(&mut canvas, &ends);
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), height), &caption.title, &caption.description)
}

fn table(lines: &[Line]) -> Table {
    let mut table = Table::new(
        columns![text say!("column-bed"), text say!("column-load"), number say!("column-i-os-per-second"), number say!("column-mean-service-time-ms"), number say!("column-p99-latency-ms"), text say!("column-knee")],
    );
    for line in lines {
        let knee = line.knee().cloned();
        for load in &line.loads {
            table.row([
                line.bed.name.clone(),
                load.name.clone(),
                Digits::alone(load.iops).show(load.iops),
                number::plain(load.service_ms),
                load.p99_ms.map_or("-".to_owned(), number::plain),
                if knee.as_ref() == Some(load) { say!("curve-knee-mark") } else { "" }.to_owned(),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(name: &str, iops: f64, service_ms: f64) -> CurvePoint {
        CurvePoint { name: name.to_owned(), iops, service_ms, p99_ms: Some(service_ms * 3.0) }
    }

    #[test]
    fn the_knee_is_where_more_load_only_costs_time() {
        let loads =
            vec![load("depth 1", 10.0, 0.1), load("depth 8", 70.0, 0.12), load("depth 64", 80.0, 0.8)];
        let line = Line { bed: BedMark { name: "nvme".to_owned(), ..BedMark::default() }, loads };
        assert_eq!(line.knee().map(|load| load.name.as_str()), Some("depth 8"));
        assert_eq!(Line { loads: vec![load("idle", 0.0, 0.0)], ..line.clone() }.knee(), None);
        let caption = Caption {
            id: "f".into(),
            title: "t".into(),
            reading: "r".into(),
            description: describe(std::slice::from_ref(&line)),
        };
        assert!(caption.description.contains("depth 8"), "{}", caption.description);
        let drawn = figure(caption, &[line]);
        assert!(
            drawn
                .drawings
                .iter()
                .map(|one| one.markup(""))
                .all(|svg| svg.contains("knee") && !svg.contains("NaN"))
        );
        assert_eq!(drawn.table.rows.len(), 3);
    }
}
