//! A cell's metrics and series while they are put together.

use host::Usage;
use measure::{Histogram, Series};
use notebook::{Event, Measurement, Phase};
use oltp::tpcc::TransactionKind;
use words::{EventKind, Happening, HistogramName, Latency, Metric, MetricName, Statistic, StoredPhase, Unit};

use crate::watch::steps::Steps;

/// A list of measurements that is pleasant to fill.
#[derive(Default)]
pub(crate) struct Metrics(pub(crate) Vec<Measurement>);

/// The percentiles of every latency.
const QUANTILES: [(Statistic, f64); 4] =
    [(Statistic::P50, 0.5), (Statistic::P90, 0.9), (Statistic::P99, 0.99), (Statistic::P999, 0.999)];

impl Metrics {
    /// Adds a value in the metric's own unit; one that is no finite number is left out.
    pub(crate) fn add(&mut self, metric: impl Into<MetricName>, value: f64) {
        let name = metric.into();
        self.add_of_unit(&name, value, name.unit().map_or("", |unit| unit.name()));
    }

    /// Adds a share of the input, which has a unit of its own, and the number of inputs behind it.
    pub(crate) fn add_input(&mut self, name: &str, (value, unit): (f64, &str), sample: u64) {
        self.add_of_unit(&MetricName::Input(name.to_owned()), value, unit);
        self.add_of_unit(&MetricName::InputSample(name.to_owned()), sample as f64, Unit::Count.name());
    }

    fn add_of_unit(&mut self, name: &MetricName, value: f64, unit: &str) {
        if value.is_finite() {
            self.0.push(Measurement { metric: name.to_string(), value, unit: unit.to_owned() });
        }
    }

    /// The value of a metric that was added before.
    pub(crate) fn value(&self, metric: Metric) -> Option<f64> {
        self.0.iter().find_map(|measurement| measurement.of(metric))
    }

    /// Mean, p50, p90, p99 and p99.9, the percentiles only as far as the sample carries them, and the number
    /// of samples.
    pub(crate) fn add_latency(&mut self, of: Latency, histogram: &Histogram) {
        self.add_latency_as(histogram, |statistic| Metric::Latency(of, statistic).into());
    }

    /// As [`Metrics::add_latency`], under the names of a family.
    pub(crate) fn add_latency_as(&mut self, histogram: &Histogram, name: impl Fn(Statistic) -> MetricName) {
        if histogram.is_empty() {
            return;
        }
        self.add(name(Statistic::Mean), histogram.mean_ns() / 1e6);
        for (statistic, quantile) in QUANTILES {
            // p99 is a primary metric: it is kept even where the sample is small, and the report greys it by
            // its count.
            if quantile <= 0.99 || histogram.supports(quantile) {
                self.add(name(statistic), histogram.quantile_ns(quantile) as f64 / 1e6);
            }
        }
        self.add(name(Statistic::Count), histogram.len() as f64);
    }

    /// Mean and p99 alone.
    pub(crate) fn add_mean_and_p99(&mut self, of: Latency, histogram: &Histogram) {
        self.add(Metric::Latency(of, Statistic::Mean), histogram.mean_ns() / 1e6);
        self.add(Metric::Latency(of, Statistic::P99), histogram.quantile_ns(0.99) as f64 / 1e6);
    }

    /// Adds the shares of the machine's processors.
    pub(crate) fn add_processors(&mut self, usage: &Usage) {
        let cpu = &usage.cpu;
        // Linux counts a processor that waits for I/O apart from one that is idle; both could have done more.
        let shares = [
            (Metric::CpuIdle, cpu.idle + cpu.iowait),
            (Metric::CpuUser, cpu.user),
            (Metric::CpuSystem, cpu.system),
            (Metric::CpuIowait, cpu.iowait),
            (Metric::CpuSteal, cpu.steal),
        ];
        for (metric, share) in shares {
            self.add(metric, share * 100.0);
        }
    }
}

/// The latency of one of the five transactions.
pub(crate) fn latency_of(kind: TransactionKind) -> Latency {
    match kind {
        TransactionKind::NewOrder => Latency::NewOrder,
        TransactionKind::Payment => Latency::Payment,
        TransactionKind::OrderStatus => Latency::OrderStatus,
        TransactionKind::Delivery => Latency::Delivery,
        TransactionKind::StockLevel => Latency::StockLevel,
    }
}

/// The histograms of a cell's latencies; empty ones are left out.
pub(crate) fn named(
    histograms: impl IntoIterator<Item = (Latency, Histogram)>,
) -> Vec<(HistogramName, Histogram)> {
    let kept = histograms.into_iter().filter(|(_, histogram)| !histogram.is_empty());
    kept.map(|(latency, histogram)| (latency.into(), histogram)).collect()
}

/// One series that begins with the load, in the metric's own unit.
pub(crate) fn one(metric: impl Into<MetricName>, values: impl Iterator<Item = f64>) -> Series {
    let name = metric.into();
    let unit = name.unit().map_or("", |unit| unit.name()).to_owned();
    Series { metric: name.to_string(), unit, start_s: 0.0, values: values.collect() }
}

/// Idle processor time second by second.
pub(crate) fn cpu_idle(host: &[host::Counters]) -> Series {
    let steps = Steps::between(host.iter().map(|counters| counters.at_ns));
    let idle = host.windows(2).map(|pair| {
        let cpu = pair[1].since(&pair[0]).cpu;
        (cpu.idle + cpu.iowait) * 100.0
    });
    let idle: Vec<f64> = idle.zip(steps.lengths_s()).map(|(percent, length_s)| percent * length_s).collect();
    one(Metric::CpuIdle, steps.rates(idle.into_iter()).into_iter())
}

/// Something that happened once.
pub(crate) fn event(kind: EventKind, what: impl Into<Happening>) -> Event {
    Event::once(kind, what)
}

/// A part of a cell, seconds on its own clock.
pub(crate) fn phase(name: impl Into<StoredPhase>, start_s: f64, end_s: f64) -> Phase {
    Phase { name: name.into(), start_s, end_s }
}
