//! One bed's line: its points over the levels, each with its repeats and its interval.

use super::BedMark;
use crate::metric::Metric;
use crate::number::Digits;
use measure::Estimate;

/// All valid repeats of one bed at one level.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// The level.
    pub(crate) level: f64,
    /// One value per valid repeat.
    pub(crate) repeats: Vec<f64>,
    /// What stands for the repeats everywhere: see [`measure::typical`].
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

    /// The mean in the digits that its interval supports.
    pub(crate) fn shown(&self) -> String {
        self.digits().show(self.mean)
    }

    /// `low to high`, or a dash.
    pub(crate) fn interval_shown(&self) -> String {
        match self.interval {
            Some((low, high)) => format!("{} to {}", self.digits().show(low), self.digits().show(high)),
            None => "-".to_owned(),
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
pub(crate) fn end_value(metric: &Metric, point: &Point) -> String {
    match metric.unit {
        "ms" | "%" | "us" | "ns" | "MB/s" | "s" => format!("{} {}", point.shown(), metric.unit),
        _ => point.shown(),
    }
}
