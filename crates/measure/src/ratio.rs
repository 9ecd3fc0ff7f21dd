//! The ratio of two beds with its uncertainty.

use std::fmt;

use crate::estimate::{CONFIDENCE, mean_and_error, student_t};
use crate::permutation::{mann_whitney, sign_flip};

/// Treatment over baseline with its 95 % interval, computed on logarithms.
///
/// Logarithms make the ratio of A to B the exact reciprocal of B to A, and suit noise that grows with the
/// value. The value is the ratio of geometric means over cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    /// Treatment / baseline.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// Cells behind it: (treatment, baseline). Equal when paired: the number of pairs.
    pub pairs_or_runs: (usize, usize),
    /// True if each treatment cell was compared with the baseline cell of its own block.
    pub paired: bool,
    /// The method of the interval, for captions.
    pub method: &'static str,
    /// Two-sided p-value of "no difference" without assumptions on the shape of noise: sign-flip permutation
    /// when paired, else Mann-Whitney. Secondary: it says nothing about the size.
    pub p_value: Option<f64>,
    /// Degrees of freedom of the interval: pairs - 1, or Welch's. With them the interval can be had at
    /// another confidence.
    pub degrees_of_freedom: f64,
}

/// The reason why two groups of values have no ratio.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatisticsError {
    /// Spread needs at least two cells on each side.
    #[error(
        "a ratio with an interval needs 2 cells or more on each side, not {treatment} and {baseline}: repeat the cells"
    )]
    TooFew {
        /// Cells of the treatment.
        treatment: usize,
        /// Cells of the baseline.
        baseline: usize,
    },
    /// Pairs need as many cells on each side.
    #[error(
        "pairs need as many cells on each side, not {treatment} and {baseline}: leave out blocks that are not complete"
    )]
    LengthsDiffer {
        /// Cells of the treatment.
        treatment: usize,
        /// Cells of the baseline.
        baseline: usize,
    },
    /// The logarithm of this value does not exist.
    #[error(
        "value {value} of {side} cell {index} is not positive and finite, so it has no ratio: exclude that cell"
    )]
    NotPositive {
        /// "treatment" or "baseline".
        side: &'static str,
        /// Index from 0 in the values given.
        index: usize,
        /// The value.
        value: f64,
    },
}

/// Ratio of cells measured in interleaved pairs: treatment\[i\] and baseline\[i\] come from the same block.
///
/// Mean of the log ratios of pairs with Student's interval; slow drift of the machine cancels within pairs.
///
/// # Errors
/// [`StatisticsError`] for fewer than 2 pairs, different lengths, or a value that is not positive and finite.
pub fn paired_ratio(treatment: &[f64], baseline: &[f64]) -> Result<Ratio, StatisticsError> {
    if treatment.len() != baseline.len() {
        return Err(StatisticsError::LengthsDiffer { treatment: treatment.len(), baseline: baseline.len() });
    }
    check(treatment, baseline)?;
    // The quotient first: equal values then have a logarithm of exactly 0.
    let logs: Vec<f64> = treatment.iter().zip(baseline).map(|(t, b)| log_quotient(*t, *b)).collect();
    let (mean, standard_error) = mean_and_error(&logs).expect("at least two finite logarithms");
    Ok(Ratio {
        p_value: sign_flip(&logs),
        paired: true,
        method: "mean of paired log ratios, Student's t",
        ..Ratio::from_log(mean, standard_error, logs.len() as f64 - 1.0, (logs.len(), logs.len()))
    })
}

/// Ratio of cells that were not measured in pairs: difference of mean logarithms with Welch's interval
/// (spreads of both sides may differ).
///
/// The same values in the same order on both sides are one measurement compared with itself: ratio 1,
/// interval \[1, 1\].
///
/// # Errors
/// [`StatisticsError`] for fewer than 2 values on a side or a value that is not positive and finite.
pub fn unpaired_ratio(treatment: &[f64], baseline: &[f64]) -> Result<Ratio, StatisticsError> {
    check(treatment, baseline)?;
    let logs = |values: &[f64]| values.iter().map(|value| value.ln()).collect::<Vec<_>>();
    let (mean_t, error_t) = mean_and_error(&logs(treatment)).expect("at least two finite logarithms");
    let (mean_b, error_b) = mean_and_error(&logs(baseline)).expect("at least two finite logarithms");
    let (free_t, free_b) = (treatment.len() as f64 - 1.0, baseline.len() as f64 - 1.0);
    let itself = treatment == baseline;
    let standard_error = if itself { 0.0 } else { error_t.hypot(error_b) };
    // Welch-Satterthwaite; without any spread there is nothing to weigh.
    let freedom = if standard_error == 0.0 {
        free_t + free_b
    } else {
        standard_error.powi(4) / (error_t.powi(4) / free_t + error_b.powi(4) / free_b)
    };
    Ok(Ratio {
        p_value: mann_whitney(treatment, baseline),
        paired: false,
        method: "difference of mean logs, Welch's t",
        ..Ratio::from_log(mean_t - mean_b, standard_error, freedom, (treatment.len(), baseline.len()))
    })
}

impl Ratio {
    fn from_log(
        mean: f64,
        standard_error: f64,
        degrees_of_freedom: f64,
        pairs_or_runs: (usize, usize),
    ) -> Self {
        let half = standard_error * student_t(CONFIDENCE, degrees_of_freedom);
        Self {
            value: mean.exp(),
            low: (mean - half).exp(),
            high: (mean + half).exp(),
            pairs_or_runs,
            paired: false,
            method: "",
            p_value: None,
            degrees_of_freedom,
        }
    }

    /// The interval at another confidence (0.99): (low, high).
    pub fn interval(&self, confidence: f64) -> (f64, f64) {
        let half = self.standard_error() * student_t(confidence, self.degrees_of_freedom);
        ((self.value.ln() - half).exp(), (self.value.ln() + half).exp())
    }

    /// Standard error of the log ratio; 0 when all cells agree.
    pub(crate) fn standard_error(&self) -> f64 {
        if self.low == self.high {
            return 0.0;
        }
        (self.high / self.low).ln() / 2.0 / student_t(CONFIDENCE, self.degrees_of_freedom)
    }

    /// The change in words of per cent: "+133 %", "-61 %".
    pub fn percent(&self) -> String {
        let percent = (self.value - 1.0) * 100.0;
        let digits = usize::from(percent.abs() < 9.95);
        let text = format!("{percent:+.digits$} %");
        // A minus before nothing says something that the figure does not.
        if text == "-0.0 %" { "+0.0 %".to_owned() } else { text }
    }
}

/// "2.33x [2.21x, 2.46x]"
impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}, {}]", times(self.value), times(self.low), times(self.high))
    }
}

/// A ratio as it is printed: "2.33x", "12.3x", "0.043x". About three digits, at least two decimals below ten.
pub fn times(ratio: f64) -> String {
    let decimals = match ratio.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.0995 || size == 0.0 => 2,
        size if size >= 0.00995 => 3,
        size if size >= 0.000_995 => 4,
        _ => return format!("{ratio:.2e}x"),
    };
    format!("{ratio:.decimals$}x")
}

/// ln(t / b), also where the quotient of extreme values over- or underflows.
fn log_quotient(t: f64, b: f64) -> f64 {
    let quotient = t / b;
    if quotient.is_normal() { quotient.ln() } else { t.ln() - b.ln() }
}

fn check(treatment: &[f64], baseline: &[f64]) -> Result<(), StatisticsError> {
    if treatment.len() < 2 || baseline.len() < 2 {
        return Err(StatisticsError::TooFew { treatment: treatment.len(), baseline: baseline.len() });
    }
    for (side, values) in [("treatment", treatment), ("baseline", baseline)] {
        if let Some(index) = values.iter().position(|value| !(value.is_finite() && *value > 0.0)) {
            return Err(StatisticsError::NotPositive { side, index, value: values[index] });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paired_ratio_of_a_worked_example() {
        // Log ratios ln 2, ln 4, ln 8: mean ln 4, s = ln 2, error ln 2 / sqrt 3, t(2) = 4.3027.
        let ratio = paired_ratio(&[20.0, 40.0, 800.0], &[10.0, 10.0, 100.0]).unwrap();
        let half = 2.0_f64.ln() / 3.0_f64.sqrt() * 4.302_652_7;
        assert!((ratio.value - 4.0).abs() < 1e-12);
        assert!(
            (ratio.low - 4.0 * (-half).exp()).abs() < 1e-6
                && (ratio.high / (4.0 * half.exp()) - 1.0).abs() < 1e-6
        );
        assert_eq!((ratio.pairs_or_runs, ratio.paired, ratio.degrees_of_freedom), ((3, 3), true, 2.0));
        assert_eq!(ratio.p_value, Some(0.25));
    }

    #[test]
    fn unpaired_ratio_of_a_worked_example() {
        // Logs 1, 2, 3 against 0, 0, 3, 5 (Welch): means 2 and 2; errors² 1/3 and 6/4; df = (11/6)² / (1/18 +
        // 9/12) = 4.17.
        let exp = |logs: &[f64]| logs.iter().map(|log| log.exp()).collect::<Vec<_>>();
        let ratio = unpaired_ratio(&exp(&[1.0, 2.0, 3.0]), &exp(&[0.0, 0.0, 3.0, 5.0])).unwrap();
        assert!((ratio.value - 1.0).abs() < 1e-12);
        assert!((ratio.degrees_of_freedom - (11.0_f64 / 6.0).powi(2) / (1.0 / 18.0 + 0.75)).abs() < 1e-9);
        assert!((ratio.standard_error() - (11.0_f64 / 6.0).sqrt()).abs() < 1e-9);
        assert_eq!((ratio.pairs_or_runs, ratio.paired), ((3, 4), false));
    }

    #[test]
    fn pairing_removes_drift_that_both_sides_share() {
        let drift = [100.0, 120.0, 140.0, 160.0, 180.0, 200.0];
        let faster: Vec<f64> = drift.iter().enumerate().map(|(i, v)| v * (1.2 + 0.001 * i as f64)).collect();
        let paired = paired_ratio(&faster, &drift).unwrap();
        let unpaired = unpaired_ratio(&faster, &drift).unwrap();
        assert!((paired.value - unpaired.value).abs() < 1e-9);
        assert!(paired.low > 1.19 && unpaired.low < 1.0, "{paired} {unpaired}");
    }

    #[test]
    fn bad_values_are_named() {
        assert_eq!(
            paired_ratio(&[1.0, 2.0], &[1.0]),
            Err(StatisticsError::LengthsDiffer { treatment: 2, baseline: 1 })
        );
        assert_eq!(paired_ratio(&[1.0], &[1.0]), Err(StatisticsError::TooFew { treatment: 1, baseline: 1 }));
        assert_eq!(
            unpaired_ratio(&[1.0, 2.0], &[]),
            Err(StatisticsError::TooFew { treatment: 2, baseline: 0 })
        );
        for bad in [0.0, -1.0, f64::INFINITY, f64::NAN] {
            let error = unpaired_ratio(&[1.0, 2.0], &[3.0, bad]).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("baseline cell 1") && text.contains(&bad.to_string()), "{text}");
            assert!(paired_ratio(&[bad, 1.0], &[3.0, 4.0]).is_err());
        }
    }

    #[test]
    fn ratios_are_printed_as_times() {
        let printed =
            [0.0, 0.00012, 0.0043, 0.0429, 0.4286, 0.995, 1.0, 2.333, 9.994, 9.996, 12.34, 99.96, 2333.0]
                .map(times);
        let expected = [
            "0.00x", "1.20e-4x", "0.0043x", "0.043x", "0.43x", "0.99x", "1.00x", "2.33x", "9.99x", "10.0x",
            "12.3x", "100x", "2333x",
        ];
        assert_eq!(printed, expected);
        let ratio = |value: f64| paired_ratio(&[value, value], &[1.0, 1.0]).unwrap();
        assert_eq!(ratio(7.0 / 3.0).to_string(), "2.33x [2.33x, 2.33x]");
        assert_eq!(
            [2.333, 0.39, 1.033, 0.9999, 1.0].map(|v| ratio(v).percent()),
            ["+133 %", "-61 %", "+3.3 %", "+0.0 %", "+0.0 %"]
        );
    }

    #[test]
    fn extreme_values_do_not_overflow() {
        let ratio = paired_ratio(&[1e300, 2e300, 1e300], &[1e-300, 1e-300, 2e-300]).unwrap();
        assert!(ratio.low > 1.0, "{ratio:?}");
        let ratio = paired_ratio(&[1e-300, 2e-300], &[1e300, 1e300]).unwrap();
        assert!(ratio.high < 1.0 && ratio.low >= 0.0, "{ratio:?}");
    }

    proptest! {
        #[test]
        fn the_ratio_back_is_the_reciprocal(
            cells in prop::collection::vec((0.1..1e4_f64, 0.1..1e4_f64), 2..25),
        ) {
            let (a, b): (Vec<f64>, Vec<f64>) = cells.into_iter().unzip();
            for ratio in [paired_ratio, unpaired_ratio] {
                let (there, back) = (ratio(&a, &b).unwrap(), ratio(&b, &a).unwrap());
                prop_assert!(there.low <= there.value && there.value <= there.high);
                for (x, y) in [(there.value, back.value), (there.low, back.high), (there.high, back.low)] {
                    prop_assert!((x * y - 1.0).abs() < 1e-9);
                }
                prop_assert_eq!(there.p_value, back.p_value);
                let (low, high) = there.interval(0.95);
                prop_assert!((low / there.low - 1.0).abs() < 1e-9 && (high / there.high - 1.0).abs() < 1e-9);
                prop_assert!(there.interval(0.99).0 <= low);
            }
        }

        #[test]
        fn identical_inputs_have_ratio_one_without_width(
            values in prop::collection::vec(1e-9..1e12_f64, 2..25),
        ) {
            for ratio in [paired_ratio, unpaired_ratio] {
                let ratio = ratio(&values, &values).unwrap();
                prop_assert_eq!((ratio.low, ratio.value, ratio.high), (1.0, 1.0, 1.0));
            }
        }

        #[test]
        fn units_do_not_matter(
            cells in prop::collection::vec((0.1..1e4_f64, 0.1..1e4_f64), 2..12),
            unit in 1e-6..1e6_f64,
        ) {
            let (a, b): (Vec<f64>, Vec<f64>) = cells.into_iter().unzip();
            let scale = |values: &[f64]| values.iter().map(|v| v * unit).collect::<Vec<_>>();
            let plain = paired_ratio(&a, &b).unwrap();
            let scaled = paired_ratio(&scale(&a), &scale(&b)).unwrap();
            prop_assert!((plain.low / scaled.low - 1.0).abs() < 1e-9);
            prop_assert!((plain.high / scaled.high - 1.0).abs() < 1e-9);
        }
    }
}
