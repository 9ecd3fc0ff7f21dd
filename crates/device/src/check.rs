//! The possible numbers of a drive: ranges first, then contradictions between two numbers.

use crate::bounds::{PAGE_BYTES, UNITS_MAX};
use crate::limit::Bucket;
use crate::property::PROPERTIES;
use crate::spec::{DriveSpec, ReadLatency};

/// No part of an operation on any drive takes longer than a minute.
pub(crate) const TIME_MAX_NS: u64 = 60_000_000_000;
pub(crate) const SIZE_MAX_BYTES: u64 = 1 << 30;
pub(crate) const BUFFER_MAX_BYTES: u64 = 1 << 40;
const QUEUE_MAX: u32 = 65_536;
const NS_PER_S: f64 = 1e9;
/// Published numbers are rounded, so two of them may disagree by this much.
const ROUNDING: f64 = 1.02;

/// A number, or a combination of numbers, that no drive can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{quantity}: {problem}; {allowed}")]
pub struct SpecError {
    /// The quantity at fault, by its name in the drive file without the unit, such as `read.latency_4k`.
    pub quantity: String,
    /// The fault.
    pub problem: String,
    /// The allowed values.
    pub allowed: String,
}

pub(crate) fn refuse<T>(
    quantity: impl Into<String>,
    problem: impl Into<String>,
    allowed: impl Into<String>,
) -> Result<T, SpecError> {
    Err(SpecError { quantity: quantity.into(), problem: problem.into(), allowed: allowed.into() })
}

/// The name of a read latency in a drive file, such as `read.latency_8k`.
pub(crate) fn latency_name(size_bytes: u64) -> String {
    if size_bytes >= 1 << 20 && size_bytes.is_multiple_of(1 << 20) {
        format!("read.latency_{}m", size_bytes >> 20)
    } else {
        format!("read.latency_{}k", size_bytes >> 10)
    }
}

impl DriveSpec {
    /// Checks that a drive with these numbers can exist.
    ///
    /// # Errors
    /// The first quantity that is out of range or contradicts another, and what would be allowed.
    pub fn validate(&self) -> Result<(), SpecError> {
        self.faults().into_iter().next().map_or(Ok(()), Err)
    }

    /// All numbers that no drive can have; contradictions between two only where each is possible by itself.
    pub(crate) fn faults(&self) -> Vec<SpecError> {
        let out_of_range = self.out_of_range();
        if !out_of_range.is_empty() {
            return out_of_range;
        }
        let together = [
            read_latency_and_bandwidth(self),
            read_rate_and_latency(self),
            read_rates(self),
            sequential_reads(self),
            write_ack_and_bandwidth(self),
            write_rates_and_bandwidth(self),
            write_rates(self),
            flush_write_back(self),
            turnaround(self),
        ];
        together.into_iter().filter_map(Result::err).collect()
    }

    /// All numbers that are impossible by themselves.
    pub(crate) fn out_of_range(&self) -> Vec<SpecError> {
        let by_themselves = [
            rate("link.read_bandwidth", self.read_bandwidth_bytes_per_s, PAGE_BYTES as f64, "B/s"),
            rate("link.write_bandwidth", self.write_bandwidth_bytes_per_s, PAGE_BYTES as f64, "B/s"),
            rate("read.rate_4k", self.read_4k_per_s, 1.0, "/s"),
            self.read_8k_per_s.map_or(Ok(()), |per_s| rate("read.rate_8k", per_s, 1.0, "/s")),
            rate("write.rate_4k", self.write_4k_per_s, 1.0, "/s"),
            rate("write.rate_8k", self.write_8k_per_s, 1.0, "/s"),
            queue_limit(self),
            read_units(self),
            bursts(self),
            time("write.ack", self.write_ack_ns),
            time("flush.cost", self.flush_ns),
            latency_table(&self.read_latency),
            limits(&self.limits),
        ];
        let of_rows = PROPERTIES.iter().filter_map(|property| property.fault(self));
        by_themselves.into_iter().filter_map(Result::err).chain(of_rows).collect()
    }
}

/// A rate that lets at least one operation a second through; infinite means no limit.
fn rate(quantity: &str, per_s: f64, least: f64, unit: &str) -> Result<(), SpecError> {
    if per_s.is_nan() {
        return refuse(
            quantity,
            "is not a number",
            format!("give {least} {unit} or more, or inf for no limit"),
        );
    }
    if per_s < least {
        let problem = format!("{per_s} {unit} is less than one operation of 4 KiB per second");
        return refuse(quantity, problem, format!("give {least} {unit} or more, or inf for no limit"));
    }
    Ok(())
}

fn queue_limit(spec: &DriveSpec) -> Result<(), SpecError> {
    if (1..=QUEUE_MAX).contains(&spec.queue_limit) {
        return Ok(());
    }
    let problem = format!("a queue of {} commands cannot work", spec.queue_limit);
    refuse("link.queue_limit", problem, format!("give 1 to {QUEUE_MAX} (SATA has 32)"))
}

fn read_units(spec: &DriveSpec) -> Result<(), SpecError> {
    if (1..=UNITS_MAX).contains(&spec.read_units) {
        return Ok(());
    }
    let problem = format!("{} units cannot serve reads", spec.read_units);
    refuse("read.units", problem, format!("give 1 to {UNITS_MAX}"))
}

fn bursts(spec: &DriveSpec) -> Result<(), SpecError> {
    let Some(burst) = spec.collection_burst else { return Ok(()) };
    if burst.every_bytes < PAGE_BYTES {
        let problem =
            format!("a collection burst every {} bytes leaves no write between two", burst.every_bytes);
        return refuse("write.burst_every", problem, "give at least 4 KiB, or leave bursts out");
    }
    time("write.burst_length", burst.length_ns)
}

fn time(quantity: &str, time_ns: u64) -> Result<(), SpecError> {
    if time_ns > TIME_MAX_NS {
        return refuse(quantity, format!("{time_ns} ns is longer than a minute"), "give at most 60 s");
    }
    Ok(())
}

fn limits(buckets: &[Bucket]) -> Result<(), SpecError> {
    for bucket in buckets {
        let tokens = [
            bucket.burst_tokens,
            bucket.read_tokens,
            bucket.write_tokens,
            bucket.read_byte_tokens,
            bucket.write_byte_tokens,
        ];
        let is_good = bucket.tokens_per_s > 0.0 && tokens.iter().all(|n| n.is_finite() && *n >= 0.0);
        if !is_good {
            let problem = format!("{} tokens/s with prices {tokens:?} is no limit", bucket.tokens_per_s);
            return refuse("limit.operations", problem, "give a rate above 0, and amounts of 0 or more");
        }
    }
    Ok(())
}

fn latency_table(points: &[ReadLatency]) -> Result<(), SpecError> {
    let Some(first) = points.first() else {
        return refuse("read.latency_4k", "no read latency is given", "give at least that of 4 KiB");
    };
    if first.size_bytes == 0 || points.iter().any(|point| point.size_bytes > SIZE_MAX_BYTES) {
        return refuse(
            "read.latency_4k",
            "a read latency is given for an absurd size",
            "give 1 byte to 1 GiB",
        );
    }
    for point in points {
        time(&latency_name(point.size_bytes), point.latency_ns)?;
    }
    for pair in points.windows(2) {
        let name = latency_name(pair[1].size_bytes);
        if pair[1].size_bytes <= pair[0].size_bytes {
            return refuse(
                name,
                "sizes of read latencies do not ascend",
                "give each size once, smaller ones first",
            );
        }
        if pair[1].latency_ns < pair[0].latency_ns {
            let problem = format!(
                "{} ns is less than the {} ns of the smaller {} bytes",
                pair[1].latency_ns, pair[0].latency_ns, pair[0].size_bytes
            );
            return refuse(name, problem, "a larger read cannot be quicker than a smaller one");
        }
    }
    Ok(())
}

fn read_latency_and_bandwidth(spec: &DriveSpec) -> Result<(), SpecError> {
    for point in &spec.read_latency {
        let transfer_ns = point.size_bytes as f64 / spec.read_bandwidth_bytes_per_s * NS_PER_S;
        if transfer_ns > point.latency_ns as f64 * ROUNDING {
            let problem = format!(
                "{} ns is less than the {transfer_ns:.0} ns that {} bytes need at link.read_bandwidth",
                point.latency_ns, point.size_bytes
            );
            return refuse(latency_name(point.size_bytes), problem, "raise the latency or the bandwidth");
        }
    }
    Ok(())
}

fn read_rate_and_latency(spec: &DriveSpec) -> Result<(), SpecError> {
    if spec.read_map.is_some() {
        // The map has the latencies, and the units are not used.
        return Ok(());
    }
    let latency_ns = spec.read_latency_ns(PAGE_BYTES);
    let unit_ns = spec.unit_read_ns();
    if unit_ns > latency_ns * ROUNDING {
        let problem = format!(
            "{} units at {} reads/s together keep one read {unit_ns:.0} ns, longer than its latency of \
             {latency_ns:.0} ns at depth 1",
            spec.read_units, spec.read_4k_per_s
        );
        let allowed =
            "fewer read.units, a higher read.rate_4k or a longer read.latency_4k (inf and 0 only together)";
        return refuse("read.rate_4k", problem, allowed);
    }
    if let Some(per_s) = spec.read_8k_per_s
        && f64::from(spec.read_units) / per_s * NS_PER_S > spec.read_latency_ns(2 * PAGE_BYTES) * ROUNDING
    {
        let problem =
            format!("{} units at {per_s} /s of 8 KiB keep one read longer than its latency", spec.read_units);
        return refuse(
            "read.rate_8k",
            problem,
            "fewer read.units, a higher read.rate_8k or a longer read.latency_8k",
        );
    }
    Ok(())
}

fn read_rates(spec: &DriveSpec) -> Result<(), SpecError> {
    if let Some(per_s) = spec.read_8k_per_s
        && per_s > spec.read_4k_per_s * ROUNDING
    {
        let problem = format!("{per_s} /s of 8 KiB is more than the {} /s of 4 KiB", spec.read_4k_per_s);
        return refuse("read.rate_8k", problem, "give at most read.rate_4k");
    }
    Ok(())
}

fn sequential_reads(spec: &DriveSpec) -> Result<(), SpecError> {
    if spec.sequential_read_ns.is_some_and(|ns| ns as f64 > spec.read_latency_ns(PAGE_BYTES)) {
        let problem = "a sequential read would take longer than a random one".to_owned();
        return refuse("read.sequential_latency", problem, "give at most read.latency_4k, or leave it out");
    }
    Ok(())
}

fn write_ack_and_bandwidth(spec: &DriveSpec) -> Result<(), SpecError> {
    let byte_ns = NS_PER_S / spec.write_bandwidth_bytes_per_s;
    if PAGE_BYTES as f64 * byte_ns > spec.write_ack_ns as f64 * ROUNDING {
        let problem = format!(
            "{} ns is less than the {:.0} ns that 4 KiB need at link.write_bandwidth",
            spec.write_ack_ns,
            PAGE_BYTES as f64 * byte_ns
        );
        return refuse("write.ack", problem, "raise it, or the bandwidth (inf for no limit)");
    }
    Ok(())
}

fn write_rates_and_bandwidth(spec: &DriveSpec) -> Result<(), SpecError> {
    let rates = [
        ("write.rate_4k", spec.write_4k_per_s, PAGE_BYTES),
        ("write.rate_8k", spec.write_8k_per_s, 2 * PAGE_BYTES),
    ];
    for (quantity, per_s, bytes) in rates {
        let needed = per_s * bytes as f64;
        if needed > spec.write_bandwidth_bytes_per_s * ROUNDING {
            let problem = format!(
                "{per_s} /s of {bytes} bytes are {:.0} MB/s, more than link.write_bandwidth ({:.0} MB/s)",
                needed / 1e6,
                spec.write_bandwidth_bytes_per_s / 1e6
            );
            return refuse(quantity, problem, "lower the rate or raise the bandwidth");
        }
    }
    Ok(())
}

fn write_rates(spec: &DriveSpec) -> Result<(), SpecError> {
    if spec.write_8k_per_s > spec.write_4k_per_s * ROUNDING {
        let problem = format!(
            "{} /s of 8 KiB is more than the {} /s of 4 KiB",
            spec.write_8k_per_s, spec.write_4k_per_s
        );
        return refuse("write.rate_8k", problem, "give at most write.rate_4k");
    }
    Ok(())
}

fn turnaround(spec: &DriveSpec) -> Result<(), SpecError> {
    if spec.turnaround_ns.is_some() && spec.read_map.is_some() {
        let problem = "the map of read latencies has the wait for writes in it";
        return refuse("interference.turnaround", problem, "leave one of the two out");
    }
    Ok(())
}

fn flush_write_back(spec: &DriveSpec) -> Result<(), SpecError> {
    if spec.power_loss_protection && spec.flush_write_back > 0.0 {
        let problem = "a flush of a drive with power-loss protection waits for no writes";
        return refuse("flush.write_back", problem, "leave it out, or set power_loss_protection = false");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CollectionBurst, Duplex};

    fn sata() -> DriveSpec {
        DriveSpec {
            read_latency: vec![
                ReadLatency { size_bytes: 4096, latency_ns: 115_000 },
                ReadLatency { size_bytes: 8192, latency_ns: 235_000 },
            ],
            read_tail_ratio: 1.5,
            read_units: 8,
            read_4k_per_s: 100e3,
            read_bandwidth_bytes_per_s: 555e6,
            write_bandwidth_bytes_per_s: 520e6,
            duplex: Duplex::Half,
            queue_limit: 32,
            write_ack_ns: 40_000,
            write_4k_per_s: 75e3,
            write_8k_per_s: 37e3,
            ..DriveSpec::free()
        }
    }

    #[test]
    fn real_and_free_drives_pass() {
        assert_eq!(sata().validate(), Ok(()));
        assert_eq!(DriveSpec::free().validate(), Ok(()));
        assert!(DriveSpec::free().is_free() && !sata().is_free());
    }

    #[test]
    fn impossible_drives_are_refused_with_the_quantity_at_fault() {
        type Spoil = fn(&mut DriveSpec);
        let cases: [(&str, Spoil); 26] = [
            ("read.latency_4k", |s| s.read_latency = DriveSpec::free().read_latency),
            ("read.latency_4k", |s| s.read_latency.clear()),
            ("read.latency_4k", |s| s.read_latency[0].size_bytes = 0),
            ("read.latency_4k", |s| s.read_latency[1].size_bytes = 4096),
            ("read.latency_8k", |s| s.read_latency[1].latency_ns = 100_000),
            ("read.latency_8k", |s| s.read_latency[1].latency_ns = u64::MAX),
            ("link.read_bandwidth", |s| s.read_bandwidth_bytes_per_s = 4095.0),
            ("link.read_bandwidth", |s| s.read_bandwidth_bytes_per_s = f64::NAN),
            ("link.write_bandwidth", |s| s.write_bandwidth_bytes_per_s = -1.0),
            ("read.rate_4k", |s| s.read_4k_per_s = 0.5),
            ("read.rate_4k", |s| s.read_units = 100),
            ("read.rate_8k", |s| s.read_8k_per_s = Some(2e6)),
            ("read.units", |s| s.read_units = 0),
            ("link.queue_limit", |s| s.queue_limit = 0),
            ("read.tail_ratio", |s| s.read_tail_ratio = 0.9),
            ("read.tail_ratio", |s| s.read_tail_ratio = f64::NAN),
            ("interference.exponent", |s| s.interference_exponent = 0.0),
            ("interference.queued_write_share", |s| s.queued_write_share = 1.1),
            ("write.ack", |s| s.write_ack_ns = 0),
            ("write.rate_4k", |s| s.write_4k_per_s = 200e3),
            ("write.rate_8k", |s| s.write_4k_per_s = 20e3),
            ("write.buffer", |s| s.write_buffer_bytes = u64::MAX),
            ("write.burst_every", |s| {
                s.collection_burst = Some(CollectionBurst { every_bytes: 0, length_ns: 1 })
            }),
            ("read.sequential_latency", |s| s.sequential_read_ns = Some(200_000)),
            ("interference.turnaround", |s| {
                let [p50_ns, p95_ns] = [1e5, 2e5].map(|ns| vec![ns; 2]);
                let (reads_per_s, write_bytes_per_s) = (vec![1.0, 2.0], vec![0.0]);
                s.read_map = Some(crate::ReadMap { reads_per_s, write_bytes_per_s, p50_ns, p95_ns });
                s.turnaround_ns = Some(1000);
            }),
            ("flush.write_back", |s| (s.power_loss_protection, s.flush_write_back) = (true, 0.5)),
        ];
        for (index, (quantity, spoil)) in cases.into_iter().enumerate() {
            let mut spec = sata();
            spoil(&mut spec);
            let error = spec.validate().expect_err("an impossible drive passed");
            assert_eq!(error.quantity, quantity, "case {index}: {error}");
            assert!(!error.allowed.is_empty());
        }
    }

    #[test]
    fn an_infinite_bandwidth_does_not_excuse_zero_latency() {
        let spec = DriveSpec { read_4k_per_s: 1e6, ..DriveSpec::free() };
        let error = spec.validate().expect_err("zero latency with a finite rate passed");
        assert!(error.to_string().contains("latency of 0 ns"), "{error}");
    }
}
