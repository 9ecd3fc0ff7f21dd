//! The ratio of two beds with its uncertainty.

use std::fmt;

use crate::estimate::{CONFIDENCE, mean_and_error, student_t};
use crate::permutation::{mann_whitney, sign_flip};

/// Treatment over baseline with its 95 % interval, computed on logarithms.
///
/// Logarithms make the ratio of A to B the exact reciprocal of B to A, and suit noise that grows with the value. The value
/// is the ratio of geometric means over cells.
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
    /// Whether each treatment cell was set against the baseline cell of its own block.
    pub paired: bool,
    /// How the interval was computed, for captions.
    pub method: &'static str,
    /// Two-sided p-value of "no difference" without assumptions on the shape of noise: sign-flip permutation when paired,
    /// else Mann-Whitney. Secondary: it says nothing about the size.
    pub p_value: Option<f64>,
    /// Degrees of freedom of the interval: pairs - 1, or Welch's. With them the interval can be had at another confidence.
    pub degrees_of_freedom: f64,
}

/// Why two groups of values have no ratio.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatisticsError {
    /// Spread needs at least two cells on each side.
    #[error(
        "a ratio with an interval needs at least 2 cells on each side; there are {treatment} and {baseline}: repeat the cells"
    )]
    TooFew {
        /// Cells of the treatment.
        treatment: usize,
        /// Cells of the baseline.
        baseline: usize,
    },
    /// Pairs need as many cells on each side.
    #[error(
        "pairs need as many cells on each side; there are {treatment} and {baseline}: leave out blocks that are not complete"
    )]
    LengthsDiffer {
        /// Cells of the treatment.
        treatment: usize,
        /// Cells of the baseline.
        baseline: usize,
    },
    /// The logarithm of this value does not exist.
    #[error(
        "value {value} of {side} cell {index} is not a positive finite number, so it has no ratio: exclude that cell"
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

/// Ratio of cells that were not measured in pairs: difference of mean logarithms with Welch's interval (spreads of
/// both sides may differ).
///
/// The same values in the same order on both sides are one measurement compared with itself: ratio 1, interval \[1, 1\].
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
