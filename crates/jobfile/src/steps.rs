//! Samples of other tools as series at one-second steps.

use measure::Series;

/// The longest time of a result or a file of counters, seconds: a week. More is a slip of the pen, or a clock
/// that was set.
pub(crate) const LONGEST_S: f64 = 7.0 * 24.0 * 3600.0;

/// A value that holds for a time, seconds on the cell's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    pub(crate) from_s: f64,
    pub(crate) to_s: f64,
    pub(crate) value: f64,
}

/// A pause of more than this many usual intervals is a gap: its samples stand for a usual interval alone.
const GAP_INTERVALS: f64 = 3.0;

/// Makes samples of readings: times with the values that were read then, ascending. Each stands for the time
/// since the reading before it; the first for as long as is usual.
pub(crate) fn samples(readings: &[(f64, f64)]) -> Vec<Sample> {
    let mut pauses: Vec<f64> =
        readings.windows(2).map(|pair| pair[1].0 - pair[0].0).filter(|pause| *pause > 0.0).collect();
    pauses.sort_by(f64::total_cmp);
    let usual = pauses.get(pauses.len().saturating_sub(1) / 2).copied().unwrap_or(1.0);
    let since = |index: usize, at: f64| match index.checked_sub(1).map(|before| readings[before].0) {
        Some(before) if at - before <= usual * GAP_INTERVALS => before,
        _ => at - usual,
    };
    let sample = |(index, (at, value)): (usize, &(f64, f64))| Sample {
        from_s: since(index, *at),
        to_s: *at,
        value: *value,
    };
    readings.iter().enumerate().map(sample).filter(|sample| sample.to_s > sample.from_s).collect()
}

/// Spreads samples over the whole seconds between two times: each second is the mean of what holds in it, by
/// time, and NaN where nothing does. `None` where no second has a value.
pub(crate) fn series(
    metric: &str,
    unit: &str,
    samples: &[Sample],
    (from_s, to_s): (f64, f64),
) -> Option<Series> {
    let held = samples.iter().filter(|sample| sample.value.is_finite());
    let first = held.clone().map(|sample| sample.from_s).fold(f64::INFINITY, f64::min).max(from_s);
    let last = held.clone().map(|sample| sample.to_s).fold(f64::NEG_INFINITY, f64::max).min(to_s);
    if !(last > first && last - first <= LONGEST_S + 1.0) {
        return None;
    }
    let start_s = first.floor();
    let seconds = (last - start_s).ceil() as usize;
    let (mut sums, mut held_s) = (vec![0.0; seconds], vec![0.0; seconds]);
    for sample in held {
        let (from, to) = (sample.from_s.max(first) - start_s, sample.to_s.min(last) - start_s);
        let mut second = from.max(0.0).floor();
        while second < to {
            let part = (to.min(second + 1.0) - from.max(second)).max(0.0);
            if let (Some(sum), Some(held)) = (sums.get_mut(second as usize), held_s.get_mut(second as usize))
            {
                *sum += sample.value * part;
                *held += part;
            }
            second += 1.0;
        }
    }
    // A second is told by what holds in most of it.
    let value = |(sum, held): (&f64, &f64)| if *held >= 0.5 { sum / held } else { f64::NAN };
    let values: Vec<f64> = sums.iter().zip(&held_s).map(value).collect();
    values.iter().any(|value| value.is_finite()).then(|| Series::new(metric, unit, start_s, values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_reading_stands_for_the_time_since_the_one_before() {
        let found = samples(&[(2.0, 10.0), (4.0, 20.0), (7.0, 30.0), (30.0, 40.0)]);
        let spans: Vec<(f64, f64)> = found.iter().map(|sample| (sample.from_s, sample.to_s)).collect();
        assert_eq!(spans, [(-1.0, 2.0), (2.0, 4.0), (4.0, 7.0), (27.0, 30.0)], "a gap is no sample");
        assert_eq!(samples(&[(5.0, 1.0)])[0].from_s, 4.0);
    }

    #[test]
    fn seconds_are_means_by_time_and_nothing_where_nothing_holds() {
        let at = |from_s, to_s, value| Sample { from_s, to_s, value };
        let found = series("m", "u", &[at(0.0, 1.5, 2.0), at(1.5, 2.0, 4.0), at(4.0, 5.0, 8.0)], (0.0, 99.0));
        let found = found.unwrap();
        assert_eq!(found.start_s, 0.0);
        assert_eq!(found.values[..2], [2.0, 3.0]);
        assert!(found.values[2].is_nan() && found.values[3].is_nan() && found.values[4] == 8.0);
        assert_eq!(series("m", "u", &[at(0.0, 9.0, f64::NAN)], (0.0, 99.0)), None);
        assert_eq!(series("m", "u", &[at(0.0, 9.0, 1.0)], (20.0, 99.0)), None);
        let cut = series("m", "u", &[at(-5.0, 50.0, 1.0)], (0.0, 3.0)).unwrap();
        assert_eq!((cut.start_s, cut.values), (0.0, vec![1.0; 3]));
    }

    proptest! {
        #[test]
        fn any_readings_become_a_series_of_their_length(
            mut times in proptest::collection::vec(0.0..2000.0_f64, 1..60),
            value in -1e9..1e9_f64,
        ) {
            times.sort_by(f64::total_cmp);
            let readings: Vec<(f64, f64)> = times.iter().map(|at| (*at, value)).collect();
            let found = series("m", "u", &samples(&readings), (0.0, 2000.0));
            if let Some(found) = found {
                prop_assert!(found.values.len() <= 2001);
                for one in found.values.iter().filter(|one| one.is_finite()) {
                    prop_assert!((one - value).abs() <= value.abs() * 1e-9 + 1e-9);
                }
            }
        }
    }
}
