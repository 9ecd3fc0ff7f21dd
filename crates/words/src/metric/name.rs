//! The name of a value: a metric, a metric of a family, or what an older or newer build wrote.

use std::cmp::Ordering;
use std::fmt;

use super::{Family, Metric};
use crate::unit::Unit;

/// The beginning of the names of shares of the input.
const INPUT: &str = "input_";
/// The end of the names of the numbers of inputs behind them.
const SAMPLE: &str = "_sample";
/// The beginning of the names of counters of other programs.
const BESIDE: &str = "beside:";

/// The name of a stored value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MetricName {
    /// A metric of the whole cell.
    Plain(Metric),
    /// A metric of one of several: a victim, an instance, a host, a cycle, a stream.
    Of(Metric, Family),
    /// A share of the input of order entry, by its name: `input_new_orders`.
    Input(String),
    /// The number of inputs behind a share, by the share's name: `input_new_orders_sample`.
    InputSample(String),
    /// A counter of another program beside the cell, by the name that the program gives it.
    Beside(String),
    /// A name that this build does not know. It is kept and exported, and nothing is concluded from it.
    Unknown(String),
}

impl MetricName {
    /// The name of a stored text. Every text has one.
    pub fn read(text: &str) -> MetricName {
        if let Some(metric) = Metric::of(text) {
            return MetricName::Plain(metric);
        }
        if let Some(input) = text.strip_prefix(INPUT) {
            return match input.strip_suffix(SAMPLE) {
                Some(share) => MetricName::InputSample(share.to_owned()),
                None => MetricName::Input(input.to_owned()),
            };
        }
        if let Some(counter) = text.strip_prefix(BESIDE) {
            return MetricName::Beside(counter.to_owned());
        }
        match Family::of(text) {
            Some((metric, family)) => MetricName::Of(metric, family),
            None => MetricName::Unknown(text.to_owned()),
        }
    }

    /// The unit of its values; `None` where the value's own unit is the only one known.
    pub fn unit(&self) -> Option<Unit> {
        match self {
            MetricName::Plain(metric) | MetricName::Of(metric, _) => Some(metric.unit()),
            MetricName::Input(_)
            | MetricName::InputSample(_)
            | MetricName::Beside(_)
            | MetricName::Unknown(_) => None,
        }
    }

    /// `value` of the unit `stored` in the unit of today: latencies of drives were microseconds once.
    pub fn in_unit_of_today(&self, value: f64, stored: &str) -> f64 {
        let factor = self.unit().and_then(|today| Unit::read(stored)?.factor(today));
        value * factor.unwrap_or(1.0)
    }
}

impl From<Metric> for MetricName {
    fn from(metric: Metric) -> Self {
        MetricName::Plain(metric)
    }
}

impl fmt::Display for MetricName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MetricName::Plain(metric) => f.pad(&metric.name()),
            MetricName::Of(metric, family) => f.pad(&family.metric_name(*metric)),
            MetricName::Input(name) => write!(f, "{INPUT}{name}"),
            MetricName::InputSample(name) => write!(f, "{INPUT}{name}{SAMPLE}"),
            MetricName::Beside(name) => write!(f, "{BESIDE}{name}"),
            MetricName::Unknown(name) => f.pad(name),
        }
    }
}

impl PartialEq<Metric> for MetricName {
    fn eq(&self, metric: &Metric) -> bool {
        matches!(self, MetricName::Plain(own) if own == metric)
    }
}

/// By the stored names, as tables and documents list them.
impl Ord for MetricName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.to_string().cmp(&other.to_string())
    }
}

impl PartialOrd for MetricName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
