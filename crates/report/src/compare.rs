//! The comparison: every bed against the baseline at every level, with what must be known to believe it.

use crate::answer;
use crate::caution;
use crate::comparison::Comparison;
use crate::contrast::{self, Contrast, Question, Unjudged};
use crate::durability;
use crate::error::ReportError;
use crate::held;
use crate::hosts;
use crate::inputs;
use crate::instances;
use crate::kind;
use crate::limiter::{self, Limiters};
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::naming;
use crate::noise;
use crate::nuisance;
use crate::pace;
use crate::profile::Profile;
use crate::scale_out;
use crate::sentences;
use crate::wear;
use notebook::{Notebook, RunId};
use words::{EffectKey, Metric, NoteKind, Realm, Shown, say};

/// Compares every bed of a run with its baseline.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read or the run was never planned. Missing, invalid or single
/// cells are no error: what cannot be judged is listed.
pub fn compare(notebook: &Notebook, run: RunId) -> Result<Comparison, ReportError> {
    Ok(of_book(&LoadedRun::read(notebook, run)?))
}

/// Compares the beds of a run that was read.
pub(crate) fn of_book(loaded: &LoadedRun) -> Comparison {
    let differences = nuisance::between_beds(loaded);
    let named_by_treatment = differences.nuisances.is_empty();
    let baseline = baseline(loaded);
    // A model is neither better nor worse than the drive that it is meant to be.
    let (contrasts, unjudged) = match loaded.profile {
        Some(Profile::Twin(_)) => Default::default(),
        _ => contrasts(loaded, &baseline),
    };
    let beds = naming::of(loaded, named_by_treatment);
    let limiters = limiter::of_all(loaded);
    let mut comparison = Comparison {
        title: loaded.run.title.clone(),
        question: loaded.run.question.as_deref().map(|question| words::asked(question).to_owned()),
        answer: String::new(),
        headline: headline(loaded, &contrasts, &limiters),
        contrasts,
        same_bed: same_bed_contrasts(loaded),
        unjudged,
        nuisances: differences.nuisances,
        treatment: differences.treatment,
        named_by_treatment,
        operations: kind::operations(loaded, &beds),
        beds,
        beds_below: Vec::new(),
        baseline,
        runs: None,
        scale_out: scale_out::of_all(loaded, &limiters),
        limiters,
        crashes: durability::of_all(loaded),
        inputs: inputs::of_all(loaded),
        instances: instances::of_all(loaded),
        hosts: hosts::of_all(loaded),
        paces: pace::of_all(loaded),
        held: held::of_all(loaded),
        wear: wear::of_all(loaded),
        noise: noise::of_all(loaded),
        basis: basis(loaded),
        shares_drive: false,
        disturbed: Vec::new(),
        warnings: Vec::new(),
        grave_warnings: 0,
        excluded: caution::excluded(loaded),
        spans: Vec::new(),
    };
    comparison.shares_drive = caution::is_one_drive(loaded, &comparison);
    comparison.warn(caution::of(loaded, &comparison));
    comparison.spans = answer::of(loaded, &comparison);
    comparison.spans.extend(answer::of_points(loaded));
    let late = answer::late(loaded, &comparison);
    comparison.spans.extend(late);
    let simulated = answer::simulated(loaded, &comparison);
    comparison.spans.extend(simulated);
    comparison.spans.extend(answer::scaled(loaded));
    comparison.answer = sentences::join(&comparison.spans);
    comparison
}

/// The bed that the run names as baseline, or its last bed when there is no such bed.
fn baseline(loaded: &LoadedRun) -> String {
    let named = loaded.beds.iter().find(|bed| bed.name == loaded.run.baseline);
    named.or(loaded.beds.last()).map(|bed| bed.name.clone()).unwrap_or_default()
}

/// The kind of these numbers.
pub(crate) fn basis(loaded: &LoadedRun) -> Vec<String> {
    let kind = match Realm::of(&loaded.run.realm) {
        Some(Realm::Real) if loaded.moves_nothing() => say!("basis-null"),
        Some(Realm::Real) => say!("basis-real"),
        Some(Realm::Mixed) => say!("basis-mixed"),
        Some(Realm::Simulated) => say!("basis-simulated"),
        Some(Realm::Imported) if loaded.is_observed() => say!("basis-observed"),
        Some(Realm::Imported) => say!("basis-imported"),
        _ if !loaded.workloads().iter().any(|workload| loaded.kind(workload).has_database) => {
            if loaded.was_virtual() {
                say!("basis-emulated-block-virtual")
            } else {
                say!("basis-emulated-block")
            }
        }
        _ => say!("basis-emulated"),
    };
    let mut basis = vec![kind.to_owned()];
    basis.extend(loaded.notes_of(NoteKind::Model).map(str::to_owned));
    if loaded.run.scale < 1.0 {
        basis.push(sentences::basis::scaled(loaded.run.scale, &loaded.run.scale_statement.to_string()));
    }
    basis
}

/// The smallest effect that the run declared for a metric.
pub(crate) fn smallest_effect(loaded: &LoadedRun, workload: &str, metric: &Shown) -> f64 {
    if metric.metric.is_latency() {
        return loaded.run.smallest_effect_p99;
    }
    match loaded.kind(workload).word.effect_key() {
        EffectKey::Nopm => loaded.run.smallest_effect_throughput,
        // An experiment of an older version has one for every kind of throughput.
        key => loaded.smallest_effect(key).unwrap_or(loaded.run.smallest_effect_throughput),
    }
}

fn contrasts(loaded: &LoadedRun, baseline: &str) -> (Vec<Contrast>, Vec<Unjudged>) {
    let (mut contrasts, mut unjudged) = (Vec::new(), Vec::new());
    for workload in loaded.workloads() {
        let kind = loaded.kind(workload);
        let primary = kind.primary.iter().map(|name| (*name, true));
        let exploratory = kind.exploratory.iter().map(|name| (*name, false));
        for (name, primary) in primary.into_iter().chain(exploratory) {
            let Some(metric) = name.shown() else { continue };
            for level in loaded.levels(workload) {
                for bed in loaded.beds.iter().filter(|bed| bed.name != baseline) {
                    match ask_book(loaded, workload, level, (metric, primary), (&bed.name, baseline)) {
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
fn same_bed_contrasts(loaded: &LoadedRun) -> Vec<Contrast> {
    let mut contrasts = Vec::new();
    for (first, second) in nuisance::same_beds(loaded) {
        for workload in loaded.workloads() {
            for metric in loaded.kind(workload).primary.iter().copied().filter_map(Metric::shown) {
                let beds = (second.name.as_str(), first.name.as_str());
                let ask = |level| ask_book(loaded, workload, level, (metric, true), beds).ok();
                contrasts.extend(loaded.levels(workload).into_iter().filter_map(ask));
            }
        }
    }
    contrasts
}

/// Sets one bed (first) against another at one level.
fn ask_book(
    loaded: &LoadedRun,
    workload: &str,
    level: f64,
    (metric, primary): (Shown, bool),
    (treatment_bed, baseline_bed): (&str, &str),
) -> Result<Contrast, Box<Unjudged>> {
    let beds = (treatment_bed, baseline_bed);
    let question = Question { primary, ..question(loaded, workload, level, metric, beds) };
    let values = |bed| loaded.values(&GroupKey { workload, level, bed }, metric.metric);
    contrast::ask(question, &values(treatment_bed), &values(baseline_bed))
}

/// The terms of comparing two beds of a run in a primary metric.
pub(crate) fn question<'a>(
    loaded: &'a LoadedRun,
    workload: &'a str,
    level: f64,
    metric: Shown,
    (treatment_bed, baseline_bed): (&'a str, &'a str),
) -> Question<'a> {
    Question {
        workload,
        level,
        level_name: loaded.level_name(workload),
        metric,
        primary: true,
        treatment_bed,
        baseline_bed,
        smallest_effect: smallest_effect(loaded, workload, &metric),
        blocks: loaded.run.order == words::Order::Interleaved,
    }
}

/// See [`Comparison::headline`].
fn headline(loaded: &LoadedRun, contrasts: &[Contrast], limiters: &[Limiters]) -> Option<Contrast> {
    let workload = loaded.first_workload()?;
    let throughput = loaded.kind(workload).throughput;
    let candidates = || contrasts.iter().filter(|c| c.workload == workload && c.metric == throughput);
    let first_bed = loaded.beds.iter().find(|bed| candidates().any(|c| c.treatment_bed == bed.name))?;
    let highest = candidates()
        .filter(|c| c.treatment_bed == first_bed.name)
        .max_by(|a, b| a.level.total_cmp(&b.level))?;
    let is_here = |contrast: &Contrast| {
        contrast.workload == highest.workload
            && contrast.level == highest.level
            && contrast.treatment_bed == highest.treatment_bed
    };
    let is_paced = |bed: &str| {
        let mut here = limiters.iter().filter(|one| one.workload == workload && one.level == highest.level);
        here.any(|one| one.bed == bed && one.is_paced())
    };
    // A requested rate that both beds kept is the same by design: the latency at it tells them apart.
    let is_asked = limiter::can_be_asked(throughput)
        && is_paced(&highest.treatment_bed)
        && is_paced(&highest.baseline_bed);
    let mut of_latency = contrasts.iter().filter(|c| c.primary && c.metric == Metric::LATENCY_P99);
    let latency = of_latency.find(|contrast| is_asked && is_here(contrast));
    Some(latency.unwrap_or(highest).clone())
}
