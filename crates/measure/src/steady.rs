//! Steady state by the two criteria of the SNIA Solid State Storage Performance Test Specification (PTS,
//! Enterprise 2.0).

/// The limits of the test. Defaults are those of the specification.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyCriteria {
    /// Consecutive rounds that are looked at (PTS: 5).
    pub window: usize,
    /// Largest allowed max - min, as a share of the window's average (PTS: 0.20).
    pub excursion: f64,
    /// Largest allowed rise or fall of the least-squares line from end to end, as a share of the average
    /// (PTS: 0.10).
    pub slope: f64,
    /// Rounds after which one stops waiting and reports "not attained" (PTS: 25).
    pub max_rounds: usize,
}

impl Default for SteadyCriteria {
    fn default() -> Self {
        Self { window: 5, excursion: 0.20, slope: 0.10, max_rounds: 25 }
    }
}

/// The figures of a measurement window that a PTS report must list, unrounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyState {
    /// True if both criteria hold.
    pub attained: bool,
    /// Index (from 0) of the window's first round.
    pub window_start: usize,
    /// Average over the window, in the unit of the rounds.
    pub average: f64,
    /// Largest max - min allowed: excursion share x average.
    pub excursion_allowed: f64,
    /// max - min over the window.
    pub excursion_measured: f64,
    /// Largest end-to-end change of the fitted line allowed: slope share x average.
    pub slope_allowed: f64,
    /// |slope| x (window - 1): end-to-end change of the fitted line.
    pub slope_measured: f64,
    /// Least-squares slope, per round.
    pub slope: f64,
    /// Value of the fitted line at round index 0 of the whole sequence: the fit is `slope x index +
    /// intercept`.
    pub intercept: f64,
}

/// Test the last `criteria.window` rounds.
///
/// `None` when there are fewer rounds, the window is shorter than 2, or a value in it is not finite.
/// Computed on values as given; rounding before testing lets unsteady windows pass.
pub fn assess_steady_state(rounds: &[f64], criteria: &SteadyCriteria) -> Option<SteadyState> {
    let window_start = rounds.len().checked_sub(criteria.window)?;
    let window = &rounds[window_start..];
    if window.len() < 2 || window.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let n = window.len() as f64;
    let average = window.iter().sum::<f64>() / n;
    let centre = (n - 1.0) / 2.0;
    let products = window.iter().enumerate().map(|(i, y)| (i as f64 - centre) * (y - average));
    // Sum of squared distances of 0 ..= n-1 from their centre.
    let slope = products.sum::<f64>() / (n * (n * n - 1.0) / 12.0);
    let highest = window.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let lowest = window.iter().copied().fold(f64::INFINITY, f64::min);

    let excursion_allowed = criteria.excursion * average.abs();
    let excursion_measured = highest - lowest;
    let slope_allowed = criteria.slope * average.abs();
    let slope_measured = slope.abs() * (n - 1.0);
    Some(SteadyState {
        attained: excursion_measured <= excursion_allowed && slope_measured <= slope_allowed,
        window_start,
        average,
        excursion_allowed,
        excursion_measured,
        slope_allowed,
        slope_measured,
        slope,
        intercept: average - slope * (window_start as f64 + centre),
    })
}

/// The first window that is steady within `max_rounds`; if none is, the last one looked at, not attained.
///
/// `None` when no window could be tested (see [`assess_steady_state`]).
pub fn first_steady_state(rounds: &[f64], criteria: &SteadyCriteria) -> Option<SteadyState> {
    let last = rounds.len().min(criteria.max_rounds);
    let mut latest = None;
    for end in criteria.window..=last {
        let state = assess_steady_state(&rounds[..end], criteria);
        if state.is_some_and(|state| state.attained) {
            return state;
        }
        latest = state.or(latest);
    }
    latest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn assess(rounds: &[f64]) -> SteadyState {
        assess_steady_state(rounds, &SteadyCriteria::default()).unwrap()
    }

    #[test]
    fn figures_of_a_worked_window() {
        let state = assess(&[500.0, 98.0, 101.0, 100.0, 99.0, 102.0]);
        assert!(state.attained);
        assert_eq!(state.window_start, 1);
        assert_eq!(state.average, 100.0);
        assert_eq!((state.excursion_allowed, state.excursion_measured), (20.0, 4.0));
        // By hand: (-2)(-2) + (-1)(1) + 0 + (1)(-1) + (2)(2) = 6, over 10.
        assert!((state.slope - 0.6).abs() < 1e-12);
        assert!((state.slope_measured - 2.4).abs() < 1e-12);
        assert_eq!(state.slope_allowed, 10.0);
        assert!(
            (state.slope * 3.0 + state.intercept - 100.0).abs() < 1e-9,
            "the line passes through the centre"
        );
    }

    #[test]
    fn each_criterion_alone_refuses() {
        // A spike: excursion 21 % of the average, no slope.
        let spike = assess(&[100.0, 100.0, 122.0, 100.0, 100.0]);
        assert!(
            spike.slope_measured <= spike.slope_allowed && spike.excursion_measured > spike.excursion_allowed
        );
        assert!(!spike.attained);
        // A ramp of 3 % a round: end to end 12 % of the average, excursion 12 %.
        let ramp = assess(&[94.0, 97.0, 100.0, 103.0, 106.0]);
        assert!(
            ramp.slope_measured > ramp.slope_allowed && ramp.excursion_measured <= ramp.excursion_allowed
        );
        assert!(!ramp.attained);
    }

    #[test]
    fn limits_are_inclusive_and_unrounded() {
        assert!(assess(&[95.0, 97.5, 100.0, 102.5, 105.0]).attained, "exactly 10 % end to end");
        assert!(!assess(&[94.99, 97.5, 100.0, 102.5, 105.0]).attained, "10.004 % would round to 10.0 %");
    }

    #[test]
    fn what_cannot_be_tested_is_none() {
        let criteria = SteadyCriteria::default();
        assert_eq!(assess_steady_state(&[1.0; 4], &criteria), None);
        assert_eq!(assess_steady_state(&[1.0, 1.0, f64::NAN, 1.0, 1.0], &criteria), None);
        assert_eq!(assess_steady_state(&[1.0; 4], &SteadyCriteria { window: 1, ..criteria }), None);
        assert_eq!(first_steady_state(&[1.0; 4], &criteria), None);
    }

    #[test]
    fn the_first_steady_window_within_the_limit_is_found() {
        let mut rounds: Vec<f64> = (0..10).map(|i| 1000.0 / f64::from(i + 1)).collect();
        rounds.extend([100.0; 20]);
        let criteria = SteadyCriteria::default();
        let state = first_steady_state(&rounds, &criteria).unwrap();
        assert!(state.attained && (7..=10).contains(&state.window_start), "{state:?}");
        let impatient = first_steady_state(&rounds, &SteadyCriteria { max_rounds: 8, ..criteria }).unwrap();
        assert!(!impatient.attained);
        assert_eq!(impatient.window_start, 3);
    }

    proptest! {
        #[test]
        fn scale_does_not_matter(
            rounds in prop::collection::vec(1.0..2.0_f64, 5..12),
            scale in 1e-3..1e6_f64,
        ) {
            let scaled: Vec<f64> = rounds.iter().map(|y| y * scale).collect();
            let (a, b) = (assess(&rounds), assess(&scaled));
            let close = |x: f64, y: f64| (x - y).abs() <= 1e-9 * y.abs().max(scale);
            prop_assert!(close(a.average * scale, b.average));
            prop_assert!(close(a.excursion_measured * scale, b.excursion_measured));
            prop_assert!(close(a.slope_measured * scale, b.slope_measured));
        }

        #[test]
        fn a_line_is_recovered(start in 1.0..100.0_f64, step in -1.0..1.0_f64, rounds in 5_usize..20) {
            let line: Vec<f64> = (0..rounds).map(|i| start + step * i as f64).collect();
            let state = assess(&line);
            prop_assert!((state.slope - step).abs() < 1e-9 && (state.intercept - start).abs() < 1e-7);
        }
    }
}
