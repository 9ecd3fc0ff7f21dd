//! One figure from several cells: mean with its interval, and how noisy the cells are.
//!
//! The unit of replication is the cell (a fresh start of everything), never the event or the second: values
//! passed here are one per cell.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Confidence of every interval that is printed.
pub const CONFIDENCE: f64 = 0.95;

/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The point estimate, in the unit of the values.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Number of values (cells) behind it.
    pub n: usize,
}

/// Mean with Student's 95 % interval, mean ± t(n - 1) · s / √n. `None` for fewer than two values or one that
/// is not finite.
pub fn mean_interval(values: &[f64]) -> Option<Estimate> {
    let (mean, standard_error) = mean_and_error(values)?;
    let half = standard_error * student_t(CONFIDENCE, values.len() as f64 - 1.0);
    Some(Estimate { value: mean, low: mean - half, high: mean + half, n: values.len() })
}

/// Standard deviation (n - 1) over the absolute mean. `None` for fewer than two values, one that is not
/// finite, or mean 0.
pub fn coefficient_of_variation(values: &[f64]) -> Option<f64> {
    let (mean, standard_error) = mean_and_error(values)?;
    (mean != 0.0).then(|| standard_error * (values.len() as f64).sqrt() / mean.abs())
}

/// (max - min) / |median|: the noise figure MongoDB's performance testing shows for each test bed. `None` for
/// no value, one that is not finite, or median 0.
pub fn range_over_median(values: &[f64]) -> Option<f64> {
    let median = median(values)?;
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), &v| (low.min(v), high.max(v)));
    (median != 0.0).then(|| (high - low) / median.abs())
}

/// The middle value (mean of the middle two for an even number). `None` for no value or one that is not
/// finite.
pub fn median(values: &[f64]) -> Option<f64> {
    if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    Some(if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    })
}

/// The mean for ratios and for values that vary in proportion: exp of the mean logarithm. `None` for no
/// value, or one that is not positive and finite.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let proper = !values.is_empty() && values.iter().all(|value| value.is_finite() && *value > 0.0);
    proper.then(|| (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp())
}

/// The arithmetic mean; `None` for no value or one that is not finite.
pub fn arithmetic_mean(values: &[f64]) -> Option<f64> {
    let finite = !values.is_empty() && values.iter().all(|value| value.is_finite());
    finite.then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The typical value of several repeats: their geometric mean, so that the quotient of two such values is the
/// ratio that is printed beside them; the arithmetic mean if a repeat is not positive. `None` for no value or
/// one that is not finite.
pub fn typical(values: &[f64]) -> Option<f64> {
    let arithmetic = arithmetic_mean(values)?;
    // All alike are exactly that, without the rounding of logarithms.
    let alike = values.first().filter(|first| values.iter().all(|value| value == *first)).copied();
    alike.or_else(|| geometric_mean(values)).or(Some(arithmetic))
}

/// [`typical`] with its 95 % interval: Student's on the logarithms, or on the values where one is not
/// positive. `None` for fewer than two values or one that is not finite.
pub fn typical_interval(values: &[f64]) -> Option<Estimate> {
    if values.iter().any(|value| *value <= 0.0) {
        return mean_interval(values);
    }
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let (mean, standard_error) = mean_and_error(&logs)?;
    let half = standard_error * student_t(CONFIDENCE, values.len() as f64 - 1.0);
    let (low, high) = ((mean - half).exp(), (mean + half).exp());
    let value = typical(values)?;
    let (low, high) = if half == 0.0 { (value, value) } else { (low, high) };
    Some(Estimate { value, low, high, n: values.len() })
}

/// Mean and its standard error; `None` as for [`mean_interval`]. Equal values have exactly their value and
/// exactly 0.
pub(crate) fn mean_and_error(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    if values.iter().all(|value| *value == values[0]) {
        return Some((values[0], 0.0));
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    Some((mean, (squares / (n - 1.0) / n).sqrt()))
}

/// Half-width, in standard errors, of the two-sided interval of this confidence with Student's distribution.
/// `degrees_of_freedom` below 1 or NaN count as 1.
pub(crate) fn student_t(confidence: f64, degrees_of_freedom: f64) -> f64 {
    // From a million degrees on, the distribution is normal to all digits shown, and the inversion gets slow.
    let degrees_of_freedom =
        if degrees_of_freedom.is_nan() { 1.0 } else { degrees_of_freedom.clamp(1.0, 1e6) };
    StudentsT::new(0.0, 1.0, degrees_of_freedom)
        .expect("scale and degrees of freedom are positive")
        .inverse_cdf(f64::midpoint(1.0, confidence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_stands_for_repeats_is_their_geometric_mean() {
        assert_eq!(typical(&[3.7, 3.7]), Some(3.7));
        assert!((typical(&[2.0, 8.0]).unwrap() - 4.0).abs() < 1e-12);
        assert_eq!(typical(&[0.0, 4.0]), Some(2.0), "of nothing there is no logarithm");
        assert_eq!((typical(&[]), typical(&[f64::NAN])), (None, None));
        let estimate = typical_interval(&[2.0, 8.0]).unwrap();
        assert!((estimate.value - 4.0).abs() < 1e-12 && estimate.n == 2);
        assert!(
            (estimate.low * estimate.high / 16.0 - 1.0).abs() < 1e-9,
            "as far below as above, by factors"
        );
        let same = typical_interval(&[3.7, 3.7, 3.7]).unwrap();
        assert_eq!((same.low, same.value, same.high), (3.7, 3.7, 3.7));
        assert_eq!(typical_interval(&[-1.0, 1.0]), mean_interval(&[-1.0, 1.0]));
        assert_eq!(typical_interval(&[1.0]), None);
    }

    #[test]
    fn quantiles_agree_with_printed_tables() {
        // NIST/SEMATECH e-Handbook, table 1.3.6.7.2, and for 99.8 %.
        for (confidence, freedom, expected) in [
            (0.95, 1.0, 12.706),
            (0.95, 2.0, 4.303),
            (0.95, 5.0, 2.571),
            (0.95, 30.0, 2.042),
            (0.95, 1e9, 1.960),
            (0.99, 5.0, 4.032),
            (0.998, 2.0, 22.327),
            (0.998, 5.0, 5.893),
            (0.998, 10.0, 4.144),
        ] {
            let t = student_t(confidence, freedom);
            assert!((t - expected).abs() < 6e-4, "t({confidence}, {freedom}) = {t}, table {expected}");
        }
        assert_eq!(student_t(0.95, f64::NAN), student_t(0.95, 1.0));
    }

    #[test]
    fn interval_of_a_worked_example() {
        // Mean 5, s = sqrt(10/4) = 1.5811, error 0.7071, t(4) = 2.7764.
        let estimate = mean_interval(&[3.0, 4.0, 5.0, 6.0, 7.0]).unwrap();
        assert_eq!((estimate.value, estimate.n), (5.0, 5));
        assert!(
            (estimate.low - 3.0368).abs() < 1e-4 && (estimate.high - 6.9632).abs() < 1e-4,
            "{estimate:?}"
        );
    }

    #[test]
    fn noise_figures_of_a_worked_example() {
        assert_eq!(range_over_median(&[90.0, 100.0, 120.0]), Some(0.3));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert!((coefficient_of_variation(&[9.0, 10.0, 11.0]).unwrap() - 0.1).abs() < 1e-12);
        assert!((geometric_mean(&[1.0, 4.0]).unwrap() - 2.0).abs() < 1e-12);
    }

    #[test]
    fn what_has_no_answer_is_none() {
        for values in [&[][..], &[1.0], &[1.0, f64::NAN], &[1.0, f64::INFINITY]] {
            assert_eq!(mean_interval(values), None);
            assert_eq!(coefficient_of_variation(values), None);
        }
        assert_eq!(coefficient_of_variation(&[-1.0, 1.0]), None);
        assert_eq!(range_over_median(&[]), None);
        assert_eq!(range_over_median(&[0.0, 0.0]), None);
        assert_eq!(median(&[f64::NAN]), None);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
    }

    proptest! {
        #[test]
        fn interval_holds_the_mean_and_shrinks_with_more_values(
            values in prop::collection::vec(-1e6..1e6_f64, 2..20)
        ) {
            let once = mean_interval(&values).unwrap();
            prop_assert!(once.low <= once.value && once.value <= once.high);
            let twice = mean_interval(&[values.clone(), values].concat()).unwrap();
            prop_assert!(twice.high - twice.low <= once.high - once.low);
        }

        #[test]
        fn equal_values_have_no_width(value in -1e9..1e9_f64, n in 2_usize..30) {
            let estimate = mean_interval(&vec![value; n]).unwrap();
            prop_assert_eq!((estimate.low, estimate.value, estimate.high), (value, value, value));
        }
    }
}
