//! One bed's line: its points over the levels, each with its repeats and its interval.

use super::BedMark;
use crate::number::{self, Digits};
use measure::Estimate;
use words::{Metric, Shown, Statistic, Unit, say};

/// The fewest repeats whose interval is drawn: that of two reaches nine times as far as they lie apart, that
/// of three still more than twice as far, and
/// bands of several beds would hide the lines.
pub(crate) const REPEATS_DRAWN_MIN: usize = 4;

/// All valid repeats of one bed at one level.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// The level.
    pub(crate) level: f64,
    /// One value per valid repeat.
    pub(crate) repeats: Vec<f64>,
    /// The typical value of the repeats: see [`measure::typical`].
    pub(crate) mean: f64,
    /// Interval of the mean, from two repeats on.
    pub(crate) interval: Option<(f64, f64)>,
}

impl Point {
    /// A point from its repeats; `None` when there is none.
    pub(crate) fn new(level: f64, repeats: Vec<f64>) -> Option<Point> {
        let estimate: Option<Estimate> = measure::typical_interval(&repeats);
        let mean = match &estimate {
            Some(estimate) => estimate.value,
            None => *repeats.first()?,
        };
        let interval =
            estimate.map(|e| (e.low, e.high)).filter(|(low, high)| low.is_finite() && high.is_finite());
        Some(Point { level, repeats, mean, interval })
    }

    /// A point of a metric: as [`Point::new`], but a share has its arithmetic mean. Shares add up, and one
    /// near 0 among others would pull a geometric mean to nothing.
    pub(crate) fn of(metric: Metric, level: f64, repeats: Vec<f64>) -> Option<Point> {
        let point = Point::new(level, repeats)?;
        if metric.unit() != Unit::Percent {
            return Some(point);
        }
        let mean = measure::arithmetic_mean(&point.repeats)?;
        let interval = measure::mean_interval(&point.repeats).map(|e| (e.low.max(0.0), e.high));
        Some(Point { mean, interval, ..point })
    }

    /// The interval where it rests on enough repeats to be drawn; the table has it in any case.
    pub(crate) fn drawn_interval(&self) -> Option<(f64, f64)> {
        self.interval.filter(|_| self.repeats.len() >= REPEATS_DRAWN_MIN)
    }

    /// The mean in the digits that its interval supports.
    pub(crate) fn shown(&self) -> String {
        self.digits().show(self.mean)
    }

    /// The mean of a metric beside those of others over so many valid cells: one that fewer of them have says
    /// so, `16.2 (5 of 6)`. `None` for a percentile that half of them or fewer have: only those with the most
    /// transactions or I/Os do, so it would be that of the fastest.
    pub(crate) fn shown_of(&self, metric: Metric, cells: usize) -> Option<String> {
        // A whole count has no decimals: one restore is proven, not 1.00.
        let value = match metric.unit() == Unit::Count && self.mean.fract() == 0.0 {
            true => number::level(self.mean),
            false => self.shown(),
        };
        match self.repeats.len() {
            count if count >= cells => Some(value),
            count if is_percentile(metric) && 2 * count <= cells => None,
            count => Some(say!("figure-of-some", value, count, cells)),
        }
    }

    /// `low to high`, that they lie too far apart, or a dash.
    pub(crate) fn interval_shown(&self) -> String {
        match self.interval {
            Some(ends) => number::span(ends, |end| self.digits().show(end)),
            None => "-".to_owned(),
        }
    }

    /// `42 ms (95 % interval 40 to 44)`, without brackets for one repeat.
    pub(crate) fn in_words(&self, unit: &str) -> String {
        let value = format!("{} {unit}", self.shown()).trim_end().to_owned();
        match self.interval {
            Some(ends) => number::with_interval(value, ends, |end| self.digits().show(end)),
            None => value,
        }
    }

    /// The digits that the interval supports.
    pub(crate) fn digits(&self) -> Digits {
        match self.interval {
            Some((low, high)) => Digits::of_interval(self.mean, (high - low) / 2.0),
            None => Digits::alone(self.mean),
        }
    }
}

/// The line of one bed.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) bed: BedMark,
    /// In ascending order of level; levels without a valid cell are missing.
    pub(crate) points: Vec<Point>,
}

/// The value beside the end of a line, with its unit where it is short.
pub(crate) fn end_value(metric: &Shown, point: &Point) -> String {
    match metric.metric.unit() {
        Unit::Milliseconds
        | Unit::Percent
        | Unit::Microseconds
        | Unit::Nanoseconds
        | Unit::MegabytesPerSecond
        | Unit::Seconds => format!("{} {}", point.shown(), metric.unit),
        _ => point.shown(),
    }
}

/// True for a percentile of latencies.
fn is_percentile(metric: Metric) -> bool {
    use Statistic::{P50, P90, P95, P99, P999, P9999, P99999};
    matches!(metric, Metric::Latency(_, P50 | P90 | P95 | P99 | P999 | P9999 | P99999))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_than_four_repeats_are_drawn_as_points_without_a_band() {
        let point = |repeats: &[f64]| Point::new(1.0, repeats.to_vec()).expect("there are repeats");
        assert!(point(&[100.0, 110.0]).interval.is_some(), "the table has it");
        assert_eq!(point(&[100.0, 110.0]).drawn_interval(), None);
        assert_eq!(point(&[100.0, 110.0, 105.0]).drawn_interval(), None);
        let four = point(&[100.0, 110.0, 105.0, 107.0]);
        assert_eq!(four.drawn_interval(), four.interval);
    }

    #[test]
    fn an_interval_that_says_nothing_is_not_told_in_numbers() {
        let point = |repeats: &[f64]| Point::new(1.0, repeats.to_vec()).expect("there are repeats");
        let wide = point(&[100.0, 700.0]);
        assert!(wide.interval.is_some_and(|(low, high)| high / low > 1e6));
        assert_eq!(wide.interval_shown(), "no useful interval");
        assert_eq!(wide.in_words("ms"), format!("{} ms (no useful interval)", wide.shown()));
        // Student's interval of values of which one is zero reaches below zero.
        assert_eq!(point(&[0.0, 3.0, 1.0]).interval_shown(), "no useful interval");
        assert_eq!(point(&[0.0, 0.0]).interval_shown(), "0 to 0");
        assert_eq!(point(&[100.0, 102.0, 101.0]).interval_shown(), "98.5 to 103.5");
        assert_eq!(point(&[7.0]).in_words(""), "7.00");
    }

    #[test]
    fn a_mean_of_fewer_cells_than_its_neighbours_says_so() {
        let point = Point::new(1.0, vec![7.0]).expect("there is one");
        let idle = Point::of(Metric::CpuIdle, 1.0, vec![60.0, 0.5, 0.5]).expect("there are repeats");
        assert!((idle.mean - 61.0 / 3.0).abs() < 1e-9, "a share near 0 does not pull the mean to nothing");
        assert!(idle.interval.is_some_and(|(low, _)| low >= 0.0), "{:?}", idle.interval);
        let shown = |metric: Metric, cells: usize| point.shown_of(metric, cells);
        assert_eq!(shown(Metric::Iops, 6).as_deref(), Some("7.00 (1 of 6)"));
        assert_eq!(shown(Metric::LATENCY_P99, 1).as_deref(), Some("7.00"));
        assert_eq!(shown(Metric::LATENCY_P99, 2), None, "it would be that of the faster cell");
    }
}
