//! Changes of the mean in a history of values, one value a run.
//!
//! Method: binary segmentation (Scott and Knott 1974). Of every split of a segment that leaves at least
//! two values on each side, the one with the largest two-sample t statistic of the ranks is tried (Pettitt
//! 1979, "A non-parametric approach to the change-point problem"): one odd run among values does not hide a
//! shift of all others. It is a change if the statistic is larger than that of the same values in random
//! order (permutation test, as in E-divisive: Matteson and James 2014) and the change is not smaller than the
//! smallest effect. Both parts are then searched again.

use ground::Random;

/// Values on each side of a change, at least: a single odd run is no change.
const SEGMENT_LEAST: usize = 2;
/// Orders that are drawn for the test of one split: enough that chance moves a p near its limit by a tenth of
/// it only.
const SHUFFLES: u32 = 9999;
/// Sums of squares of ranks that differ by less are alike.
const ROUNDING: f64 = 1e-6;
/// Largest p of a change. A history is searched in several parts, so that it is below the usual 0.05.
const P_MOST: f64 = 0.01;

/// Values below which no change can be found: of the orders of nine values, more than [`P_MOST`] split as
/// well as the best one (2 of C(9, 4) = 126); of ten, 2 of C(10, 5) = 252 do.
pub const CHANGE_VALUES_LEAST: usize = 10;

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
    settle(&logs, &mut found);
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
    let ranks = ranks(logs);
    let Some((at, statistic)) = best_split(&ranks).filter(|(_, between)| *between > ROUNDING) else { return };
    if (mean(&logs[at..]) - mean(&logs[..at])).abs() < effect {
        return;
    }
    let mut random = Random::new(first as u64);
    let mut shuffled = ranks;
    let mut as_large = 0;
    for _ in 0..SHUFFLES {
        random.shuffle(&mut shuffled);
        as_large += u32::from(best_split(&shuffled).is_some_and(|(_, other)| other >= statistic - ROUNDING));
    }
    let p = f64::from(as_large + 1) / f64::from(SHUFFLES + 1);
    if p <= P_MOST {
        found.push((first + at, p));
        search(&logs[..at], first, effect, found);
        search(&logs[at..], first + at, effect, found);
    }
}

/// Places each change anew between the ones beside it: its first place was the best one beside changes that
/// were not known yet.
fn settle(logs: &[f64], found: &mut [(usize, f64)]) {
    for index in 0..found.len() {
        let start = index.checked_sub(1).map_or(0, |before| found[before].0);
        let end = found.get(index + 1).map_or(logs.len(), |after| after.0);
        if let Some((at, _)) = best_split(&ranks(&logs[start..end])) {
            found[index].0 = start + at;
        }
    }
}

/// The ranks of values from 1; equal values share their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| *other == value).count();
        below as f64 + (equal as f64 + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// The split with the largest sum of squares between its two sides, and that sum. It grows with Student's t
/// of the two sides, as all orders of the same ranks have one total sum of squares.
fn best_split(ranks: &[f64]) -> Option<(usize, f64)> {
    let (count, sum) = (ranks.len() as f64, ranks.iter().sum::<f64>());
    let mut before = 0.0;
    let mut best: Option<(usize, f64)> = None;
    for (index, rank) in ranks.iter().enumerate() {
        before += rank;
        let at = index + 1;
        if at < SEGMENT_LEAST || at + SEGMENT_LEAST > ranks.len() {
            continue;
        }
        let share = at as f64 / count;
        let between = (before - share * sum).powi(2) / (count * share * (1.0 - share));
        // Ranks are halves: what differs by less is rounding.
        if best.is_none_or(|(_, largest)| between > largest + ROUNDING) {
            best = Some((at, between));
        }
    }
    best
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
    fn one_odd_run_does_not_hide_a_shift_of_all_others() {
        let before = [8500.0, 12_700.0, 9100.0, 10_400.0, 8900.0, 11_200.0];
        let after = [14_100.0, 33_300.0, 15_000.0, 14_600.0, 16_100.0, 14_300.0];
        let found = changes(&[before, after].concat(), 0.03);
        assert_eq!(found.iter().map(|change| change.at).collect::<Vec<_>>(), [6], "{found:?}");
    }

    #[test]
    fn a_change_is_found_in_the_least_number_of_values_and_in_no_fewer() {
        let step = |count: usize| {
            let values: Vec<f64> = (0..count)
                .map(|index| if index < count / 2 { 100.0 } else { 200.0 } + index as f64)
                .collect();
            changes(&values, 0.03).len()
        };
        assert_eq!([CHANGE_VALUES_LEAST - 1, CHANGE_VALUES_LEAST].map(step), [0, 1]);
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
