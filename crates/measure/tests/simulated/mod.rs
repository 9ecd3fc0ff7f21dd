//! Cells with realistic noise, for the tests and the table of false alarms.

use ground::Random;
use measure::{Direction, Ratio, Verdict, judge, paired_ratio, unpaired_ratio};

/// The disturbances of one run's cells, all on the log scale; shares, not per cent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Noise {
    /// Independent noise of each cell (about its coefficient of variation).
    pub(crate) cv: f64,
    /// Stationary standard deviation of a drift that remembers 80 % of itself from cell to cell.
    pub(crate) drift: f64,
    /// Steepest straight trend over the whole run; the actual one is uniform from -trend to +trend.
    pub(crate) trend: f64,
    /// Share of cells slowed by 5 to 30 %.
    pub(crate) outliers: f64,
}

pub(crate) const QUIET: Noise = Noise { cv: 0.01, drift: 0.0, trend: 0.0, outliers: 0.0 };
pub(crate) const USUAL: Noise = Noise { cv: 0.03, ..QUIET };
pub(crate) const USUAL_MESSY: Noise = Noise { cv: 0.03, drift: 0.03, trend: 0.05, outliers: 0.03 };
pub(crate) const LOUD: Noise = Noise { cv: 0.05, ..QUIET };
pub(crate) const LOUD_MESSY: Noise = Noise { cv: 0.05, drift: 0.03, trend: 0.10, outliers: 0.05 };
pub(crate) const WILD: Noise = Noise { cv: 0.10, ..QUIET };

/// Cells of two beds, treatment first, in interleaved pairs with random order within each pair, whose true
/// ratio is `effect`.
pub(crate) fn cells(seed: u64, pairs: usize, noise: Noise, effect: f64) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random::new(seed);
    let (mut treatment, mut baseline) = (Vec::new(), Vec::new());
    let mut drift = random.normal();
    let trend = noise.trend * (2.0 * random.unit() - 1.0);
    for pair in 0..pairs {
        let treatment_first = random.unit() < 0.5;
        for place in 0..2 {
            drift = 0.8 * drift + 0.6 * random.normal();
            let progress = (2 * pair + place) as f64 / (2 * pairs) as f64;
            let mut log = noise.cv * random.normal() + noise.drift * drift + trend * progress;
            if random.unit() < noise.outliers {
                log += (0.70 + 0.25 * random.unit()).ln();
            }
            let value = 10_000.0 * log.exp();
            if (place == 0) == treatment_first {
                treatment.push(effect * value)
            } else {
                baseline.push(value)
            }
        }
    }
    (treatment, baseline)
}

/// The share of `seeds` comparisons with each result: (better, worse, equivalent).
pub(crate) fn shares(
    seeds: u64,
    pairs: usize,
    noise: Noise,
    effect: f64,
    smallest_effect: f64,
) -> (f64, f64, f64) {
    let mut counts = [0_u32; 3];
    for seed in 0..seeds {
        match verdict(seed, pairs, noise, effect, smallest_effect) {
            Verdict::Better => counts[0] += 1,
            Verdict::Worse => counts[1] += 1,
            Verdict::Equivalent => counts[2] += 1,
            Verdict::Inconclusive => {}
        }
    }
    let [better, worse, equivalent] = counts.map(|count| f64::from(count) / seeds as f64);
    (better, worse, equivalent)
}

pub(crate) fn verdict(seed: u64, pairs: usize, noise: Noise, effect: f64, smallest_effect: f64) -> Verdict {
    judge(paired(seed, pairs, noise, effect), Direction::HigherIsBetter, smallest_effect).verdict
}

pub(crate) fn paired(seed: u64, pairs: usize, noise: Noise, effect: f64) -> Ratio {
    let (treatment, baseline) = cells(seed, pairs, noise, effect);
    paired_ratio(&treatment, &baseline).expect("simulated cells are positive and finite")
}

#[allow(dead_code, reason = "the table of the example is of paired comparisons")]
pub(crate) fn unpaired(seed: u64, runs: usize, noise: Noise, effect: f64) -> Ratio {
    let (treatment, baseline) = cells(seed, runs, noise, effect);
    unpaired_ratio(&treatment, &baseline).expect("simulated cells are positive and finite")
}
