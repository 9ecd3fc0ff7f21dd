//! The hosts of a fleet beside each other: their figures, their spread, their limiters.

use fleet::Offset;
use notebook::{Event, Measurement};
use words::{EventKind, Family, Happening, Limiter, Metric, MetricName};

use crate::bed::fleet::jain_index;
use crate::metrics::{Metrics, event};
use crate::ranks::join::Part;

/// The figures that are kept of every host.
const KEPT: [Metric; 12] = [
    Metric::Nopm,
    Metric::Tpm,
    Metric::Tps,
    Metric::Qps,
    Metric::Iops,
    Metric::Bandwidth,
    Metric::NeighbourRate,
    Metric::BackupTime,
    Metric::ColdScanTime,
    Metric::LATENCY_P99,
    Metric::CpuIdle,
    Metric::Errors,
];
/// A host that did less than this share of the mean of all is named.
const SLOW: f64 = 0.8;
/// A host that started so late is named, ms.
const LATE_MS: f64 = 50.0;

/// The figure by which hosts are compared: the first of the list that any has. One that does another kind of
/// work, as a neighbour of others' databases, has none.
fn main_rate(parts: &[Part]) -> Option<Metric> {
    let has = |metric: &Metric| parts.iter().any(|part| value(&part.record.measurements, *metric).is_some());
    Metric::OF_HOSTS.into_iter().find(has)
}

/// The rate of each host, in their order.
pub(super) fn rates(parts: &[Part]) -> Vec<Option<f64>> {
    let metric = main_rate(parts);
    parts.iter().map(|part| value(&part.record.measurements, metric?)).collect()
}

/// The rate of each host for an even part of the load: where `dealt` parts fell to the ranks unevenly, a host
/// with twice the workers does twice as much.
pub(super) fn fair(parts: &[Part], dealt: Option<u32>) -> Vec<Option<f64>> {
    let size = parts.len() as u32;
    let part_of = |rank: u32| match dealt {
        Some(all) if all >= size => f64::from(fleet::share(all, rank, size).1 * size) / f64::from(all),
        _ => 1.0,
    };
    parts.iter().zip(rates(parts)).map(|(part, rate)| Some(rate? / part_of(part.rank))).collect()
}

fn value(measurements: &[Measurement], metric: Metric) -> Option<f64> {
    measurements.iter().find_map(|measurement| measurement.of(metric))
}

/// The figures of each host, and those of their spread: `fair` from [`fair`], `measure_skew_s` that of their
/// measure phases.
pub(super) fn measurements(
    parts: &[Part],
    fair: &[Option<f64>],
    measure_skew_s: Option<f64>,
) -> Vec<Measurement> {
    let mut metrics = Metrics::default();
    metrics.add(Metric::HostsTogether, parts.len() as f64);
    spread(&mut metrics, parts, fair);
    if let Some(skew_s) = measure_skew_s {
        metrics.add(Metric::MeasureSkew, skew_s * 1e3);
    }
    for part in parts {
        let of_host = |metric| MetricName::Of(metric, Family::Host(part.rank + 1));
        for metric in KEPT {
            if let Some(value) = value(&part.record.measurements, metric) {
                metrics.add(of_host(metric), value);
            }
        }
        let Offset { date_ns, error_ns, .. } = part.offset;
        metrics.add(of_host(Metric::ClockOffset), date_ns as f64 / 1e6);
        metrics.add(of_host(Metric::ClockError), error_ns as f64 / 1e6);
        if let Some(late_ns) = part.done.late_ns {
            metrics.add(of_host(Metric::StartDelay), late_ns as f64 / 1e6);
        }
        if let Some(after_ns) = part.done.after_ns {
            metrics.add(of_host(Metric::LastDone), after_ns as f64 / 1e9);
        }
    }
    metrics.0
}

fn spread(metrics: &mut Metrics, parts: &[Part], fair: &[Option<f64>]) {
    let rates: Vec<f64> = fair.iter().copied().flatten().collect();
    if rates.len() > 1 {
        metrics.add(Metric::Fairness, jain_index(&rates));
    }
    let late: Vec<f64> = parts.iter().filter_map(|part| Some(part.done.late_ns? as f64 / 1e6)).collect();
    let after: Vec<f64> = parts.iter().filter_map(|part| Some(part.done.after_ns? as f64 / 1e9)).collect();
    let error_ns = parts.iter().map(|part| part.offset.error_ns).max().unwrap_or(0);
    metrics.add(Metric::ClockError, error_ns as f64 / 1e6);
    let (least, most) = (
        |list: &[f64]| list.iter().copied().reduce(f64::min),
        |list: &[f64]| list.iter().copied().reduce(f64::max),
    );
    if let (Some(first), Some(last)) = (least(&late), most(&late)) {
        metrics.add(Metric::StartDelay, last);
        metrics.add(Metric::StartSkew, last - first);
    }
    if let (Some(first), Some(last)) = (least(&after), most(&after)) {
        metrics.add(Metric::FirstDone, first);
        metrics.add(Metric::LastDone, last);
    }
}

/// The limiter of each host, and warnings about those that make the sum mean less.
pub(super) fn events(parts: &[Part], fair: &[Option<f64>]) -> Vec<Event> {
    let mean = fair.iter().flatten().sum::<f64>() / fair.iter().flatten().count().max(1) as f64;
    let mut events = Vec::new();
    for (part, rate) in parts.iter().zip(fair) {
        let (rank, host) = (part.rank, || part.host.clone());
        if let Some(limiter) = &part.record.limiter {
            events.push(event(EventKind::HostLimiter, format!("{}: {limiter}", rank + 1)));
            if *limiter == Limiter::Client && parts.len() > 1 {
                events.push(event(EventKind::Warning, Happening::HostClient { rank, host: host() }));
            }
        }
        if let Some(rate) = rate.filter(|rate| *rate < SLOW * mean) {
            let share_percent = rate / mean * 100.0;
            let slow = Happening::HostSlow { rank, host: host(), share_percent };
            events.push(event(EventKind::Warning, slow));
        }
        let late_ms = part.done.late_ns.unwrap_or(0) as f64 / 1e6;
        if late_ms > LATE_MS {
            events.push(event(EventKind::Warning, Happening::HostLate { rank, host: host(), late_ms }));
        }
    }
    events
}
