//! Scales and their ticks: from a value to a place on paper, with round numbers at the grid lines.

/// The scale of values on an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Spread {
    /// Equal steps are equal lengths.
    Linear,
    /// Equal ratios are equal lengths; needs values above zero.
    Log,
}

/// A map from values to places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    spread: Spread,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// Maps `low` to `from` and `high` to `to`. Equal or unusable ends are widened so that the map is always
    /// defined.
    pub(crate) fn new(spread: Spread, (low, high): (f64, f64), (from, to): (f64, f64)) -> Scale {
        let spread = if low > 0.0 && high > 0.0 { spread } else { Spread::Linear };
        let (low, high) = if low.is_finite() && high.is_finite() && high > low {
            (low, high)
        } else if low.is_finite() && spread == Spread::Log {
            (low / 2.0, low * 2.0)
        } else if low.is_finite() {
            (low - 0.5, low + 0.5)
        } else {
            (0.0, 1.0)
        };
        Scale { spread, low, high, from, to }
    }

    /// The place of a value, held within the axis (a value outside is drawn at the edge, never outside the
    /// plot). NaN is at the lower end.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let share = match self.spread {
            Spread::Linear => (value - self.low) / (self.high - self.low),
            Spread::Log => (value.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln(),
        };
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        self.from + share * (self.to - self.from)
    }

    /// True for each end of an interval, the lower and the upper one, that lies beyond the axis.
    pub(crate) fn cuts(&self, (low, high): (f64, f64)) -> [bool; 2] {
        [low < self.low, high > self.high]
    }
}

/// An axis from zero (or below, if values are) to a round number above `high`, with about `wanted` grid
/// lines. The last tick is the end.
pub(crate) fn linear_ticks(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let low = if low.is_finite() { low.min(0.0) } else { 0.0 };
    let high = if high.is_finite() && high > low { high } else { low + 1.0 };
    let raw = (high - low) / wanted.max(1) as f64;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|m| m * power)
        .find(|step| *step >= raw * 0.999)
        .unwrap_or(10.0 * power);
    let first = (low / step).floor();
    let last = (high / step - 1e-9).ceil();
    let count = (last - first).clamp(1.0, 100.0) as usize;
    (0..=count).map(|index| (first + index as f64) * step).collect()
}

/// Ticks of a log axis that encloses `low..=high`: 1, 2, 5 per decade, thinned to powers of ten when there
/// would be more than `most`.
pub(crate) fn log_ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    if !(low > 0.0 && high >= low && high.is_finite()) {
        return vec![1.0, 10.0];
    }
    let decades = (low.log10().floor() as i32 - 1)..=(high.log10().ceil() as i32 + 1);
    let all = |steps: &[f64]| -> Vec<f64> {
        let values: Vec<f64> =
            decades.clone().flat_map(|d| steps.iter().map(move |s| s * 10f64.powi(d))).collect();
        let first = values.iter().rposition(|v| *v <= low * 1.0001).unwrap_or(0);
        let last = values.iter().position(|v| *v >= high * 0.9999).unwrap_or(values.len() - 1).max(first + 1);
        values[first..=last.min(values.len() - 1)].to_vec()
    };
    let fine = all(&[1.0, 2.0, 5.0]);
    if fine.len() <= most {
        return fine;
    }
    let decade = all(&[1.0]);
    let stride = decade.len().div_ceil(most.max(2));
    let mut ticks: Vec<f64> = decade.iter().copied().step_by(stride.max(1)).collect();
    if let (Some(&end), Some(&last)) = (decade.last(), ticks.last())
        && last < end
    {
        ticks.push(last * 10f64.powi(stride as i32));
    }
    ticks
}

/// Round seconds for a time axis: steps of 1, 2, 5, 10, 15, 30 s, then minutes and hours; at most `most` of
/// them.
pub(crate) fn time_ticks(low_s: f64, high_s: f64, most: usize) -> Vec<f64> {
    const STEPS_S: [f64; 15] =
        [1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 21600.0];
    let span = (high_s - low_s).max(1.0);
    let step = STEPS_S.into_iter().find(|step| span / step <= most as f64).unwrap_or(86_400.0);
    let first = (low_s / step).ceil() as i64;
    let last = (high_s / step + 1e-9).floor() as i64;
    (first..=last).take(200).map(|index| index as f64 * step).collect()
}

/// The ticks that can be labelled without touching: the first and last are kept, and of the rest every one
/// that leaves `gap` between labels. `widths` are the widths of the labels, `places` their centres in
/// ascending order.
pub(crate) fn thin(places: &[f64], widths: &[f64], gap: f64) -> Vec<bool> {
    let mut shown = vec![false; places.len()];
    let Some(last) = places.len().checked_sub(1) else {
        return shown;
    };
    shown[last] = true;
    let last_start = places[last] - widths[last] / 2.0 - gap;
    let mut free_from = f64::NEG_INFINITY;
    for index in 0..last {
        let (start, end) = (places[index] - widths[index] / 2.0, places[index] + widths[index] / 2.0);
        if start >= free_from && end <= last_start {
            shown[index] = true;
            free_from = end + gap;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ticks_are_round_and_enclose_the_data() {
        assert_eq!(linear_ticks(0.0, 9_190.0, 4), vec![0.0, 2500.0, 5000.0, 7500.0, 10_000.0]);
        assert_eq!(linear_ticks(0.0, 100.0, 4), vec![0.0, 25.0, 50.0, 75.0, 100.0]);
        assert_eq!(linear_ticks(0.0, 0.0, 4), vec![0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(linear_ticks(-3.0, 4.0, 4), vec![-4.0, -2.0, 0.0, 2.0, 4.0]);
        assert_eq!(log_ticks(0.6, 38.0, 9), vec![0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        assert_eq!(log_ticks(1.0, 1e8, 9), vec![1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]);
        assert_eq!(log_ticks(3.0, 3.0, 9), vec![2.0, 5.0]);
        assert_eq!(log_ticks(0.0, 5.0, 9), vec![1.0, 10.0]);
        assert_eq!(time_ticks(0.0, 420.0, 8), vec![0.0, 60.0, 120.0, 180.0, 240.0, 300.0, 360.0, 420.0]);
        assert_eq!(time_ticks(0.0, 3.2, 8), vec![0.0, 1.0, 2.0, 3.0]);
    }

    #[test]
    fn a_scale_of_one_value_or_of_nonsense_is_still_defined() {
        let one = Scale::new(Spread::Log, (8.0, 8.0), (0.0, 100.0));
        assert!((one.place(8.0) - 50.0).abs() < 1e-9);
        let none = Scale::new(Spread::Linear, (f64::NAN, f64::INFINITY), (0.0, 100.0));
        assert!(none.place(f64::NAN).is_finite());
        let log = Scale::new(Spread::Log, (0.5, 2.0), (0.0, 100.0));
        assert_eq!((log.place(0.0), log.place(f64::INFINITY)), (0.0, 100.0), "no end is the far end");
        assert_eq!((log.cuts((0.5, f64::INFINITY)), log.cuts((0.1, 2.0))), ([false, true], [true, false]));
        let zero = Scale::new(Spread::Log, (0.0, 10.0), (0.0, 100.0));
        assert!(
            (zero.place(5.0) - 50.0).abs() < 1e-9,
            "a log axis cannot begin at zero, so it becomes linear"
        );
    }

    #[test]
    fn crowded_tick_labels_are_left_out_but_the_ends_stay() {
        assert_eq!(thin(&[0.0, 10.0, 20.0, 100.0], &[12.0; 4], 4.0), vec![true, false, true, true]);
        assert_eq!(thin(&[0.0, 95.0, 100.0], &[12.0; 3], 4.0), vec![true, false, true]);
        assert!(thin(&[], &[], 4.0).is_empty());
    }

    proptest! {
        #[test]
        fn linear_ticks_enclose_and_stay_few(high in 1e-6f64..1e12, wanted in 2usize..8) {
            let ticks = linear_ticks(0.0, high, wanted);
            prop_assert!(ticks.len() <= wanted + 2, "{ticks:?}");
            prop_assert!(*ticks.last().expect("ticks") >= high * 0.999_999);
            prop_assert_eq!(ticks[0], 0.0);
        }

        #[test]
        fn log_ticks_enclose(low in 1e-6f64..1e6, factor in 1.0f64..1e6) {
            let high = low * factor;
            let ticks = log_ticks(low, high, 9);
            prop_assert!(ticks[0] <= low * 1.001, "{ticks:?} from {low}");
            prop_assert!(*ticks.last().expect("ticks") >= high * 0.999, "{ticks:?} to {high}");
            prop_assert!(ticks.len() <= 11, "{ticks:?}");
        }
    }
}
