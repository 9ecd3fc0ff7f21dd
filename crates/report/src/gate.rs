//! From the verdicts of a comparison to one answer for a pipeline: passed, regressed, or open; with what
//! decided it.
//!
//! Only a finding closes the gate: a contrast of a declared metric, from enough repeats. A hint from two or
//! three repeats leaves it open, whichever way it points, and so does an invalid cell of the judged run,
//! whose result is not known.

pub(crate) mod forms;

use crate::comparison::Comparison;
use crate::contrast::{Contrast, Unjudged};
use crate::number;
use crate::sentences;
use measure::Verdict;
use words::{Metric, say};

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

/// The result of one declared metric at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Worse, from enough repeats.
    Worse,
    /// Equivalent, from enough repeats.
    Equal,
    /// Better, from enough repeats.
    Better,
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
    /// What the judged run and its baseline are called.
    pub runs: (String, String),
    /// The answer.
    pub outcome: Outcome,
    /// The contrasts that decided: of a regression all that are worse, the furthest first; of an open gate
    /// those without a finding.
    pub decided_by: Vec<Contrast>,
    /// One sentence for each reason.
    pub reasons: Vec<String>,
    /// Every declared metric at every place that either run measured.
    pub checked: Vec<Checked>,
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
        let decided_by = decided_by.into_iter().cloned().collect();
        let runs = self.runs.clone().unwrap_or_default();
        Gate { runs, outcome, decided_by, reasons, checked: self.checked() }
    }

    /// Every declared metric, those without a ratio last.
    fn checked(&self) -> Vec<Checked> {
        let judged = self.contrasts.iter().filter(|contrast| contrast.primary).map(|contrast| Checked {
            found: found(contrast),
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
        let ratio = &judgement.ratio;
        let [value, interval] = number::decided(judgement);
        let (above, below) = ratio.pairs_or_runs;
        let so_far = sentences::verdict(judgement.verdict);
        let verdict = match (judgement.exploratory, judgement.verdict) {
            (true, Verdict::Inconclusive) | (false, _) => so_far.to_owned(),
            (true, _) => say!("gate-hint", verdict = so_far),
        };
        let settles = match judgement.repeats_to_settle() {
            _ if is_finding(contrast, judgement.verdict) => {
                say!("gate-smallest-effect", smallest = number::percent(judgement.smallest_effect))
            }
            Some(repeats) => say!("gate-more-repeats", repeats),
            None => say!("gate-no-repeats-settle").to_owned(),
        };
        let place = self.place_of(contrast);
        say!("gate-reason", place, value, interval, above, below, verdict, settles)
    }

    fn place_of(&self, contrast: &Contrast) -> String {
        let at = (contrast.level, contrast.level_name.as_str());
        self.place(contrast.metric, &contrast.workload, at, &contrast.treatment_bed)
    }

    fn place_of_unjudged(&self, unjudged: &Unjudged) -> String {
        let at = (unjudged.level, unjudged.level_name.as_str());
        self.place(unjudged.metric, &unjudged.workload, at, &unjudged.treatment_bed)
    }

    fn place(&self, metric: Metric, workload: &str, (level, name): (f64, &str), bed: &str) -> String {
        say!(
            "gate-place",
            metric = metric.short(),
            workload,
            at = sentences::level(level, name),
            bed = self.shown(bed)
        )
    }

    fn unjudged_primary(&self) -> impl Iterator<Item = &Unjudged> {
        // What neither run has at all is not missing: a neighbour alone completes no orders.
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

/// The result of a contrast for the gate.
fn found(contrast: &Contrast) -> Found {
    let results = [
        (Verdict::Worse, Found::Worse),
        (Verdict::Equivalent, Found::Equal),
        (Verdict::Better, Found::Better),
    ];
    let of = results.into_iter().find(|(verdict, _)| is_finding(contrast, *verdict));
    of.map_or(Found::Undecided, |(_, found)| found)
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
