//! The cost of a flush, and whether it waits for what was written.

use device::DriveSpec;
use measure::Histogram;

use super::super::load::Load;
use super::sheet::{Estimate, Sheet, repeats, tail_ratio, together};

/// A flush that grows by more than this share of the medium's time per write waits for the writes.
const WAITS: f64 = 0.3;
/// A flush after one write that takes longer than so many acknowledgements writes to the medium.
const LONG: f64 = 4.0;

/// Latency of flushes after so many writes.
struct Flush {
    every: f64,
    estimate: Estimate,
    latencies: Histogram,
}

/// The time of a flush by the number of writes before it.
pub(super) fn cost(loads: &[&Load], spec: &mut DriveSpec, sheet: &mut Sheet) {
    let (key, word) = ("flush.cost_us", "flush.power_loss_protection");
    let mean = |load: &&Load| load.flushes.as_ref().map(|flushes| (flushes.latency.mean_ns(), load.noise()));
    let flushing = loads.iter().copied().filter(|load| load.flush_every.is_some() && load.is_closed());
    let mut all: Vec<Flush> = repeats(flushing)
        .into_iter()
        .filter_map(|same| {
            let estimate = Estimate::of_repeats(&same.iter().filter_map(mean).collect::<Vec<_>>())?;
            let latencies = together(same.iter().filter_map(|load| load.flushes.as_ref()));
            Some(Flush { every: f64::from(same[0].flush_every?), estimate, latencies })
        })
        .collect();
    all.sort_by(|a, b| a.every.total_cmp(&b.every));
    let (Some(first), Some(last)) = (all.first(), all.last()) else {
        (spec.power_loss_protection, spec.flush_ns) = (true, 0);
        sheet.word(word, "true", false, "nothing was flushed");
        return sheet.open(key, 0.0, "nothing was flushed");
    };
    let beyond = last.every - first.every;
    let per_write_ns = if beyond > 0.0 { (last.estimate.value - first.estimate.value) / beyond } else { 0.0 };
    let medium_ns = 1e9 / spec.write_4k_per_s;
    let is_long = first.estimate.value > LONG * spec.write_ack_ns as f64;
    let waits = per_write_ns > WAITS * medium_ns && medium_ns > 0.0;
    spec.power_loss_protection = !(waits || is_long);
    let (value, source) = match (waits, is_long) {
        (true, _) => ("false", "a flush takes longer the more was written before it"),
        (false, true) => ("false", "a flush takes much longer than a write"),
        (false, false) => {
            ("true", "a flush takes no longer than a write, however much was written before it")
        }
    };
    sheet.word(word, value, waits || is_long || beyond > 0.0, source);
    // The medium's time for the writes before it is no part of the flush itself.
    let waited_ns = if waits { first.every * per_write_ns } else { 0.0 };
    let less = |ns: f64| (ns - waited_ns).max(0.0);
    let Estimate { value, low, high } = first.estimate;
    let estimate = Estimate { value: less(value), low: less(low), high: less(high) };
    spec.flush_ns = estimate.value as u64;
    let source = match first.every as u32 {
        1 => "mean of flushes after each write".to_owned(),
        every => format!("mean of flushes after {every} writes"),
    };
    sheet.found(key, estimate.times(1e-3), source);
    // A flush of no time has no tail.
    if let Some(tail) = tail_ratio(&first.latencies, waited_ns).filter(|_| spec.flush_ns > 0) {
        spec.flush_tail_ratio = tail.value;
        sheet.found("flush.tail_ratio", tail, "p99 over p50 of these flushes");
    }
}
