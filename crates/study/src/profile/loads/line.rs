//! Reads and writes that a drive serves by turns, in one line: told by mixes that reach less than the rates
//! of reads and of writes promise together.

use device::DriveSpec;

use super::super::load::Load;
use super::super::virtual_load::replay_part;
use super::Pains;
use super::mixes::{MIXES, bounded, means};
use super::sheet::{Estimate, Sheet};

/// Operations of the model's run of each mix.
const OPERATIONS: f64 = 6000.0;
/// Turnarounds that are tried, in units of the time of a page at the highest rate of reads.
const TRIED: [f64; 12] = [0.0, 0.05, 0.1, 0.2, 0.3, 0.45, 0.65, 0.9, 1.3, 1.8, 2.5, 3.5];
/// Narrowing of the best one.
const NARROWINGS: usize = 8;
/// Mixes missed by less than this on average, as a share, need no line.
const POOR: f64 = 0.1;
/// A line is taken in if it leaves less than this share of the squares without one.
const BETTER: f64 = 0.5;
/// Reads that meet writes lengthen mixes in almost the same way as a turnaround: of both, one is known to
/// this share.
const ALIKE: f64 = 0.1;

/// Takes a line into the drive where the mixes are missed without one, which `alone` says: the best drive
/// whose reads and writes have ways of their own.
///
/// Only closed loops count. They reach the highest rate, and a target that stands still for a moment lets as
/// many operations wait as they have; beside operations by the clock it looks like a slow line.
pub(super) fn by_turns(
    mixes: &[&Load],
    pains: Pains<'_>,
    spec: &mut DriveSpec,
    alone: impl Fn(&DriveSpec) -> DriveSpec,
    sheet: &mut Sheet,
) {
    match pains {
        Pains::Draft => return,
        Pains::Near(near) => {
            spec.turnaround_ns = near.turnaround_ns;
            return;
        }
        Pains::Full => {}
    }
    let closed: Vec<&Load> = mixes.iter().copied().filter(|load| load.is_closed()).collect();
    let mixes = closed.as_slice();
    if mixes.len() < MIXES {
        return;
    }
    let squares_alone = squares(&alone(spec), mixes);
    if squares_alone < 2.0 * mixes.len() as f64 * POOR.powi(2) {
        return;
    }
    let page_ns = 1e9 / spec.read_4k_per_s;
    let turning = |spec: &DriveSpec, turnaround: f64| DriveSpec {
        turnaround_ns: Some((turnaround * page_ns) as u64),
        ..spec.clone()
    };
    let miss = |spec: &DriveSpec, turnaround: f64| squares(&turning(spec, turnaround), mixes);
    let plain = DriveSpec { interference_ns: 0, queued_write_share: 0.0, ..spec.clone() };
    let (rough, _) = least_of(|turnaround| miss(&plain, turnaround));
    // Reads lose time beside writes in a line too, which is no part of the turnaround.
    let beside = alone(&turning(spec, rough));
    let (best, least) = least_of(|turnaround| miss(&beside, turnaround));
    if least > BETTER * squares_alone {
        return;
    }
    let free = (2 * mixes.len()).saturating_sub(1) as f64;
    let half = half_interval(|turnaround| miss(&beside, turnaround), best, least, free).hypot(ALIKE * best);
    let us = page_ns / 1e3;
    let (low, high) = ((best - half).max(0.0) * us, (best + half) * us);
    spec.turnaround_ns = turning(spec, best).turnaround_ns;
    let source = "mean reads and mean writes of the mixes";
    sheet.found("interference.turnaround_us", Estimate { value: best * us, low, high }, source);
}

/// The squares of the misses of the mean reads and writes of all mixes.
fn squares(spec: &DriveSpec, mixes: &[&Load]) -> f64 {
    let missed = |(number, load): (usize, &&Load)| {
        let model = replay_part(spec, load, OPERATIONS, number as u64);
        let of = |measured: f64, model: f64| bounded((measured / model).ln()).powi(2);
        let (measured, model) = (means(load), means(&model));
        of(measured.0, model.0) + of(measured.1, model.1)
    };
    mixes.iter().enumerate().map(missed).sum()
}

/// The turnaround with the fewest squares: of the tried ones, then between its neighbours.
fn least_of(miss: impl Fn(f64) -> f64) -> (f64, f64) {
    let tried: Vec<f64> = TRIED.iter().map(|turnaround| miss(*turnaround)).collect();
    let at = (0..TRIED.len()).min_by(|a, b| tried[*a].total_cmp(&tried[*b])).unwrap_or(0);
    let (mut best, mut least) = (TRIED[at], tried[at]);
    let (mut low, mut high) = (TRIED[at.saturating_sub(1)], TRIED[(at + 1).min(TRIED.len() - 1)]);
    for _ in 0..NARROWINGS {
        for (turnaround, is_below) in [(f64::midpoint(low, best), true), (f64::midpoint(best, high), false)] {
            let squares = miss(turnaround);
            if squares < least {
                *(if is_below { &mut high } else { &mut low }) = best;
                (best, least) = (turnaround, squares);
            } else {
                *(if is_below { &mut low } else { &mut high }) = turnaround;
            }
        }
    }
    (best, least)
}

/// Half the 95 % interval, from the curvature of the squares over a step of a fifth.
fn half_interval(miss: impl Fn(f64) -> f64, best: f64, least: f64, free: f64) -> f64 {
    let step = (0.2 * best).max(0.05);
    let around = f64::midpoint(miss((best - step).max(0.0)), miss(best + step));
    let curvature = (around - least).max(f64::MIN_POSITIVE) / step.powi(2);
    (2.0 * (least / free / curvature).sqrt()).min(best.max(step))
}
