//! Changes of the mean in a history of values, one value a run.
//!
//! Method: binary segmentation (Scott and Knott 1974) and, where a split finds nothing or explains clearly
//! less than a window, circular binary segmentation (Olshen, Venkatraman et al. 2004, "Circular binary
//! segmentation for the analysis of array-based DNA copy number data"): a window finds a change that goes
//! back. Both go by the ranks of the values (Pettitt 1979, "A non-parametric approach to the change-point
//! problem"): one odd run does not hide a shift of all others, and zero has a rank like any value. A split or
//! a window is tried against the same values in random order (permutation test, as in E-divisive: Matteson
//! and James 2014); see `split`.
//!
//! Ranks draw the place of a change to the middle of a history, as a split there can have a larger sum of
//! squares than any near the end. So the place is that of the most likely step instead; see `place`. When all
//! changes are known, each is placed anew between its neighbours and tested again there.

mod place;
mod split;

use crate::typical;
use place::step;

/// Values on each side of a change, at least: a single odd run is no change.
const SEGMENT_LEAST: usize = 2;
/// Largest p of a split, and of a window. A history is searched in several parts and in both ways, so that it
/// is below the usual 0.05.
const P_MOST: f64 = 0.01;
/// Largest p of a change between its neighbours, which was found in a longer part: the usual one. Four values
/// on each side can reach it (2 of C(8, 4) = 70 orders).
const P_BESIDE_MOST: f64 = 0.05;
/// Rounds in which changes may move: a bound, as they settle after two or three.
const ROUNDS: usize = 50;

/// Values below which no change can be found: of the orders of nine values, more than 1 % split as well as
/// the best one (2 of C(9, 4) = 126); of ten, 2 of C(10, 5) = 252 do.
pub const CHANGE_VALUES_LEAST: usize = 10;

/// A change of the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Index of the first value after it.
    pub at: usize,
    /// Mean from the change before, or the start, up to it: see [`typical`].
    pub before: f64,
    /// Mean from it to the next change, or the end.
    pub after: f64,
    /// p of no change, by permutation; of the part in which it was found.
    pub p: f64,
}

/// The changes in a history of values, in order; none where a value is not finite. `smallest_effect` is the
/// share below which a change does not matter (0.03 is 3 %). The same values give the same changes.
#[must_use]
pub fn changes(values: &[f64], smallest_effect: f64) -> Vec<Change> {
    if values.iter().any(|value| !value.is_finite()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    search(values, 0, smallest_effect, &mut found);
    found.sort_unstable_by_key(|(at, _)| *at);
    settle(values, &mut found);
    while let Some(index) = least_certain(values, &found, smallest_effect) {
        found.remove(index);
        settle(values, &mut found);
    }
    let change = |index: usize| {
        let (start, end) = beside(values, &found, index);
        let (at, p) = found[index];
        Some(Change { at, before: typical(&values[start..at])?, after: typical(&values[at..end])?, p })
    };
    (0..found.len()).filter_map(change).collect()
}

/// Finds changes in values of which the first has the index `first` in the history.
fn search(values: &[f64], first: usize, effect: f64, found: &mut Vec<(usize, f64)>) {
    let ranks = split::ranks(values);
    let seed = first as u64;
    let split = || split::p_of_split(&ranks, seed, P_MOST).and_then(|p| Some((step(values)?, p)));
    let split = || split().filter(|(at, _)| is_large(&values[..*at], &values[*at..], effect));
    let window = || split::window(&ranks, seed, P_MOST);
    let window = || {
        window().filter(|(window, _)| {
            let around = [&values[..window.start], &values[window.end..]].concat();
            is_large(&around, &values[window.clone()], effect)
        })
    };
    let (split, window) = match split::is_window_likelier(&ranks) {
        true => window().map_or_else(|| (split(), None), |window| (None, Some(window))),
        false => split().map_or_else(|| (None, window()), |split| (Some(split), None)),
    };
    let mut ends = vec![0, values.len()];
    if let Some((at, p)) = split {
        ends.insert(1, at);
        found.push((first + at, p));
    } else if let Some((window, p)) = window {
        ends.splice(1..1, [window.start, window.end]);
        found.extend([(first + window.start, p), (first + window.end, p)]);
    } else {
        return;
    }
    for part in ends.windows(2) {
        search(&values[part[0]..part[1]], first + part[0], effect, found);
    }
}

/// True if the means of both sides differ by the smallest effect: as a ratio, or where a mean is not positive
/// as a share of the larger one.
fn is_large(before: &[f64], after: &[f64], effect: f64) -> bool {
    let (Some(before), Some(after)) = (typical(before), typical(after)) else { return false };
    match before > 0.0 && after > 0.0 {
        true => (after / before).ln().abs() >= effect.ln_1p(),
        false => (after - before).abs() >= effect * before.abs().max(after.abs()),
    }
}

/// The ends of the values around a change: the changes before and after it.
fn beside(values: &[f64], found: &[(usize, f64)], index: usize) -> (usize, usize) {
    let start = index.checked_sub(1).map_or(0, |before| found[before].0);
    (start, found.get(index + 1).map_or(values.len(), |after| after.0))
}

/// Places each change anew between the ones beside it until none moves: its first place was the best one
/// beside changes that were not known yet.
fn settle(values: &[f64], found: &mut [(usize, f64)]) {
    for _ in 0..ROUNDS {
        let mut moved = false;
        for index in 0..found.len() {
            let (start, end) = beside(values, found, index);
            if let Some(at) = step(&values[start..end]) {
                moved |= found[index].0 != start + at;
                found[index].0 = start + at;
            }
        }
        if !moved {
            return;
        }
    }
}

/// The change that is to go: one that is smaller than the smallest effect, else the one with the largest p
/// between its neighbours where that is too large.
fn least_certain(values: &[f64], found: &[(usize, f64)], effect: f64) -> Option<usize> {
    let is_small = |index: &usize| {
        let (start, end) = beside(values, found, *index);
        !is_large(&values[start..found[*index].0], &values[found[*index].0..end], effect)
    };
    // A change alone has the whole history around it, in which it was tested.
    (0..found.len()).find(is_small).or_else(|| {
        let open = |index: usize| {
            let (start, end) = beside(values, found, index);
            split::is_open(&split::ranks(&values[start..end]), start as u64, P_BESIDE_MOST)
                .map(|p| (index, p))
        };
        let open = (0..found.len()).filter(|_| found.len() > 1).filter_map(open);
        open.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ground::Random;

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

    /// The places of changes of at least 3 %.
    fn places(values: &[f64]) -> Vec<usize> {
        changes(values, 0.03).iter().map(|change| change.at).collect()
    }

    #[test]
    fn zero_is_a_value_like_any() {
        let step = |before: f64, after: f64| [[before; 20], [after; 20]].concat();
        for (before, after) in [(100.0, 0.0), (0.0, 100.0), (-100.0, -50.0), (100.0, 200.0)] {
            let found = changes(&step(before, after), 0.03);
            assert_eq!((found.len(), found[0].at), (1, 20), "{before} to {after}: {found:?}");
            assert_eq!((found[0].before, found[0].after), (before, after));
        }
        let mut one_zero = history(3, 40, Some((20, 0.5)));
        one_zero[3] = 0.0;
        assert_eq!(places(&one_zero), [20]);
        assert!(places(&[0.0; 40]).is_empty());
    }

    #[test]
    fn a_change_that_goes_back_is_two_changes() {
        assert_eq!(places(&[[100.0; 10], [200.0; 10], [100.0; 10]].concat()), [10, 20]);
        for (seed, (length, from, to, ratio)) in (0..).zip(
            [(30, 10, 20, 2.0), (30, 10, 20, 1.2), (40, 15, 25, 0.5), (40, 8, 16, 0.8), (400, 200, 240, 1.2)]
                .repeat(6),
        ) {
            let mut values = history(500 + seed, length, None);
            values[from..to].iter_mut().for_each(|value| *value *= ratio);
            let found = places(&values);
            assert!(found.contains(&from) && found.contains(&to), "seed {seed}, {from} to {to}: {found:?}");
        }
    }

    #[test]
    fn a_step_far_from_the_middle_is_at_its_run_and_alone() {
        let (mut right, mut more, mut trials) = (0, 0, 0);
        for (length, at, ratio) in
            [(30, 5, 0.8), (24, 4, 0.7), (40, 34, 0.9), (20, 14, 0.8), (40, 6, 1.1), (36, 30, 1.3)]
        {
            for seed in 0..15 {
                let found = places(&history(1000 + seed, length, Some((at, ratio))));
                assert!(found.iter().any(|one| one.abs_diff(at) <= 2), "{length}, {at}, {seed}: {found:?}");
                right += u32::from(found.contains(&at));
                more += found.len() - 1;
                trials += 1;
            }
        }
        assert!(trials == 90 && right >= 85 && more <= 3, "{right} right, {more} more");
    }

    #[test]
    fn false_alarms_of_both_searches_together_are_below_one_of_twenty() {
        for length in [12, 30, 60] {
            let alarms =
                (0..400).filter(|seed| !changes(&history(9000 + seed, length, None), 0.0).is_empty()).count();
            assert!(alarms <= 20, "{length} runs: {alarms} of 400");
        }
    }

    #[test]
    fn a_history_of_2000_runs_is_searched_on_a_grid_and_placed_exactly() {
        let mut values = history(77, 2000, Some((1500, 0.8)));
        values[500..560].iter_mut().for_each(|value| *value *= 1.2);
        assert_eq!(places(&values), [500, 560, 1500]);
    }

    #[test]
    fn no_change_is_smaller_than_the_smallest_effect() {
        for seed in 0..60 {
            let values = history(seed, 40, Some((5 + seed as usize % 30, 1.03)));
            for change in changes(&values, 0.03) {
                assert!((change.after / change.before).ln().abs() >= 0.03_f64.ln_1p(), "{seed}: {change:?}");
            }
        }
    }
}
