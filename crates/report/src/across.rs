//! The same bed, workload and level in two runs.

use crate::book::{Book, Place};
use crate::compare;
use crate::comparison::Comparison;
use crate::contrast::{self, Contrast, Question, Unjudged};
use crate::error::ReportError;
use crate::words::{self, Span};
use crate::{caution, limiter, metric, naming, noise, nuisance};
use notebook::{Notebook, RunId};

/// Compares what two runs have in common: run `a` (above the line of every ratio) with run `b` (below it), cells of the same bed,
/// workload and level. Both sides of a contrast carry the name of the bed; [`Comparison::runs`] names the runs.
///
/// Cells of different runs were not interleaved, so nothing is paired. A run compared with itself has the ratio 1 everywhere and is
/// equivalent.
///
/// # Errors
/// [`ReportError::NothingInCommon`] when no bed, workload and level occurs in both; otherwise as for [`crate::compare`].
pub fn compare_runs(
    notebook_a: &Notebook,
    a: RunId,
    notebook_b: &Notebook,
    b: RunId,
) -> Result<Comparison, ReportError> {
    let (above, below) = (Book::read(notebook_a, a)?, Book::read(notebook_b, b)?);
    let mut common = false;
    let (mut contrasts, mut unjudged) = (Vec::new(), Vec::new());
    for workload in above.workloads() {
        for level in above.levels(workload) {
            for bed in &above.beds {
                let place = Place { workload, level, bed: &bed.name };
                if above.group(&place).is_empty() || below.group(&place).is_empty() {
                    continue;
                }
                common = true;
                ask_place(&above, &below, place, &mut contrasts, &mut unjudged);
            }
        }
    }
    if !common {
        let (first, second) = (inventory(&above), inventory(&below));
        return Err(ReportError::NothingInCommon { a, b, first, second });
    }
    contrast::correct_exploratory(&mut contrasts);
    contrasts.sort_by_key(|contrast| (contrast.workload.clone(), !contrast.primary));
    Ok(assemble(&above, &below, contrasts, unjudged))
}

/// Short names for two runs: `run 3`, with its start when both have the same number in different notebooks.
fn run_names(above: &Book, below: &Book) -> (String, String) {
    let number = |book: &Book| format!("run {}", book.run.id);
    let dated = |book: &Book| format!("{} of {}", number(book), minute(&book.run.started_at));
    if is_itself(above, below) {
        (format!("{} again", number(above)), number(below))
    } else if above.run.id == below.run.id {
        (dated(above), dated(below))
    } else {
        (number(above), number(below))
    }
}

/// Whether both are the same run, read twice.
fn is_itself(a: &Book, b: &Book) -> bool {
    a.run.id == b.run.id && a.run.started_at == b.run.started_at && a.run.seed == b.run.seed
}

/// `2026-05-04 10:07` of an RFC 3339 time.
pub(crate) fn minute(time: &str) -> String {
    let text: String = time.chars().take(16).collect();
    text.replace('T', " ")
}

fn ask_place(
    above: &Book,
    below: &Book,
    place: Place<'_>,
    contrasts: &mut Vec<Contrast>,
    unjudged: &mut Vec<Unjudged>,
) {
    let kind = above.kind(place.workload);
    let primary = kind.primary().iter().map(|name| (*name, true));
    let exploratory = kind.exploratory().iter().map(|name| (*name, false));
    for (name, primary) in primary.into_iter().chain(exploratory) {
        let Some(metric) = metric::find(name) else { continue };
        let values = (above.values(&place, name), below.values(&place, name));
        let question = Question {
            workload: place.workload,
            level: place.level,
            level_name: above.level_name(place.workload),
            metric,
            primary,
            treatment_bed: place.bed,
            baseline_bed: place.bed,
            smallest_effect: compare::smallest_effect(above, metric),
            // Only a run compared with itself has the same values in the same blocks; then the pairs are the cells.
            blocks: values.0 == values.1,
        };
        match contrast::ask(question, &values.0, &values.1) {
            Ok(contrast) => contrasts.push(contrast),
            Err(reason) if primary || reason.cells != (0, 0) => unjudged.push(*reason),
            Err(_) => {}
        }
    }
}

/// `beds nvme, eco; tpcc at 1, 4 virtual users`.
fn inventory(book: &Book) -> String {
    let beds: Vec<&str> = book.beds.iter().map(|bed| bed.name.as_str()).collect();
    let workloads: Vec<String> = book
        .workloads()
        .into_iter()
        .map(|workload| {
            let levels: Vec<String> = book.levels(workload).into_iter().map(crate::number::level).collect();
            format!("{workload} at {} {}", levels.join(", "), book.level_name(workload))
        })
        .collect();
    format!("beds {}; {}", beds.join(", "), workloads.join("; "))
}

fn assemble(above: &Book, below: &Book, contrasts: Vec<Contrast>, unjudged: Vec<Unjudged>) -> Comparison {
    let names = run_names(above, below);
    let question = if is_itself(above, below) {
        format!("Does {} differ from itself?", names.1)
    } else {
        format!("Does {} differ from {}?", names.0, names.1)
    };
    let mut comparison = Comparison {
        title: above.run.title.clone(),
        question: Some(question),
        answer: String::new(),
        headline: headline(above, &contrasts),
        contrasts,
        same_bed: Vec::new(),
        unjudged,
        nuisances: nuisance::between_runs(above, below, [&names.0, &names.1]),
        treatment: Vec::new(),
        named_by_treatment: true,
        beds: naming::of(above, true),
        baseline: String::new(),
        runs: Some(names),
        limiters: limiter::of_all(above),
        crashes: Vec::new(),
        operations: Vec::new(),
        inputs: Vec::new(),
        instances: Vec::new(),
        held: Vec::new(),
        wear: Vec::new(),
        noise: noise::of_all(above),
        basis: compare::basis(above),
        warnings: Vec::new(),
        excluded: caution::excluded(above),
        spans: Vec::new(),
    };
    let mut warnings = caution::of(above, &comparison);
    if !is_itself(above, below) {
        comparison.excluded.extend(caution::excluded(below));
        warnings.extend(caution::of(below, &comparison));
    }
    let mut seen = Vec::new();
    warnings.retain(|warning| {
        let new = !seen.contains(warning);
        seen.push(warning.clone());
        new
    });
    comparison.warnings = warnings;
    comparison.spans = match &comparison.headline {
        Some(contrast) => {
            words::answer(contrast, &comparison.names(&contrast.treatment_bed, &contrast.baseline_bed))
        }
        None => vec![Span::Plain("No verdict: no cell of the two runs could be compared.".to_owned())],
    };
    comparison.answer = words::join(&comparison.spans);
    comparison
}

/// Throughput of the first bed at the highest level of the first workload.
fn headline(book: &Book, contrasts: &[Contrast]) -> Option<Contrast> {
    let first = contrasts.first()?;
    let throughput = book.kind(&first.workload).throughput();
    let same = |c: &&Contrast| {
        c.workload == first.workload && c.metric == throughput && c.treatment_bed == first.treatment_bed
    };
    contrasts.iter().filter(same).max_by(|a, b| a.level.total_cmp(&b.level)).cloned()
}
