//! One bed against another in one metric at one level.

use crate::level::LevelUnit;
use measure::{Direction, Interval, Judgement, StatisticsError, Verdict};
use serde::{Deserialize, Serialize};
use words::{Metric, Shown, say};

/// A ratio with everything that is needed to read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Contrast {
    /// Name of the workload.
    pub workload: String,
    /// The load of this step.
    pub level: f64,
    /// The unit of levels: `virtual users`, `depth`, `IOPS`.
    pub level_name: LevelUnit,
    /// The metric.
    pub metric: Metric,
    /// Its unit (`1/min`).
    pub unit: String,
    /// Name of the bed above the line of the ratio.
    pub treatment_bed: String,
    /// Name of the bed below it.
    pub baseline_bed: String,
    /// Geometric mean over the repeats of the treatment, in `unit`: the quotient of the two values is the
    /// ratio.
    pub treatment_value: f64,
    /// Geometric mean over the repeats of the baseline, in `unit`.
    pub baseline_value: f64,
    /// Ratio, interval and verdict of this contrast taken alone.
    pub judgement: Judgement,
    /// The direction of improvement.
    pub direction: Direction,
    /// True if the metric was declared before the run; the others are exploratory.
    pub primary: bool,
    /// For exploratory metrics: [`Contrast::p_interval`] raised by Holm's rule for the number of exploratory
    /// contrasts.
    pub p_adjusted: Option<f64>,
}

/// A contrast that could not be judged, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Unjudged {
    /// Name of the workload.
    pub workload: String,
    /// The load of this step.
    pub level: f64,
    /// The unit of levels.
    pub level_name: LevelUnit,
    /// The metric.
    pub metric: Metric,
    /// Name of the bed.
    pub treatment_bed: String,
    /// Name of the bed it should have been set against.
    pub baseline_bed: String,
    /// Valid cells on each side: treatment, baseline.
    pub cells: (usize, usize),
    /// The values of both sides (see [`measure::typical`]), in the metric's unit; `None` where nothing
    /// counts.
    pub values: (Option<f64>, Option<f64>),
    /// True if the metric was declared before the run.
    pub primary: bool,
    /// The reason why there is no ratio.
    pub reason: StatisticsError,
}

impl Unjudged {
    /// The values of both sides, if only an interval is wanting.
    pub(crate) fn both(&self) -> Option<(f64, f64)> {
        let (above, below) = (self.values.0?, self.values.1?);
        matches!(self.reason, StatisticsError::TooFew { .. }).then_some((above, below))
    }
}

/// Above this adjusted p an exploratory difference is called inconclusive.
const EXPLORATORY_P_MOST: f64 = 0.05;

/// A verdict as it may be printed: an open one whose interval excludes 1 has a direction. The names are
/// stored with runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Printed {
    Better,
    Worse,
    Equivalent,
    Inconclusive,
    HigherOpen,
    LowerOpen,
}

impl Printed {
    /// A verdict whose direction is not told.
    pub(crate) fn plain(verdict: Verdict) -> Printed {
        match verdict {
            Verdict::Better => Printed::Better,
            Verdict::Worse => Printed::Worse,
            Verdict::Equivalent => Printed::Equivalent,
            Verdict::Inconclusive => Printed::Inconclusive,
        }
    }

    /// Its word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Printed::Better => say!("verdict-better"),
            Printed::Worse => say!("verdict-worse"),
            Printed::Equivalent => say!("verdict-equivalent"),
            Printed::Inconclusive => say!("verdict-inconclusive"),
            Printed::HigherOpen => say!("verdict-higher-open"),
            Printed::LowerOpen => say!("verdict-lower-open"),
        }
    }

    /// The verdict without its direction.
    pub(crate) fn verdict(self) -> Verdict {
        match self {
            Printed::Better => Verdict::Better,
            Printed::Worse => Verdict::Worse,
            Printed::Equivalent => Verdict::Equivalent,
            Printed::Inconclusive | Printed::HigherOpen | Printed::LowerOpen => Verdict::Inconclusive,
        }
    }

    /// The word, marked as a hint where it is one. Where nothing is shown, nothing is hinted at.
    pub(crate) fn said(self, is_hint: bool) -> String {
        let word = self.word();
        match is_hint && self != Printed::Inconclusive {
            true => say!("verdict-hint", verdict = word),
            false => word.to_owned(),
        }
    }
}

impl Contrast {
    /// p of "no difference" by Student's t on the logs, as the intervals are made: one minus the confidence
    /// of the interval that just touches 1, from one in a million on. The test of
    /// [`measure::Ratio::p_value`] is another one and cannot fall below 0.031 for six pairs.
    pub fn p_interval(&self) -> f64 {
        p_of_interval(&self.judgement.ratio)
    }

    /// The verdict that may be printed: that of the judgement, but an exploratory difference must also
    /// survive the correction for the number of questions asked.
    pub fn verdict(&self) -> Verdict {
        match self.judgement.verdict {
            Verdict::Better | Verdict::Worse if !self.survives() => Verdict::Inconclusive,
            verdict => verdict,
        }
    }

    /// The verdict as a word; one from too few repeats is marked as the hint that it is.
    pub(crate) fn judged(&self) -> String {
        self.printed().said(self.judgement.exploratory)
    }

    /// The verdict that may be printed, with the direction of a difference whose size is open: the deciding
    /// interval excludes 1, but no difference below the smallest effect.
    pub(crate) fn printed(&self) -> Printed {
        let is_open = self.judgement.verdict == Verdict::Inconclusive && self.survives();
        let Interval { low, high, .. } = self.judgement.deciding();
        match self.verdict() {
            Verdict::Inconclusive if is_open && low > 1.0 => Printed::HigherOpen,
            Verdict::Inconclusive if is_open && high < 1.0 => Printed::LowerOpen,
            verdict => Printed::plain(verdict),
        }
    }

    /// True if it was declared before the run, or withstands the correction for the number of questions.
    fn survives(&self) -> bool {
        self.p_adjusted.is_none_or(|p| p <= EXPLORATORY_P_MOST)
    }

    /// The verdict for a colour, which cannot say that it is a hint: none of too few repeats.
    pub(crate) fn finding(&self) -> Option<Verdict> {
        (!self.judgement.exploratory).then(|| self.verdict())
    }

    /// The form in which the report shows the metric.
    pub(crate) fn shown_metric(&self) -> Option<Shown> {
        self.metric.shown()
    }
}

/// The terms of comparing two groups of repeats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'a> {
    pub(crate) workload: &'a str,
    pub(crate) level: f64,
    pub(crate) level_name: &'a LevelUnit,
    pub(crate) metric: Shown,
    pub(crate) primary: bool,
    pub(crate) treatment_bed: &'a str,
    pub(crate) baseline_bed: &'a str,
    /// Smallest effect of interest as a share.
    pub(crate) smallest_effect: f64,
    /// True if cells with the same repeat number were run in the same randomised block.
    pub(crate) blocks: bool,
}

/// Compares repeats: number of the repeat and value.
///
/// Paired by repeat when the cells were interleaved in blocks and no repeat of either side is missing, else
/// unpaired.
///
/// # Errors
/// [`Unjudged`] when there are too few repeats or a value that has no ratio; boxed because it is rare and
/// large.
pub(crate) fn ask(
    question: Question<'_>,
    treatment: &[(u32, f64)],
    baseline: &[(u32, f64)],
) -> Result<Contrast, Box<Unjudged>> {
    let values = |side: &[(u32, f64)]| side.iter().map(|(_, value)| *value).collect::<Vec<f64>>();
    let repeats = |side: &[(u32, f64)]| side.iter().map(|(repeat, _)| *repeat).collect::<Vec<u32>>();
    let paired = question.blocks && repeats(treatment) == repeats(baseline);
    let (above, below) = (values(treatment), values(baseline));
    let ratio =
        if paired { measure::paired_ratio(&above, &below) } else { measure::unpaired_ratio(&above, &below) };
    let Question { workload, level, level_name, metric, primary, treatment_bed, baseline_bed, .. } = question;
    let ratio = ratio.map_err(|reason| {
        Box::new(Unjudged {
            workload: workload.to_owned(),
            level,
            level_name: level_name.clone(),
            metric: metric.metric,
            treatment_bed: treatment_bed.to_owned(),
            baseline_bed: baseline_bed.to_owned(),
            cells: (above.len(), below.len()),
            values: (measure::typical(&above), measure::typical(&below)),
            primary,
            reason,
        })
    })?;
    // Metrics without a direction are never asked about; higher is the harmless reading should one slip in.
    let direction = metric.direction.unwrap_or(Direction::HigherIsBetter);
    // The ratio exists, so every value is positive and its quotient is that of these.
    let mean = |side: &[f64]| measure::typical(side).unwrap_or(f64::NAN);
    Ok(Contrast {
        workload: workload.to_owned(),
        level,
        level_name: level_name.clone(),
        metric: metric.metric,
        unit: metric.unit.to_owned(),
        treatment_bed: treatment_bed.to_owned(),
        baseline_bed: baseline_bed.to_owned(),
        treatment_value: mean(&above),
        baseline_value: mean(&below),
        judgement: measure::judge(ratio, direction, question.smallest_effect),
        direction,
        primary,
        p_adjusted: None,
    })
}

/// Raises the p-values of the exploratory contrasts by Holm's rule and stores them.
///
/// The p is that of the t interval, not of the permutation test: six pairs cannot have a permutation p below
/// 0.031, so with Holm over dozens of contrasts no difference, however large, could ever be distinguished
/// from noise.
pub(crate) fn correct_exploratory(contrasts: &mut [Contrast]) {
    let exploratory: Vec<usize> = (0..contrasts.len()).filter(|&index| !contrasts[index].primary).collect();
    let p: Vec<f64> = exploratory.iter().map(|&index| contrasts[index].p_interval()).collect();
    for (&index, adjusted) in exploratory.iter().zip(measure::holm(&p)) {
        contrasts[index].p_adjusted = Some(adjusted);
    }
}

/// The p at which the interval would just touch 1: one minus the confidence of that interval, found by
/// bisection.
fn p_of_interval(ratio: &measure::Ratio) -> f64 {
    if ratio.low == ratio.high {
        return if ratio.value == 1.0 { 1.0 } else { 0.0 };
    }
    let holds_one = |confidence: f64| {
        let (low, high) = ratio.interval(confidence);
        low <= 1.0 && 1.0 <= high
    };
    // Bisected on the logarithm of p, down to one in a million: below that the shape of the tail is a
    // fiction.
    let (mut low, mut high) = (-6.0f64, 0.0f64);
    if !holds_one(1.0 - 10f64.powf(low)) {
        return 10f64.powf(low);
    }
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if holds_one(1.0 - 10f64.powf(middle)) { low = middle } else { high = middle }
    }
    10f64.powf(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentences;
    use crate::table::Entry;
    use words::LevelName;

    fn question(blocks: bool) -> Question<'static> {
        Question {
            workload: "tpcc",
            level: 8.0,
            level_name: &LevelUnit::Known(LevelName::VirtualUsers),
            metric: Metric::Nopm.shown().expect("nopm is in the table"),
            primary: true,
            treatment_bed: "nvme",
            baseline_bed: "eco",
            smallest_effect: 0.03,
            blocks,
        }
    }

    fn repeats(values: &[f64]) -> Vec<(u32, f64)> {
        values.iter().enumerate().map(|(index, value)| (index as u32, *value)).collect()
    }

    /// These values against a baseline of 1.
    fn beside_one(above: &[f64]) -> Contrast {
        ask(question(true), &repeats(above), &repeats(&vec![1.0; above.len()])).expect("enough repeats")
    }

    #[test]
    fn complete_blocks_are_paired_and_incomplete_ones_are_not() {
        let (a, b) = (repeats(&[2.0, 2.1, 2.2, 2.05]), repeats(&[1.0, 1.1, 1.15, 1.02]));
        let paired = |blocks: bool, b: &[(u32, f64)]| {
            ask(question(blocks), &a, b).expect("enough repeats").judgement.ratio.paired
        };
        assert!(paired(true, &b));
        assert!(!paired(false, &b));
        assert!(!paired(true, &b[1..]));
    }

    #[test]
    fn a_row_shows_the_corrected_verdict_and_marks_that_of_few_repeats() {
        let contrast = |pairs: usize| beside_one(&[2.0, 2.01, 2.02, 2.0, 2.01, 2.02][..pairs]);
        let shown = [2, 3, 6].map(|pairs| Entry::verdict(&contrast(pairs)).text);
        assert_eq!(shown, ["better (hint)", "better (hint)", "better"]);
        let corrected = Contrast { primary: false, p_adjusted: Some(0.06), ..contrast(6) };
        assert_eq!(Entry::verdict(&corrected).text, "not distinguishable");
    }

    #[test]
    fn an_open_verdict_whose_interval_excludes_one_names_the_direction() {
        let higher = beside_one(&[1.02, 1.04, 1.06, 1.04, 1.05, 1.03]);
        assert_eq!(
            (higher.verdict(), higher.judged().as_str()),
            (Verdict::Inconclusive, "higher, size open")
        );
        let lower = beside_one(&[0.98, 0.96, 0.94, 0.96, 0.95, 0.97]);
        assert_eq!(lower.judged(), "lower, size open");
        let why = sentences::join(&sentences::answer(
            &lower,
            "8 users",
            &sentences::Names { treatment: "nvme".to_owned(), baseline: "eco".to_owned() },
        ));
        let told = "lower, size open, as a difference below the declared smallest effect of 3 % is not excluded; about ";
        assert!(why.contains(told) && why.ends_with(" would settle it."), "{why}");
        assert_eq!(beside_one(&[1.2, 0.8, 1.1, 0.9, 1.3, 0.7]).judged(), "not distinguishable");
        let corrected = Contrast { primary: false, p_adjusted: Some(0.06), ..higher };
        assert_eq!(corrected.judged(), "not distinguishable");
    }

    #[test]
    fn too_few_or_zero_values_are_not_judged() {
        let some = repeats(&[1.0, 2.0]);
        let few = ask(question(true), &repeats(&[1.0]), &some).expect_err("one repeat has no spread");
        assert_eq!((few.cells, few.values.0), ((1, 2), Some(1.0)));
        assert!(few.both().is_some_and(|(above, below)| above == 1.0 && below < 2.0));
        let zero = ask(question(true), &repeats(&[0.0, 1.0]), &some).expect_err("zero has no logarithm");
        assert!(matches!(zero.reason, StatisticsError::NotPositive { .. }) && zero.both().is_none());
    }

    #[test]
    fn a_p_raised_by_holms_rule_is_never_below_the_p_it_is_made_of() {
        let contrast = |step: f64| {
            let above = repeats(&[1.0, 1.01, 1.02, 1.0, 1.01, 1.02].map(|value| value * step));
            let question = Question { primary: false, ..question(true) };
            ask(question, &above, &repeats(&[1.0; 6])).expect("enough repeats")
        };
        let mut contrasts = [1.0, 1.02, 3.0].map(contrast);
        correct_exploratory(&mut contrasts);
        for contrast in &contrasts {
            let raised = contrast.p_adjusted.expect("it is exploratory");
            assert!(raised >= contrast.p_interval(), "{raised} of {}", contrast.p_interval());
        }
        // The other p is that of a permutation.
        assert!(contrasts[2].judgement.ratio.p_value > contrasts[2].p_adjusted);
    }

    #[test]
    fn the_p_of_an_interval_agrees_with_the_interval() {
        let ratio = measure::paired_ratio(&[1.1, 1.3, 1.05, 1.2, 1.0, 1.15], &[1.0; 6]).expect("six pairs");
        let p = p_of_interval(&ratio);
        assert!((0.001..0.05).contains(&p), "the interval {}..{} excludes 1, p = {p}", ratio.low, ratio.high);
        let (low, _) = ratio.interval(1.0 - p);
        assert!((low - 1.0).abs() < 1e-6, "{low}");
        let same = measure::paired_ratio(&[1.0, 2.0], &[1.0, 2.0]).expect("two pairs");
        assert_eq!(p_of_interval(&same), 1.0);
    }
}
