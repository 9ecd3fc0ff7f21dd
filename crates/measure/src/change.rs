//! Changes of the mean in a history of values, one value a run.
//!
//! Method: binary segmentation (Scott and Knott 1974). Of every split of a segment that leaves at least
//! two values on each side, the one with the largest two-sample t statistic is tried (Hawkins
//! 1977, "Testing a sequence of observations for a shift in location"). It is a change if the statistic is
//! larger than that of the same values in random order (permutation test, as in E-divisive: Matteson and
//! James 2014) and the change is not smaller than the smallest effect. Both parts are then searched again.

use ground::Random;

/// Values on each side of a change, at least: a single odd run is no change.
const SEGMENT_LEAST: usize = 2;
/// Orders that are drawn for the test of one split.
const SHUFFLES: u32 = 999;
/// Largest p of a change. A history is searched in several parts, so that it is below the usual 0.05.
const P_MOST: f64 = 0.01;

/// A change of the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Index of the first value after it.
    pub at: usize,
    /// Geometric mean from the change before, or the start, up to it.
    pub before: f64,
    /// Geometric mean from it to the next change, or the end.
    pub after: f64,
    /// p of no change, by permutation; of the segment in which it was found.
    pub p: f64,
}

/// The changes in a history of positive values, in order. `smallest_effect` is the share below which a change
/// does not matter (0.03 is 3 %). The same values give the same changes.
#[must_use]
pub fn changes(values: &[f64], smallest_effect: f64) -> Vec<Change> {
    if values.iter().any(|value| !(value.is_finite() && *value > 0.0)) {
        return Vec::new();
    }
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let mut found = Vec::new();
    search(&logs, 0, smallest_effect.ln_1p(), &mut found);
    found.sort_unstable_by_key(|(at, _)| *at);
    let ends: Vec<usize> = found.iter().map(|(at, _)| *at).chain([values.len()]).collect();
    let mut start = 0;
    let mut changes = Vec::new();
    for (&(at, p), &end) in found.iter().zip(&ends[1..]) {
        changes.push(Change {
            at,
            before: mean(&logs[start..at]).exp(),
            after: mean(&logs[at..end]).exp(),
            p,
        });
        start = at;
    }
    changes
}

fn search(logs: &[f64], first: usize, effect: f64, found: &mut Vec<(usize, f64)>) {
    let Some((at, statistic)) = best_split(logs) else { return };
    if (mean(&logs[at..]) - mean(&logs[..at])).abs() < effect {
        return;
    }
    let mut random = Random::new(first as u64);
    let mut shuffled = logs.to_vec();
    let mut as_large = 0;
    for _ in 0..SHUFFLES {
        random.shuffle(&mut shuffled);
        as_large += u32::from(best_split(&shuffled).is_some_and(|(_, other)| other >= statistic));
    }
    let p = f64::from(as_large + 1) / f64::from(SHUFFLES + 1);
    if p <= P_MOST {
        found.push((first + at, p));
        search(&logs[..at], first, effect, found);
        search(&logs[at..], first + at, effect, found);
    }
}

/// The split with the largest t statistic, and that statistic.
fn best_split(logs: &[f64]) -> Option<(usize, f64)> {
    let splits = SEGMENT_LEAST..(logs.len() + 1).saturating_sub(SEGMENT_LEAST);
    splits.map(|at| (at, statistic(&logs[..at], &logs[at..]))).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Student's t of two samples with a common variance, without its sign.
fn statistic(before: &[f64], after: &[f64]) -> f64 {
    let squares = |values: &[f64]| {
        let mean = mean(values);
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>()
    };
    let (n, m) = (before.len() as f64, after.len() as f64);
    let variance = (squares(before) + squares(after)) / (n + m - 2.0).max(1.0);
    let difference = (mean(after) - mean(before)).abs();
    // Equal values on each side: any difference is beyond noise.
    if difference == 0.0 { 0.0 } else { difference / (variance * (1.0 / n + 1.0 / m)).sqrt() }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A history with 2 % of noise and one step of the given ratio.
    fn history(seed: u64, length: usize, step: Option<(usize, f64)>) -> Vec<f64> {
        let mut random = Random::new(seed);
        let level = |index: usize| step.map_or(1.0, |(at, ratio)| if index >= at { ratio } else { 1.0 });
        (0..length).map(|index| 1000.0 * level(index) * (1.0 + 0.02 * random.normal())).collect()
    }

    #[test]
    fn a_step_is_found_within_two_runs_of_the_truth() {
        for seed in 0..20 {
            let at = 6 + (seed as usize % 13);
            let found = changes(&history(seed, 24, Some((at, 0.9))), 0.03);
            assert!(
                found
                    .iter()
                    .any(|change| change.at.abs_diff(at) <= 2
                        && (change.after / change.before - 0.9).abs() < 0.03),
                "seed {seed}, step at {at}: {found:?}"
            );
        }
    }

    #[test]
    fn at_most_one_of_twenty_histories_without_a_step_has_a_change() {
        let alarms = (0..20).filter(|seed| !changes(&history(100 + seed, 30, None), 0.0).is_empty()).count();
        assert!(alarms <= 1, "{alarms}");
    }

    #[test]
    fn two_steps_are_two_changes_and_odd_values_are_none() {
        let mut values = history(7, 30, Some((10, 0.8)));
        values[20..].iter_mut().for_each(|value| *value *= 1.3);
        let found: Vec<usize> = changes(&values, 0.03).iter().map(|change| change.at).collect();
        assert_eq!(found, [10, 20]);
        assert!(changes(&[], 0.03).is_empty() && changes(&[1.0, 2.0, 3.0], 0.03).is_empty());
        assert!(changes(&[5.0; 30], 0.0).is_empty() && changes(&[1.0, f64::NAN, 0.0, 2.0], 0.03).is_empty());
    }
}
