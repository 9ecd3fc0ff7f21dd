//! The units behind the reads, from the rate of small random reads at each depth.
//!
//! Mean value analysis ([`reads_per_s_by_depth`]) says the rate at a depth for a number of units and their
//! limit. It is an approximation, so the model itself is run at the best numbers, and what it does beside the
//! approximation corrects the next ones. Units, limit and queue limit are those with the least squares of the
//! logarithms of the rates.

use device::{DriveSpec, read_limit_from, reads_per_s_by_depth};

use super::super::load::Load;
use super::super::virtual_load::replay_part;
use super::Effort;
use super::sheet::{Estimate, QUEUE, Sheet, rate, repeats, size_name};

/// Operations of the model's run at each depth.
const OPERATIONS: f64 = 20_000.0;
/// Runs of the model that correct the approximation.
const ROUNDS: usize = 3;
/// More units than any drive has at such rates.
const UNITS_MAX: u32 = 4096;
/// Steps of the search for a limit, which halve its span by the golden section.
const STEPS: usize = 40;
/// A limit is known if the highest rate comes up to this share of it.
const REACHED: f64 = 0.7;
/// Numbers of units are told apart up to this factor between both ends of the interval.
const APART: f64 = 4.0;
/// Squared distance, in standard errors, within which numbers are as good as the best with 95 % confidence.
const AS_GOOD: f64 = 4.0;
/// A queue limit is there if it explains so much more: it takes one of few depths, so chance has little room.
const BETTER: f64 = 16.0;
/// A rate of larger reads that is lower by this share is their own.
const OWN_RATE: f64 = 0.03;
/// A stand-in for the share of a read's time that it spends in its unit.
const IN_UNIT: f64 = 0.6;
/// Reads of at least this size are several pieces on most drives.
const LARGE_BYTES: u64 = 64 << 10;

/// The rate at one depth.
struct Rung<'a> {
    load: &'a Load,
    depth: u32,
    per_s: f64,
    /// Standard error, as a share.
    error: f64,
    /// Rate of the model at the last numbers, as a share of the approximation.
    correction: f64,
}

#[derive(Clone, Copy, Debug)]
struct Found {
    units: u32,
    limit_per_s: f64,
    queue: u32,
    /// Sum of the squares, in standard errors.
    distance: f64,
}

/// The rates of random reads of that size, by depth, ascending.
fn rungs<'a>(loads: &[&'a Load], size_bytes: u64) -> Vec<Rung<'a>> {
    let is_one = |load: &&Load| {
        load.only_reads() && load.is_closed() && !load.is_sequential && load.block_bytes == size_bytes
    };
    let mut rungs: Vec<Rung> = repeats(loads.iter().copied().filter(is_one))
        .into_iter()
        .filter_map(|same| {
            let Estimate { value, high, .. } = rate(&same).filter(|rate| rate.value > 0.0)?;
            let error = ((high / value - 1.0) / 2.0).max(0.002);
            Some(Rung { load: same[0], depth: same[0].depth, per_s: value, error, correction: 1.0 })
        })
        .collect();
    rungs.sort_by_key(|rung| rung.depth);
    rungs
}

/// Units, their limit, and the queue limit where one shows.
pub(super) fn units(loads: &[&Load], effort: Effort, spec: &mut DriveSpec, sheet: &mut Sheet) {
    let size_bytes = spec.read_latency.first().map_or(4096, |first| first.size_bytes);
    let mut rungs = rungs(loads, size_bytes);
    let latency_ns = spec.read_latency_ns(size_bytes);
    let highest = rungs.iter().map(|rung| rung.per_s).fold(0.0, f64::max);
    let deepest = rungs.last().map_or(0, |rung| rung.depth);
    if rungs.len() < 4 || deepest < 8 {
        return stand_in(highest, latency_ns, spec, sheet);
    }
    let mut found = search(&rungs, latency_ns);
    for _ in 0..if effort == Effort::Full { ROUNDS } else { 0 } {
        set(spec, found);
        correct(&mut rungs, spec, latency_ns);
        found = search(&rungs, latency_ns);
    }
    set(spec, found);
    told(&rungs, latency_ns, found, sheet);
}

fn set(spec: &mut DriveSpec, found: Found) {
    (spec.read_units, spec.read_4k_per_s, spec.queue_limit) = (found.units, found.limit_per_s, found.queue);
}

/// Runs the model at its present numbers.
fn correct(rungs: &mut [Rung<'_>], spec: &DriveSpec, latency_ns: f64) {
    let deepest = rungs.iter().map(|rung| rung.depth).max().unwrap_or(1);
    let by_depth: Vec<f64> =
        reads_per_s_by_depth(deepest, spec.read_units, spec.read_4k_per_s, latency_ns).collect();
    let behind = DriveSpec { limits: Vec::new(), ..spec.clone() };
    for (number, rung) in rungs.iter_mut().enumerate() {
        let again = replay_part(&behind, rung.load, OPERATIONS, number as u64);
        let plain = by_depth[(rung.depth.min(spec.queue_limit) - 1) as usize];
        rung.correction = again.per_s() / plain;
    }
}

fn search(rungs: &[Rung<'_>], latency_ns: f64) -> Found {
    let without = with_queue(rungs, latency_ns, QUEUE);
    // A queue limit shows at a depth that does no more than the one before.
    let steps = rungs.windows(2).filter(|pair| pair[1].per_s < 1.02 * pair[0].per_s && pair[0].depth > 1);
    let depths: Vec<u32> = steps.map(|pair| pair[0].depth).collect();
    let with = depths.into_iter().map(|depth| with_queue(rungs, latency_ns, depth));
    let best = with.min_by(|a, b| a.distance.total_cmp(&b.distance));
    match best {
        Some(best) if is_better(&best, &without) => best,
        _ => without,
    }
}

fn is_better(with: &Found, without: &Found) -> bool {
    without.distance - with.distance > BETTER && with.distance < without.distance / 4.0
}

/// The best units and limit for a queue limit.
fn with_queue(rungs: &[Rung<'_>], latency_ns: f64, queue: u32) -> Found {
    let best_of = |candidates: &mut dyn Iterator<Item = u32>| {
        let found = candidates.map(|units| with_units(rungs, latency_ns, queue, units));
        found.min_by(|a, b| a.distance.total_cmp(&b.distance))
    };
    let mut coarse = Vec::from([1u32]);
    while let Some(last) = coarse.last().copied().filter(|last| *last < UNITS_MAX) {
        coarse.push((f64::from(last) * 1.25).ceil() as u32);
    }
    let first = best_of(&mut coarse.iter().copied());
    let near = first.map_or(1, |found| found.units);
    let (low, high) =
        ((f64::from(near) / 1.25).floor().max(1.0) as u32, (f64::from(near) * 1.25).ceil() as u32);
    let step = ((high - low) / 24).max(1) as usize;
    best_of(&mut (low..=high).step_by(step).chain([near])).unwrap_or(Found {
        units: 1,
        limit_per_s: f64::INFINITY,
        queue,
        distance: f64::INFINITY,
    })
}

/// The best limit for a number of units: by the golden section over its logarithm.
fn with_units(rungs: &[Rung<'_>], latency_ns: f64, queue: u32, units: u32) -> Found {
    let highest = rungs.iter().map(|rung| rung.per_s).fold(0.0, f64::max);
    let at = |limit_ln: f64| distance(rungs, latency_ns, (queue, units, limit_ln.exp()));
    // A unit is busy with a read for its whole time at most.
    let least = (0.9 * highest).max(f64::from(units) / latency_ns * 1e9);
    let (mut low, mut high) = (least.ln(), (8.0 * highest).max(2.0 * least).ln());
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    for _ in 0..STEPS {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if at(left) <= at(right) {
            high = right;
        } else {
            low = left;
        }
    }
    let limit_ln = f64::midpoint(low, high);
    Found { units, limit_per_s: limit_ln.exp(), queue, distance: at(limit_ln) }
}

fn distance(rungs: &[Rung<'_>], latency_ns: f64, (queue, units, limit_per_s): (u32, u32, f64)) -> f64 {
    let deepest = rungs.last().map_or(1, |rung| rung.depth).min(queue);
    let mut by_depth = reads_per_s_by_depth(deepest, units, limit_per_s, latency_ns);
    let (mut reached, mut per_s, mut sum) = (0, 0.0, 0.0);
    for rung in rungs {
        while reached < rung.depth.min(queue) {
            (reached, per_s) = (reached + 1, by_depth.next().unwrap_or(per_s));
        }
        sum += ((rung.per_s / (per_s * rung.correction)).ln() / rung.error).powi(2);
    }
    sum
}

/// Numbers that are as good as the best make the interval.
fn told(rungs: &[Rung<'_>], latency_ns: f64, best: Found, sheet: &mut Sheet) {
    // Where the model does not fit to within the noise, its own misfit is the noise.
    let misfit = (best.distance / (rungs.len() as f64 - 2.0).max(1.0)).max(1.0);
    let is_as_good = |found: &Found| found.distance <= best.distance + AS_GOOD * misfit;
    let walk = |up: bool| {
        let mut last = best;
        loop {
            let step = (last.units / 20).max(1);
            let units = if up { last.units + step } else { last.units.saturating_sub(step) };
            if units == 0 || units > UNITS_MAX {
                return last;
            }
            let next = with_units(rungs, latency_ns, best.queue, units);
            if !is_as_good(&next) {
                return last;
            }
            last = next;
        }
    };
    let (few, many) = (walk(false), walk(true));
    let highest = rungs.iter().map(|rung| rung.per_s).fold(0.0, f64::max);
    let error = rungs.iter().map(|rung| rung.error).fold(0.0, f64::max) * misfit.sqrt();
    let limits = [few.limit_per_s, best.limit_per_s, many.limit_per_s];
    let rate = Estimate {
        value: best.limit_per_s,
        low: limits.iter().copied().fold(f64::MAX, f64::min) * (1.0 - error),
        high: limits.iter().copied().fold(0.0, f64::max) * (1.0 + error),
    };
    if highest >= REACHED * best.limit_per_s {
        let source = "limit at unbounded depth of random reads, by the rates at each depth";
        sheet.found("read.rate_4k_per_s", rate, source);
    } else {
        let why = format!("no depth came near the limit; {highest:.0} reads per second were reached");
        sheet.open("read.rate_4k_per_s", best.limit_per_s, why);
    }
    let units =
        Estimate { value: f64::from(best.units), low: f64::from(few.units), high: f64::from(many.units) };
    if units.high <= APART * units.low && highest >= REACHED * best.limit_per_s / 2.0 {
        sheet.found("read.units", units, "random reads that go on side by side, by the rates at each depth");
    } else {
        sheet.open("read.units", units.value, "the rates at each depth fit many numbers of units");
    }
    if best.queue < QUEUE {
        let queue = Estimate::within(f64::from(best.queue), 0.0);
        sheet.found("link.queue_limit", queue, "deeper loads do no more, and units would");
    } else {
        let deepest = rungs.last().map_or(0, |rung| rung.depth);
        sheet.open(
            "link.queue_limit",
            f64::from(QUEUE),
            format!("more than {deepest} commands are taken at once"),
        );
    }
}

/// Too few depths for units.
fn stand_in(highest_per_s: f64, latency_ns: f64, spec: &mut DriveSpec, sheet: &mut Sheet) {
    // What waits for no unit reaches any rate.
    (spec.read_units, spec.read_4k_per_s) = (1, f64::INFINITY);
    if highest_per_s > 1.1e9 / latency_ns {
        spec.read_4k_per_s = 2.0 * highest_per_s;
        spec.read_units = (IN_UNIT * latency_ns * spec.read_4k_per_s / 1e9).floor().max(1.0) as u32;
    }
    let why = "too few depths of random reads below a limit";
    sheet.open("read.rate_4k_per_s", spec.read_4k_per_s, why);
    sheet.open("read.units", f64::from(spec.read_units), why);
    sheet.open("link.queue_limit", f64::from(QUEUE), why);
}

/// The rate of 8 KiB reads where it is lower than that of 4 KiB, and the piece that one unit delivers.
pub(super) fn larger_reads(loads: &[&Load], spec: &mut DriveSpec, sheet: &mut Sheet) {
    let is_bound_by_link =
        |rung: &Rung| rung.per_s * rung.load.block_bytes as f64 >= 0.95 * spec.read_bandwidth_bytes_per_s;
    let limit = |size_bytes: u64| {
        let rungs = rungs(loads, size_bytes);
        let last = rungs.last().filter(|last| last.depth >= 8 && !is_bound_by_link(last))?;
        let depth = last.depth.min(spec.queue_limit);
        let limit = read_limit_from(last.per_s, depth, spec.read_units, spec.read_latency_ns(size_bytes))?;
        Some(Estimate::within(limit, 2.0 * last.error))
    };
    let pair = limit(8192).filter(|pair| pair.value < spec.read_4k_per_s * (1.0 - OWN_RATE));
    if let Some(pair) = pair {
        spec.read_8k_per_s = Some(pair.value);
        sheet.found("read.rate_8k_per_s", pair, "limit at unbounded depth of random reads of 8 KiB");
    }
    let piece_per_s = pair.map_or(spec.read_4k_per_s, |pair| pair.value);
    let pieces: Vec<(u64, f64)> = [LARGE_BYTES, 128 << 10, 256 << 10, 512 << 10, 1 << 20]
        .into_iter()
        .filter_map(|size_bytes| {
            let rungs = rungs(loads, size_bytes);
            let last = rungs.last().filter(|last| !is_bound_by_link(last) && last.depth >= 8)?;
            let is_full = rungs.iter().rev().nth(1).is_some_and(|before| before.per_s >= 0.95 * last.per_s);
            let piece_bytes = size_bytes as f64 * last.per_s / piece_per_s;
            (is_full && piece_bytes < 0.75 * size_bytes as f64).then_some((size_bytes, piece_bytes))
        })
        .collect();
    let key = "read.piece_kib";
    let Some((size_bytes, piece_bytes)) = pieces.last().copied() else {
        spec.read_piece_bytes = 16_384;
        return sheet.open(
            key,
            16.0,
            "no load of large random reads is held up by the units; a usual flash page",
        );
    };
    let exponent = piece_bytes.log2().round().clamp(12.0, 30.0) as u32;
    spec.read_piece_bytes = 1 << exponent;
    let piece_kib = spec.read_piece_bytes as f64 / 1024.0;
    let all = pieces.iter().map(|(_, bytes)| bytes / 1024.0);
    let (low, high) = all.fold((piece_kib, piece_kib), |(low, high), kib| (low.min(kib), high.max(kib)));
    let source =
        format!("random reads of {} beside those of 4 KiB, as a power of two", size_name(size_bytes));
    sheet.found(key, Estimate { value: piece_kib, low, high }, source);
}
