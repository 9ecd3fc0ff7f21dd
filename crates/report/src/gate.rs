//! From a comparison to one answer for a pipeline: passed, regressed, or open; with what decided it.
//!
//! A gate asks for a loss beyond the smallest effect ([`measure::loss`]): it passes when that is excluded for
//! every declared metric, fails when it is shown for one, and is open otherwise. A hint from two or three
//! repeats leaves it open, whichever way it points, and so does an invalid cell of the judged run, whose
//! result is not known. So do other programs that held more of the processors in one of the two runs, where
//! the finding may be their work.

pub(crate) mod forms;

use crate::caution::others::Disturbed;
use crate::comparison::Comparison;
use crate::contrast::{Contrast, Unjudged};
use crate::level::LevelUnit;
use crate::nuisance::Nuisance;
use crate::number;
use crate::sentences;
use measure::{Loss, Verdict};
use words::{Metric, say};

/// The meaning of a comparison for a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every declared metric is shown to have no loss beyond the smallest effect.
    Passed,
    /// One at least is shown to have one.
    Regressed,
    /// Neither is shown.
    Open,
}

/// The result of one declared metric at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Worse, from enough repeats.
    Worse,
    /// Equivalent, from enough repeats.
    Equal,
    /// Better, from enough repeats.
    Better,
    /// No loss beyond the smallest effect, from enough repeats; whether it is a gain is not known.
    NotWorse,
    /// None of these is shown.
    Undecided,
}

/// One declared metric at one place, as the gate judged it.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The result.
    pub found: Found,
    /// Name of the bed.
    pub bed: String,
    /// Name of the workload.
    pub workload: String,
    /// `NOPM of tpcc at 4 virtual users on NVMe`.
    pub place: String,
    /// The sentence about it: ratio, interval, cells, smallest effect.
    pub reason: String,
}

/// The answer of a gate, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// The names of the judged run and of its baseline.
    pub runs: (String, String),
    /// The answer.
    pub outcome: Outcome,
    /// The contrasts that decided: of a regression all that are worse, the furthest first; of an open gate
    /// those without a finding.
    pub decided_by: Vec<Contrast>,
    /// The sentence about what was varied between the two runs on purpose.
    pub varied: Option<String>,
    /// One sentence for each reason.
    pub reasons: Vec<String>,
    /// Every declared metric at every place that either run measured.
    pub checked: Vec<Checked>,
    /// Of an open gate: about how many repeats in each run would decide every place, if ratios and spreads
    /// stay as they are. `None` if no number up to 500 more would, or if something else keeps it open.
    pub repeats_to_settle: Option<usize>,
    /// The caveats about the numbers, as the comparison has them.
    pub notes: Vec<String>,
}

impl Outcome {
    /// `pass`, `regression`, `inconclusive`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Passed => "pass",
            Outcome::Regressed => "regression",
            Outcome::Open => "inconclusive",
        }
    }
}

impl Comparison {
    /// Judges the declared metrics of a comparison of two runs.
    #[must_use]
    pub fn gate(&self) -> Gate {
        let primary: Vec<&Contrast> = self.contrasts.iter().filter(|contrast| contrast.primary).collect();
        let with = |wanted: Found| {
            primary.iter().copied().filter(|c| self.found(c) == wanted).collect::<Vec<&Contrast>>()
        };
        let (mut worse, open) = (with(Found::Worse), with(Found::Undecided));
        worse.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
        if !worse.is_empty() {
            return self.answer(Outcome::Regressed, worse, Vec::new());
        }
        let mut others: Vec<String> = self.unjudged_primary().map(|u| self.not_judged(u)).collect();
        others.extend(self.not_counted());
        if primary.is_empty() && others.is_empty() {
            others.push(say!("gate-no-metric").to_owned());
        }
        if open.is_empty() && others.is_empty() {
            return self.answer(Outcome::Passed, Vec::new(), Vec::new());
        }
        self.answer(Outcome::Open, open, others)
    }

    fn answer(&self, outcome: Outcome, decided_by: Vec<&Contrast>, others: Vec<String>) -> Gate {
        let mut reasons: Vec<String> = decided_by.iter().map(|contrast| self.reason(contrast)).collect();
        reasons.extend(others);
        let is_open = outcome == Outcome::Open && reasons.len() == decided_by.len();
        let is_open = is_open && decided_by.iter().all(|contrast| self.disturbed(contrast).is_none());
        let each = decided_by.iter().map(|c| c.judgement.repeats_to_settle_loss(c.direction));
        let repeats = each.collect::<Option<Vec<usize>>>().filter(|_| is_open);
        Gate {
            runs: self.runs.clone().unwrap_or_default(),
            outcome,
            varied: self.varied_sentence(),
            reasons,
            checked: self.checked(),
            repeats_to_settle: repeats.and_then(|repeats| repeats.into_iter().max()),
            decided_by: decided_by.into_iter().cloned().collect(),
            notes: self.warnings.clone(),
        }
    }

    /// The sentence about what was varied between two runs on purpose: `Varied between the runs on purpose:
    /// bed.a.storage: real /a -> real /b`; `None` where nothing was, and for one run.
    pub(crate) fn varied_sentence(&self) -> Option<String> {
        let shown =
            |value: &Option<String>| value.clone().unwrap_or_else(|| say!("refusal-nothing").to_owned());
        let varied = self.treatment.iter().filter(|_| self.runs.is_some());
        let told = varied.filter_map(|Nuisance { fact, values }| match values.as_slice() {
            [(_, run), (_, baseline)] => Some(format!("{fact}: {} -> {}", shown(baseline), shown(run))),
            _ => None,
        });
        let factors = told.collect::<Vec<String>>().join("; ");
        (!factors.is_empty()).then(|| say!("gate-varied", factors))
    }

    /// Every declared metric, those without a ratio last.
    fn checked(&self) -> Vec<Checked> {
        let judged = self.contrasts.iter().filter(|contrast| contrast.primary).map(|contrast| Checked {
            found: self.found(contrast),
            bed: contrast.treatment_bed.clone(),
            workload: contrast.workload.clone(),
            place: self.place_of(contrast),
            reason: self.reason(contrast),
        });
        let others = self.unjudged_primary().map(|unjudged| Checked {
            found: Found::Undecided,
            bed: unjudged.treatment_bed.clone(),
            workload: unjudged.workload.clone(),
            place: self.place_of_unjudged(unjudged),
            reason: self.not_judged(unjudged),
        });
        judged.chain(others).collect()
    }

    /// `NOPM of tpcc at 4 virtual users on NVMe: 0.80x (99 % interval 0.75x to 0.86x, 6 + 6 cells), worse;
    /// ...`.
    fn reason(&self, contrast: &Contrast) -> String {
        let judgement = &contrast.judgement;
        let found = self.found(contrast);
        let [value, interval] = match found {
            Found::NotWorse => number::within(judgement, judgement.interval_of_exclusion()),
            _ => number::decided(judgement),
        };
        let (above, below) = judgement.ratio.pairs_or_runs;
        let so_far = sentences::verdict(judgement.verdict);
        let verdict = match (judgement.exploratory, judgement.verdict) {
            _ if found == Found::NotWorse => say!("gate-not-worse").to_owned(),
            (true, Verdict::Inconclusive) | (false, _) => so_far.to_owned(),
            (true, _) => say!("gate-hint", verdict = so_far),
        };
        let disturbed = self.disturbed(contrast).map(|place| {
            let [percent, baseline_percent] = place.percents();
            say!("gate-disturbed", percent, baseline_percent)
        });
        let settles = match judgement.repeats_to_settle_loss(contrast.direction) {
            _ if disturbed.is_some() => disturbed.unwrap_or_default(),
            _ if found != Found::Undecided => {
                say!("gate-smallest-effect", smallest = number::percent(judgement.smallest_effect))
            }
            Some(repeats) => {
                say!("gate-more-repeats", repeats, more = repeats.saturating_sub(above.min(below)))
            }
            None => say!("gate-no-repeats-settle").to_owned(),
        };
        let place = self.place_of(contrast);
        say!("gate-reason", place, value, interval, above, below, verdict, settles)
    }

    /// The result of a contrast, which other programs in one of the runs leave open.
    fn found(&self, contrast: &Contrast) -> Found {
        if self.disturbed(contrast).is_some() { Found::Undecided } else { found_alone(contrast) }
    }

    /// The other programs that may have made the finding of a contrast: in the judged run where it is worse,
    /// in the baseline where it is not.
    fn disturbed(&self, contrast: &Contrast) -> Option<&Disturbed> {
        let place = self.disturbed.iter().find(|place| {
            (place.workload.as_str(), place.level, place.bed.as_str())
                == (contrast.workload.as_str(), contrast.level, contrast.treatment_bed.as_str())
        })?;
        let is_of_run = place.run_percent > place.baseline_percent;
        match found_alone(contrast) {
            Found::Undecided => None,
            Found::Worse => is_of_run.then_some(place),
            Found::Equal | Found::Better | Found::NotWorse => (!is_of_run).then_some(place),
        }
    }

    fn place_of(&self, contrast: &Contrast) -> String {
        let at = (contrast.level, &contrast.level_name);
        self.place(contrast.metric, &contrast.workload, at, &contrast.treatment_bed)
    }

    fn place_of_unjudged(&self, unjudged: &Unjudged) -> String {
        let at = (unjudged.level, &unjudged.level_name);
        self.place(unjudged.metric, &unjudged.workload, at, &unjudged.treatment_bed)
    }

    fn place(&self, metric: Metric, workload: &str, (level, name): (f64, &LevelUnit), bed: &str) -> String {
        say!("gate-place", metric = metric.short(), workload, at = name.said(level), bed = self.shown(bed))
    }

    fn unjudged_primary(&self) -> impl Iterator<Item = &Unjudged> {
        // A metric that neither run has is not missing: a neighbour alone completes no orders.
        self.unjudged.iter().filter(|unjudged| unjudged.primary && unjudged.cells != (0, 0))
    }

    fn not_judged(&self, unjudged: &Unjudged) -> String {
        let place = self.place_of_unjudged(unjudged);
        say!("gate-not-judged", place, reason = unjudged.reason.to_string())
    }

    /// Cells of the judged run that do not count.
    fn not_counted(&self) -> Option<String> {
        let cells: Vec<_> = self.excluded.iter().filter(|cell| !cell.of_baseline).collect();
        let first = cells.first()?;
        let cells = sentences::grouped(cells.len());
        Some(say!("gate-not-counted", cells, first = self.excluded_sentence(first)))
    }
}

/// The result of a contrast by its numbers alone.
fn found_alone(contrast: &Contrast) -> Found {
    match (contrast.judgement.loss(contrast.direction), contrast.judgement.verdict) {
        (Loss::Shown, _) => Found::Worse,
        (Loss::Open, _) => Found::Undecided,
        (Loss::Excluded, Verdict::Better) => Found::Better,
        (Loss::Excluded, Verdict::Equivalent) => Found::Equal,
        (Loss::Excluded, Verdict::Worse | Verdict::Inconclusive) => Found::NotWorse,
    }
}

/// The distance of a ratio from 1, either way.
fn distance(contrast: &Contrast) -> f64 {
    contrast.judgement.ratio.value.ln().abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_explains_every_verdict_and_every_result() {
        let guide = include_str!("../../../docs/guide/verdicts.md");
        let verdicts = [Verdict::Better, Verdict::Worse, Verdict::Equivalent, Verdict::Inconclusive];
        let outcomes = [Outcome::Passed, Outcome::Regressed, Outcome::Open];
        let found = [Found::Worse, Found::Equal, Found::Better, Found::NotWorse, Found::Undecided];
        let words = verdicts.map(sentences::verdict).into_iter();
        for word in words.chain(outcomes.map(Outcome::verdict)).chain(found.map(Found::as_str)) {
            assert!(guide.contains(&format!("\n| {word} | ")), "{word}");
        }
    }
}
