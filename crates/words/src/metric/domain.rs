//! The values that a metric can have: a stored one outside them was never measured.

use std::ops::RangeInclusive;

use super::{Metric, MetricName};
use crate::unit::Unit;

/// Rounding of sums and shares may pass an end of a domain by this much.
const ROUNDING: f64 = 1e-6;
/// More than any machine counts in 64 bits.
const MOST_COUNTED: f64 = 1e20;
/// No cell lasts for so long: 300 years, in seconds.
const LONGEST_S: f64 = 1e10;
/// No machine does so much in a second or a minute.
const FASTEST: f64 = 1e15;

/// Metrics whose values may be below zero: differences of what was seen and a model, or of two clocks.
const SIGNED: [Metric; 5] = [
    Metric::DriveReadDelay,
    Metric::DriveWriteDelay,
    Metric::DriveSyncDelay,
    Metric::ClockOffset,
    Metric::DriveOthers,
];

/// Metrics in per cent that are shares of a whole. Others may pass it: two drives are busy at 200 %.
const SHARES: [Metric; 8] = [
    Metric::CpuIdle,
    Metric::CpuIowait,
    Metric::CpuOthers,
    Metric::CpuUser,
    Metric::CpuSystem,
    Metric::CpuSteal,
    Metric::CacheHitRatio,
    Metric::BurstShare,
];

/// The largest value of a unit.
fn most(unit: Unit) -> f64 {
    match unit {
        Unit::PerMinute | Unit::PerSecond | Unit::MegabytesPerSecond | Unit::Megabytes => FASTEST,
        Unit::Bytes | Unit::Kibibytes | Unit::Operations | Unit::Pages | Unit::Count => MOST_COUNTED,
        Unit::Seconds => LONGEST_S,
        Unit::Milliseconds => LONGEST_S * 1e3,
        Unit::Microseconds => LONGEST_S * 1e6,
        Unit::Nanoseconds => LONGEST_S * 1e9,
        Unit::Percent | Unit::Times => 1e12,
        Unit::Flag | Unit::Index => 1.0,
    }
}

impl Metric {
    /// The values that it can have, in its unit.
    pub fn domain(self) -> RangeInclusive<f64> {
        let most = if SHARES.contains(&self) { 100.0 } else { most(self.unit()) };
        if SIGNED.contains(&self) { -most..=most } else { 0.0..=most }
    }
}

impl MetricName {
    /// The values that it can have, in the unit of today; `None` for a name whose meaning is not known: any
    /// finite number is one.
    pub fn domain(&self) -> Option<RangeInclusive<f64>> {
        match self {
            MetricName::Plain(metric) | MetricName::Of(metric, _) => Some(metric.domain()),
            MetricName::InputSample(_) => Some(0.0..=MOST_COUNTED),
            MetricName::Input(_) | MetricName::Beside(_) | MetricName::Unknown(_) => None,
        }
    }

    /// True if the metric can have this value of the unit `stored`.
    pub fn holds(&self, value: f64, stored: &str) -> bool {
        let is_of = |domain: RangeInclusive<f64>| {
            let value = self.in_unit_of_today(value, stored);
            (domain.start() - ROUNDING..=domain.end() + ROUNDING).contains(&value)
        };
        value.is_finite() && self.domain().is_none_or(is_of)
    }

    /// True if its values can be of this stored unit: its own, or one that measures the same quantity.
    pub fn has_unit(&self, stored: &str) -> bool {
        self.unit().is_none_or(|today| Unit::read(stored).is_some_and(|unit| unit.factor(today).is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(name: &str, value: f64, unit: &str) -> bool {
        MetricName::read(name).holds(value, unit)
    }

    #[test]
    fn no_rate_and_no_latency_is_below_zero_or_beyond_any_machine() {
        for (name, unit) in [
            ("nopm", "1/min"),
            ("latency_p99", "ms"),
            ("nopm_victim_2", "1/min"),
            ("stream_log_iops", "1/s"),
            ("recovery_s", "s"),
            ("input_new_orders_sample", "count"),
        ] {
            assert!(holds(name, 0.0, unit) && holds(name, 12_345.6, unit), "{name}");
            for value in [-5.0, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
                assert!(!holds(name, value, unit), "{name} = {value}");
            }
        }
        assert!(holds("cpu_idle", 100.0 + 1e-9, "%") && holds("cpu_others", -1e-9, "%"), "rounding");
        assert!(!holds("cpu_idle", 101.0, "%") && holds("drive_busy", 200.0, "%"), "two drives");
        assert!(holds("steady_attained", 1.0, "flag") && !holds("steady_attained", 7.0, "flag"));
    }

    #[test]
    fn differences_have_both_signs() {
        for metric in SIGNED {
            assert!(holds(&metric.name(), -5.0, metric.unit().name()), "{metric}");
            assert!(!holds(&metric.name(), -1e300, metric.unit().name()), "{metric}");
        }
        assert!(holds("clock_offset_host_2", -37_000.0, "ms"), "of a family, too");
    }

    #[test]
    fn a_name_that_is_not_known_has_any_finite_value_and_any_unit() {
        for name in ["metric_of_the_future", "beside:vmstat r", "input_new_orders"] {
            assert!(holds(name, -5.0, "h") && !holds(name, f64::INFINITY, "h"), "{name}");
            assert!(MetricName::read(name).has_unit("h"), "{name}");
        }
    }

    #[test]
    fn a_unit_is_that_of_the_metric_or_one_of_the_same_quantity() {
        let has = |name: &str, unit: &str| MetricName::read(name).has_unit(unit);
        assert!(has("nopm", "1/min") && !has("nopm", "h") && !has("nopm", "1/s") && !has("nopm", ""));
        assert!(
            has("drive_read_latency", "us") && has("waited_writes_per_transaction", "page"),
            "older ones"
        );
        assert!(holds("drive_read_latency", 1e16, "us") && !holds("drive_read_latency", 1e17, "us"));
        for metric in Metric::all() {
            assert!(has(&metric.name(), metric.unit().name()), "{metric}");
            assert!(metric.domain().contains(&1.0), "{metric}");
        }
    }
}
