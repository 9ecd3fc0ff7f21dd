//! The figures of a fleet's cell.

use std::collections::{BTreeMap, BTreeSet};

use measure::Histogram;
use notebook::{Measurement, Point};
use words::{Family, HistogramName, Joining, Metric, MetricName, Statistic};

use super::Part;

/// The figures of all ranks as those of the fleet, in the order of the first rank that has them.
pub(super) fn joined(
    parts: &[Part],
    histograms: &BTreeMap<HistogramName, Histogram>,
    shares: bool,
) -> Vec<Measurement> {
    let lists: Vec<&[Measurement]> = parts.iter().map(|part| &part.record.measurements[..]).collect();
    let mut seen = BTreeSet::new();
    let names = lists.iter().flat_map(|list| list.iter().map(|measurement| &measurement.metric));
    let names: Vec<&String> = names.filter(|name| seen.insert((*name).clone())).collect();
    let of = |name: &String| {
        let value = match MetricName::read(name) {
            MetricName::Plain(metric) => plain(metric, &lists, histograms, shares),
            MetricName::Of(Metric::Latency(latency, statistic), Family::Stream(stream)) => {
                let histogram = histograms.get(&HistogramName::Stream(stream, latency));
                histogram.and_then(|histogram| statistic_of(histogram, statistic))
            }
            MetricName::Of(_, Family::Stream(_)) => Some(sum(name, &lists)),
            MetricName::Input(share) => input(share, name, &lists),
            MetricName::InputSample(_) => Some(sum(name, &lists)),
            MetricName::Of(_, Family::Victim(_)) => only(name, &lists),
            // Of an instance or a cycle of one host.
            _ => None,
        }?;
        let unit = lists.iter().find_map(|list| find(list, name)).map(|m| m.unit.clone())?;
        value.is_finite().then(|| Measurement { metric: name.clone(), value, unit })
    };
    names.into_iter().filter_map(of).collect()
}

/// The points of the ranks, which have the same names in the same order, joined one by one. Their percentiles
/// are left out: points have no histograms.
pub(super) fn points(parts: &[Part]) -> Vec<Point> {
    let Some(first) = parts.first() else { return Vec::new() };
    let others = |index: usize, like: &Point| -> Option<Vec<&Point>> {
        let same =
            |part: &'_ Part| part.record.points.get(index).is_some_and(|point| point.name == like.name);
        parts.iter().all(same).then(|| parts.iter().map(|part| &part.record.points[index]).collect())
    };
    let joined = |(index, point): (usize, &Point)| {
        let points = others(index, point)?;
        let lists: Vec<&[Measurement]> = points.iter().map(|point| &point.values[..]).collect();
        let none = BTreeMap::new();
        let value = |m: &Measurement| match MetricName::read(&m.metric) {
            MetricName::Plain(metric) => {
                let value = plain(metric, &lists, &none, false).filter(|value| value.is_finite())?;
                Some(Measurement { value, ..m.clone() })
            }
            _ => None,
        };
        let sum = |of: fn(&Point) -> Option<f64>| points.iter().map(|point| of(point)).sum::<Option<f64>>();
        Some(Point {
            depth: sum(|point| point.depth),
            rate_asked: sum(|point| point.rate_asked),
            values: point.values.iter().filter_map(value).collect(),
            ..point.clone()
        })
    };
    first.record.points.iter().enumerate().filter_map(joined).collect()
}

fn find<'a>(list: &'a [Measurement], name: &str) -> Option<&'a Measurement> {
    list.iter().find(|measurement| measurement.metric == name)
}

fn value(list: &[Measurement], metric: Metric) -> Option<f64> {
    list.iter().find_map(|measurement| measurement.of(metric))
}

/// A figure that one rank has: where several have it, it is one of each, and none of the fleet.
fn only(name: &str, lists: &[&[Measurement]]) -> Option<f64> {
    let mut found = lists.iter().filter_map(|list| find(list, name));
    let value = found.next()?.value;
    found.next().is_none().then_some(value)
}

fn plain(
    metric: Metric,
    lists: &[&[Measurement]],
    histograms: &BTreeMap<HistogramName, Histogram>,
    shares: bool,
) -> Option<f64> {
    let values = || lists.iter().filter_map(|list| value(list, metric));
    match metric.joining(shares) {
        Joining::Sum => Some(values().sum()),
        Joining::Largest => values().reduce(f64::max),
        Joining::Smallest => values().reduce(f64::min),
        Joining::Mean => Some(values().sum::<f64>() / values().count().max(1) as f64),
        Joining::Weighted(weight) => weighted(metric, weight, lists),
        Joining::FromHistogram(latency, statistic) => {
            of_latency(metric, statistic, lists, histograms.get(&latency.into()))
        }
        Joining::OfServer => lists.first().and_then(|list| value(list, metric)),
        Joining::OfServerPerTransaction => {
            let work = |list: &[Measurement]| value(list, Metric::Tpm).or_else(|| value(list, Metric::Tps));
            let all: f64 = lists.iter().filter_map(|list| work(list)).sum();
            let first = lists.first()?;
            (all > 0.0).then(|| Some(value(first, metric)? * work(first)? / all))?
        }
        Joining::Absent => None,
    }
}

/// A mean per piece of work; plainly the mean where nobody counted the work.
fn weighted(metric: Metric, weight: Metric, lists: &[&[Measurement]]) -> Option<f64> {
    let pairs: Vec<(f64, f64)> = lists
        .iter()
        .filter_map(|list| {
            let by = value(list, weight).or_else(|| value(list, Metric::Tps)).unwrap_or(1.0);
            Some((value(list, metric)?, by))
        })
        .collect();
    // Transactions of a user: all transactions over all users.
    if metric == Metric::TpmPerUser {
        let users: f64 = pairs.iter().filter(|(each, _)| *each > 0.0).map(|(each, all)| all / each).sum();
        return (users > 0.0).then(|| pairs.iter().map(|(_, all)| all).sum::<f64>() / users);
    }
    let weight: f64 = pairs.iter().map(|(_, by)| by).sum();
    (weight > 0.0).then(|| pairs.iter().map(|(each, by)| each * by).sum::<f64>() / weight)
}

/// A statistic of all events. Without a histogram there is a mean and a count, and the longest is known, but
/// no percentile.
fn of_latency(
    metric: Metric,
    statistic: Statistic,
    lists: &[&[Measurement]],
    histogram: Option<&Histogram>,
) -> Option<f64> {
    if let Some(histogram) = histogram.filter(|histogram| !histogram.is_empty()) {
        return statistic_of(histogram, statistic);
    }
    let Metric::Latency(latency, _) = metric else { return None };
    let values = || lists.iter().filter_map(|list| value(list, metric));
    match statistic {
        Statistic::Count => Some(values().sum()),
        Statistic::Max => values().reduce(f64::max),
        Statistic::Mean => weighted(metric, Metric::Latency(latency, Statistic::Count), lists),
        _ => None,
    }
}

fn statistic_of(histogram: &Histogram, statistic: Statistic) -> Option<f64> {
    let quantile = match statistic {
        Statistic::Mean => return Some(histogram.mean_ns() / 1e6),
        Statistic::Stddev => return Some(histogram.stddev_ns() / 1e6),
        Statistic::Max => return Some(histogram.max_ns() as f64 / 1e6),
        Statistic::Count => return Some(histogram.len() as f64),
        Statistic::P50 => 0.5,
        Statistic::P90 => 0.9,
        Statistic::P95 => 0.95,
        Statistic::P99 => 0.99,
        Statistic::P999 => 0.999,
        Statistic::P9999 => 0.9999,
        Statistic::P99999 => 0.99999,
    };
    Some(histogram.quantile_ns(quantile) as f64 / 1e6)
}

/// A figure of all ranks together.
fn sum(name: &str, lists: &[&[Measurement]]) -> f64 {
    lists.iter().filter_map(|list| find(list, name)).map(|m| m.value).sum()
}

/// A share of the input: the mean, weighted by the inputs behind it.
fn input(share: String, name: &str, lists: &[&[Measurement]]) -> Option<f64> {
    let sample = MetricName::InputSample(share).to_string();
    let pairs = lists.iter().filter_map(|list| Some((find(list, name)?.value, find(list, &sample)?.value)));
    let (sum, weight) = pairs.fold((0.0, 0.0), |(sum, all), (each, by)| (sum + each * by, all + by));
    (weight > 0.0).then(|| sum / weight)
}
