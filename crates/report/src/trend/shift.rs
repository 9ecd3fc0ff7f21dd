//! The changes of a metric, each with its size and the interval of it, and the stretches between them.

use std::ops::Range;

use super::size::Size;
use measure::{Estimate, unpaired_ratio};

/// A change of a metric between two runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shift {
    /// Index of the first value after it.
    pub(crate) at: usize,
    /// Geometric mean of the runs before it, back to the change or the break before.
    pub(crate) before: f64,
    /// Geometric mean of the runs from it on, up to the next change or break.
    pub(crate) after: f64,
    /// p of no change, by permutation (see [`measure::changes`]).
    pub(crate) p: f64,
    /// after / before with its 95 % interval; `None` where one of the means is not positive.
    pub(crate) size: Option<Size>,
    /// Runs behind the two means.
    pub(crate) runs: (usize, usize),
}

/// Runs on each side of a change that an interval needs.
const SIDE_LEAST: usize = 2;
/// Runs of a stretch from which its interval is drawn: with fewer it is wider than the plot.
const BAND_LEAST: usize = 4;

/// The changes in values by index of their run, oldest first. `breaks` are indices of runs before which the
/// machine changed: a mean is not carried across one while two runs are left on this side of it.
///
/// Places: [`measure::changes`] (ranks, permutation test). Sizes: difference of the mean logarithms of both
/// sides with Welch's 95 % interval ([`unpaired_ratio`]; Welch 1947, "The generalization of 'Student's'
/// problem when several different population variances are involved"). The interval takes the place of the
/// change as given: where the place is in doubt by a run, it is somewhat too narrow. The test below holds
/// that nine of ten or more have the true ratio.
pub(crate) fn shifts(values: &[(usize, f64)], breaks: &[usize], smallest_effect: f64) -> Vec<Shift> {
    let alone: Vec<f64> = values.iter().map(|pair| pair.1).collect();
    let found = measure::changes(&alone, smallest_effect);
    let cuts = cuts(values, breaks);
    let shift = |index: usize| {
        let change = found[index];
        let first = index.checked_sub(1).map_or(0, |before| found[before].at);
        let last = found.get(index + 1).map_or(values.len(), |after| after.at);
        let since = cuts.iter().copied().rfind(|cut| first < *cut && cut + SIDE_LEAST <= change.at);
        let until = cuts.iter().copied().find(|cut| change.at + SIDE_LEAST <= *cut && *cut < last);
        let before = &alone[since.unwrap_or(first)..change.at];
        let after = &alone[change.at..until.unwrap_or(last)];
        let mean_before = measure::typical(before).unwrap_or(change.before);
        let mean_after = measure::typical(after).unwrap_or(change.after);
        Shift {
            at: change.at,
            before: mean_before,
            after: mean_after,
            p: change.p,
            size: size((before, mean_before), (after, mean_after)),
            runs: (before.len(), after.len()),
        }
    };
    (0..found.len()).map(shift).collect()
}

/// The ratio of two means with Welch's interval, which no rounding takes away from it: where all values of
/// each side are alike, it is the ratio itself.
fn size((before, mean_before): (&[f64], f64), (after, mean_after): (&[f64], f64)) -> Option<Size> {
    let ratio = mean_after / mean_before;
    let has_ratio = mean_before > 0.0 && mean_after > 0.0 && ratio.is_finite() && ratio > 0.0;
    let is_alike = |values: &[f64]| values.iter().all(|value| *value == values[0]);
    let ends = unpaired_ratio(after, before).ok().map(|of| match is_alike(before) && is_alike(after) {
        true => (ratio, ratio),
        false => (of.low.min(ratio), of.high.max(ratio)),
    });
    has_ratio.then_some(Size { ratio, ends })
}

/// The breaks as indices into the values: of the first value from the break on.
fn cuts(values: &[(usize, f64)], breaks: &[usize]) -> Vec<usize> {
    let at = |run: &usize| values.iter().position(|(index, _)| index >= run).filter(|at| *at > 0);
    let mut cuts: Vec<usize> = breaks.iter().filter_map(at).collect();
    cuts.dedup();
    cuts
}

/// Runs in a row without a change or a break between them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stretch {
    /// Indices into the values.
    pub(crate) of: Range<usize>,
    /// Their geometric mean.
    pub(crate) mean: f64,
    /// Ends of the 95 % interval of the mean, from four runs on.
    pub(crate) band: Option<(f64, f64)>,
}

/// The stretches of values between changes and breaks, oldest first.
pub(crate) fn stretches(values: &[(usize, f64)], shifts: &[Shift], breaks: &[usize]) -> Vec<Stretch> {
    let mut ends: Vec<usize> = shifts.iter().map(|shift| shift.at).collect();
    ends.extend(cuts(values, breaks));
    ends.push(values.len());
    ends.sort_unstable();
    ends.dedup();
    let mut first = 0;
    let mut found = Vec::new();
    for end in ends {
        let own: Vec<f64> = values[first..end].iter().map(|pair| pair.1).collect();
        if let Some(mean) = measure::typical(&own) {
            let band = measure::typical_interval(&own).filter(|_| own.len() >= BAND_LEAST);
            found.push(Stretch { of: first..end, mean, band: band.map(|of| (of.low, of.high)) });
        }
        first = end;
    }
    found
}

/// The share by which one run differs from the mean of its stretch: the standard deviation of the logarithms
/// within stretches, pooled (Σ squares / Σ (n - 1)), and the runs behind it. A stretch with a value that is
/// not positive has no logarithms and is left out. `None` with fewer than two degrees of freedom.
pub(crate) fn noise(values: &[(usize, f64)], stretches: &[Stretch]) -> Option<(f64, usize)> {
    let (mut squares, mut freedom, mut runs) = (0.0, 0, 0);
    for stretch in stretches {
        let own = &values[stretch.of.clone()];
        if own.len() < 2 || own.iter().any(|pair| pair.1 <= 0.0) {
            continue;
        }
        squares += own.iter().map(|pair| (pair.1 / stretch.mean).ln().powi(2)).sum::<f64>();
        freedom += own.len() - 1;
        runs += own.len();
    }
    (freedom >= 2 && squares.is_finite()).then(|| ((squares / freedom as f64).sqrt(), runs))
}

/// The latest value beside the mean of the runs before it in its stretch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Latest {
    /// Latest / mean with its interval; `None` where one of the two is not positive.
    pub(crate) size: Option<Size>,
    /// Geometric mean of the runs before it in its stretch.
    pub(crate) mean: f64,
    /// Their number.
    pub(crate) runs: usize,
}

/// The latest value against the mean of the runs before it in its stretch; `None` where it is the first of
/// the stretch. The interval is that of the difference of one more run from a mean,
/// t(n - 1) · s · √(1 + 1/n) on logarithms (prediction interval of a normal sample; Hahn and Meeker 1991,
/// "Statistical Intervals", 4.7).
pub(crate) fn latest(values: &[(usize, f64)], stretches: &[Stretch]) -> Option<Latest> {
    let stretch = stretches.last()?;
    let (last, before) = values[stretch.of.clone()].split_last()?;
    let before: Vec<f64> = before.iter().map(|pair| pair.1).collect();
    let mean = measure::typical(&before)?;
    let ratio = last.1 / mean;
    // The interval of the mean is t · s / √n.
    let ends = |of: Estimate| {
        let half = (of.high / of.value).ln() * (before.len() as f64 + 1.0).sqrt();
        ((ratio * (-half).exp()).min(ratio), (ratio * half.exp()).max(ratio))
    };
    let is_positive = before.iter().chain([&last.1]).all(|value| *value > 0.0);
    let interval = measure::typical_interval(&before).filter(|_| is_positive);
    let size = (mean > 0.0 && last.1 > 0.0).then(|| Size { ratio, ends: interval.map(ends) });
    Some(Latest { size, mean, runs: before.len() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ground::Random;

    /// A history with noise and a step, by run.
    fn history(seed: u64, length: usize, (at, ratio): (usize, f64), noise: f64) -> Vec<(usize, f64)> {
        let mut random = Random::new(seed);
        let level = |index: usize| if index >= at { ratio } else { 1.0 };
        (0..length).map(|index| (index, 1000.0 * level(index) * (noise * random.normal()).exp())).collect()
    }

    #[test]
    fn the_interval_of_a_change_has_the_true_ratio_in_nine_of_ten_histories() {
        for (length, at, noise) in [(12, 6, 0.02), (16, 5, 0.02), (30, 20, 0.03), (24, 12, 0.04)] {
            let (mut found, mut held) = (0.0, 0.0);
            for seed in 0..300 {
                let values = history(seed, length, (at, 0.88), noise);
                for shift in shifts(&values, &[], 0.03).iter().filter(|one| one.at.abs_diff(at) <= 1) {
                    let size = shift.size.unwrap();
                    let (low, high) = size.ends.unwrap();
                    assert!(low <= size.ratio && size.ratio <= high);
                    found += 1.0;
                    held += f64::from(u8::from(low <= 0.88 && 0.88 <= high));
                }
            }
            assert!(found >= 270.0, "{length} {at}: {found}");
            assert!(held >= 0.9 * found, "{length} {at}: {held} of {found}");
        }
    }

    #[test]
    fn a_mean_is_not_carried_across_a_break() {
        let mut values = history(1, 16, (6, 0.8), 0.005);
        values[12..].iter_mut().for_each(|pair| pair.1 *= 1.01);
        let whole = shifts(&values, &[], 0.03);
        let cut = shifts(&values, &[12], 0.03);
        assert_eq!((whole[0].runs, cut[0].runs), ((6, 10), (6, 6)));
        assert!(cut[0].after < whole[0].after);
        let found = stretches(&values, &cut, &[12]);
        assert_eq!(found.iter().map(|one| one.of.clone()).collect::<Vec<_>>(), [0..6, 6..12, 12..16]);
        assert!(
            found.iter().all(|one| one.band.is_some_and(|(low, high)| low < one.mean && one.mean < high))
        );
        // One run before a break has no spread: the whole side stands for it.
        assert_eq!(shifts(&values, &[7], 0.03)[0].runs, (6, 10));
        assert_eq!(stretches(&values[..3], &[], &[])[0].band, None, "too few for a band");
        assert!(stretches(&[], &[], &[]).is_empty());
    }

    #[test]
    fn a_value_that_a_run_lacks_moves_no_break() {
        let values = [(0, 1.0), (1, 1.0), (4, 1.0), (5, 1.0)];
        assert_eq!(cuts(&values, &[0, 3, 4, 9]), [2], "before the first and after the last there is none");
    }

    #[test]
    fn the_latest_run_is_within_its_interval_in_nineteen_of_twenty_histories() {
        let trials = 2000;
        let outside = (0..trials).filter(|seed| {
            let values = history(*seed, 8, (0, 1.0), 0.03);
            let latest = latest(&values, &stretches(&values, &[], &[])).unwrap();
            assert_eq!(latest.runs, 7);
            latest.size.unwrap().is_sure()
        });
        let share = outside.count() as f64 / trials as f64;
        assert!((0.035..0.065).contains(&share), "{share}");
        let one = [(0, 5.0)];
        assert_eq!(latest(&one, &stretches(&one, &[], &[])), None);
    }

    /// Values of runs from 0 on.
    fn of_runs(values: &[f64]) -> Vec<(usize, f64)> {
        values.iter().copied().enumerate().collect()
    }

    #[test]
    fn the_interval_of_values_that_are_alike_is_their_ratio() {
        for (before, after) in [(3.0, 7.0), (100.0, 30.1), (0.1, 0.7)] {
            let found = shifts(&of_runs(&[[before; 10], [after; 10]].concat()), &[], 0.03);
            let size = found[0].size.unwrap();
            assert_eq!((found.len(), size.ends), (1, Some((size.ratio, size.ratio))));
        }
        for noise in [1e-15, 1e-14, 1e-12, 1e-9] {
            for shift in shifts(&history(4, 30, (12, 0.5), noise), &[], 0.03) {
                let size = shift.size.unwrap();
                let (low, high) = size.ends.unwrap();
                assert!(low <= size.ratio && size.ratio <= high, "{noise}: {size:?}");
            }
        }
    }

    #[test]
    fn means_that_are_not_positive_have_no_ratio() {
        for (before, after) in [(100.0, 0.0), (0.0, 100.0), (-2.0, -1.0)] {
            let values = of_runs(&[[before; 20], [after; 20]].concat());
            let found = shifts(&values, &[], 0.03);
            assert_eq!((found.len(), found[0].at, found[0].size), (1, 20, None));
            assert_eq!((found[0].before, found[0].after), (before, after));
            let latest = latest(&values, &stretches(&values, &found, &[])).unwrap();
            assert_eq!((latest.size.is_some(), latest.mean, latest.runs), (after > 0.0, after, 19));
        }
        // One zero among others: the means are positive, and their ratio has no interval of logarithms.
        let mut values = history(5, 40, (20, 0.5), 0.02);
        values[3].1 = 0.0;
        let found = shifts(&values, &[], 0.03);
        let size = found[0].size.unwrap();
        assert!(found.len() == 1 && found[0].at == 20 && size.ends.is_none() && size.ratio < 0.6);
        let (share, runs) = noise(&values, &stretches(&values, &found, &[])).unwrap();
        assert!((0.012..0.03).contains(&share) && runs == 20, "{share}");
    }

    #[test]
    fn noise_is_the_spread_within_stretches() {
        let values = history(3, 200, (100, 0.5), 0.02);
        let found = shifts(&values, &[], 0.03);
        let (share, runs) = noise(&values, &stretches(&values, &found, &[])).unwrap();
        assert!((0.017..0.023).contains(&share) && runs == 200, "{share}");
        assert_eq!(noise(&values[..2], &stretches(&values[..2], &[], &[])), None);
    }
}
