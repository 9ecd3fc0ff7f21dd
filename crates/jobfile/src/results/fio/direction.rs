//! Reads, writes and trims of a job: rates and latencies.

use measure::Histogram;
use words::{Latency, Metric, Statistic};

use super::checked;
use crate::fault::{FileFault, quoted};
use crate::steps::LONGEST_S;
use crate::tree::Node;

/// fio's directions, and what they are here: the rate and the latency. `mixed` is all of them
/// (`unified_rw_reporting`).
const DIRECTIONS: [(&str, Option<Metric>, Latency); 4] = [
    ("read", Some(Metric::ReadIops), Latency::Read),
    ("write", Some(Metric::WriteIops), Latency::Write),
    ("trim", Some(Metric::DiscardIops), Latency::Discard),
    ("mixed", None, Latency::Answer),
];
/// The percentiles that this program has, by per cent.
const PERCENTILES: [(f64, Statistic); 7] = [
    (50.0, Statistic::P50),
    (90.0, Statistic::P90),
    (95.0, Statistic::P95),
    (99.0, Statistic::P99),
    (99.9, Statistic::P999),
    (99.99, Statistic::P9999),
    (99.999, Statistic::P99999),
];
const NS_PER_MS: f64 = 1e6;

/// One direction of a job.
pub(super) struct Direction {
    rate: Option<Metric>,
    of: Latency,
    pub(super) ios: f64,
    iops: f64,
    bytes_per_s: f64,
    pub(super) runtime_s: f64,
    /// Mean, percentiles and maximum, milliseconds.
    figures: Vec<(Statistic, f64)>,
    pub(super) histogram: Option<Histogram>,
    /// True if fio gave no completion latency but the one from the queueing on.
    pub(super) is_total_latency: bool,
}

impl Direction {
    /// Every direction that the job states.
    pub(super) fn all(job: &Node<'_>) -> Result<Vec<Direction>, FileFault> {
        let found = DIRECTIONS
            .iter()
            .filter_map(|(key, rate, of)| Some(Direction::read(&job.find(key)?, *rate, *of)));
        let found = found.collect::<Result<Vec<_>, _>>()?;
        match found.is_empty() {
            true => Err(job.fault("has neither `read` nor `write`", "export the result again")),
            false => Ok(found),
        }
    }

    fn read(node: &Node<'_>, rate: Option<Metric>, of: Latency) -> Result<Direction, FileFault> {
        let runtime = node.get("runtime")?;
        let runtime_s = runtime.amount()? / 1e3;
        if runtime_s > LONGEST_S {
            return Err(runtime.fault("is more than a week", "mend this number"));
        }
        let bytes_per_s = match node.find("bw_bytes") {
            Some(bytes) => bytes.amount()?,
            None => node.get("bw")?.amount()? * 1024.0,
        };
        checked::rates(node, runtime_s)?;
        let ios = node.get("total_ios")?.amount()?;
        let mut direction = Direction {
            rate,
            of,
            ios,
            iops: node.get("iops")?.amount()?,
            bytes_per_s,
            runtime_s,
            figures: Vec::new(),
            histogram: None,
            is_total_latency: false,
        };
        if ios > 0.0 {
            direction.read_latency(node)?;
        }
        Ok(direction)
    }

    /// Completion latencies; the total ones where those were switched off.
    fn read_latency(&mut self, node: &Node<'_>) -> Result<(), FileFault> {
        if node.find("clat_ns").is_none() && node.find("clat").is_some() {
            let help = "run it again with fio 3 or newer, whose latencies are nanoseconds";
            return Err(node.fault("has latencies in microseconds (`clat`)", help));
        }
        let has_percentiles = |latency: &Node<'_>| latency.find("percentile").is_some();
        let has_samples = |latency: &Node<'_>| {
            latency.find("N").is_none_or(|count| count.amount().is_ok_and(|count| count > 0.0))
        };
        let completion = node.find("clat_ns").filter(has_samples);
        let total = node.find("lat_ns").filter(has_samples);
        self.is_total_latency = match (&completion, &total) {
            (None, Some(_)) => true,
            (Some(completion), Some(total)) => !has_percentiles(completion) && has_percentiles(total),
            _ => false,
        };
        let Some(latency) = (if self.is_total_latency { total } else { completion }) else { return Ok(()) };
        self.figures.push((Statistic::Mean, latency.get("mean")?.amount()? / NS_PER_MS));
        self.figures.push((Statistic::Max, latency.get("max")?.amount()? / NS_PER_MS));
        for (percent, ns) in checked::percentiles(&latency)? {
            let known = PERCENTILES.iter().find(|(known, _)| (known - percent).abs() < 1e-7);
            self.figures.extend(known.map(|(_, statistic)| (*statistic, ns / NS_PER_MS)));
        }
        self.histogram = latency.find("bins").map(|bins| histogram(&bins)).transpose()?;
        Ok(())
    }
}

/// The distribution of json+: counts by nanoseconds.
fn histogram(bins: &Node<'_>) -> Result<Histogram, FileFault> {
    let mut histogram = Histogram::new();
    for (key, value) in bins.entries() {
        let ns: u64 = key
            .parse()
            .map_err(|_| value.fault(format!("has the name {}, no time in ns", quoted(key)), "mend it"))?;
        let count = value.amount()?;
        if count.fract() != 0.0 || count > 1e15 {
            return Err(value.fault(format!("is {count}, no count"), "mend it"));
        }
        histogram.record_n(ns, count as u64);
    }
    Ok(histogram)
}

/// The figures of the job: rates of all directions together, and the latencies of each.
pub(super) fn totals(directions: &[Direction]) -> Vec<(Metric, f64)> {
    let sum = |of: fn(&Direction) -> f64| directions.iter().map(of).sum::<f64>();
    let mut values = vec![
        (Metric::Iops, sum(|direction| direction.iops)),
        (Metric::Bandwidth, sum(|direction| direction.bytes_per_s) / 1e6),
    ];
    values.extend(directions.iter().filter_map(|one| Some((one.rate?, one.iops))));
    let active: Vec<&Direction> = directions.iter().filter(|one| one.ios > 0.0).collect();
    for one in active.iter().filter(|one| one.of != Latency::Answer) {
        values.extend(one.figures.iter().map(|(statistic, ms)| (Metric::Latency(one.of, *statistic), *ms)));
        values.push((Metric::Latency(one.of, Statistic::Count), one.ios));
    }
    let ios: f64 = active.iter().map(|one| one.ios).sum();
    if ios > 0.0 {
        values.extend(answers(&active, ios));
        values.push((Metric::Latency(Latency::Answer, Statistic::Count), ios));
    }
    values
}

/// Latencies of all I/Os together. Means are weighted by the I/Os; percentiles of several directions come
/// from their distributions, or there are none.
fn answers(active: &[&Direction], ios: f64) -> Vec<(Metric, f64)> {
    let answer = |statistic: Statistic, ms: f64| (Metric::Latency(Latency::Answer, statistic), ms);
    if let [one] = active {
        return one.figures.iter().map(|(statistic, ms)| answer(*statistic, *ms)).collect();
    }
    let figure = |one: &Direction, wanted: Statistic| {
        one.figures.iter().find(|(statistic, _)| *statistic == wanted).map(|(_, ms)| *ms)
    };
    let mut values = Vec::new();
    let means: Option<Vec<f64>> =
        active.iter().map(|one| Some(figure(one, Statistic::Mean)? * one.ios)).collect();
    values.extend(means.map(|means| answer(Statistic::Mean, means.iter().sum::<f64>() / ios)));
    let longest: Option<Vec<f64>> = active.iter().map(|one| figure(one, Statistic::Max)).collect();
    values.extend(longest.map(|all| answer(Statistic::Max, all.into_iter().fold(0.0, f64::max))));
    if let Some(all) = merged(active) {
        values.extend(PERCENTILES.iter().map(|(percent, statistic)| {
            answer(*statistic, all.quantile_ns(percent / 100.0) as f64 / NS_PER_MS)
        }));
    }
    values
}

/// The latencies of all directions, where every one has its distribution.
fn merged(active: &[&Direction]) -> Option<Histogram> {
    let mut all = Histogram::new();
    for one in active {
        all.merge(one.histogram.as_ref()?);
    }
    (!all.is_empty()).then_some(all)
}

/// The distributions by the names of the notebook.
pub(super) fn histograms(directions: &[Direction]) -> Vec<(Latency, Histogram)> {
    let active: Vec<&Direction> = directions.iter().filter(|one| one.ios > 0.0).collect();
    let mut histograms = Vec::new();
    if let Some(all) = merged(&active) {
        histograms.push((Latency::Answer, all));
    }
    for one in active.iter().filter(|one| one.of != Latency::Answer) {
        histograms.extend(one.histogram.clone().map(|histogram| (one.of, histogram)));
    }
    histograms
}
