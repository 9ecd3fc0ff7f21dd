//! The units behind the reads, from the rate of small random reads at each depth.
//!
//! Mean value analysis says the rate at a depth for a number of units and their limit. It is an
//! approximation, and units and limit that rise together change the rates little, so the model itself is run
//! at several numbers of units, each with its best limit, and a parabola through the squares gives the best
//! and its interval.

use device::{DriveSpec, read_limit_from};

use super::super::load::Load;
use super::Pains;
use super::rungs::{Found, Ladder, Rung, UNITS_MAX};
use super::sheet::{Estimate, QUEUE, Sheet, size_name};

/// A ladder of fewer depths, or one that ends before the second number, says nothing of units.
const DEPTHS: (usize, u32) = (4, 8);
/// Numbers of units are this factor apart when they are tried.
const APART: f64 = 1.2;
/// Numbers of units that are tried.
const TRIES: usize = 7;
/// Runs of the model at one number of units, and the share by which its limit moves no more.
const CORRECTIONS: usize = 2;
const SETTLED: f64 = 0.003;
/// A limit is known if the highest rate comes up to this share of it.
const REACHED: f64 = 0.7;
/// Numbers of units are known if both ends of the interval are no further apart than this factor.
const KNOWN: f64 = 4.0;
/// Squared distance, in standard errors, within which numbers are as good as the best with 95 % confidence.
const AS_GOOD: f64 = 4.0;
/// A rate of larger reads that is lower by this share is their own.
const OWN_RATE: f64 = 0.03;
/// A stand-in for the share of a read's time that it spends in its unit.
const IN_UNIT: f64 = 0.6;
/// Reads of these sizes are several pieces on most drives.
const LARGE: [u64; 5] = [64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20];

/// Units, their limit, and the queue limit where one shows.
pub(super) fn units(loads: &[&Load], pains: Pains<'_>, spec: &mut DriveSpec, sheet: &mut Sheet) {
    let size_bytes = spec.read_latency.first().map_or(4096, |first| first.size_bytes);
    let latency_ns = spec.read_latency_ns(size_bytes);
    let mut ladder = Ladder::of(loads, size_bytes, latency_ns);
    if ladder.rungs.len() < DEPTHS.0 || ladder.deepest() < DEPTHS.1 {
        return stand_in(ladder.highest_per_s(), latency_ns, spec, sheet);
    }
    let first = ladder.search();
    let tried = match pains {
        Pains::Draft => around(&ladder, first),
        Pains::Near(near) => {
            let near = Found {
                units: near.read_units,
                limit_per_s: near.read_4k_per_s,
                queue: near.queue_limit,
                distance: 0.0,
            };
            ladder.correct(spec, near);
            around(&ladder, ladder.search())
        }
        Pains::Full => {
            ladder.correct(spec, first);
            let start = ladder.search();
            valley(&mut ladder, spec, start)
        }
    };
    let best = best(&tried);
    if !spec.limits.is_empty() && ladder.highest_per_s() < REACHED * best.limit_per_s {
        return stand_in(ladder.highest_per_s(), latency_ns, spec, sheet);
    }
    (spec.read_units, spec.read_4k_per_s, spec.queue_limit) = (best.units, best.limit_per_s, best.queue);
    told(&ladder, best, &tried, sheet);
}

fn best(tried: &[Found]) -> Found {
    let none = Found { units: 1, limit_per_s: f64::INFINITY, queue: QUEUE, distance: f64::INFINITY };
    tried.iter().copied().min_by(|a, b| a.distance.total_cmp(&b.distance)).unwrap_or(none)
}

/// The best and its neighbours at the present corrections.
fn around(ladder: &Ladder<'_>, best: Found) -> Vec<Found> {
    let near = [best.units, step(best.units, true), step(best.units, false)];
    near.into_iter().map(|units| ladder.with_units(units, best.queue)).collect()
}

fn step(units: u32, up: bool) -> u32 {
    let units_f = f64::from(units);
    if up {
        ((units_f * APART).round() as u32).max(units + 1).min(UNITS_MAX)
    } else {
        ((units_f / APART).round() as u32).min(units - 1).max(1)
    }
}

/// Tries numbers of units with the model itself, downhill until both neighbours of the best are known, and
/// then where the parabola through the three has its bottom.
fn valley(ladder: &mut Ladder<'_>, spec: &DriveSpec, start: Found) -> Vec<Found> {
    let mut tried: Vec<Found> = Vec::new();
    let mut next = Some(start.units);
    while let Some(units) = next.filter(|_| tried.len() < TRIES) {
        tried.push(settled(ladder, spec, units, start.queue));
        let is_new = |units: &u32| tried.iter().all(|found| found.units != *units);
        let best = best(&tried);
        let missing = [step(best.units, true), step(best.units, false)].into_iter().find(|units| {
            let up = *units > best.units;
            *units != best.units
                && !tried.iter().any(|found| (found.units > best.units) == up && found.units != best.units)
        });
        next = missing.or_else(|| bottom(&tried, best)).filter(is_new);
    }
    tried
}

/// A number of units with its best limit by the model itself.
fn settled(ladder: &mut Ladder<'_>, spec: &DriveSpec, units: u32, queue: u32) -> Found {
    let mut found = ladder.with_units(units, queue);
    for _ in 0..CORRECTIONS {
        ladder.correct(spec, found);
        let next = ladder.with_units(units, queue);
        let moved = (next.limit_per_s / found.limit_per_s - 1.0).abs();
        found = next;
        if moved < SETTLED {
            break;
        }
    }
    found
}

/// The parabola of the squares over the logarithm of the units, through the best and its neighbours: its
/// bottom and its curvature.
fn parabola(tried: &[Found], best: Found) -> Option<(f64, f64)> {
    let below = tried.iter().filter(|found| found.units < best.units).max_by_key(|found| found.units)?;
    let above = tried.iter().filter(|found| found.units > best.units).min_by_key(|found| found.units)?;
    let at = |found: &Found| (f64::from(found.units).ln(), found.distance);
    let ((x0, y0), (x1, y1), (x2, y2)) = (at(below), at(&best), at(above));
    let (left, right) = ((y1 - y0) / (x1 - x0), (y2 - y1) / (x2 - x1));
    let curvature = (right - left) / (x2 - x0);
    (curvature > 0.0).then(|| (f64::midpoint(x0, x1) - left / (2.0 * curvature), curvature))
}

fn bottom(tried: &[Found], best: Found) -> Option<u32> {
    parabola(tried, best).map(|(bottom, _)| (bottom.exp().round() as u32).clamp(1, UNITS_MAX))
}

/// Numbers that are as good as the best make the interval.
fn told(ladder: &Ladder<'_>, best: Found, tried: &[Found], sheet: &mut Sheet) {
    // Where the model does not fit to within the noise, its own misfit is the noise.
    let misfit = (best.distance / (ladder.rungs.len() as f64 - 2.0).max(1.0)).max(1.0);
    let half = parabola(tried, best).map_or(0.5, |(_, curvature)| (AS_GOOD * misfit / curvature).sqrt());
    let units = f64::from(best.units);
    // Units are whole: the neighbours cannot be told from the best.
    let units = Estimate {
        value: units,
        low: (units * (-half).exp()).floor().max(1.0),
        high: (units * half.exp()).ceil(),
    };
    // Limits move along with units.
    let slope = |other: &Found| {
        (other.limit_per_s / best.limit_per_s).ln().abs() / (f64::from(other.units) / units.value).ln().abs()
    };
    let slope = tried.iter().filter(|other| other.units != best.units).map(slope).fold(0.0, f64::max);
    let error = ladder.rungs.iter().map(|rung| rung.error).fold(0.0, f64::max) * misfit.sqrt();
    let rate = Estimate::within(best.limit_per_s, (slope * half + 2.0 * error).min(1.0));
    let highest = ladder.highest_per_s();
    if highest >= REACHED * best.limit_per_s {
        let source = "limit at unbounded depth of random reads, by the rates at each depth";
        sheet.found("read.rate_4k_per_s", rate, source);
    } else {
        let why = format!("no depth came near the limit; {highest:.0} reads per second were reached");
        sheet.open("read.rate_4k_per_s", best.limit_per_s, why);
    }
    if units.high <= KNOWN * units.low && highest >= REACHED * best.limit_per_s / 2.0 {
        sheet.found("read.units", units, "random reads that go on side by side, by the rates at each depth");
    } else {
        sheet.open("read.units", units.value, "the rates at each depth fit with many numbers of units");
    }
    if best.queue < QUEUE {
        let queue = Estimate::within(f64::from(best.queue), 0.0);
        sheet.found("link.queue_limit", queue, "deeper loads do no more, and units would");
    } else {
        let why =
            format!("no load of up to {} commands at once shows where the queue ends", ladder.deepest());
        sheet.open("link.queue_limit", f64::from(QUEUE), why);
    }
}

/// Too few depths for units. Behind a limit the drive is taken for one without units: they would hold up
/// large reads, of which no load says that they wait for anything but the limit.
fn stand_in(highest_per_s: f64, latency_ns: f64, spec: &mut DriveSpec, sheet: &mut Sheet) {
    // A load that waits for no unit reaches any rate.
    (spec.read_units, spec.read_4k_per_s) = (1, f64::INFINITY);
    if spec.limits.is_empty() && highest_per_s > 1.1e9 / latency_ns {
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
    let ladder = |size_bytes: u64| Ladder::of(loads, size_bytes, spec.read_latency_ns(size_bytes)).rungs;
    let is_bound_by_link =
        |rung: &Rung| rung.per_s * rung.load.block_bytes as f64 >= 0.95 * spec.read_bandwidth_bytes_per_s;
    let pairs = ladder(8192);
    let deep = pairs.last().filter(|last| last.depth >= DEPTHS.1 && !is_bound_by_link(last));
    let pair = deep.and_then(|last| {
        let depth = last.depth.min(spec.queue_limit);
        let limit = read_limit_from(last.per_s, depth, spec.read_units, spec.read_latency_ns(8192))?;
        Some(Estimate::within(limit, 2.0 * last.error))
    });
    let pair = pair.filter(|pair| pair.value < spec.read_4k_per_s * (1.0 - OWN_RATE));
    let piece_per_s = pair.map_or(spec.read_4k_per_s, |pair| pair.value);
    let pieces: Vec<(u64, f64)> = LARGE
        .into_iter()
        .filter_map(|size_bytes| {
            let rungs = ladder(size_bytes);
            let last = rungs.last().filter(|last| !is_bound_by_link(last) && last.depth >= DEPTHS.1)?;
            let is_full = rungs.iter().rev().nth(1).is_some_and(|before| before.per_s >= 0.95 * last.per_s);
            let piece_bytes = size_bytes as f64 * last.per_s / piece_per_s;
            (is_full && piece_bytes < 0.75 * size_bytes as f64).then_some((size_bytes, piece_bytes))
        })
        .collect();
    if let Some(pair) = pair {
        spec.read_8k_per_s = Some(pair.value);
        sheet.found("read.rate_8k_per_s", pair, "limit at unbounded depth of random reads of 8 KiB");
    }
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
