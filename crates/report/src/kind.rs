//! The figures, comparisons and sentences of a kind of workload: one room for each kind, and the one list of
//! them.

mod backup;
pub(crate) mod block;
mod durability;
mod fragmentation;
mod loads;
mod neighbour;
pub(crate) mod observed;
mod order_entry;
mod pgbench;
mod scan;
mod sysbench;

use crate::comparison::Comparison;
use crate::contrast::Contrast;
use crate::error::ReportError;
use crate::figure::Figure;
use crate::figure::seconds::beside::Beside;
use crate::finding::{Found, Operation};
use crate::loaded_run::LoadedRun;
use crate::naming::BedName;
use crate::second::{self, Drawn};
use crate::sentences::{Span, Text, TextOf};
use crate::source::Source;
use crate::table::Table;
use notebook::{Cell, Notebook};
use words::{Latency, Metric, PhaseName, WorkloadKind, say};

/// Finds what the cells of a workload came to.
type Find = fn(&LoadedRun, &str, &[BedName]) -> Found;

/// Figures, and tables as markup.
type More = (Vec<Figure>, String);

/// The answer of a comparison in the words of the kind.
type Answer = fn(&LoadedRun, &Comparison, &Contrast) -> Option<Vec<Span>>;

/// A fact beside the first figure.
#[derive(Debug, Default)]
pub(crate) struct Fact {
    pub(crate) name: String,
    pub(crate) value: String,
    /// The unit, or what the value is relative to.
    pub(crate) small: String,
    /// Beds by name, with their values.
    pub(crate) rows: Vec<(String, String)>,
    pub(crate) detail: String,
    pub(crate) verdict: Option<Span>,
}

/// A kind of workload as the report treats it.
pub(crate) struct ReportKind {
    /// Its word in experiments and notebooks.
    pub(crate) word: WorkloadKind,
    /// The metric of the answer sentence: what the system under test completed.
    pub(crate) throughput: Metric,
    /// Metrics declared before the run; the verdict rests on these alone.
    pub(crate) primary: &'static [Metric],
    /// Metrics compared besides, corrected for their number.
    pub(crate) exploratory: &'static [Metric],
    /// Metrics of the result in twenty lines.
    pub(crate) brief: &'static [Metric],
    /// Metrics of the summary on a terminal.
    pub(crate) summary: &'static [Metric],
    /// Metrics of the table of all cells.
    pub(crate) columns: &'static [Metric],
    /// Metrics drawn against the levels, with the line that says how to read each, made with the meaning of
    /// the marks.
    pub(crate) drawn: &'static [(Metric, TextOf)],
    /// Series drawn second by second, in the order of the page.
    pub(crate) series: &'static [Drawn],
    /// True if the seconds of a cell are a course of time and not the steps of its plan.
    pub(crate) has_time: fn(&Source<'_>, &str) -> Result<bool, ReportError>,
    /// The meaning of the shading behind those series.
    pub(crate) shaded: Text,
    /// The one phase that is shaded; all of them where there is none.
    pub(crate) shaded_phase: Option<PhaseName>,
    /// Histograms drawn as distributions, with their titles.
    pub(crate) distributions: &'static [(Latency, Text)],
    /// The unit of those histograms' counts.
    pub(crate) counted: Text,
    /// The level that the question is about; the highest one where there is none.
    pub(crate) asked_level: Option<f64>,
    /// True if it runs on a database.
    pub(crate) has_database: bool,
    /// The limits of its numbers.
    pub(crate) limits: Option<Text>,
    /// True if its cells name their limiter.
    pub(crate) has_limiter: bool,
    /// True if the load is somebody else's, which was observed.
    pub(crate) is_observed: bool,
    /// True if its users run transactions of order entry and nothing else.
    pub(crate) is_order_entry: bool,
    /// True if its own sentences come before any comparison of beds.
    pub(crate) answers_first: bool,
    /// The users' rate inside and outside of its operations, where users worked beside them.
    pub(crate) beside: fn(&Notebook, &Cell) -> Result<Option<Beside>, ReportError>,
    /// Its findings and sentences, where they are more than a comparison of beds.
    pub(crate) find: Option<Find>,
    /// Its answer, where it says more than the ratio of its throughput.
    pub(crate) answer: Answer,
    /// Facts beside the first figure, in place of those of a throughput.
    pub(crate) facts: fn(&Source<'_>, &Contrast) -> Vec<Fact>,
    /// The finding of a series second by second at one level, as its title.
    pub(crate) finding: fn(&Source<'_>, &str, f64, Metric) -> Option<String>,
    /// The figure on the first screen.
    pub(crate) hero: fn(&Source<'_>, &str) -> Option<Figure>,
    /// The result in one table that is shown from the start, where the figures alone do not tell it.
    pub(crate) numbers: fn(&Source<'_>, &str) -> Option<Table>,
    /// Its points one by one on a terminal, where a cell has several: text that ends with a line end.
    pub(crate) points: fn(&Notebook, &LoadedRun, &[BedName], &str) -> Result<String, ReportError>,
    /// Figures that explain the first one.
    pub(crate) why: fn(&Source<'_>, &str) -> Result<Vec<Figure>, ReportError>,
    /// Figures and tables, as markup, that come after all others.
    pub(crate) more: fn(&Source<'_>, &str) -> Result<More, ReportError>,
}

/// A kind that shows nothing: that of a workload without cells, and the beginning of every room.
const NOTHING: ReportKind = ReportKind {
    word: WorkloadKind::Tpcc,
    throughput: Metric::Nopm,
    primary: &[],
    exploratory: &[],
    brief: &[],
    summary: &[],
    columns: &[],
    drawn: &[],
    series: &second::OF_LOADS,
    has_time: |_, _| Ok(true),
    shaded: || say!("shaded-not-measured"),
    shaded_phase: None,
    distributions: &[],
    counted: || say!("counted-cells"),
    asked_level: None,
    has_database: true,
    limits: None,
    has_limiter: false,
    is_observed: false,
    is_order_entry: false,
    answers_first: false,
    beside: |_, _| Ok(None),
    find: None,
    answer: |_, _, _| None,
    facts: |_, _| Vec::new(),
    finding: |_, _, _, _| None,
    hero: |_, _| None,
    numbers: |_, _| None,
    points: |_, _, _, _| Ok(String::new()),
    why: |_, _| Ok(Vec::new()),
    more: |_, _| Ok((Vec::new(), String::new())),
};

/// The room of a kind.
pub(crate) fn of(word: WorkloadKind) -> &'static ReportKind {
    match word {
        WorkloadKind::Tpcc => &order_entry::KIND,
        WorkloadKind::Sysbench => &sysbench::KIND,
        WorkloadKind::Durability => &durability::KIND,
        WorkloadKind::Block => &block::KIND,
        WorkloadKind::Backup => &backup::KIND,
        WorkloadKind::Scan => &scan::KIND,
        WorkloadKind::Neighbour => &neighbour::KIND,
        WorkloadKind::Fragmentation => &fragmentation::KIND,
        WorkloadKind::Pgbench => &pgbench::KIND,
        WorkloadKind::Observed => &observed::KIND,
    }
}

impl LoadedRun {
    /// The kind of a workload.
    pub(crate) fn kind(&self, workload: &str) -> &'static ReportKind {
        self.of(workload).next().map_or(&NOTHING, |measured| of(measured.cell.kind))
    }
}

/// The findings of every workload of a run that has some of its own.
pub(crate) fn operations(loaded: &LoadedRun, beds: &[BedName]) -> Vec<Operation> {
    let of = |workload: &&str| {
        let kind = loaded.kind(workload);
        Some(kind.find?(loaded, workload, beds).into_operation(workload, kind.word))
    };
    loaded.workloads().iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_of_a_kind_is_shown_and_every_compared_one_has_a_direction() {
        for word in WorkloadKind::ALL {
            let kind = of(*word);
            assert_eq!(kind.word, *word);
            let drawn: Vec<Metric> = kind.drawn.iter().map(|(metric, _)| *metric).collect();
            for metric in [kind.brief, kind.summary, kind.columns, &drawn, &[kind.throughput]].concat() {
                assert!(metric.shown().is_some(), "{metric} of {word}");
            }
            for metric in [kind.primary, kind.exploratory].concat() {
                assert!(metric.shown().is_some_and(|shown| shown.direction.is_some()), "{metric} of {word}");
            }
        }
    }
}
