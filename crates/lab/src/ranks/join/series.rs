//! The series of a fleet's cell, second by second.
//!
//! Rates are summed and shares of machines averaged. A second's mean latency is weighted by the work of that
//! second. A second's percentile is the largest of the hosts': that of all events together lies at or below
//! it, and a series has no histograms.

use std::collections::BTreeSet;

use measure::Series;
use words::{Metric, MetricName, Statistic, Unit};

use super::Part;

/// The rates by which means are weighted, the first that a cell has.
const WORK: [Metric; 4] = [Metric::Iops, Metric::Tpm, Metric::Tps, Metric::Nopm];

/// The series of all ranks as those of the fleet.
pub(super) fn joined(parts: &[Part], shifts: &[f64]) -> Vec<Series> {
    let mut seen = BTreeSet::new();
    let all = parts.iter().flat_map(|part| &part.record.series);
    let names: Vec<&Series> = all.filter(|series| seen.insert(series.metric.clone())).collect();
    names.into_iter().filter_map(|like| one(like, parts, shifts)).collect()
}

/// A rank's series, moved to the clock of the fleet: the second of its first value, and its values.
struct Moved<'a> {
    first: usize,
    values: &'a [f64],
    /// The work of the same seconds.
    work: Option<&'a Series>,
    shift: f64,
}

impl Moved<'_> {
    fn at(&self, second: usize) -> Option<f64> {
        self.values.get(second.checked_sub(self.first)?).copied().filter(|value| !value.is_nan())
    }

    fn work_at(&self, second: usize) -> f64 {
        let Some(work) = self.work else { return 1.0 };
        let first = whole(work.start_s + self.shift);
        second.checked_sub(first).and_then(|index| work.values.get(index)).copied().unwrap_or(0.0)
    }
}

fn whole(second: f64) -> usize {
    second.round().max(0.0) as usize
}

fn one(like: &Series, parts: &[Part], shifts: &[f64]) -> Option<Series> {
    let name = MetricName::read(&like.metric);
    let join = join_of(&name)?;
    let moved: Vec<Moved<'_>> =
        parts.iter().zip(shifts).filter_map(|(part, &shift)| moved(like, part, shift)).collect();
    let end = moved.iter().map(|series| series.first + series.values.len()).max()?;
    let start = moved.iter().map(|series| series.first).min()?;
    let values = (start..end).map(|second| join(&moved, second)).collect();
    Some(Series { metric: like.metric.clone(), unit: like.unit.clone(), start_s: start as f64, values })
}

fn moved<'a>(like: &Series, part: &'a Part, shift: f64) -> Option<Moved<'a>> {
    let find = |metric: &str| part.record.series.iter().find(|series| series.metric == metric);
    let own = find(&like.metric)?;
    let work = WORK.iter().find_map(|metric| find(&metric.name()));
    Some(Moved { first: whole(own.start_s + shift), values: &own.values, work, shift })
}

type Join = fn(&[Moved<'_>], usize) -> f64;

fn join_of(name: &MetricName) -> Option<Join> {
    let metric = match name {
        MetricName::Plain(metric) | MetricName::Of(metric, _) => *metric,
        _ => return None,
    };
    Some(match metric {
        Metric::Latency(_, Statistic::Mean) => weighted,
        Metric::Latency(_, Statistic::Count) => sum,
        Metric::Latency(..) => largest,
        _ => match metric.unit() {
            Unit::PerMinute | Unit::PerSecond | Unit::MegabytesPerSecond | Unit::Count | Unit::Bytes => sum,
            Unit::Percent => mean,
            _ => return None,
        },
    })
}

/// The values of a second; NaN where no host has one.
fn values<'a>(series: &'a [Moved<'_>], second: usize) -> impl Iterator<Item = f64> + 'a {
    series.iter().filter_map(move |series| series.at(second))
}

fn sum(series: &[Moved<'_>], second: usize) -> f64 {
    values(series, second).reduce(|sum, value| sum + value).unwrap_or(f64::NAN)
}

fn largest(series: &[Moved<'_>], second: usize) -> f64 {
    values(series, second).reduce(f64::max).unwrap_or(f64::NAN)
}

fn mean(series: &[Moved<'_>], second: usize) -> f64 {
    sum(series, second) / values(series, second).count() as f64
}

fn weighted(series: &[Moved<'_>], second: usize) -> f64 {
    let of = |series: &Moved<'_>| Some((series.at(second)?, series.work_at(second)));
    let pairs = || series.iter().filter_map(of);
    let weight: f64 = pairs().map(|(_, work)| work).sum();
    pairs().map(|(value, work)| value * work).sum::<f64>() / weight
}
