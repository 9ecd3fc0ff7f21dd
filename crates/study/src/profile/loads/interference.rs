//! The loss of reads beside writes: c x rho^e of a meeting, a share of the writes' queue, and slower units.

use device::DriveSpec;

use super::super::load::Load;
use super::Pains;
use super::line;
use super::mixes::{ALL, BOUNDS, MEANS, MIXES, Mixes, Numbers, State, halves};
use super::sheet::{Estimate, Sheet};

/// Operations of the model's run of each mix: for the fit, and for one to almost the same loads.
const OPERATIONS: (f64, f64) = (14_000.0, 6000.0);
/// Moves along the slopes.
const MOVES: usize = 5;
/// Figures of a mix that are fitted beside the mean and with it.
const FIGURES: usize = 3;
/// Mixes that are missed by more than this, as a share, are missed by more than chance.
const POOR: f64 = 0.025;
/// Slower units are taken in if they explain so many times the squares that one number does by chance.
const BETTER: f64 = 12.0;
/// A number is known if its interval is no wider than this share of it on each side.
const KNOWN: f64 = 0.2;
/// A share or a slowdown whose interval is this narrow is known, and so is that it is 0.
const NARROW: f64 = 0.1;
/// An interference below this share of a read's time is none.
const NOTHING: f64 = 0.02;

/// The numbers of the interference, from mixes of reads and writes.
pub(super) fn reads_beside_writes(
    loads: &[&Load],
    pains: Pains<'_>,
    spec: &mut DriveSpec,
    sheet: &mut Sheet,
) {
    let is_one = |load: &&Load| load.is_mix() && !load.is_sequential;
    let all: Vec<&Load> = loads.iter().copied().filter(is_one).collect();
    if all.len() < MIXES || matches!(pains, Pains::Draft) {
        spec.interference_exponent = 1.0;
        return draft(all.len() >= MIXES, sheet);
    }
    let operations = if matches!(pains, Pains::Full) { OPERATIONS.0 } else { OPERATIONS.1 };
    let latency_ns = spec.read_latency_ns(4096).max(1.0);
    let alone = |spec: &DriveSpec| {
        let (loads, spec) = (all.clone(), spec.clone());
        let mixes = Mixes { loads, spec, latency_ns, operations: OPERATIONS.1, weights: MEANS };
        mixes.set(&mixes.fit(mixes.start(), [true, true, true, false], MOVES).0.numbers)
    };
    line::by_turns(&all, pains, spec, alone, sheet);
    let mut mixes = Mixes { loads: all, spec: spec.clone(), latency_ns, operations, weights: MEANS };
    let (mut best, mut slopes) = match pains {
        Pains::Near(near) => {
            if near.read_slowdown_by_writes > 0.0 {
                mixes.weights = ALL;
            }
            let start: Numbers = [
                near.interference_ns as f64 / mixes.latency_ns,
                near.interference_exponent,
                near.queued_write_share,
                near.read_slowdown_by_writes,
            ];
            mixes.fit(start, [true, true, true, start[3] > 0.0], MOVES / 2)
        }
        _ => mixes.fit(mixes.start(), [true, true, true, false], MOVES),
    };
    let is_poor = best.squares() > mixes.loads.len() as f64 * POOR.powi(2);
    if is_poor && matches!(pains, Pains::Full) {
        let start = [best.numbers[0] / 2.0, 1.0, best.numbers[2], 0.5];
        let (slower, _) = mixes.fit(start, [true; 4], MOVES);
        let by_chance = slower.squares() / (mixes.loads.len() as f64 - 4.0).max(1.0);
        if best.squares() - slower.squares() > BETTER * by_chance && slower.numbers[3] > NARROW {
            (mixes.weights, mixes.operations) = (ALL, 2.0 * mixes.operations);
            let (refined, its_slopes) = mixes.fit(slower.numbers, [true; 4], MOVES);
            let half = halves(&its_slopes, &refined, FIGURES * mixes.loads.len())[3];
            // Slower units that the mixes do not tell for sure are none.
            if half <= NARROW.max(KNOWN * refined.numbers[3]) {
                (best, slopes) = (refined, its_slopes);
            } else {
                (mixes.weights, mixes.operations) = (MEANS, operations);
            }
        }
    }
    if best.numbers[0] < NOTHING {
        best.numbers[0] = 0.0;
        best.numbers[1] = 1.0;
    }
    let found = mixes.set(&best.numbers);
    let counted = mixes.weights.iter().filter(|weight| **weight > 0.0).count() * mixes.loads.len();
    tell(&best, &halves(&slopes, &best, counted), mixes.latency_ns, sheet);
    *spec = found;
}

fn draft(is_known: bool, sheet: &mut Sheet) {
    for (key, value) in [
        ("interference.delay_us", 0.0),
        ("interference.exponent", 1.0),
        ("interference.queued_write_share", 0.0),
    ] {
        if is_known {
            sheet.found(key, Estimate::within(value, 0.0), "mixes of reads and writes");
        } else {
            sheet.open(key, value, "too few mixes of random reads and writes");
        }
    }
}

fn tell(best: &State, halves: &Numbers, latency_ns: f64, sheet: &mut Sheet) {
    let [delay, exponent, share, slowdown] = best.numbers;
    let source = "mean reads of the mixes of reads and writes";
    let around = |index: usize| {
        let (value, half) = (best.numbers[index], halves[index]);
        Estimate {
            value,
            low: (value - half).max(BOUNDS[index].0),
            high: (value + half).min(BOUNDS[index].1),
        }
    };
    let delay_us = latency_ns / 1e3;
    let is_known = halves[0] <= (KNOWN * delay).max(NOTHING * 5.0);
    if is_known {
        sheet.found("interference.delay_us", around(0).times(delay_us), source);
    } else {
        sheet.open("interference.delay_us", delay * delay_us, "the mixes fit with many delays");
    }
    if is_known && delay > 0.0 && halves[1] <= KNOWN * exponent {
        sheet.found("interference.exponent", around(1), source);
    } else {
        sheet.open("interference.exponent", exponent, "no delay, or the mixes fit with many exponents");
    }
    if halves[2] <= NARROW.max(KNOWN * share) {
        sheet.found("interference.queued_write_share", around(2), source);
    } else {
        sheet.open("interference.queued_write_share", share, "no mix filled the buffer of the writes");
    }
    if slowdown > 0.0 {
        if halves[3] <= NARROW.max(KNOWN * slowdown) {
            sheet.found("read.slowdown_by_writes", around(3), source);
        } else {
            sheet.open("read.slowdown_by_writes", slowdown, "the mixes fit with many slowdowns");
        }
    }
}
