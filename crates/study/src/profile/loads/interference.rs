//! What reads lose beside writes: c x rho^e of a meeting, a share of the writes' queue, and slower units.
//!
//! The model itself is run at the loads of the mixes. Its numbers move by Gauss-Newton on the logarithms of
//! the mean read latencies, with the slopes taken once.

use device::DriveSpec;

use super::super::load::Load;
use super::super::virtual_load::replay_part;
use super::Effort;
use super::sheet::{Estimate, Sheet};

/// Operations of the model's run of each mix.
const OPERATIONS: f64 = 12_000.0;
/// Moves along the slopes.
const MOVES: usize = 5;
/// Mixes from which the numbers are fitted.
const MIXES: usize = 3;
/// Slower units are taken in if the squares become fewer by this factor: without them, the meetings do.
const BETTER: f64 = 2.0;
/// A number is known if its interval is no wider than this share of it on each side.
const KNOWN: f64 = 0.5;
/// A share or a slowdown whose interval is this narrow is known, and so is that it is 0.
const NARROW: f64 = 0.15;
/// An interference below this share of a read's time is none.
const NOTHING: f64 = 0.02;
/// Standard error of the model's own run, as a share.
const DRAWN: f64 = 0.01;

/// Numbers of the interference: c in units of the idle read's latency, e, beta, slowdown.
type Numbers = [f64; 4];

/// Their bounds.
const BOUNDS: [(f64, f64); 4] = [(0.0, 1e4), (0.25, 4.0), (0.0, 1.0), (0.0, 20.0)];
/// Steps over which slopes are taken.
const STEPS: Numbers = [0.3, 0.3, 0.2, 0.3];

struct Mixes<'a> {
    loads: Vec<&'a Load>,
    spec: DriveSpec,
    latency_ns: f64,
}

/// A set of numbers and how the model misses with them.
#[derive(Clone, Debug)]
struct State {
    numbers: Numbers,
    /// ln (measured / model) of each mix.
    missing: Vec<f64>,
}

impl State {
    fn squares(&self) -> f64 {
        self.missing.iter().map(|missing| missing * missing).sum()
    }
}

impl Mixes<'_> {
    fn set(&self, numbers: &Numbers) -> DriveSpec {
        DriveSpec {
            interference_ns: (numbers[0] * self.latency_ns) as u64,
            interference_exponent: numbers[1],
            queued_write_share: numbers[2],
            read_slowdown_by_writes: numbers[3],
            ..self.spec.clone()
        }
    }

    fn run(&self, numbers: Numbers) -> State {
        let spec = self.set(&numbers);
        let missing = |(number, load): (usize, &&Load)| {
            let mean =
                |load: &Load| load.reads.as_ref().map_or(1.0, |reads| reads.latency.mean_ns()).max(1.0);
            (mean(load) / mean(&replay_part(&spec, load, OPERATIONS, number as u64))).ln()
        };
        State { numbers, missing: self.loads.iter().enumerate().map(missing).collect() }
    }

    /// The best numbers; those that are not active stay.
    fn fit(&self, start: Numbers, active: [bool; 4]) -> (State, Vec<Vec<f64>>) {
        let mut state = self.run(start);
        let mut best = state.clone();
        let mut slopes = Vec::new();
        for turn in 0..MOVES {
            if turn == 0 || turn == 2 {
                slopes = self.slopes(&state, active);
            }
            let step = step(&slopes, &state.missing);
            let mut numbers = state.numbers;
            for (index, number) in numbers.iter_mut().enumerate() {
                *number = (*number + step[index]).clamp(BOUNDS[index].0, BOUNDS[index].1);
            }
            let next = self.run(numbers);
            if next.squares() < best.squares() {
                best = next.clone();
            }
            state = if next.squares() < 4.0 * best.squares() { next } else { best.clone() };
        }
        (best, slopes)
    }

    /// d ln (model) / d number of each mix, for each number; all 0 for one that is not active.
    fn slopes(&self, at: &State, active: [bool; 4]) -> Vec<Vec<f64>> {
        let of = |index: usize| {
            if !active[index] {
                return vec![0.0; self.loads.len()];
            }
            let mut numbers = at.numbers;
            let up = numbers[index] + STEPS[index].max(0.2 * numbers[index]) <= BOUNDS[index].1;
            let step = STEPS[index].max(0.2 * numbers[index]) * if up { 1.0 } else { -1.0 };
            numbers[index] += step;
            let there = self.run(numbers);
            at.missing.iter().zip(&there.missing).map(|(here, there)| (here - there) / step).collect()
        };
        (0..4).map(of).collect()
    }
}

/// The Gauss-Newton step with a little damping.
fn step(slopes: &[Vec<f64>], missing: &[f64]) -> Numbers {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut matrix = [[0.0; 4]; 4];
    let mut right = [0.0; 4];
    for row in 0..4 {
        for column in 0..4 {
            matrix[row][column] = dot(&slopes[row], &slopes[column]);
        }
        matrix[row][row] = matrix[row][row] * 1.01 + 1e-9;
        right[row] = dot(&slopes[row], missing);
    }
    solve(matrix, right)
}

/// A symmetric, positive system by elimination.
fn solve(mut matrix: [[f64; 4]; 4], mut right: Numbers) -> Numbers {
    for pivot in 0..4 {
        for row in pivot + 1..4 {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            for column in pivot..4 {
                matrix[row][column] -= factor * matrix[pivot][column];
            }
            right[row] -= factor * right[pivot];
        }
    }
    let mut solution = [0.0; 4];
    for row in (0..4).rev() {
        let known: f64 = (row + 1..4).map(|column| matrix[row][column] * solution[column]).sum();
        solution[row] = (right[row] - known) / matrix[row][row];
    }
    solution
}

/// Half the 95 % intervals of the numbers, from the slopes and what the fit misses.
fn halves(slopes: &[Vec<f64>], state: &State) -> Numbers {
    let free = state.missing.len().saturating_sub(3).max(1) as f64;
    let error = (state.squares() / free).sqrt().max(DRAWN);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    std::array::from_fn(|index| {
        let mut matrix = [[0.0; 4]; 4];
        for (row, values) in matrix.iter_mut().enumerate() {
            for (column, value) in values.iter_mut().enumerate() {
                *value = dot(&slopes[row], &slopes[column]);
            }
            values[row] = values[row] * (1.0 + 1e-9) + 1e-9;
        }
        let mut unit = [0.0; 4];
        unit[index] = 1.0;
        2.0 * error * solve(matrix, unit)[index].max(0.0).sqrt()
    })
}

/// The numbers of the interference, from mixes of reads and writes.
pub(super) fn reads_beside_writes(loads: &[&Load], effort: Effort, spec: &mut DriveSpec, sheet: &mut Sheet) {
    let is_one = |load: &&Load| load.is_mix() && !load.is_sequential;
    let all: Vec<&Load> = loads.iter().copied().filter(is_one).collect();
    if all.len() < MIXES || effort == Effort::Draft {
        let is_known = all.len() >= MIXES;
        spec.interference_exponent = 1.0;
        return draft(is_known, sheet);
    }
    let mixes = Mixes { loads: all, spec: spec.clone(), latency_ns: spec.read_latency_ns(4096).max(1.0) };
    let (mut best, mut slopes) = mixes.fit([0.5, 1.0, 0.3, 0.0], [true, true, true, false]);
    let (slower, slopes_of_slower) =
        mixes.fit([best.numbers[0] / 2.0, 1.0, best.numbers[2], 0.5], [true, true, true, true]);
    if slower.squares() < best.squares() / BETTER
        && best.squares() > best.missing.len() as f64 * DRAWN.powi(2)
    {
        (best, slopes) = (slower, slopes_of_slower);
    }
    if best.numbers[0] < NOTHING {
        best.numbers[0] = 0.0;
        best.numbers[1] = 1.0;
    }
    let found = mixes.set(&best.numbers);
    tell(&best, &halves(&slopes, &best), mixes.latency_ns, sheet);
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
    if halves[0] <= (KNOWN * delay).max(NOTHING * 5.0) {
        sheet.found("interference.delay_us", around(0).times(delay_us), source);
    } else {
        sheet.open("interference.delay_us", delay * delay_us, "the mixes fit many delays");
    }
    if delay > 0.0 && halves[1] <= KNOWN * exponent {
        sheet.found("interference.exponent", around(1), source);
    } else {
        sheet.open("interference.exponent", exponent, "no delay, or the mixes fit many exponents");
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
            sheet.open("read.slowdown_by_writes", slowdown, "the mixes fit many slowdowns");
        }
    }
}
