//! The question of a regression gate: is a loss beyond the margin excluded, or is it shown?
//!
//! A gate asks for less than a comparison. It does not ask whether two runs are equivalent, only whether the
//! later one is no worse (non-inferiority). A gain of any size passes, known or not.
//!
//! Let δ be the margin: the smallest effect that the experiment declared.
//!
//! | answer | when |
//! |---|---|
//! | excluded | the bad end of the 95 % interval of the ratio lies within δ |
//! | shown | the whole 99 % interval lies beyond δ on the bad side: the verdict "worse" |
//! | open | otherwise, and always with too few runs for a finding |
//!
//! The two intervals err on the safe side of each answer: a loss of exactly δ passes in at most 1 of 40
//! comparisons, and a run without a loss fails as rarely as the table of [`crate::verdict`] says, half of its
//! column "better or worse".

use words::Direction;

use crate::estimate::CONFIDENCE;
use crate::verdict::{DECISION_CONFIDENCE, Interval, Judgement, Verdict, least_runs, more_until};

/// The answer to the question of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// There is no loss beyond the margin.
    Excluded,
    /// There is a loss beyond the margin.
    Shown,
    /// Neither is shown.
    Open,
}

impl Judgement {
    /// Judges a loss beyond the smallest effect: excluded, shown or open; see the [module](self).
    pub fn loss(&self, direction: Direction) -> Loss {
        let (smallest, largest) = self.equivalence_limits();
        let within = match direction {
            Direction::HigherIsBetter => self.ratio.low >= smallest,
            Direction::LowerIsBetter => self.ratio.high <= largest,
        };
        match self.verdict {
            _ if self.exploratory => Loss::Open,
            Verdict::Worse => Loss::Shown,
            _ if within => Loss::Excluded,
            _ => Loss::Open,
        }
    }

    /// The interval by which a loss is excluded: 95 %, whatever the verdict.
    pub fn interval_of_exclusion(&self) -> Interval {
        Interval::of(CONFIDENCE, (self.ratio.low, self.ratio.high))
    }

    /// About how many pairs (unpaired: runs of each bed) would exclude or show a loss in four cases of five,
    /// if ratio and spread stay as they are: never fewer than those from which a verdict is a finding. `None`
    /// when more than 500 more would be needed.
    pub fn repeats_to_settle_loss(&self, direction: Direction) -> Option<usize> {
        let log = self.ratio.value.ln();
        let loss = match direction {
            Direction::HigherIsBetter => -log,
            Direction::LowerIsBetter => log,
        };
        let beyond = loss - self.smallest_effect.ln_1p();
        let confidence = if beyond > 0.0 { DECISION_CONFIDENCE } else { CONFIDENCE };
        let (treatment, baseline) = self.ratio.pairs_or_runs;
        let least = least_runs(&self.ratio);
        let more = more_until(&self.ratio, beyond.abs(), confidence, least)?;
        Some((treatment.min(baseline) + more).max(least))
    }
}

#[cfg(test)]
mod tests {
    use super::Direction::{HigherIsBetter, LowerIsBetter};
    use super::*;
    use crate::{judge, paired_ratio};
    use proptest::prelude::*;

    fn of(ratios: &[f64], direction: Direction) -> Judgement {
        judge(paired_ratio(ratios, &vec![1.0; ratios.len()]).unwrap(), direction, 0.03)
    }

    #[test]
    fn a_gain_of_unknown_size_is_no_loss() {
        let gain = [1.00, 1.12, 1.02, 1.10, 1.05, 1.07];
        let judged = of(&gain, HigherIsBetter);
        assert_eq!((judged.verdict, judged.loss(HigherIsBetter)), (Verdict::Inconclusive, Loss::Excluded));
        assert_eq!(judged.interval_of_exclusion().percent, 95);
        assert_eq!(of(&gain, LowerIsBetter).loss(LowerIsBetter), Loss::Open, "the same as a latency");
        let inverse = gain.map(|ratio| 1.0 / ratio);
        assert_eq!(of(&inverse, LowerIsBetter).loss(LowerIsBetter), Loss::Excluded);
    }

    #[test]
    fn the_three_answers() {
        let loss = |ratios: &[f64]| of(ratios, HigherIsBetter).loss(HigherIsBetter);
        assert_eq!(loss(&[0.90, 0.91, 0.89, 0.90, 0.91, 0.90]), Loss::Shown);
        assert_eq!(loss(&[0.999, 1.001, 1.0, 0.998, 1.002, 1.0]), Loss::Excluded);
        // A small loss for certain, and not beyond the margin.
        assert_eq!(loss(&[0.985, 0.986, 0.984, 0.985, 0.986, 0.985]), Loss::Excluded);
        assert_eq!(loss(&[0.93, 1.04, 0.96, 1.01, 0.94, 1.00]), Loss::Open);
        // Three pairs are a hint, whichever way they point.
        assert_eq!(loss(&[0.5, 0.5, 0.5]), Loss::Open);
        assert_eq!(loss(&[1.5, 1.5, 1.5]), Loss::Open);
        let broken = paired_ratio(&[1.0; 6], &[1.0; 6]).unwrap();
        let broken = crate::Ratio { value: f64::NAN, low: f64::NAN, high: f64::NAN, ..broken };
        let judged = judge(broken, HigherIsBetter, 0.03);
        assert_eq!(judged.loss(HigherIsBetter), Loss::Open);
        assert_eq!(judged.repeats_to_settle_loss(HigherIsBetter), None);
    }

    #[test]
    fn the_forecast_of_repeats_settles_the_loss() {
        // A gain of 4 % with wide noise: no number of repeats shows "better", and few exclude a loss.
        let ratios = [1.16, 0.94, 1.12, 0.96, 1.13, 0.96];
        let judged = of(&ratios, HigherIsBetter);
        assert_eq!(judged.loss(HigherIsBetter), Loss::Open);
        let repeats = judged.repeats_to_settle_loss(HigherIsBetter).unwrap();
        let many = |repeats: usize| (0..repeats).map(|at| ratios[at % 6]).collect::<Vec<_>>();
        assert!((7..40).contains(&repeats), "{repeats}");
        let settled = of(&many(repeats.div_ceil(6) * 6), HigherIsBetter);
        assert_eq!(settled.loss(HigherIsBetter), Loss::Excluded);
        assert!(judged.repeats_to_settle().is_none_or(|of_both| of_both > repeats));
        assert_eq!(of(&[1.5, 1.5], HigherIsBetter).repeats_to_settle_loss(HigherIsBetter), Some(6));
    }

    proptest! {
        #[test]
        fn a_verdict_and_a_loss_never_contradict_each_other(
            cells in prop::collection::vec((500.0..2000.0_f64, 500.0..2000.0_f64), 2..12),
            scale in 0.5..2.0_f64,
        ) {
            let (a, b): (Vec<f64>, Vec<f64>) = cells.iter().map(|(a, b)| (a * scale, *b)).unzip();
            for direction in [HigherIsBetter, LowerIsBetter] {
                let judged = judge(paired_ratio(&a, &b).unwrap(), direction, 0.03);
                let loss = judged.loss(direction);
                match judged.verdict {
                    _ if judged.exploratory => prop_assert_eq!(loss, Loss::Open),
                    Verdict::Worse => prop_assert_eq!(loss, Loss::Shown),
                    Verdict::Better | Verdict::Equivalent => prop_assert_eq!(loss, Loss::Excluded),
                    Verdict::Inconclusive => prop_assert!(loss != Loss::Shown),
                }
            }
        }
    }
}
