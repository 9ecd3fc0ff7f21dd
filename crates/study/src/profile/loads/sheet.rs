//! The numbers of a fit while they come in, and what repeats say of their uncertainty.

use device::DriveSpec;
use measure::mean_interval;

use super::super::fitted::{Fitted, FittedNumber, FittedWord};
use super::super::load::Load;

/// Commands of a drive whose queue no load fills.
pub(super) const QUEUE: u32 = 65_536;

/// Numbers and words of a fit.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    numbers: Vec<FittedNumber>,
    words: Vec<FittedWord>,
}

impl Sheet {
    /// A number that the data say.
    pub(super) fn found(&mut self, key: &'static str, value: Estimate, source: impl Into<String>) {
        let Estimate { value, low, high } = value;
        let interval = Some((low.min(value), high.max(value)));
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
        "write.rate_4k_per_s" => spec.write_4k_per_s,
        "write.rate_8k_per_s" => spec.write_8k_per_s,
        "write.buffer_bytes" => spec.write_buffer_bytes as f64,
        "flush.cost_us" => spec.flush_ns as f64 / 1e3,
        "interference.delay_us" => spec.interference_ns as f64 / 1e3,
        "interference.exponent" => spec.interference_exponent,
        "interference.queued_write_share" => spec.queued_write_share,
        _ => return None,
    })
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
