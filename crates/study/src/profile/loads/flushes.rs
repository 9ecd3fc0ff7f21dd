//! The cost of a flush, and whether it waits for what was written.
//!
//! Two kinds of drives wait. One writes back on its own, and a flush waits for the rest. The other keeps what
//! was written in a cache until a flush, as virtual disks with a cache of the host do.

use device::DriveSpec;
use measure::Histogram;

use super::super::load::Load;
use super::super::virtual_load::replay_part;
use super::Pains;
use super::sheet::{Estimate, Sheet, repeats, tail_ratio, together};

/// A flush that grows by more than this share of the medium's time per write waits for the writes.
const WAITS: f64 = 0.3;
/// A flush after one write that takes longer than so many acknowledgements writes to the medium.
const LONG: f64 = 4.0;
/// The highest share that a drive's file may have.
const SHARE_MOST: f64 = 10.0;
/// Operations of the model's run of a load.
const OPERATIONS: f64 = 8000.0;
/// Halvings of the range of a share: to 1/128.
const HALVINGS: usize = 7;
/// A load tells whether writes wait if those of the model that do take longer by this share.
const TELLS: f64 = 0.2;
/// Standard error of the share by the draws of the model's run.
const DRAWN: f64 = 0.02;
/// A lower share is none.
const NOTHING: f64 = 0.05;

/// Flushes after so many writes of a lone writer.
struct Flush {
    every: f64,
    estimate: Estimate,
    latencies: Histogram,
    /// Mean time from one write to the next.
    write_ns: f64,
    /// The medium's time for one of these writes.
    medium_ns: f64,
}

impl Flush {
    fn of(same: &[&Load], spec: &DriveSpec) -> Option<Flush> {
        let mean =
            |load: &&Load| load.flushes.as_ref().map(|flushes| (flushes.latency.mean_ns(), load.noise()));
        let writes = together(same.iter().filter_map(|load| load.writes.as_ref()));
        let byte_ns = 1e9 / spec.write_bandwidth_bytes_per_s;
        Some(Flush {
            every: f64::from(same[0].flush_every?),
            estimate: Estimate::of_repeats(&same.iter().filter_map(mean).collect::<Vec<_>>())?,
            latencies: together(same.iter().filter_map(|load| load.flushes.as_ref())),
            write_ns: writes.mean_ns(),
            medium_ns: match same[0].is_sequential {
                true => same[0].block_bytes as f64 * byte_ns,
                false => spec.write_cost_ns(same[0].block_bytes),
            },
        })
    }

    /// The medium's time for the writes before a flush.
    fn work_ns(&self) -> f64 {
        self.every * self.medium_ns
    }

    /// The rest that a medium which writes back on its own has left.
    fn rest_ns(&self) -> f64 {
        self.every * (self.medium_ns - self.write_ns).max(0.0)
    }
}

/// The time of a flush by the number of writes before it.
pub(super) fn cost(loads: &[&Load], spec: &mut DriveSpec, sheet: &mut Sheet) {
    let (key, word) = ("flush.cost_us", "flush.power_loss_protection");
    let flushing = || loads.iter().copied().filter(|load| load.flush_every.is_some() && load.is_closed());
    // Writers beside each other wait for each other's flushes.
    let fewest = flushing().map(|load| load.depth).min();
    let alone = flushing().filter(|load| Some(load.depth) == fewest);
    let mut all: Vec<Flush> = repeats(alone).into_iter().filter_map(|same| Flush::of(&same, spec)).collect();
    all.sort_by(|a, b| a.every.total_cmp(&b.every));
    let (Some(first), Some(last)) = (all.first(), all.last()) else {
        (spec.power_loss_protection, spec.flush_ns) = (true, 0);
        sheet.word(word, "true", false, "nothing was flushed");
        return sheet.open(key, 0.0, "nothing was flushed");
    };
    let beyond = last.every - first.every;
    let per_write_ns = if beyond > 0.0 { (last.estimate.value - first.estimate.value) / beyond } else { 0.0 };
    let is_long = first.estimate.value > LONG * spec.write_ack_ns as f64;
    let waits = per_write_ns > WAITS * last.medium_ns && last.medium_ns > 0.0;
    spec.power_loss_protection = !(waits || is_long);
    let (value, source) = match (waits, is_long) {
        (true, _) => ("false", "a flush takes longer the more was written before it"),
        (false, true) => ("false", "a flush takes much longer than a write"),
        (false, false) => {
            ("true", "a flush takes no longer than a write, however much was written before it")
        }
    };
    sheet.word(word, value, waits || is_long || beyond > 0.0, source);
    let share = if waits { write_back_share(&all) } else { None };
    spec.flush_write_back = share.map_or(0.0, |share| share.value);
    // The medium's time for the writes before it is no part of the flush itself.
    let waited_ns = match share {
        Some(share) => share.value * first.work_ns() + first.rest_ns(),
        None if waits => first.every * per_write_ns,
        None => 0.0,
    };
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
    if let Some(share) = share {
        sheet.found("flush.write_back", share, "growth of flushes with the writes before them");
    }
}

/// The share of the medium's time for the writes before it by which a flush grows, beyond the rest of a
/// medium that writes back on its own: the line of least squares, each flush weighted by its length. The
/// interval has the shares of all numbers of writes. `None` where that rest explains the growth.
fn write_back_share(flushes: &[Flush]) -> Option<Estimate> {
    let points = flushes.iter().map(|flush| {
        let beyond_ns = flush.estimate.value - flush.rest_ns();
        (flush.work_ns(), beyond_ns, flush.estimate.value.max(1.0).powi(-2))
    });
    let points: Vec<(f64, f64, f64)> = points.collect();
    let weight: f64 = points.iter().map(|(.., weight)| weight).sum();
    let mean = |of: fn(&(f64, f64, f64)) -> f64| {
        points.iter().map(|point| of(point) * point.2).sum::<f64>() / weight
    };
    let (work_ns, beyond_ns) = (mean(|point| point.0), mean(|point| point.1));
    let (mut products, mut squares) = (0.0, 0.0);
    for (work, beyond, weight) in &points {
        products += weight * (work - work_ns) * (beyond - beyond_ns);
        squares += weight * (work - work_ns).powi(2);
    }
    let share = Some(products / squares).filter(|share| *share > WAITS)?.min(SHARE_MOST);
    let cost_ns = beyond_ns - share * work_ns;
    let of_each = flushes.iter().skip(1).map(|flush| {
        let noise = (flush.estimate.high - flush.estimate.low) / 2.0 / flush.work_ns();
        ((flush.estimate.value - flush.rest_ns() - cost_ns) / flush.work_ns(), noise)
    });
    let (low, high) = of_each.fold((share, share), |(low, high), (share, noise)| {
        (low.min(share - noise), high.max(share + noise))
    });
    Some(Estimate { value: share, low: low.max(0.0), high: high.min(SHARE_MOST) })
}

/// The share of the writes during a flush that wait for its end, from writers beside each other.
/// A drive with power-loss protection has no flush worth waiting for.
pub(super) fn held_writes(loads: &[&Load], pains: Pains<'_>, spec: &mut DriveSpec, sheet: &mut Sheet) {
    if spec.power_loss_protection {
        return;
    }
    let several = loads.iter().copied().filter(|load| {
        load.flush_every.is_some() && load.is_closed() && load.depth > 1 && load.reads.is_none()
    });
    let (key, source) = ("flush.held_writes", "mean writes beside flushes of others");
    if matches!(pains, Pains::Draft) {
        if several.count() > 0 {
            sheet.found(key, Estimate::within(0.0, 0.0), source);
        }
        return;
    }
    let shares: Vec<f64> =
        several.enumerate().filter_map(|(seed, load)| held_share(load, spec, seed as u64)).collect();
    if shares.is_empty() {
        return;
    }
    let value = shares.iter().sum::<f64>() / shares.len() as f64;
    let low = shares.iter().copied().fold(value, f64::min) - 2.0 * DRAWN;
    let high = shares.iter().copied().fold(value, f64::max) + 2.0 * DRAWN;
    let value = if value < NOTHING { 0.0 } else { value };
    spec.flush_held_writes = value;
    sheet.found(key, Estimate { value, low: low.clamp(0.0, value), high: high.clamp(value, 1.0) }, source);
}

/// The share with which the model's writes take as long as the measured ones. `None` where it makes no
/// difference.
fn held_share(load: &Load, spec: &DriveSpec, seed: u64) -> Option<f64> {
    let measured_ns = load.writes.as_ref()?.latency.mean_ns();
    let model_ns = |share: f64| {
        let spec = DriveSpec { flush_held_writes: share, ..spec.clone() };
        replay_part(&spec, load, OPERATIONS, seed).writes.map_or(0.0, |writes| writes.latency.mean_ns())
    };
    if model_ns(1.0) < (1.0 + TELLS) * model_ns(0.0) {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        match model_ns(middle) < measured_ns {
            true => low = middle,
            false => high = middle,
        }
    }
    Some(f64::midpoint(low, high))
}
