//! Work on databases besides transactions: backups, scans, fragmentation, neighbours. Each is reported in
//! figures of its own, with their intervals, and in a sentence, together with the limits of its conclusions.

use crate::loaded_run::{GroupKey, LoadedRun};
use crate::naming::BedName;
use crate::number::{self, Digits};
use crate::sentences::Span;
use crate::table::{Entry, Table, Tone, columns};
use words::{Metric, Unit, WorkloadKind, say};

/// The result of one workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// Name of the workload.
    pub workload: String,
    /// `backup`, `scan`, `fragmentation` or `neighbour`.
    pub kind: WorkloadKind,
    /// Every finding that a sentence tells.
    pub sentences: Vec<String>,
    /// Those of them that answer the question: one for each bed.
    pub(crate) answer: Vec<String>,
    /// The figures behind it.
    pub findings: Vec<Finding>,
    /// The conclusions that the data do not allow, with the reasons.
    pub limits: Vec<String>,
}

/// One figure with its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Name of the bed.
    pub bed: String,
    /// Under which circumstances: `4 virtual users`, `1 % of the rows`, `with neighbour / together`.
    pub at: String,
    /// Its name.
    pub what: String,
    /// Its unit; `x` for a ratio.
    pub unit: String,
    /// The typical value of the repeats: see [`measure::typical`].
    pub value: f64,
    /// Ends of the 95 % interval, from two repeats on.
    pub interval: Option<(f64, f64)>,
    /// Valid repeats behind it.
    pub repeats: usize,
}

/// The findings of one kind.
pub(crate) struct Found {
    /// The names of the beds.
    names: Vec<(String, String)>,
    pub(crate) sentences: Vec<String>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) limits: Vec<String>,
}

impl Found {
    pub(crate) fn new(beds: &[BedName]) -> Found {
        let names = beds.iter().map(|bed| (bed.name.clone(), bed.shown.clone())).collect();
        Found { names, sentences: Vec::new(), findings: Vec::new(), limits: Vec::new() }
    }

    /// The result of the workload.
    pub(crate) fn into_operation(self, workload: &str, kind: WorkloadKind) -> Operation {
        let Found { names, sentences, findings, limits } = self;
        // A kind tells its beds one after the other, and the main finding of each first.
        let step = if sentences.len() > names.len() { sentences.len() / names.len().max(1) } else { 1 };
        let answer = sentences.iter().step_by(step).cloned().collect();
        Operation { workload: workload.to_owned(), kind, sentences, answer, findings, limits }
    }

    /// The name of a bed in sentences.
    pub(crate) fn name(&self, bed: &str) -> String {
        self.names.iter().find(|(name, _)| name == bed).map_or(bed, |(_, shown)| shown).to_owned()
    }

    /// The mean of a metric over the valid repeats of one place, where any measured it: `what` it is, and of
    /// a count the things that it counts.
    pub(crate) fn mean(
        &mut self,
        loaded: &LoadedRun,
        place: &GroupKey<'_>,
        metric: Metric,
        at: &str,
        (what, things): (&str, &str),
    ) -> Option<f64> {
        let (unit, scale) = match metric.unit() {
            // Nobody reads ten digits of bytes.
            Unit::Bytes => (Unit::Megabytes.shown(), 1e6),
            Unit::Count => (things, 1.0),
            unit => (unit.shown(), 1.0),
        };
        let values: Vec<f64> = loaded.values(place, metric).into_iter().map(|pair| pair.1 / scale).collect();
        let finding = Finding::mean(place.bed, at, (what, unit), &values)?;
        let value = finding.value;
        self.findings.push(finding);
        Some(value)
    }
}

impl Finding {
    pub(crate) fn mean(bed: &str, at: &str, (what, unit): (&str, &str), values: &[f64]) -> Option<Finding> {
        let value = measure::typical(values)?;
        let interval = measure::typical_interval(values).map(|estimate| (estimate.low, estimate.high));
        let interval = interval.filter(|(low, high)| low.is_finite() && high.is_finite());
        // These quantities are never below zero, whatever the spread of a few repeats.
        let floor = if values.iter().all(|value| *value >= 0.0) { 0.0 } else { f64::NEG_INFINITY };
        let interval = interval.map(|(low, high)| (low.max(floor), high));
        Some(Finding {
            bed: bed.to_owned(),
            at: at.to_owned(),
            what: what.to_owned(),
            unit: unit.to_owned(),
            value,
            interval,
            repeats: values.len(),
        })
    }

    /// The ratio of values that were measured in the same repeats. `None` without a common repeat.
    pub(crate) fn ratio(
        bed: &str,
        at: &str,
        what: &str,
        above: &[(u32, f64)],
        below: &[(u32, f64)],
    ) -> Option<Finding> {
        let pairs: Vec<(f64, f64)> = above
            .iter()
            .filter_map(|(repeat, value)| Some((*value, below.iter().find(|pair| pair.0 == *repeat)?.1)))
            .filter(|(above, below)| *above > 0.0 && *below > 0.0)
            .collect();
        let (above, below): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let logs: Vec<f64> = pairs.iter().map(|(above, below)| (above / below).ln()).collect();
        let value = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
        let ratio = measure::paired_ratio(&above, &below).ok();
        value.is_finite().then(|| Finding {
            bed: bed.to_owned(),
            at: at.to_owned(),
            what: what.to_owned(),
            unit: Unit::Times.name().to_owned(),
            value,
            interval: ratio.map(|ratio| (ratio.low, ratio.high)),
            repeats: pairs.len(),
        })
    }

    /// The value in the digits that its interval supports, without its unit.
    pub(crate) fn bare(&self) -> String {
        self.digits().show(self.value)
    }

    /// The value in the digits that its interval supports, with its unit.
    pub(crate) fn shown(&self) -> String {
        let value = self.digits().show(self.value);
        if self.unit == Unit::Times { format!("{value}x") } else { format!("{value} {}", self.unit) }
    }

    /// `low to high`, that they lie too far apart, or a dash.
    pub(crate) fn interval_shown(&self) -> String {
        match self.interval {
            Some(ends) => number::span(ends, |end| self.digits().show(end)),
            None => "-".to_owned(),
        }
    }

    fn digits(&self) -> Digits {
        match self.interval {
            // An interval wider than its value leaves no digit, and the value is not known to be 0.
            Some((low, high)) if (high - low) / 2.0 < self.value.abs() => {
                Digits::of_interval(self.value, (high - low) / 2.0)
            }
            _ => Digits::alone(self.value),
        }
    }

    /// `1.42x (1.30 to 1.55)`.
    pub(crate) fn in_words(&self) -> String {
        match self.interval {
            Some(ends) => number::with_interval(self.shown(), ends, |end| self.digits().show(end)),
            None if self.repeats > 1 => {
                say!("figure-of-repeats", value = self.shown(), repeats = self.repeats)
            }
            None => say!("figure-without-interval", value = self.shown()),
        }
    }
}

/// The answer where the run's first workload is one of these and says something that no comparison of beds
/// does.
pub(crate) fn answer(operations: &[Operation]) -> Option<Vec<Span>> {
    let sentences: Vec<String> = operations.iter().flat_map(|of| of.answer.clone()).collect();
    (!sentences.is_empty()).then(|| vec![Span::Plain(sentences.join(" "))])
}

impl Operation {
    /// Every figure on a line of its own.
    pub(crate) fn table(&self, shown: impl Fn(&str) -> String) -> Table {
        let mut table = Table::new(
            columns![text say!("column-bed"), text say!("column-at"), text say!("column-what"), number say!("column-value"), number say!("column-interval-95"), number say!("column-repeats")],
        );
        for finding in &self.findings {
            table.row([
                Entry::from(shown(&finding.bed)),
                Entry::from(finding.at.clone()),
                Entry::from(finding.what.clone()),
                Entry::toned(finding.shown(), Tone::Strong),
                Entry::from(finding.interval_shown()),
                Entry::from(number::count(finding.repeats as u64)),
            ]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_pairs_repeats_and_leaves_out_those_without_a_partner() {
        let above = [(1, 200.0), (2, 210.0), (4, 999.0)];
        let below = [(1, 100.0), (2, 100.0), (3, 1.0)];
        let finding = Finding::ratio("a", "b / c", "slowdown", &above, &below).unwrap();
        assert_eq!(finding.repeats, 2);
        assert!((finding.value - 2.05).abs() < 0.01, "{finding:?}");
        let (low, high) = finding.interval.unwrap();
        assert!(low < 2.05 && high > 2.05);
        assert!(Finding::ratio("a", "", "", &above, &[(9, 1.0)]).is_none());
    }

    #[test]
    fn one_repeat_has_no_interval_and_says_so() {
        let finding = Finding::mean("a", "", ("backup time", "s"), &[3.0]).unwrap();
        assert_eq!(finding.interval, None);
        assert!(finding.in_words().contains("without an interval"));
    }
}
