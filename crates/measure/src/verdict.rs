//! From a ratio to a word, against the smallest effect that the experiment declared.
//!
//! # The rule
//!
//! Let δ be the smallest effect that matters (default 3 % for throughput, 10 % for p99). "Beyond δ" means a
//! ratio above 1 + δ or below 1 / (1 + δ), so that swapping the beds mirrors the verdict.
//!
//! | verdict | when |
//! |---|---|
//! | better, worse | the whole 99 % interval of the ratio lies beyond δ, on the good or the bad side |
//! | equivalent | the whole 95 % interval lies within δ: any difference is too small to matter |
//! | inconclusive | otherwise: neither is shown, and more runs may show it |
//!
//! With fewer than 6 pairs (or 4 + 4 unpaired runs) no distribution-free test can reach 5 %; a 99 % interval
//! from so few is hopelessly wide. Such a verdict is *exploratory*: read from the 95 % interval, marked as
//! such, a hint and no finding.
//!
//! # Why not "the 95 % interval excludes 1"
//!
//! Because that is wrong for 1 in 20 comparisons of a bed with itself, and one experiment makes dozens.
//! Asking that the *size* is shown, not only the sign, does three things at once: it makes false alarms rare;
//! it keeps a small bias (drift with beds in a fixed order, a cache warmed by the other bed) from counting as
//! an effect, which no level of confidence could; and it makes "better" say what a reader takes from it:
//! better by at least δ. The price is that an effect hardly above δ stays inconclusive until there are many
//! runs; [`Judgement::reason`] then says that the direction is clear.
//!
//! # False alarms and power
//!
//! Simulated with δ = 3 %, 6 interleaved pairs (exploratory: 3), 50 000 comparisons each. The example
//! `false_alarms` prints this table, the test of that name holds the rates on 10 000. "Messy" adds drift that
//! remembers itself (sd 3 %), a trend (up to 5 or 10 % over the run) and outliers (3 or 5 % of cells slowed
//! by 5 to 30 %). The first three columns set a bed against itself.
//!
//! | noise of a cell | better or worse | exploratory | by "95 % excludes 1" | 1.05x found | 1.1x | 1.2x | 1.5x |
//! |---|---|---|---|---|---|---|---|
//! | cv 1 % | 0.00 % | 0.00 % | 5.0 % | 38 % | 100 % | 100 % | 100 % |
//! | cv 3 % | 0.01 % | 0.48 % | 5.0 % | 3.8 % | 50 % | 99.8 % | 100 % |
//! | cv 3 %, messy | 0.02 % | 0.67 % | 4.0 % | 2.4 % | 31 % | 85 % | 99.8 % |
//! | cv 5 % | 0.07 % | 1.46 % | 5.0 % | 1.7 % | 16 % | 82 % | 100 % |
//! | cv 5 %, messy | 0.08 % | 1.41 % | 4.2 % | 1.3 % | 10 % | 60 % | 98.8 % |
//! | cv 10 % | 0.31 % | 2.80 % | 5.0 % | 0.9 % | 4.0 % | 23 % | 95 % |

use std::fmt;

use words::{Direction, say};

use crate::estimate::{CONFIDENCE, student_t};
use crate::ratio::{Ratio, times};

/// Confidence with which better and worse are decided when there are enough runs.
pub const DECISION_CONFIDENCE: f64 = 0.99;
/// Pairs from which a verdict is no longer exploratory: the least with which a sign-flip test can reach p =
/// 0.05.
const ENOUGH_PAIRS: usize = 6;
/// Unpaired runs on each side from which a verdict is no longer exploratory (Mann-Whitney: 4 + 4 reach
/// 0.029).
const ENOUGH_RUNS: usize = 4;
/// The largest number of further runs to consider; beyond it more runs will not decide.
const MOST_MORE_RUNS: usize = 500;
/// Margin in standard errors that makes the forecast number of runs suffice in four cases of five (80 % of a
/// normal distribution lies below it).
const FORECAST_MARGIN: f64 = 0.8416;

/// The result of comparing treatment with baseline. Displayed in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Better by more than the smallest effect.
    Better,
    /// Worse by more than the smallest effect.
    Worse,
    /// Any difference is within the smallest effect.
    Equivalent,
    /// None of these is shown. Never to be printed as "no difference".
    Inconclusive,
}

/// A verdict with all it was taken from.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The ratio that was judged.
    pub ratio: Ratio,
    /// The smallest effect that matters, as a share: 0.03 for 3 %.
    pub smallest_effect: f64,
    /// Too few runs for a finding: fewer than 6 pairs, or than 4 + 4 unpaired runs. The verdict is a hint.
    pub exploratory: bool,
    /// Of an inconclusive verdict: about how many more pairs (unpaired: runs of each bed) would settle it in
    /// four cases of five if ratio and spread stay as they are. `None` when more than 500 would be needed, so
    /// that more of the same is no way out.
    pub more_runs: Option<usize>,
}

/// Judge a ratio of treatment to baseline against the smallest effect that matters (0.03 for 3 %).
///
/// The [module](self) states the rule with its measured false alarms. A negative or non-finite smallest
/// effect counts as 0; a ratio that is not finite is inconclusive. A run compared with itself has ratio 1 and
/// an interval of no width: equivalent.
pub fn judge(ratio: Ratio, direction: Direction, smallest_effect: f64) -> Judgement {
    let smallest_effect = if smallest_effect.is_finite() { smallest_effect.max(0.0) } else { 0.0 };
    let exploratory = is_exploratory(&ratio);
    let mut judgement =
        Judgement { verdict: Verdict::Inconclusive, ratio, smallest_effect, exploratory, more_runs: None };

    let (low, high) = judgement.decision_interval();
    let (smallest, largest) = judgement.equivalence_limits();
    let higher = match direction {
        Direction::HigherIsBetter => (Verdict::Better, Verdict::Worse),
        Direction::LowerIsBetter => (Verdict::Worse, Verdict::Better),
    };
    judgement.verdict = if low > largest {
        higher.0
    } else if high < smallest {
        higher.1
    } else if judgement.ratio.low >= smallest && judgement.ratio.high <= largest {
        Verdict::Equivalent
    } else {
        judgement.more_runs = more_runs(&judgement.ratio, smallest_effect);
        Verdict::Inconclusive
    };
    judgement
}

/// An interval with its confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The confidence in per cent, a whole number.
    pub percent: u32,
}

/// A confidence as people write it, a whole number of per cent.
pub fn in_percent(confidence: f64) -> u32 {
    (confidence * 100.0).round() as u32
}

impl Interval {
    /// The ends of an interval at a confidence (0.95).
    pub(crate) fn of(confidence: f64, (low, high): (f64, f64)) -> Self {
        Self { low, high, percent: in_percent(confidence) }
    }
}

impl Judgement {
    /// The interval that decided the verdict: 95 % for equivalent, for all others that of
    /// [`Judgement::decision_interval`], by which an inconclusive one is neither better nor worse.
    pub fn deciding(&self) -> Interval {
        if self.verdict == Verdict::Equivalent || self.exploratory {
            return Interval::of(CONFIDENCE, (self.ratio.low, self.ratio.high));
        }
        Interval::of(DECISION_CONFIDENCE, self.decision_interval())
    }

    /// The interval by which better and worse are decided: 99 %, or 95 % when exploratory.
    pub fn decision_interval(&self) -> (f64, f64) {
        if self.exploratory {
            (self.ratio.low, self.ratio.high)
        } else {
            self.ratio.interval(DECISION_CONFIDENCE)
        }
    }

    /// The ratios between which a difference is too small to matter: (1 / (1 + δ), 1 + δ).
    pub fn equivalence_limits(&self) -> (f64, f64) {
        (1.0 / (1.0 + self.smallest_effect), 1.0 + self.smallest_effect)
    }

    /// About how many pairs (unpaired: runs of each bed) would show a finding, if ratio and spread stay as
    /// they are: never fewer than those from which a verdict is one. `None` when more than 500 more would be
    /// needed.
    pub fn repeats_to_settle(&self) -> Option<usize> {
        let (treatment, baseline) = self.ratio.pairs_or_runs;
        let least = least_runs(&self.ratio);
        let more = more_runs(&self.ratio, self.smallest_effect)?;
        Some((treatment.min(baseline) + more).max(least))
    }

    /// The reason of this verdict, in one sentence with its numbers.
    pub fn reason(&self) -> String {
        let Interval { low, high, percent } = self.deciding();
        let interval = say!("verdict-interval", percent, low = times(low), high = times(high));
        // Rounded: 0.07 x 100 has a tail of digits.
        let effect =
            say!("verdict-effect", effect = ((self.smallest_effect * 1e5).round() / 1e3).to_string());
        match self.verdict {
            Verdict::Better | Verdict::Worse => say!("verdict-beyond", interval, effect),
            Verdict::Equivalent => say!("verdict-within", interval, effect),
            Verdict::Inconclusive if low > 1.0 || high < 1.0 => match low > 1.0 {
                true => say!("verdict-above", interval, effect),
                false => say!("verdict-below", interval, effect),
            },
            Verdict::Inconclusive => {
                say!("verdict-open", interval, effect)
            }
        }
    }
}

/// About how many more pairs or runs of each bed settle the question; see [`Judgement::more_runs`].
fn more_runs(ratio: &Ratio, smallest_effect: f64) -> Option<usize> {
    let estimate = ratio.value.ln().abs();
    let limit = smallest_effect.ln_1p();
    let (confidence, least) =
        if estimate > limit { (DECISION_CONFIDENCE, least_runs(ratio)) } else { (CONFIDENCE, 0) };
    more_until(ratio, (estimate - limit).abs(), confidence, least)
}

/// About how many more pairs or runs of each bed let an interval of this confidence reach no further than
/// `distance` (of logarithms), with `least` runs at least. `None` when more than 500 would be needed.
pub(crate) fn more_until(ratio: &Ratio, distance: f64, confidence: f64, least: usize) -> Option<usize> {
    let runs = ratio.pairs_or_runs.0.min(ratio.pairs_or_runs.1);
    // With unequal sides, the number of runs on each side that would have the same standard error (harmonic
    // mean).
    let balanced = 2.0 / (1.0 / ratio.pairs_or_runs.0 as f64 + 1.0 / ratio.pairs_or_runs.1 as f64);
    let settles = |more: usize| {
        let then = balanced + more as f64;
        let standard_error = ratio.standard_error() * (balanced / then).sqrt();
        let freedom = ratio.degrees_of_freedom * (then - 1.0) / (balanced - 1.0);
        let reach = standard_error * (student_t(confidence, freedom) + FORECAST_MARGIN);
        runs + more >= least && distance >= reach
    };
    // The reach only shrinks with more runs, so the first number that settles it is found by halving.
    let (mut too_few, mut enough) = (0, MOST_MORE_RUNS);
    if !settles(enough) {
        return None;
    }
    while enough - too_few > 1 {
        let middle = usize::midpoint(too_few, enough);
        if settles(middle) { enough = middle } else { too_few = middle }
    }
    Some(enough)
}

/// The fewest pairs or runs of each bed from which a verdict is a finding.
pub(crate) fn least_runs(ratio: &Ratio) -> usize {
    if ratio.paired { ENOUGH_PAIRS } else { ENOUGH_RUNS }
}

fn is_exploratory(ratio: &Ratio) -> bool {
    let (treatment, baseline) = ratio.pairs_or_runs;
    treatment.min(baseline) < least_runs(ratio)
}

/// "better", "worse", "equivalent", "inconclusive"
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Equivalent => "equivalent",
            Verdict::Inconclusive => "inconclusive",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Direction::{HigherIsBetter, LowerIsBetter};
    use super::*;
    use crate::{paired_ratio, unpaired_ratio};
    use proptest::prelude::*;

    const BASE: [f64; 6] = [1000.0, 1010.0, 990.0, 1005.0, 995.0, 1000.0];

    /// Six pairs with these ratios.
    fn pairs(ratios: [f64; 6]) -> Ratio {
        let treatment: Vec<f64> = BASE.iter().zip(ratios).map(|(base, ratio)| base * ratio).collect();
        paired_ratio(&treatment, &BASE).unwrap()
    }

    /// As many pairs with these ratios, without noise of the baseline.
    fn pairs_of(ratios: &[f64]) -> Ratio {
        paired_ratio(ratios, &vec![1.0; ratios.len()]).unwrap()
    }

    #[test]
    fn the_four_verdicts() {
        let twice = pairs([2.3, 2.4, 2.35, 2.3, 2.28, 2.4]);
        assert_eq!(judge(twice.clone(), HigherIsBetter, 0.03).verdict, Verdict::Better);
        assert_eq!(judge(twice, LowerIsBetter, 0.03).verdict, Verdict::Worse);
        let half = pairs([0.50, 0.51, 0.49, 0.5, 0.5, 0.52]);
        assert_eq!(judge(half.clone(), HigherIsBetter, 0.03).verdict, Verdict::Worse);
        assert_eq!(judge(half, LowerIsBetter, 0.03).verdict, Verdict::Better);
        let same = pairs([1.001, 0.999, 1.002, 0.998, 1.0, 1.001]);
        assert_eq!(judge(same, HigherIsBetter, 0.03).verdict, Verdict::Equivalent);
        let unclear = pairs([1.2, 0.9, 1.1, 1.0, 0.85, 1.3]);
        assert_eq!(judge(unclear, HigherIsBetter, 0.03).verdict, Verdict::Inconclusive);
    }

    #[test]
    fn sure_of_the_sign_is_not_sure_of_the_size() {
        let judgement = judge(pairs([1.04, 1.05, 1.02, 1.04, 1.05, 1.03]), HigherIsBetter, 0.03);
        assert!(judgement.ratio.interval(0.999).0 > 1.0);
        assert_eq!(judgement.verdict, Verdict::Inconclusive);
        assert!(judgement.reason().contains("above 1, not wholly beyond the smallest effect of 3 %"));
        assert!(judgement.more_runs.is_some());
        // A real difference, too small to matter.
        let tiny = judge(pairs([1.010, 1.011, 1.009, 1.010, 1.011, 1.009]), HigherIsBetter, 0.03);
        assert!(tiny.ratio.low > 1.0);
        assert_eq!(tiny.verdict, Verdict::Equivalent);
    }

    #[test]
    fn a_run_compared_with_itself_is_equivalent() {
        for ratio in [paired_ratio(&BASE, &BASE).unwrap(), unpaired_ratio(&BASE, &BASE).unwrap()] {
            assert_eq!((ratio.low, ratio.value, ratio.high), (1.0, 1.0, 1.0));
            for smallest_effect in [0.03, 0.0, -1.0, f64::NAN] {
                let judgement = judge(ratio.clone(), HigherIsBetter, smallest_effect);
                assert_eq!(judgement.verdict, Verdict::Equivalent);
                assert!(!judgement.exploratory);
            }
        }
    }

    #[test]
    fn few_runs_give_a_verdict_marked_exploratory() {
        let three = paired_ratio(&[1510.0, 1480.0, 1530.0], &[1000.0, 1010.0, 990.0]).unwrap();
        assert!(three.low > 1.0);
        let judgement = judge(three, HigherIsBetter, 0.03);
        assert_eq!((judgement.verdict, judgement.exploratory), (Verdict::Better, true));
        assert!(judgement.reason().starts_with("the 95 % interval"));
        let odd_digits = judge(judgement.ratio, HigherIsBetter, 0.07).reason();
        assert!(odd_digits.ends_with("lies wholly beyond the smallest effect of 7 %"), "{odd_digits}");
        assert_eq!(judge(pairs_of(&[1.5, 1.5]), HigherIsBetter, 0.03).repeats_to_settle(), Some(6));
        let wide = judge(pairs_of(&[1.5, 1.3, 1.7]), HigherIsBetter, 0.03);
        assert!(wide.repeats_to_settle().is_some_and(|repeats| (6..20).contains(&repeats)));
        let near = judge(pairs_of(&[1.02, 1.05, 1.02]), HigherIsBetter, 0.03);
        assert_eq!(near.repeats_to_settle(), None, "as near to the smallest effect as can be");
        for (runs, exploratory) in [(3, true), (4, false)] {
            let ratio = unpaired_ratio(&BASE[..runs], &BASE[1..=runs]).unwrap();
            assert_eq!(judge(ratio, HigherIsBetter, 0.03).exploratory, exploratory);
        }
        assert!(!judge(pairs([1.0; 6]), HigherIsBetter, 0.03).exploratory);
    }

    #[test]
    fn the_interval_that_is_told_is_the_one_that_decided() {
        let better = judge(pairs([2.3, 2.4, 2.35, 2.3, 2.28, 2.4]), HigherIsBetter, 0.03);
        let deciding = better.deciding();
        assert_eq!((deciding.low, deciding.high), better.ratio.interval(0.99));
        assert_eq!((better.verdict, deciding.percent), (Verdict::Better, 99));
        let same = judge(pairs([1.001, 0.999, 1.002, 0.998, 1.0, 1.001]), HigherIsBetter, 0.03);
        assert_eq!((same.verdict, same.deciding().percent), (Verdict::Equivalent, 95));
        assert_eq!(same.deciding().low, same.ratio.low);
        // Its 95 % interval lies beyond the smallest effect, and the verdict does not follow from that.
        let open = judge(pairs([1.05, 1.08, 1.03, 1.06, 1.10, 1.04]), HigherIsBetter, 0.03);
        assert!(open.ratio.low > 1.03 && open.verdict == Verdict::Inconclusive, "{open:?}");
        assert!(open.deciding().low < 1.03 && open.deciding().percent == 99, "{open:?}");
        assert_eq!(judge(pairs_of(&[1.5, 1.5]), HigherIsBetter, 0.03).deciding().percent, 95);
    }

    #[test]
    fn ratios_without_spread_are_judged_by_their_size() {
        assert_eq!(judge(pairs([1.5; 6]), HigherIsBetter, 0.03).verdict, Verdict::Better);
        assert_eq!(judge(pairs([1.02; 6]), HigherIsBetter, 0.03).verdict, Verdict::Equivalent);
    }

    #[test]
    fn a_broken_ratio_is_inconclusive() {
        let broken = Ratio { value: f64::NAN, low: f64::NAN, high: f64::NAN, ..pairs([1.0; 6]) };
        let judgement = judge(broken, HigherIsBetter, 0.03);
        assert_eq!((judgement.verdict, judgement.more_runs), (Verdict::Inconclusive, None));
    }

    #[test]
    fn the_forecast_of_runs_is_what_the_formula_gives() {
        // Estimate 1.08 with spread 4 %: more of the same must come to a verdict at about the forecast.
        let ratios = [1.04, 1.13, 1.05, 1.11, 1.03, 1.12];
        let judgement = judge(pairs(ratios), HigherIsBetter, 0.03);
        assert_eq!(judgement.verdict, Verdict::Inconclusive);
        let more = judgement.more_runs.unwrap();
        let repeated = |n: usize| {
            let treatment: Vec<f64> = (0..n).map(|i| BASE[i % 6] * ratios[i % 6]).collect();
            let baseline: Vec<f64> = (0..n).map(|i| BASE[i % 6]).collect();
            judge(paired_ratio(&treatment, &baseline).unwrap(), HigherIsBetter, 0.03).verdict
        };
        assert!((1..40).contains(&more), "{more}");
        assert_eq!(repeated(6 + more.div_ceil(6) * 6), Verdict::Better);
        assert_eq!(repeated(6 + more / 3), Verdict::Inconclusive);
        // On the limit itself no number of runs decides.
        let on_the_limit =
            judge(pairs([1.03 * 1.2, 1.03 / 1.2, 1.03 * 1.1, 1.03 / 1.1, 1.03, 1.03]), HigherIsBetter, 0.03);
        assert_eq!((on_the_limit.verdict, on_the_limit.more_runs), (Verdict::Inconclusive, None));
    }

    #[test]
    fn verdicts_are_printed_in_lower_case() {
        let all = [Verdict::Better, Verdict::Worse, Verdict::Equivalent, Verdict::Inconclusive];
        assert_eq!(all.map(|verdict| verdict.to_string()), ["better", "worse", "equivalent", "inconclusive"]);
        assert_eq!(format!("{:<8}|", Verdict::Better), "better  |");
    }

    proptest! {
        #[test]
        fn swapping_the_beds_mirrors_the_verdict(
            cells in prop::collection::vec((500.0..2000.0_f64, 500.0..2000.0_f64), 2..12),
            scale in 1.0..5.0_f64,
        ) {
            let (a, b): (Vec<f64>, Vec<f64>) = cells.iter().map(|(a, b)| (a * scale, *b)).unzip();
            for ratio in [paired_ratio, unpaired_ratio] {
                let there = judge(ratio(&a, &b).unwrap(), HigherIsBetter, 0.03);
                let back = judge(ratio(&b, &a).unwrap(), HigherIsBetter, 0.03);
                let mirrored = match there.verdict {
                    Verdict::Better => Verdict::Worse,
                    Verdict::Worse => Verdict::Better,
                    same => same,
                };
                prop_assert_eq!(back.verdict, mirrored);
                prop_assert_eq!(there.verdict, judge(there.ratio.clone(), HigherIsBetter, 0.03).verdict);
                prop_assert_eq!(back.verdict, judge(there.ratio, LowerIsBetter, 0.03).verdict);
            }
        }
    }
}
