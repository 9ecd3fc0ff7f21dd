//! The same bed, workload and level in two runs.

mod levels;
mod page;

use crate::alike::{self, Alike, Declared};
use crate::caution::Cautions;
use crate::compare;
use crate::comparison::{Comparison, ExcludedCell};
use crate::contrast::{self, Contrast, Question, Unjudged};
use crate::error::ReportError;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::nuisance::Nuisance;
use crate::refusal::Unlike;
use crate::sentences::{self, Span};
use crate::{answer, caution, limiter, naming, noise, nuisance};
use notebook::{Notebook, RunId};
use words::say;

/// Compares run `a` (above the line of every ratio) with run `b` (below it), cells of the same bed, workload
/// and level. Both sides of a contrast carry the name of the bed; [`Comparison::runs`] names the runs.
/// `treat` names what was varied between them on purpose: `storage`, `workload.stream.block_size`, `realm`;
/// `declared` says whether the treatment that both declare has to be named, too.
///
/// Cells of different runs were not interleaved, so nothing is paired.
///
/// # Errors
/// [`ReportError::NoFactor`] when `treat` names nothing in which runs can differ; [`ReportError::Refused`]
/// when the two were not asked the same, are one run, or when one of them is not whole; otherwise as for
/// [`crate::compare`].
pub fn compare_runs(
    (notebook_a, a): (&Notebook, RunId),
    (notebook_b, b): (&Notebook, RunId),
    treat: &[String],
    declared: Declared,
) -> Result<Comparison, ReportError> {
    let (above, below) = (LoadedRun::read(notebook_a, a)?, LoadedRun::read(notebook_b, b)?);
    let alike = alike::check(&above, &below, treat, declared)?;
    let (mut contrasts, mut unjudged) = (Vec::new(), Vec::new());
    for place in above.places().filter(|place| !above.group(place).is_empty()) {
        ask_place(&above, &below, place, &mut contrasts, &mut unjudged);
    }
    contrast::correct_exploratory(&mut contrasts);
    contrasts.sort_by_key(|contrast| (contrast.workload.clone(), !contrast.primary));
    Ok(assemble(&above, &below, (contrasts, unjudged), alike))
}

fn ask_place(
    above: &LoadedRun,
    below: &LoadedRun,
    place: GroupKey<'_>,
    contrasts: &mut Vec<Contrast>,
    unjudged: &mut Vec<Unjudged>,
) {
    let kind = above.kind(place.workload);
    let primary = kind.primary.iter().map(|name| (*name, true));
    let exploratory = kind.exploratory.iter().map(|name| (*name, false));
    for (name, primary) in primary.into_iter().chain(exploratory) {
        let Some(metric) = name.shown() else { continue };
        let values = (above.values(&place, name), below.values(&place, name));
        let question = Question {
            workload: place.workload,
            level: place.level,
            level_name: above.level_name(place.workload),
            metric,
            primary,
            treatment_bed: place.bed,
            baseline_bed: place.bed,
            // Where the two declare different ones, the stricter counts.
            smallest_effect: compare::smallest_effect(above, place.workload, &metric)
                .min(compare::smallest_effect(below, place.workload, &metric)),
            blocks: false,
        };
        match contrast::ask(question, &values.0, &values.1) {
            Ok(contrast) => contrasts.push(contrast),
            Err(reason) if primary || reason.cells != (0, 0) => unjudged.push(*reason),
            Err(_) => {}
        }
    }
}

fn assemble(
    above: &LoadedRun,
    below: &LoadedRun,
    (contrasts, unjudged): (Vec<Contrast>, Vec<Unjudged>),
    alike: Alike,
) -> Comparison {
    let names = naming::run_names(above, below);
    let question = say!("answer-question-of-runs", run = names.0, baseline = names.1);
    let mut comparison = Comparison {
        title: above.run.title.clone(),
        question: Some(question),
        answer: String::new(),
        headline: headline(above, &contrasts),
        contrasts,
        same_bed: Vec::new(),
        unjudged,
        nuisances: nuisance::between_runs(above, below, [&names.0, &names.1]),
        treatment: alike.treated.into_iter().map(|unlike| varied(unlike, &names)).collect(),
        named_by_treatment: true,
        beds: naming::of(above, true),
        beds_below: naming::of(below, true),
        baseline: String::new(),
        runs: Some(names),
        limiters: limiter::of_all(above),
        crashes: Vec::new(),
        operations: Vec::new(),
        inputs: Vec::new(),
        instances: Vec::new(),
        hosts: Vec::new(),
        paces: Vec::new(),
        scale_out: Vec::new(),
        held: Vec::new(),
        wear: Vec::new(),
        noise: noise::of_all(above),
        basis: compare::basis(above),
        shares_drive: false,
        disturbed: caution::others::disturbed(above, below),
        warnings: Vec::new(),
        grave_warnings: 0,
        excluded: caution::excluded(above),
        spans: Vec::new(),
    };
    let of_run = caution::of_run(above, &comparison);
    let of_baseline = caution::of_run(below, &seen_from_below(below, &comparison));
    let excluded = caution::excluded(below).into_iter();
    comparison.excluded.extend(excluded.map(|cell| ExcludedCell { of_baseline: true, ..cell }));
    let mut cautions = Cautions::default();
    cautions.grave.extend(caution::others::apart(&comparison));
    cautions.grave.extend(caution::between(&comparison));
    cautions.grave.extend(whose(of_run.grave, of_baseline.grave, comparison.runs.as_ref()));
    cautions.notes.extend(whose(of_run.notes, of_baseline.notes, comparison.runs.as_ref()));
    cautions.notes.extend(alike.unused.iter().map(|name| say!("caution-named-but-same", name)));
    comparison.warn(cautions);
    comparison.spans = answer(above, &comparison);
    comparison.answer = sentences::join(&comparison.spans);
    comparison
}

/// The answer: the headline, or both sides where no contrast was judged.
fn answer(above: &LoadedRun, comparison: &Comparison) -> Vec<Span> {
    let mut spans = match &comparison.headline {
        Some(contrast) => {
            let at = above.place_said(&contrast.workload, contrast.level);
            let names = comparison.names(&contrast.treatment_bed, &contrast.baseline_bed);
            sentences::answer(contrast, &at, &names)
        }
        None => answer::throughput_unjudged(above, comparison)
            .and_then(|unjudged| {
                let names = comparison.names(&unjudged.treatment_bed, &unjudged.baseline_bed);
                let at = above.place_said(&unjudged.workload, unjudged.level);
                sentences::side_by_side(unjudged, &at, &names)
            })
            .unwrap_or_else(|| vec![Span::Plain(say!("answer-no-common-cell").to_owned())]),
    };
    spans.extend(answer::scaled(above));
    spans
}

/// The comparison with the beds and limiters of the baseline, for the remarks about it.
fn seen_from_below(below: &LoadedRun, comparison: &Comparison) -> Comparison {
    let (beds, limiters) = (comparison.beds_below.clone(), limiter::of_all(below));
    Comparison { beds, limiters, noise: noise::of_all(below), ..comparison.clone() }
}

/// The remarks about both runs once, and those about one run with its name.
fn whose(of_run: Vec<String>, of_baseline: Vec<String>, names: Option<&(String, String)>) -> Vec<String> {
    let Some((run, baseline)) = names else { return of_run };
    let only = |name: &str, these: &[String], others: &[String]| -> Vec<String> {
        let apart = these.iter().filter(|warning| !others.contains(warning));
        apart.map(|warning| say!("caution-of-run", run = name, warning)).collect()
    };
    let apart = [only(run, &of_run, &of_baseline), only(baseline, &of_baseline, &of_run)].concat();
    let mut told: Vec<String> = Vec::new();
    for warning in of_run.into_iter().filter(|warning| of_baseline.contains(warning)).chain(apart) {
        if !told.contains(&warning) {
            told.push(warning);
        }
    }
    told
}

/// The factor varied on purpose, as the comparison lists it: the judged run comes first.
fn varied(unlike: Unlike, names: &(String, String)) -> Nuisance {
    Nuisance {
        fact: unlike.what,
        values: vec![(names.0.clone(), unlike.run), (names.1.clone(), unlike.baseline)],
    }
}

/// Throughput of the first bed at the highest level of the first workload.
fn headline(loaded: &LoadedRun, contrasts: &[Contrast]) -> Option<Contrast> {
    let first = contrasts.first()?;
    let throughput = loaded.kind(&first.workload).throughput;
    let same = |c: &&Contrast| {
        c.workload == first.workload && c.metric == throughput && c.treatment_bed == first.treatment_bed
    };
    contrasts.iter().filter(same).max_by(|a, b| a.level.total_cmp(&b.level)).cloned()
}
