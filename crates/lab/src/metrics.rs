//! A cell's metrics and series while they are put together.

use measure::{Histogram, Series};
use notebook::Measurement;

/// A list of measurements that is pleasant to fill.
#[derive(Default)]
pub(crate) struct Metrics(pub(crate) Vec<Measurement>);

impl Metrics {
    pub(crate) fn add(&mut self, metric: &str, value: f64, unit: &str) {
        if value.is_finite() {
            self.0.push(Measurement { metric: metric.to_owned(), value, unit: unit.to_owned() });
        }
    }

    /// Mean, p50, p90, p99 and p99.9 in ms, the percentiles only as far as the sample carries them.
    pub(crate) fn add_latency(&mut self, prefix: &str, histogram: &Histogram) {
        if histogram.is_empty() {
            return;
        }
        self.add(&format!("{prefix}_mean"), histogram.mean_ns() / 1e6, "ms");
        for (name, quantile) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)] {
            // p99 is a primary metric: it is kept even where the sample is small, and the report greys it by its count.
            if quantile <= 0.99 || histogram.supports(quantile) {
                self.add(&format!("{prefix}_{name}"), histogram.quantile_ns(quantile) as f64 / 1e6, "ms");
            }
        }
        self.add(&format!("{prefix}_count"), histogram.len() as f64, "count");
    }
}

/// One series that begins with the load.
pub(crate) fn one(metric: &str, unit: &str, values: impl Iterator<Item = f64>) -> Series {
    Series { metric: metric.to_owned(), unit: unit.to_owned(), start_s: 0.0, values: values.collect() }
}
