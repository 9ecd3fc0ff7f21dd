//! The comparison: every bed against the baseline at every level, with what must be known to believe it.

use crate::answer;
use crate::book::{Book, Place};
use crate::caution;
use crate::contrast::{self, Contrast, Question, Unjudged};
use crate::durability::{self, Crashes};
use crate::error::ReportError;
use crate::inputs::{self, InputShare};
use crate::instances::{self, Instances};
use crate::limiter::{self, Limiters};
use crate::metric::{self, Metric};
use crate::naming::{self, BedName};
use crate::noise::{self, Noise};
use crate::nuisance::{self, Nuisance};
use crate::operations::{self, Operation};
use crate::words::{self, Names, Span};
use notebook::{CellState, Notebook, RunId};

/// A cell that was run but does not count.
#[derive(Clone, Debug, PartialEq)]
pub struct ExcludedCell {
    /// Place in the order of the run.
    pub position: u32,
    /// Name of the bed.
    pub bed: String,
    /// Name of the workload.
    pub workload: String,
    /// The load.
    pub level: f64,
    /// What levels count.
    pub level_name: String,
    /// Which repeat.
    pub repeat: u32,
    /// Invalid or interrupted.
    pub state: CellState,
    /// Why.
    pub reason: String,
}

/// An honest comparison: verdicts with everything that limits them.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Title of the experiment.
    pub title: String,
    /// The question that the experiment asks.
    pub question: Option<String>,
    /// The answer in one sentence, with ratio, interval and verdict.
    pub answer: String,
    /// The contrast that the answer states: throughput of the first bed that is not the baseline, at the
    /// highest level at which it could be judged, in the first workload. The rule is fixed so that nobody can
    /// pick the most flattering one.
    pub headline: Option<Contrast>,
    /// All contrasts: by workload, metric (primary first), level and bed.
    pub contrasts: Vec<Contrast>,
    /// Primary contrasts between beds that are the same in everything that was recorded (A/A): their size is noise.
    pub same_bed: Vec<Contrast>,
    /// Contrasts without a ratio.
    pub unjudged: Vec<Unjudged>,
    /// Everything in which the beds differ besides the treatment.
    pub nuisances: Vec<Nuisance>,
    /// In what the beds differ on purpose, as far as it was recorded.
    pub treatment: Vec<Nuisance>,
    /// Whether beds are called by their names: only if nothing but the treatment differs.
    pub named_by_treatment: bool,
    /// What each bed is called, in the order of the experiment.
    pub beds: Vec<BedName>,
    /// Name of the bed below the line of every ratio; empty when runs are compared.
    pub baseline: String,
    /// When two runs are compared: what the second (above the line of every ratio) and the first (below it)
    /// are called.
    pub runs: Option<(String, String)>,
    /// What bounded the cells.
    pub limiters: Vec<Limiters>,
    /// What the durability test found, bed by bed; empty without one.
    pub crashes: Vec<Crashes>,
    /// What backups, scans, fragmentation and neighbours came to; empty without them.
    pub operations: Vec<Operation>,
    /// Whether the input of order entry kept the limits of the clauses.
    pub inputs: Vec<InputShare>,
    /// How evenly beds of several instances served them; empty without such beds.
    pub instances: Vec<Instances>,
    /// How much a bed differs from itself.
    pub noise: Vec<Noise>,
    /// What kind of numbers these are: emulated, real, scaled.
    pub basis: Vec<String>,
    /// What a reader must know before believing the numbers.
    pub warnings: Vec<String>,
    /// Cells that were run but do not count.
    pub excluded: Vec<ExcludedCell>,
    /// The answer in pieces, for the page.
    pub(crate) spans: Vec<Span>,
}

/// Compares every bed of a run with its baseline.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read or the run was never planned. Missing, invalid or single cells are no error: what
/// cannot be judged is listed.
pub fn compare(notebook: &Notebook, run: RunId) -> Result<Comparison, ReportError> {
    Ok(of_book(&Book::read(notebook, run)?))
}

/// Compares the beds of a run that was read.
pub(crate) fn of_book(book: &Book) -> Comparison {
    let differences = nuisance::between_beds(book);
    let named_by_treatment = differences.nuisances.is_empty();
    let baseline = baseline(book);
    let (contrasts, unjudged) = contrasts(book, &baseline);
    let beds = naming::of(book, named_by_treatment);
    let mut comparison = Comparison {
        title: book.run.title.clone(),
        question: book.run.question.clone(),
        answer: String::new(),
        headline: headline(book, &contrasts),
        contrasts,
        same_bed: same_bed_contrasts(book),
        unjudged,
        nuisances: differences.nuisances,
        treatment: differences.treatment,
        named_by_treatment,
        operations: operations::of_all(book, &beds),
        beds,
        baseline,
        runs: None,
        limiters: limiter::of_all(book),
        crashes: durability::of_all(book),
        inputs: inputs::of_all(book),
        instances: instances::of_all(book),
        noise: noise::of_all(book),
        basis: basis(book),
        warnings: Vec::new(),
        excluded: caution::excluded(book),
        spans: Vec::new(),
    };
    comparison.warnings = caution::of(book, &comparison);
    comparison.spans = answer::of(book, &comparison);
    comparison.answer = words::join(&comparison.spans);
    comparison
}

/// The bed that the run names as baseline, or its last bed when there is no such bed.
fn baseline(book: &Book) -> String {
    let named = book.beds.iter().find(|bed| bed.name == book.run.baseline);
    named.or(book.beds.last()).map(|bed| bed.name.clone()).unwrap_or_default()
}

/// What kind of numbers these are.
pub(crate) fn basis(book: &Book) -> Vec<String> {
    let kind = match book.run.realm.as_str() {
        "real" => words::basis::REAL,
        "mixed" => words::basis::MIXED,
        "simulated" => words::basis::SIMULATED,
        _ => words::basis::EMULATED,
    };
    let mut basis = vec![kind.to_owned()];
    basis.extend(book.notes_of("model").map(str::to_owned));
    if book.run.scale < 1.0 {
        basis.push(words::basis::scaled(book.run.scale, &book.run.scale_statement));
    }
    basis
}

/// The smallest effect that the run declared for a metric.
pub(crate) fn smallest_effect(book: &Book, metric: &Metric) -> f64 {
    if metric::is_latency(metric.name) {
        book.run.smallest_effect_p99
    } else {
        book.run.smallest_effect_throughput
    }
}

fn contrasts(book: &Book, baseline: &str) -> (Vec<Contrast>, Vec<Unjudged>) {
    let (mut contrasts, mut unjudged) = (Vec::new(), Vec::new());
    for workload in book.workloads() {
        let kind = book.kind(workload);
        let primary = kind.primary().iter().map(|name| (*name, true));
        let exploratory = kind.exploratory().iter().map(|name| (*name, false));
        for (name, primary) in primary.into_iter().chain(exploratory) {
            let Some(metric) = metric::find(name) else { continue };
            for level in book.levels(workload) {
                for bed in book.beds.iter().filter(|bed| bed.name != baseline) {
                    match ask_book(book, workload, level, (metric, primary), (&bed.name, baseline)) {
                        Ok(contrast) => contrasts.push(contrast),
                        Err(reason) if primary || reason.cells != (0, 0) => unjudged.push(*reason),
                        // An exploratory metric that no cell measured is not missing, it does not exist.
                        Err(_) => {}
                    }
                }
            }
        }
    }
    contrast::correct_exploratory(&mut contrasts);
    (contrasts, unjudged)
}

/// Primary contrasts between beds that differ in nothing.
fn same_bed_contrasts(book: &Book) -> Vec<Contrast> {
    let mut contrasts = Vec::new();
    for (first, second) in nuisance::same_beds(book) {
        for workload in book.workloads() {
            for metric in book.kind(workload).primary().iter().copied().filter_map(metric::find) {
                let beds = (second.name.as_str(), first.name.as_str());
                let ask = |level| ask_book(book, workload, level, (metric, true), beds).ok();
                contrasts.extend(book.levels(workload).into_iter().filter_map(ask));
            }
        }
    }
    contrasts
}

/// Sets one bed (first) against another at one level.
fn ask_book(
    book: &Book,
    workload: &str,
    level: f64,
    (metric, primary): (&'static Metric, bool),
    (treatment_bed, baseline_bed): (&str, &str),
) -> Result<Contrast, Box<Unjudged>> {
    let question = Question {
        workload,
        level,
        level_name: book.level_name(workload),
        metric,
        primary,
        treatment_bed,
        baseline_bed,
        smallest_effect: smallest_effect(book, metric),
        blocks: book.run.order == "interleaved",
    };
    let values = |bed| book.values(&Place { workload, level, bed }, metric.name);
    contrast::ask(question, &values(treatment_bed), &values(baseline_bed))
}

/// See [`Comparison::headline`].
fn headline(book: &Book, contrasts: &[Contrast]) -> Option<Contrast> {
    let workload = *book.workloads().first()?;
    let throughput = book.kind(workload).throughput();
    let candidates = || contrasts.iter().filter(|c| c.workload == workload && c.metric == throughput);
    let first_bed = book.beds.iter().find(|bed| candidates().any(|c| c.treatment_bed == bed.name))?;
    candidates()
        .filter(|c| c.treatment_bed == first_bed.name)
        .max_by(|a, b| a.level.total_cmp(&b.level))
        .cloned()
}

impl Comparison {
    /// What a bed is called.
    pub fn shown<'a>(&'a self, bed: &'a str) -> &'a str {
        self.beds.iter().find(|known| known.name == bed).map_or(bed, |known| known.shown.as_str())
    }

    /// The two sides of a contrast as sentences name them.
    pub(crate) fn names(&self, treatment: &str, baseline: &str) -> Names {
        let (above, below) = (self.shown(treatment), self.shown(baseline));
        match &self.runs {
            None => Names { treatment: above.to_owned(), baseline: below.to_owned() },
            Some((a, b)) => {
                Names { treatment: format!("{above} in {a}"), baseline: format!("{below} in {b}") }
            }
        }
    }

    /// Why contrasts could not be judged; of primary metrics only, or of all.
    pub(crate) fn unjudged_sentences(&self, primary_only: bool) -> Vec<String> {
        let wanted = |unjudged: &&Unjudged| {
            !primary_only || matches!(unjudged.metric.as_str(), "nopm" | "tps" | "iops" | "latency_p99")
        };
        let sentence = |unjudged: &Unjudged| {
            words::unjudged(unjudged, &self.names(&unjudged.treatment_bed, &unjudged.baseline_bed))
        };
        self.unjudged.iter().filter(wanted).map(sentence).collect()
    }

    /// What beds that are the same differ in, at the highest level of each primary metric: one sentence each.
    pub(crate) fn same_bed_sentences(&self) -> Vec<String> {
        let highest = |contrast: &Contrast| {
            let same = |c: &&Contrast| {
                (&c.workload, &c.metric, &c.treatment_bed, &c.baseline_bed)
                    == (&contrast.workload, &contrast.metric, &contrast.treatment_bed, &contrast.baseline_bed)
            };
            self.same_bed.iter().filter(same).all(|c| c.level <= contrast.level)
        };
        let sentence = |contrast: &Contrast| {
            words::same_bed(contrast, &self.names(&contrast.treatment_bed, &contrast.baseline_bed))
        };
        self.same_bed.iter().filter(|contrast| highest(contrast)).map(sentence).collect()
    }

    /// The contrasts of one metric of one workload, by level and bed.
    pub(crate) fn of_metric<'a>(
        &'a self,
        workload: &'a str,
        metric: &'a str,
    ) -> impl Iterator<Item = &'a Contrast> {
        self.contrasts.iter().filter(move |c| c.workload == workload && c.metric == metric)
    }

    /// The primary contrast of the same place as another, in another metric.
    pub(crate) fn beside(&self, contrast: &Contrast, metric: &str) -> Option<&Contrast> {
        self.contrasts.iter().find(|c| {
            c.metric == metric
                && c.workload == contrast.workload
                && c.level == contrast.level
                && c.treatment_bed == contrast.treatment_bed
        })
    }
}
