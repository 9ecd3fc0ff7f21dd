//! From the verdicts of a comparison to one answer for a pipeline: passed, regressed, or open; with what
//! decided it.
//!
//! Only a finding closes the gate: a contrast of a declared metric, from enough repeats. A hint from two or
//! three repeats leaves it open, whichever way it points, and so does an invalid cell of the judged run,
//! whose result is not known.

use crate::comparison::Comparison;
use crate::contrast::{Contrast, Unjudged};
use crate::number;
use crate::sentences;
use measure::Verdict;
use words::Metric;

/// The meaning of a comparison for a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every declared metric is equivalent or better, from enough repeats.
    Passed,
    /// One at least is worse, from enough repeats.
    Regressed,
    /// Neither is shown.
    Open,
}

/// The answer of a gate, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// The answer.
    pub outcome: Outcome,
    /// The contrasts that decided: of a regression all that are worse, the furthest first; of an open gate
    /// those without a finding.
    pub decided_by: Vec<Contrast>,
    /// One sentence for each reason.
    pub reasons: Vec<String>,
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
        let mut worse: Vec<&Contrast> =
            primary.iter().copied().filter(|c| is_finding(c, Verdict::Worse)).collect();
        worse.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
        if !worse.is_empty() {
            return self.answer(Outcome::Regressed, worse, Vec::new());
        }
        let open: Vec<&Contrast> = primary
            .iter()
            .copied()
            .filter(|c| c.judgement.exploratory || c.judgement.verdict == Verdict::Inconclusive)
            .collect();
        let mut others: Vec<String> = self.unjudged_primary().map(|u| self.not_judged(u)).collect();
        others.extend(self.not_counted());
        if primary.is_empty() && others.is_empty() {
            others.push("no declared metric was measured in both runs".to_owned());
        }
        if open.is_empty() && others.is_empty() {
            return self.answer(Outcome::Passed, Vec::new(), Vec::new());
        }
        self.answer(Outcome::Open, open, others)
    }

    fn answer(&self, outcome: Outcome, decided_by: Vec<&Contrast>, others: Vec<String>) -> Gate {
        let mut reasons: Vec<String> = decided_by.iter().map(|contrast| self.reason(contrast)).collect();
        reasons.extend(others);
        Gate { outcome, decided_by: decided_by.into_iter().cloned().collect(), reasons }
    }

    /// `NOPM of tpcc at 4 virtual users on NVMe: 0.80x (99 % interval 0.75x to 0.86x, 6 + 6 cells), worse;
    /// ...`.
    fn reason(&self, contrast: &Contrast) -> String {
        let judgement = &contrast.judgement;
        let ratio = &judgement.ratio;
        let [value, interval] = number::decided(judgement);
        let (above, below) = ratio.pairs_or_runs;
        let so_far = sentences::verdict(judgement.verdict);
        let verdict = match (judgement.exploratory, judgement.verdict) {
            (true, Verdict::Inconclusive) => "inconclusive".to_owned(),
            (true, _) => format!("{so_far} so far: a hint, no finding"),
            (false, _) => so_far.to_owned(),
        };
        let settles = match judgement.repeats_to_settle() {
            _ if is_finding(contrast, judgement.verdict) => {
                format!("the smallest effect is {}", number::percent(judgement.smallest_effect))
            }
            Some(repeats) => format!(
                "about {repeats} repeats in each run would settle it (--set design.repeats={repeats})"
            ),
            None => "not even 500 more repeats would settle it: the difference is too near the smallest effect for its noise".to_owned(),
        };
        format!(
            "{}: {value} of the baseline ({interval}, {above} + {below} cells), {verdict}; {settles}",
            self.place(
                contrast.metric,
                &contrast.workload,
                (contrast.level, &contrast.level_name),
                &contrast.treatment_bed
            )
        )
    }

    fn place(&self, metric: Metric, workload: &str, (level, name): (f64, &str), bed: &str) -> String {
        let title = metric.short();
        format!("{title} of {workload} at {} on {}", sentences::level(level, name), self.shown(bed))
    }

    fn unjudged_primary(&self) -> impl Iterator<Item = &Unjudged> {
        // What neither run has at all is not missing: a neighbour alone completes no orders.
        self.unjudged.iter().filter(|unjudged| unjudged.primary && unjudged.cells != (0, 0))
    }

    fn not_judged(&self, unjudged: &Unjudged) -> String {
        let at = (unjudged.level, unjudged.level_name.as_str());
        let place = self.place(unjudged.metric, &unjudged.workload, at, &unjudged.treatment_bed);
        format!("{place} could not be judged: {}", unjudged.reason)
    }

    /// Cells of the judged run that do not count.
    fn not_counted(&self) -> Option<String> {
        let cells: Vec<_> = self.excluded.iter().filter(|cell| !cell.of_baseline).collect();
        let first = cells.first()?;
        let count = sentences::count(cells.len(), "cell of the run does", "cells of the run do");
        Some(format!(
            "{count} not count, so what they would have shown is open; the first: {}",
            self.excluded_sentence(first)
        ))
    }
}

/// True if a contrast shows this verdict as a finding.
fn is_finding(contrast: &Contrast, verdict: Verdict) -> bool {
    contrast.judgement.verdict == verdict
        && verdict != Verdict::Inconclusive
        && !contrast.judgement.exploratory
}

/// The distance of a ratio from 1, either way.
fn distance(contrast: &Contrast) -> f64 {
    contrast.judgement.ratio.value.ln().abs()
}
