//! The figures of a load in full: each direction with its percentiles, and what a load costs us.

use block::Outcome;
use measure::Histogram;
use words::{Latency, Metric, Statistic, decimals, say};

use crate::aligned::aligned;

/// Decimals of a latency in ms: a tenth of a microsecond.
const DIGITS: usize = 4;
/// The percentiles, as tables of results name them.
const QUANTILES: [(Statistic, f64); 4] =
    [(Statistic::P50, 0.5), (Statistic::P90, 0.9), (Statistic::P99, 0.99), (Statistic::P999, 0.999)];

/// A table of reads, writes, discards and flushes; of an open loop with service times and the lag of the
/// starts.
pub(crate) fn of(outcome: &Outcome) -> String {
    let is_open = !outcome.lag.is_empty();
    let per_second = |count: u64| count as f64 / outcome.elapsed.as_secs_f64().max(1e-9);
    let rates = |ios, bytes| Rates { iops: Some(per_second(ios)), bytes_per_s: bytes };
    let mut rows: Vec<Vec<String>> = vec![head()];
    for (name, direction) in [
        (say!("load-read"), &outcome.read),
        (say!("load-write"), &outcome.write),
        (say!("load-discard"), &outcome.discard),
    ] {
        if direction.ios > 0 {
            rows.push(row(name, rates(direction.ios, Some(per_second(direction.bytes))), &direction.latency));
        }
        if direction.ios > 0 && is_open {
            rows.push(row(say!("load-service"), Rates::default(), &direction.service));
        }
    }
    if outcome.flush.ios > 0 {
        rows.push(row(say!("load-flush"), rates(outcome.flush.ios, None), &outcome.flush.latency));
    }
    if is_open {
        rows.push(row(say!("load-lag"), Rates::default(), &outcome.lag));
    }
    let (ios, elapsed) = (outcome.ios(), decimals(outcome.elapsed.as_secs_f64(), 1));
    let mut text = format!("{}\n", say!("load-elapsed", ios = words::Grouped(ios as usize), elapsed));
    aligned(&rows, |column| column > 0).iter().for_each(|line| text.push_str(&format!("  {line}\n")));
    if let Some(cpu_ns) = outcome.cpu_per_io_ns() {
        text.push_str(&format!("{}\n", say!("load-own-cost", ns = decimals(cpu_ns, 0))));
    }
    text
}

fn head() -> Vec<String> {
    let of = |statistic| Metric::Latency(Latency::Answer, statistic);
    let statistics = QUANTILES.iter().map(|(statistic, _)| of(*statistic));
    let latencies = std::iter::once(Metric::LATENCY_MEAN).chain(statistics);
    let mut head = vec![String::new(), Metric::Iops.short(), Metric::Bandwidth.unit().shown().to_owned()];
    head.extend(latencies.map(|metric| format!("{} (ms)", metric.short())));
    head.push(say!("load-max").to_owned());
    head
}

/// The rates of a row that has any.
#[derive(Clone, Copy, Default)]
struct Rates {
    iops: Option<f64>,
    bytes_per_s: Option<f64>,
}

/// One row; a percentile that the sample does not carry is a dash.
fn row(name: &str, rates: Rates, latency: &Histogram) -> Vec<String> {
    let ms = |ns: f64| decimals(ns / 1e6, DIGITS);
    let quantile = |quantile: f64| match latency.supports(quantile) {
        true => ms(latency.quantile_ns(quantile) as f64),
        false => "-".to_owned(),
    };
    let mut row = vec![name.to_owned(), rates.iops.map(|iops| decimals(iops, 0)).unwrap_or_default()];
    row.push(rates.bytes_per_s.map(|bytes| decimals(bytes / 1e6, 1)).unwrap_or_default());
    row.push(ms(latency.mean_ns()));
    row.extend(QUANTILES.iter().map(|(_, value)| quantile(*value)));
    row.push(ms(latency.max_ns() as f64));
    row
}
