//! The acknowledgement of writes, the steady rate of the medium, and the buffer between them.

use device::DriveSpec;

use super::super::course::course;
use super::super::load::Load;
use super::sheet::{Estimate, Sheet, rate, repeats, tail_ratio, together};

/// A rate that this share of a load of half the depth reaches as well does not come from too few writes.
const SAME: f64 = 0.05;
/// A medium that takes this share of what the interface carries does not show.
const HIDDEN: f64 = 0.97;
/// A rate below this share of what as many lone writers, or the interface, would reach is that of the medium:
/// acknowledged writes do not wait for each other while the buffer has room.
const QUEUED: f64 = 0.7;
/// An acknowledgement of which the interface takes no more than this share has a tail of its own.
const OF_LINK: f64 = 0.5;
/// Buffers of most drives that have one, when none shows.
const USUAL_BUFFER_BYTES: u64 = 4 << 20;

fn random_writes<'a>(loads: &[&'a Load], size_bytes: u64) -> Vec<Vec<&'a Load>> {
    let is_one = |load: &&Load| load.is_random_writes() && load.block_bytes == size_bytes;
    repeats(loads.iter().copied().filter(is_one))
}

/// The lasting rate at the end of repeats.
fn steady(same: &[&Load]) -> Option<Estimate> {
    let ends: Vec<(f64, f64)> = same
        .iter()
        .filter_map(|load| {
            course(&load.counts, load.interval_s).map(|course| (course.per_s, load.noise().min(0.03)))
        })
        .collect();
    if ends.is_empty() { rate(same) } else { Estimate::of_repeats(&ends) }
}

fn has_step(same: &[&Load]) -> bool {
    let beyond = |load: &&Load| course(&load.counts, load.interval_s).map_or(0.0, |course| course.beyond);
    same.iter().any(|load| beyond(load) > 2.0 * f64::from(load.depth))
}

/// The steady rate of random writes of a size, and whether the medium sets it.
fn medium(loads: &[&Load], size_bytes: u64, link_per_s: f64) -> Option<(Estimate, bool)> {
    let mut groups: Vec<(u32, Estimate, bool)> = random_writes(loads, size_bytes)
        .into_iter()
        .filter_map(|same| Some((same[0].depth, steady(&same)?, has_step(&same))))
        .collect();
    groups.sort_by_key(|(depth, ..)| *depth);
    let (depth, last, fell) = *groups.last()?;
    let is_same = |(less, rate, _): &(u32, Estimate, bool)| {
        2 * less <= depth && rate.value >= last.value * (1.0 - SAME)
    };
    let of_lone_writers = groups
        .first()
        .filter(|(least, ..)| *least < depth)
        .map(|(least, rate, _)| f64::from(depth / least) * rate.value);
    let is_queued = of_lone_writers.is_some_and(|per_s| last.value < QUEUED * per_s.min(HIDDEN * link_per_s));
    let is_full = fell || is_queued || groups.iter().any(is_same);
    let all: Vec<(f64, f64)> = groups
        .iter()
        // A rate that differs beyond the noise is of something else: a lone writer may be a little quicker
        // than the medium for as long as the buffer has room.
        .filter(|(_, rate, _)| is_full && rate.low <= last.high && rate.high >= last.low)
        .map(|(_, rate, _)| (rate.value, rate.high / rate.value - 1.0))
        .collect();
    let estimate = Estimate::of_repeats(&all).unwrap_or(last);
    Some((estimate, is_full && estimate.value < HIDDEN * link_per_s))
}

/// Steady rates of small random writes.
pub(super) fn rates(loads: &[&Load], spec: &mut DriveSpec, sheet: &mut Sheet) {
    let link = |size_bytes: u64| spec.write_bandwidth_bytes_per_s / size_bytes as f64;
    let (key_4k, key_8k) = ("write.rate_4k_per_s", "write.rate_8k_per_s");
    let (page, pair) = (medium(loads, 4096, link(4096)), medium(loads, 8192, link(8192)));
    let source = "random writes, lastingly";
    spec.write_4k_per_s = match page {
        Some((rate, true)) => {
            sheet.found(key_4k, rate, format!("{source}{}", fresh(loads, rate.value)));
            rate.value
        }
        Some((rate, false)) => {
            // The medium takes at least this, and no more than what the interface carries counts.
            let most = if link(4096).is_finite() { link(4096) } else { rate.value };
            sheet.open(
                key_4k,
                most,
                "no load of random writes filled the medium; the rate is the limit of the interface",
            );
            most
        }
        None => {
            sheet.open(
                key_4k,
                link(4096),
                "no random writes of 4 KiB; the rate is the limit of the interface",
            );
            link(4096)
        }
    };
    // Two pages never take less than one.
    let most = spec.write_4k_per_s.min(link(8192));
    spec.write_8k_per_s = match pair {
        Some((rate, true)) => {
            let value = rate.value.min(most);
            sheet.found(
                key_8k,
                rate.times(value / rate.value),
                "random writes of 8 KiB, lastingly".to_owned(),
            );
            value
        }
        // The medium takes at least the rate that passed.
        Some((passed, false)) if passed.value > spec.write_4k_per_s / 2.0 => {
            let value = passed.value.min(most);
            sheet.open(key_8k, value, "no load of 8 KiB filled the medium; the most reached");
            value
        }
        _ => {
            let half = (spec.write_4k_per_s / 2.0).min(most);
            sheet.open(key_8k, half, "no load of 8 KiB filled the medium; half the rate of 4 KiB");
            half
        }
    };
}

/// The rate before the step, as words.
fn fresh(loads: &[&Load], steady_per_s: f64) -> String {
    let fastest = random_writes(loads, 4096)
        .into_iter()
        .flatten()
        .filter_map(|load| course(&load.counts, load.interval_s).map(|course| course.fresh_per_s))
        .fold(0.0, f64::max);
    if fastest > 1.1 * steady_per_s {
        format!("; {fastest:.0} per second before the buffer was full")
    } else {
        String::new()
    }
}

/// The time until one write of 4 KiB is acknowledged while the buffer has room.
pub(super) fn acknowledgement(loads: &[&Load], spec: &mut DriveSpec, sheet: &mut Sheet) {
    let key = "write.ack_us";
    let link_ns = 4096.0 / spec.write_bandwidth_bytes_per_s * 1e9;
    let alone = random_writes(loads, 4096).into_iter().find(|same| same[0].depth == 1);
    let before_step = |load: &&Load| {
        let course = course(&load.counts, load.interval_s).filter(|course| course.beyond > 2.0);
        let mean_ns = load.writes.as_ref().map_or(0.0, |writes| writes.latency.mean_ns());
        (course.map_or(mean_ns, |course| 1e9 / course.fresh_per_s), load.noise())
    };
    let found = alone
        .as_ref()
        .and_then(|same| Estimate::of_repeats(&same.iter().map(before_step).collect::<Vec<_>>()));
    let Some(found) = found else {
        spec.write_ack_ns = link_ns.ceil() as u64;
        return sheet.open(
            key,
            link_ns.ceil() / 1e3,
            "no random writes of 4 KiB at depth 1; the least possible",
        );
    };
    let ack_ns = found.value.max(link_ns).ceil();
    spec.write_ack_ns = ack_ns as u64;
    let medium_ns = 1e9 / spec.write_4k_per_s;
    let has_fallen = alone.as_ref().is_some_and(|same| has_step(same));
    // A writer that is slower than the medium leaves room in the buffer.
    let is_medium = (HIDDEN..=1.0 / HIDDEN).contains(&(found.value / medium_ns));
    if !has_fallen && is_medium && medium_ns > link_ns / HIDDEN {
        // One writer fills the medium: the buffer had no room, or next to none.
        return sheet.open(key, ack_ns / 1e3, "one writer fills the medium, so that each write waits for it");
    }
    sheet.found(key, found.times(ack_ns / found.value / 1e3), "mean of random writes of 4 KiB at depth 1");
    let all = together(alone.into_iter().flatten().filter_map(|load| load.writes.as_ref()));
    // Latencies after a step are those of the medium. The interface takes the same time each time: where an
    // acknowledgement is little else, it has no tail of its own.
    let is_own = !has_fallen && link_ns <= OF_LINK * ack_ns;
    if let Some(tail) = tail_ratio(&all, link_ns).filter(|_| is_own) {
        spec.write_tail_ratio = tail.value;
        sheet.found("write.tail_ratio", tail, "p99 over p50 of random writes of 4 KiB at depth 1");
    }
}

/// Bytes acknowledged before they reach the medium: what was written beyond the steady rate before the step.
pub(super) fn buffer(loads: &[&Load], spec: &mut DriveSpec, sheet: &mut Sheet) {
    let key = "write.buffer_bytes";
    let page_ns = 1e9 / spec.write_4k_per_s;
    let small = loads.iter().copied().filter(|load| load.is_random_writes());
    let found: Vec<(f64, f64)> = small
        .filter_map(|load| {
            let course = course(&load.counts, load.interval_s)?;
            let beyond_bytes = course.beyond * spec.write_cost_ns(load.block_bytes) / page_ns * 4096.0;
            let error = course.beyond_error / course.beyond;
            (course.beyond > 2.0 * f64::from(load.depth) && error < 0.5).then_some((beyond_bytes, error))
        })
        .collect();
    // The sharpest loads say it best.
    let sharpest = found.iter().map(|(_, error)| *error).fold(f64::MAX, f64::min);
    let sharp: Vec<(f64, f64)> = found.into_iter().filter(|(_, error)| *error <= 2.0 * sharpest).collect();
    match Estimate::of_repeats(&sharp) {
        Some(estimate) => {
            spec.write_buffer_bytes = estimate.value as u64;
            sheet.found(key, estimate, "bytes beyond the steady rate until random writes fell to it");
        }
        None => {
            spec.write_buffer_bytes = if spec.write_4k_per_s.is_finite() { USUAL_BUFFER_BYTES } else { 0 };
            let why = "no load of writes fell to a lower rate: the buffer is small, or was never full";
            sheet.open(key, spec.write_buffer_bytes as f64, why);
        }
    }
}
