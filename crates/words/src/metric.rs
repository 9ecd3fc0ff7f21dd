//! Metrics: the numbers of a result, each with its name, unit and meaning.

mod domain;
mod family;
mod joining;
mod histogram;
mod latency;
mod name;
mod read;
mod table;

pub use family::Family;
pub use histogram::HistogramName;
pub use joining::Joining;
pub use latency::{Latency, Statistic};
pub use name::MetricName;
pub use read::{Read, ReadFigure};
pub use table::Metric;

use crate::unit::Unit;

/// The better values of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Throughput: more is better.
    HigherIsBetter,
    /// Latency, cost: less is better.
    LowerIsBetter,
}

/// The scale of a figure's value axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// From zero to a round number.
    FromZero,
    /// Zero to one hundred.
    Percent,
    /// Logarithmic when the values lie far apart, else from zero.
    LogWhenWide,
}

/// A metric as a report shows it.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// The metric itself.
    pub metric: Metric,
    /// Short name for tables: `NOPM`, `p99`.
    pub short: &'static str,
    /// Title of its figure and its name in prose: `New orders per minute`.
    pub title: &'static str,
    /// Unit in tables and after numbers: `ms`.
    pub unit: &'static str,
    /// The text of its axis.
    pub axis_label: &'static str,
    /// The better direction; `None` where neither is in itself.
    pub direction: Option<Direction>,
    /// The layout of its axis.
    pub axis: Axis,
}

impl Shown {
    /// The head of a column: `p99 (ms)`; the name alone of what has no unit.
    pub fn head(&self) -> String {
        if self.unit.is_empty() { self.short.to_owned() } else { format!("{} ({})", self.short, self.unit) }
    }
}

/// Names that older versions gave, and the metrics of today. They are read and never written.
const ALIASES: [(&str, Metric); 11] = [
    ("recovery_s", Metric::RecoveryTime),
    ("recovery", Metric::NeighbourRecoveryTime),
    ("reset_s", Metric::ResetTime),
    ("simulated_s", Metric::SimulatedTime),
    ("drive_read_latency", Metric::Latency(Latency::DriveRead, Statistic::Mean)),
    ("drive_write_latency", Metric::Latency(Latency::DriveWrite, Statistic::Mean)),
    ("backup_latency", Metric::Latency(Latency::BackupTransfer, Statistic::Mean)),
    ("restore_latency", Metric::Latency(Latency::RestoreTransfer, Statistic::Mean)),
    ("baseline_latency", Metric::Latency(Latency::Baseline, Statistic::Mean)),
    ("baseline_read_latency", Metric::Latency(Latency::BaselineRead, Statistic::Mean)),
    ("baseline_write_latency", Metric::Latency(Latency::BaselineWrite, Statistic::Mean)),
];

impl Metric {
    /// Mean latency of whatever the workload asks.
    pub const LATENCY_MEAN: Metric = Metric::Latency(Latency::Answer, Statistic::Mean);
    /// Median latency of whatever the workload asks.
    pub const LATENCY_P50: Metric = Metric::Latency(Latency::Answer, Statistic::P50);
    /// p95 latency of whatever the workload asks.
    pub const LATENCY_P95: Metric = Metric::Latency(Latency::Answer, Statistic::P95);
    /// p99 latency of whatever the workload asks.
    pub const LATENCY_P99: Metric = Metric::Latency(Latency::Answer, Statistic::P99);
    /// p99.9 latency of whatever the workload asks.
    pub const LATENCY_P999: Metric = Metric::Latency(Latency::Answer, Statistic::P999);

    /// Every metric: those with a row of their own, then latencies and reads.
    pub fn all() -> impl Iterator<Item = Metric> {
        let latencies =
            Latency::ALL.iter().flat_map(|of| Statistic::ALL.iter().map(|s| Metric::Latency(*of, *s)));
        let reads = Read::ALL.iter().flat_map(|of| ReadFigure::ALL.iter().map(|f| Metric::Read(*of, *f)));
        table::PLAIN.iter().copied().chain(latencies).chain(reads)
    }

    /// The stable name, as a notebook stores it.
    pub fn name(self) -> String {
        match (table::row(self), self) {
            (Some((name, ..)), _) => name.to_owned(),
            (None, Metric::Latency(of, statistic)) => of.metric_name(statistic),
            (None, Metric::Read(of, figure)) => format!("{}_{}", of.name(), figure.name()),
            (None, _) => unreachable!("every other metric has a row"),
        }
    }

    /// The metric of a stored name, by its name of today or an older one; `None` for one that this build does
    /// not know, or that belongs to a family (see [`MetricName`]).
    pub fn of(name: &str) -> Option<Metric> {
        let plain = table::PLAIN.iter().copied().find(|m| table::row(*m).is_some_and(|row| row.0 == name));
        let alias = || ALIASES.iter().find(|(old, _)| *old == name).map(|(_, metric)| *metric);
        plain.or_else(alias).or_else(|| Latency::metric_of(name)).or_else(|| Read::metric_of(name))
    }

    /// The unit of its values.
    pub fn unit(self) -> Unit {
        match (table::row(self), self) {
            (Some((_, unit, _)), _) => unit,
            (None, Metric::Latency(_, Statistic::Count)) => Unit::Count,
            (None, Metric::Read(_, figure)) => figure.unit(),
            (None, _) => Unit::Milliseconds,
        }
    }

    /// True for a latency: a time that a request waited.
    pub fn is_latency(self) -> bool {
        matches!(self, Metric::Latency(_, statistic) if statistic != Statistic::Count)
    }

    /// The form in which a report shows it; `None` for a metric that is only stored and exported.
    pub fn shown(self) -> Option<Shown> {
        table::shown(self)
    }

    /// The ids of its messages, where it is shown: title, short name and text of an axis.
    pub fn messages(self) -> [String; 3] {
        let id = format!("metric-{}", self.name());
        [id.clone(), format!("{id}.short"), format!("{id}.axis")]
    }

    /// The short name for tables; the stable name where it has none.
    pub fn short(self) -> String {
        self.shown().map_or_else(|| self.name(), |shown| shown.short.to_owned())
    }

    /// The figures that say how much a host of a fleet did, the first that a cell has.
    pub const OF_HOSTS: [Metric; 4] = [Metric::Nopm, Metric::Tps, Metric::Iops, Metric::NeighbourRate];

    /// The metric of victim `number`, from 1.
    pub fn of_victim(self, number: u32) -> MetricName {
        MetricName::Of(self, Family::Victim(number))
    }
}

impl std::fmt::Display for Metric {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.name())
    }
}

#[cfg(test)]
mod tests;
