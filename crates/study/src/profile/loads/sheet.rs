//! The numbers of a fit while they come in, and what repeats say of their uncertainty.

use device::DriveSpec;
use measure::{Histogram, mean_interval};

use super::super::fitted::{Fitted, FittedNumber, FittedWord};
use super::super::load::{Direction, Load};

/// Commands of a drive whose queue no load fills.
pub(super) const QUEUE: u32 = 65_536;

/// Numbers that do not follow the speed of the day: those of limits, whole numbers, shares of operations.
const STEADY: [&str; 4] = ["limit.", "link.queue_limit", "read.units", "flush.held_writes"];

/// Numbers and words of a fit.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    /// Half the 95 % interval by which the same load differs at two times of the run, as a share of its rate.
    drift: f64,
    numbers: Vec<FittedNumber>,
    words: Vec<FittedWord>,
}

impl Sheet {
    /// An empty sheet for these loads.
    pub(super) fn of(loads: &[&Load]) -> Sheet {
        Sheet { drift: drift(loads), ..Sheet::default() }
    }

    /// Two rates are the same within this share, or within the drift of the target.
    pub(super) fn same_within(&self, share: f64) -> f64 {
        share.max(self.drift.min(DRIFT_MOST))
    }

    /// A number that the data say. What a load varies within its seconds does not tell how far the target is
    /// from itself some minutes later, so the interval has the drift as well.
    pub(super) fn found(&mut self, key: &'static str, value: Estimate, source: impl Into<String>) {
        let Estimate { value, low, high } = value;
        let drift = if STEADY.iter().any(|start| key.starts_with(start)) { 0.0 } else { self.drift };
        let wider = |half: f64| half.max(0.0).hypot(drift * value);
        let interval = Some(((value - wider(value - low)).max(0.0), value + wider(high - value)));
        self.numbers.push(FittedNumber { key, value, interval, source: source.into() });
    }

    /// A stand-in for a number that the data do not say, and why they do not.
    pub(super) fn open(&mut self, key: &'static str, value: f64, why: impl Into<String>) {
        self.numbers.push(FittedNumber { key, value, interval: None, source: why.into() });
    }

    pub(super) fn word(&mut self, key: &'static str, value: &str, is_identified: bool, source: &str) {
        let (value, source) = (value.to_owned(), source.to_owned());
        self.words.push(FittedWord { key, value, is_identified, source });
    }

    /// The fit: its numbers are those of the drive, also where two of them had to be brought together.
    pub(super) fn fitted(mut self, spec: DriveSpec) -> Fitted {
        for number in &mut self.numbers {
            number.value = of_drive(&spec, number.key).unwrap_or(number.value);
            number.interval =
                number.interval.map(|(low, high)| (low.min(number.value), high.max(number.value)));
        }
        Fitted { spec, numbers: self.numbers, words: self.words }
    }
}

/// The number of that key in a drive; `None` for the keys of limits.
pub(super) fn of_drive(spec: &DriveSpec, key: &str) -> Option<f64> {
    let latency_us = |size_bytes: u64| spec.read_latency_ns(size_bytes) / 1e3;
    Some(match key {
        "read.latency_4k_us" => latency_us(4096),
        "read.latency_8k_us" => latency_us(8192),
        "read.latency_16k_us" => latency_us(16_384),
        "read.latency_32k_us" => latency_us(32_768),
        "read.latency_64k_us" => latency_us(65_536),
        "read.latency_128k_us" => latency_us(131_072),
        "read.latency_256k_us" => latency_us(262_144),
        "read.latency_512k_us" => latency_us(524_288),
        "read.latency_1m_us" => latency_us(1 << 20),
        "read.tail_ratio" => spec.read_tail_ratio,
        "read.rate_4k_per_s" => spec.read_4k_per_s,
        "read.rate_8k_per_s" => spec.read_8k_per_s.unwrap_or(spec.read_4k_per_s),
        "read.units" => f64::from(spec.read_units),
        "read.piece_kib" => spec.read_piece_bytes as f64 / 1024.0,
        "read.sequential_latency_us" => {
            spec.sequential_read_ns.map_or(latency_us(4096), |ns| ns as f64 / 1e3)
        }
        "read.slowdown_by_writes" => spec.read_slowdown_by_writes,
        "link.read_bandwidth_mb_per_s" => spec.read_bandwidth_bytes_per_s / 1e6,
        "link.write_bandwidth_mb_per_s" => spec.write_bandwidth_bytes_per_s / 1e6,
        "link.queue_limit" => f64::from(spec.queue_limit),
        "write.ack_us" => spec.write_ack_ns as f64 / 1e3,
        "write.tail_ratio" => spec.write_tail_ratio,
        "write.rate_4k_per_s" => spec.write_4k_per_s,
        "write.rate_8k_per_s" => spec.write_8k_per_s,
        "write.buffer_bytes" => spec.write_buffer_bytes as f64,
        "flush.cost_us" => spec.flush_ns as f64 / 1e3,
        "flush.tail_ratio" => spec.flush_tail_ratio,
        "flush.write_back" => spec.flush_write_back,
        "flush.held_writes" => spec.flush_held_writes,
        "interference.delay_us" => spec.interference_ns as f64 / 1e3,
        "interference.exponent" => spec.interference_exponent,
        "interference.turnaround_us" => spec.turnaround_ns.unwrap_or(0) as f64 / 1e3,
        "interference.queued_write_share" => spec.queued_write_share,
        _ => return None,
    })
}

/// Rates further apart than this are not called the same, whatever the drift.
const DRIFT_MOST: f64 = 0.1;

/// Half the 95 % interval by which one measurement of a load differs from another of the same load in this
/// run: twice the pooled standard deviation of the logarithms of their rates. 0 without repeats.
fn drift(loads: &[&Load]) -> f64 {
    let (mut squares, mut free) = (0.0, 0.0);
    for same in repeats(loads.iter().copied().filter(|load| load.is_closed())) {
        let rates: Vec<f64> = same.iter().map(|load| load.per_s()).filter(|per_s| *per_s > 0.0).collect();
        let mean = rates.iter().map(|per_s| per_s.ln()).sum::<f64>() / rates.len().max(1) as f64;
        squares += rates.iter().map(|per_s| (per_s.ln() - mean).powi(2)).sum::<f64>();
        free += rates.len().saturating_sub(1) as f64;
    }
    if free > 0.0 { 2.0 * (squares / free).sqrt() } else { 0.0 }
}

/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Repeats from which their own spread is taken; fewer say too little of it.
const REPEATS: usize = 3;

impl Estimate {
    /// A value that may be off by this share on both sides.
    pub(super) fn within(value: f64, share: f64) -> Estimate {
        Estimate { value, low: value * (1.0 - share).max(0.0), high: value * (1.0 + share) }
    }

    /// The mean of what repeats give. The interval is the wider of two: that of the unevenness within each,
    /// and, from three repeats on, that of the differences between them.
    pub(super) fn of_repeats(values: &[(f64, f64)]) -> Option<Estimate> {
        let n = values.len() as f64;
        let value = values.iter().map(|(value, _)| value / n).sum::<f64>();
        if values.is_empty() || !value.is_finite() {
            return None;
        }
        let within = values.iter().map(|(_, noise)| noise / n).sum::<f64>() / n.sqrt();
        let plain: Vec<f64> = values.iter().map(|(value, _)| *value).collect();
        let between = mean_interval(&plain).filter(|_| values.len() >= REPEATS && value > 0.0);
        let between = between.map_or(0.0, |interval| (interval.high - interval.low) / 2.0 / value);
        Some(Estimate::within(value, within.max(between)))
    }

    pub(super) fn times(self, factor: f64) -> Estimate {
        Estimate { value: self.value * factor, low: self.low * factor, high: self.high * factor }
    }
}

/// The latencies of one direction of several loads together.
pub(super) fn together<'a>(directions: impl IntoIterator<Item = &'a Direction>) -> Histogram {
    let mut all = Histogram::new();
    directions.into_iter().for_each(|direction| all.merge(&direction.latency));
    all
}

/// p99 over p50 of latencies, less a part that all have in common; `None` with too few of them for a p99.
pub(super) fn tail_ratio(latencies: &Histogram, common_ns: f64) -> Option<Estimate> {
    if !latencies.supports(0.99) {
        return None;
    }
    let ratio = |quantile: f64| {
        let beyond = |quantile: f64| (latencies.quantile_ns(quantile) as f64 - common_ns).max(1.0);
        (beyond(quantile) / beyond(0.5)).clamp(1.0, 100.0)
    };
    // The ranks between which the quantile lies with 95 % confidence.
    let apart = 2.0 * (0.99 * 0.01 / latencies.len() as f64).sqrt();
    let (low, high) = (ratio(0.99 - apart), ratio((0.99 + apart).min(1.0)));
    Some(Estimate { value: ratio(0.99), low, high })
}

/// Operations per second of loads that are repeats of each other.
pub(super) fn rate(loads: &[&Load]) -> Option<Estimate> {
    Estimate::of_repeats(&loads.iter().map(|load| (load.per_s(), load.noise())).collect::<Vec<_>>())
}

/// Loads that ask for the same, together, in the order in which they first come.
pub(super) fn repeats<'a>(loads: impl IntoIterator<Item = &'a Load>) -> Vec<Vec<&'a Load>> {
    let mut groups: Vec<Vec<&'a Load>> = Vec::new();
    for load in loads {
        match groups.iter_mut().find(|group| group[0].asks_the_same(load)) {
            Some(group) => group.push(load),
            None => groups.push(vec![load]),
        }
    }
    groups
}

/// A size as people say it.
pub(super) fn size_name(bytes: u64) -> String {
    if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) {
        format!("{} MiB", bytes >> 20)
    } else if bytes >= 1024 && bytes.is_multiple_of(1024) {
        format!("{} KiB", bytes >> 10)
    } else {
        format!("{bytes} bytes")
    }
}
