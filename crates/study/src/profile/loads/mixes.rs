//! Mixes of reads and writes, and the numbers of the interference with which the model misses them least.
//!
//! The model itself is run at the loads of the mixes. Its numbers move by Gauss-Newton on the logarithms of
//! the read latencies.

use device::DriveSpec;
use measure::Histogram;

use super::super::fitted::middle;
use super::super::load::Load;
use super::super::virtual_load::replay_part;

/// A step leads away if the squares become more by this factor; the next one is shorter.
const AWAY: f64 = 3.0;
const SHORTER: f64 = 0.4;
/// The moves before which slopes are taken anew.
const SLOPES_AT: [usize; 2] = [0, 2];
/// Writes that take this share of the medium's time wait for room.
const FULL: f64 = 0.9;
/// Standard error of the model's own run, as a share.
const DRAWN: f64 = 0.01;

/// Reads of so many medians waited for a pause of the target and not for a write: a machine that stood still
/// for a second makes the mean of a mix a hundred times as long, and says nothing of the interference.
const PAUSE: f64 = 10.0;
/// Beyond this a miss counts by its root and not by its square (Huber 1964): a drive that stood still once
/// during one mix must not decide on the numbers of all.
const FAR: f64 = 0.15;

/// Mixes from which numbers are fitted, at least.
pub(super) const MIXES: usize = 3;

/// Numbers of the interference: c in units of the idle read's latency, e, beta, slowdown.
pub(super) type Numbers = [f64; 4];

/// Their bounds.
pub(super) const BOUNDS: [(f64, f64); 4] = [(0.0, 1e4), (0.25, 4.0), (0.0, 1.0), (0.0, 20.0)];
/// The prior mean and standard deviation of each number, which stay where the mixes say nothing of it. Most
/// measured drives have an exponent of 1, a share of 0 to 0.96 and units that writes do not slow down.
const LIKELY: [(f64, f64); 4] = [(0.0, 1e4), (1.0, 0.3), (0.3, 0.3), (0.0, 0.5)];
/// Steps over which slopes are taken.
const STEPS: Numbers = [0.3, 0.3, 0.2, 0.3];

/// The figures of a mix that are fitted: the mean, the median, the 95th percentile.
const FIGURES: [Option<f64>; 3] = [None, Some(0.5), Some(0.95)];
/// Their weights. The means alone lead to the numbers from afar. Whether units are slower or reads meet
/// writes, a few long waits or many short ones, is told by the percentiles as well, from near.
pub(super) const MEANS: [f64; 3] = [1.0, 0.0, 0.0];
pub(super) const ALL: [f64; 3] = [1.0, 0.7, 0.5];

/// Mixes with the drive whose other numbers are known.
pub(super) struct Mixes<'a> {
    pub(super) loads: Vec<&'a Load>,
    pub(super) spec: DriveSpec,
    /// Of an idle read: the unit of the delay.
    pub(super) latency_ns: f64,
    /// Of the model's run of each mix.
    pub(super) operations: f64,
    /// Of the figures.
    pub(super) weights: [f64; 3],
}

/// The miss whose square is that of Huber's loss: the same up to [`FAR`], its root beyond.
pub(super) fn bounded(missing: f64) -> f64 {
    if missing.abs() <= FAR {
        missing
    } else {
        missing.signum() * (2.0 * FAR * missing.abs() - FAR.powi(2)).sqrt()
    }
}

/// A set of numbers and how the model misses with them.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) numbers: Numbers,
    /// Weight x ln (measured / model) of each figure of each mix, bounded.
    missing: Vec<f64>,
}

impl State {
    pub(super) fn squares(&self) -> f64 {
        self.missing.iter().map(|missing| missing * missing).sum()
    }

    /// The squares with those of the distance from what is likely.
    fn goal(&self) -> f64 {
        let unlikely = |(number, (likely, deviation)): (&f64, (f64, f64))| {
            ((number - likely) / deviation * DRAWN).powi(2)
        };
        self.squares() + self.numbers.iter().zip(LIKELY).map(unlikely).sum::<f64>()
    }
}

impl Mixes<'_> {
    pub(super) fn set(&self, numbers: &Numbers) -> DriveSpec {
        DriveSpec {
            interference_ns: (numbers[0] * self.latency_ns) as u64,
            interference_exponent: numbers[1],
            queued_write_share: numbers[2],
            read_slowdown_by_writes: numbers[3],
            ..self.spec.clone()
        }
    }

    /// Weight x ln (measured / model) of each figure of each mix.
    fn missed(&self, numbers: &Numbers) -> Vec<f64> {
        let spec = self.set(numbers);
        let missed = |(number, load): (usize, &&Load)| {
            let model = replay_part(&spec, load, self.operations, number as u64);
            let missed = FIGURES.map(|quantile| (figure(load, quantile) / figure(&model, quantile)).ln());
            std::array::from_fn::<f64, 3, _>(|number| self.weights[number] * missed[number])
        };
        self.loads.iter().enumerate().flat_map(missed).collect()
    }

    fn run(&self, numbers: Numbers) -> State {
        State { numbers, missing: self.missed(&numbers).into_iter().map(bounded).collect() }
    }

    /// Numbers from what the model without interference misses: that beside few writes, by their share of the
    /// medium's time, is c; what is more where they wait is the share of their queue.
    pub(super) fn start(&self) -> Numbers {
        let plain = self.missed(&[0.0, 1.0, 0.0, 0.0]);
        let lost =
            |(load, missing): (&&Load, &f64)| figure(load, None) * (1.0 - (-missing).exp()) / self.latency_ns;
        let rows: Vec<(f64, f64, f64)> = self
            .loads
            .iter()
            .zip(plain.iter().step_by(FIGURES.len()))
            .filter_map(|(load, missing)| {
                let writes = load.writes.as_ref()?;
                let writing = writes.per_s * self.spec.write_cost_ns(load.block_bytes) / 1e9;
                let queue_ns = writes.latency.mean_ns() - self.spec.write_ack_ns as f64;
                Some((lost((load, missing)), writing, queue_ns / self.latency_ns))
            })
            .collect();
        // The line through the origin with the least sum of distances: beside few writes chance is as large
        // as what is lost, and one mix during which the drive stood still counts for no more than another.
        let few = rows.iter().filter(|row| row.1 > 0.0 && row.1 < FULL).map(|row| (row.0 / row.1, row.1));
        let delay = weighted_median(few.collect()).max(0.0);
        let waiting = rows.iter().filter(|row| row.1 >= FULL && row.2 > 0.2);
        let shares: Vec<f64> = waiting.map(|(lost, _, queue)| (lost - delay) / queue).collect();
        let share = if shares.is_empty() { LIKELY[2].0 } else { middle(&shares).clamp(0.0, 1.0) };
        [delay, 1.0, share, 0.0]
    }

    /// The best numbers; those that are not active stay.
    pub(super) fn fit(&self, start: Numbers, active: [bool; 4], moves: usize) -> (State, Vec<Vec<f64>>) {
        let mut state = self.run(start);
        let mut best = state.clone();
        let (mut slopes, mut reach) = (Vec::new(), 1.0);
        for turn in 0..moves {
            if SLOPES_AT.contains(&turn) {
                slopes = self.slopes(&state, active);
            }
            let step = step(&slopes, &state);
            let mut numbers = state.numbers;
            for (index, number) in numbers.iter_mut().enumerate() {
                *number = (*number + reach * step[index]).clamp(BOUNDS[index].0, BOUNDS[index].1);
            }
            let next = self.run(numbers);
            // Each run has its own chance, so that a step need not lead down; one that leads far up was too
            // long.
            if next.goal() < AWAY * best.goal() {
                (state, reach) = (next, 1.0);
            } else {
                (state, reach) = (best.clone(), reach * SHORTER);
            }
            if state.goal() < best.goal() {
                best = state.clone();
            }
        }
        (best, slopes)
    }

    /// d ln (model) / d number of each mix, for each number; all 0 for one that is not active.
    fn slopes(&self, at: &State, active: [bool; 4]) -> Vec<Vec<f64>> {
        let of = |index: usize| {
            if !active[index] {
                return vec![0.0; at.missing.len()];
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

/// The value below which half of the weight lies, of values with weights; 0 without any.
fn weighted_median(mut values: Vec<(f64, f64)>) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = values.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut below = 0.0;
    let reached = |(_, weight): &&(f64, f64)| {
        below += weight;
        below >= half
    };
    values.iter().find(reached).map_or(0.0, |(value, _)| *value)
}

/// The mean or a percentile of the reads of a load, ns. The mean is that of the reads up to [`PAUSE`]
/// medians.
fn figure(load: &Load, quantile: Option<f64>) -> f64 {
    let latency = load.reads.as_ref().map(|reads| &reads.latency);
    let figure = latency.map_or(1.0, |latency| match quantile {
        None => mean_up_to(latency, PAUSE),
        Some(quantile) => latency.quantile_ns(quantile) as f64,
    });
    figure.max(1.0)
}

/// The means of the reads and of the writes of a load, as [`figure`] takes them, ns.
pub(super) fn means(load: &Load) -> (f64, f64) {
    let writes = load.writes.as_ref().map(|writes| &writes.latency);
    (figure(load, None), writes.map_or(1.0, |latency| mean_up_to(latency, PAUSE)).max(1.0))
}

/// The mean of the latencies up to so many medians, ns.
pub(super) fn mean_up_to(latency: &Histogram, medians: f64) -> f64 {
    let most_ns = medians * latency.quantile_ns(0.5) as f64;
    let (mut sum, mut count) = (0.0, 0.0);
    for (ns, n) in latency.recorded().take_while(|(ns, _)| *ns as f64 <= most_ns) {
        sum += ns as f64 * n as f64;
        count += n as f64;
    }
    sum / f64::max(count, 1.0)
}

/// The normal equations of the squares, with what is likely as one more observation of each number.
fn normal(slopes: &[Vec<f64>]) -> [[f64; 4]; 4] {
    let mut matrix = [[0.0; 4]; 4];
    for (row, values) in matrix.iter_mut().enumerate() {
        for (column, value) in values.iter_mut().enumerate() {
            *value = dot(&slopes[row], &slopes[column]);
        }
        values[row] += (DRAWN / LIKELY[row].1).powi(2);
    }
    matrix
}

/// The Gauss-Newton step.
fn step(slopes: &[Vec<f64>], state: &State) -> Numbers {
    let right = std::array::from_fn(|row| {
        let (likely, deviation) = LIKELY[row];
        dot(&slopes[row], &state.missing) + (likely - state.numbers[row]) * (DRAWN / deviation).powi(2)
    });
    solve(normal(slopes), right)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A symmetric, positive system by elimination.
fn solve(mut matrix: [[f64; 4]; 4], mut right: Numbers) -> Numbers {
    for pivot in 0..4 {
        for row in pivot + 1..4 {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            let above = matrix[pivot];
            matrix[row].iter_mut().zip(above).for_each(|(value, above)| *value -= factor * above);
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
pub(super) fn halves(slopes: &[Vec<f64>], state: &State, counted: usize) -> Numbers {
    let free = counted.saturating_sub(4).max(1) as f64;
    let error = (state.squares() / free).sqrt().max(DRAWN);
    std::array::from_fn(|index| {
        let mut unit = [0.0; 4];
        unit[index] = 1.0;
        2.0 * error * solve(normal(slopes), unit)[index].max(0.0).sqrt()
    })
}
