//! The axes of a history: values around those that were measured, and runs in their order with the days or
//! times at which they began.

use super::{Plot, ROW};
use crate::figure::{Frame, ValueAxis};
use crate::svg::scale::{Spread, linear_ticks, thin};
use crate::svg::{Anchor, Canvas, width};
use crate::trend::{Line, Trend, moment};
use words::say;

/// Room for the zigzag of a break, at most.
const BREAK_ROOM: f64 = 16.0;

/// An axis around the values and their intervals. It need not begin at zero: changes of a few per cent are
/// what a history is read for.
pub(super) fn value_axis(line: &Line) -> ValueAxis {
    let values = line.values.iter().map(|pair| pair.1);
    let bands = line.stretches.iter().filter_map(|stretch| stretch.band);
    let ends = line.intervals.iter().copied().flatten().chain(bands).flat_map(|(low, high)| [low, high]);
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

/// The places of the runs: one step each, and more room where the machine changed.
pub(super) struct Across {
    places: Vec<f64>,
    step: f64,
}

impl Across {
    /// The places within a frame.
    pub(super) fn new(trend: &Trend, frame: &Frame) -> Across {
        let is_break = |run: usize| trend.turn_before(run).is_some_and(|(_, turn)| turn.is_break());
        let runs = trend.runs.len();
        let breaks = (0..runs).filter(|run| is_break(*run)).count() as f64;
        let room = frame.right - frame.left;
        let each = BREAK_ROOM.min(0.5 * room / breaks.max(1.0));
        let step = (room - each * breaks) / (runs.max(1) as f64);
        let mut at = frame.left - step / 2.0;
        let places = (0..runs).map(|run| {
            at += step + if is_break(run) { each } else { 0.0 };
            at
        });
        Across { places: places.collect(), step }
    }

    /// The place of a run.
    pub(super) fn run(&self, run: usize) -> f64 {
        self.places[run]
    }

    /// The place between a run and the one before it.
    pub(super) fn before(&self, run: usize) -> f64 {
        let before = run.checked_sub(1).map_or(self.places[run] - self.step, |before| self.places[before]);
        f64::midpoint(before, self.places[run])
    }

    /// The room of a run.
    pub(super) fn step(&self) -> f64 {
        self.step
    }
}

/// The day of all runs, where it is one.
pub(super) fn one_day(trend: &Trend) -> Option<String> {
    let mut days = trend.runs.iter().map(|run| moment::day(&run.1));
    let first = days.next()?;
    days.all(|day| day == first).then_some(first)
}

/// The label of each run below its number: its day if it is the first of the day, without the year where all
/// are of one; else its time, unless it is that of the run before.
fn times(trend: &Trend) -> Vec<String> {
    let year = |time: &str| time.get(..4).map(str::to_owned);
    let one_year = trend.runs.windows(2).all(|pair| year(&pair[0].1) == year(&pair[1].1));
    let form: fn(&str) -> String = match (one_day(trend).is_some(), one_year) {
        (true, _) => moment::clock,
        (false, true) => moment::day_of_year,
        (false, false) => moment::day,
    };
    let mut said = String::new();
    let told = trend.runs.iter().map(|(_, started)| {
        let text = form(started);
        if text == said {
            return String::new();
        }
        said.clone_from(&text);
        text
    });
    told.collect()
}

impl Plot<'_> {
    /// The numbers of the runs below the plot, thinned; below them days or times, and the day of all.
    pub(super) fn draw_runs(&self, canvas: &mut Canvas) {
        let frame = &self.frame;
        canvas.line("base", (frame.left, frame.bottom), (frame.right, frame.bottom));
        let numbers: Vec<String> = self.trend.runs.iter().map(|(run, _)| run.to_string()).collect();
        for run in 0..numbers.len() {
            let at = self.x.run(run);
            canvas.line("tickmark", (at, frame.bottom), (at, frame.bottom + 4.0));
        }
        let row = |row: f64| frame.bottom + 18.0 + ROW * row;
        self.draw_row(canvas, &numbers, row(0.0), 8.0);
        canvas.text("axis", (frame.left - 8.0, row(0.0)), Anchor::End, say!("trend-axis-runs"));
        self.draw_row(canvas, &times(self.trend), row(1.0), 12.0);
        if let Some(day) = one_day(self.trend) {
            canvas.text("axis", (frame.left, row(2.0)), Anchor::Start, &say!("trend-axis-day", day));
        }
    }

    /// Texts at their runs that do not touch; of none that is empty.
    fn draw_row(&self, canvas: &mut Canvas, texts: &[String], y: f64, gap: f64) {
        let font = self.frame.at.font();
        let said = texts.iter().enumerate().filter(|(_, text)| !text.is_empty());
        let said: Vec<(f64, f64, &String)> = said
            .map(|(run, text)| {
                let wide = width::of(text, font, false);
                // A text at an edge stays within the drawing.
                (self.x.run(run).clamp(wide / 2.0, self.frame.edge - wide / 2.0), wide, text)
            })
            .collect();
        let places: Vec<f64> = said.iter().map(|one| one.0).collect();
        let widths: Vec<f64> = said.iter().map(|one| one.1).collect();
        for ((place, _, text), shown) in said.iter().zip(thin(&places, &widths, gap)) {
            if shown {
                canvas.text("tick", (*place, y), Anchor::Middle, text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_encloses_the_values_and_stays_round() {
        let line = |values: &[f64]| Line {
            place: String::new(),
            label: String::new(),
            bed: String::new(),
            workload: String::new(),
            level: 1.0,
            metric: words::Metric::Nopm,
            unit: String::new(),
            values: values.iter().copied().enumerate().collect(),
            intervals: vec![None; values.len()],
            shifts: Vec::new(),
            stretches: Vec::new(),
        };
        for values in [vec![12_700.0, 14_200.0], vec![5.0, 5.0], vec![0.001, 0.002], vec![3.0]] {
            let axis = value_axis(&line(&values));
            let (first, last) = (axis.ticks[0], axis.ticks[axis.ticks.len() - 1]);
            assert!(first >= 0.0 && values.iter().all(|value| first <= *value && *value <= last), "{axis:?}");
            assert!((2..=9).contains(&axis.ticks.len()), "{axis:?}");
        }
    }
}
