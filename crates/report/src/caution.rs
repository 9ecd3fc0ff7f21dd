//! Caveats about the numbers: each a full sentence, made only when the run gives cause for it.

pub(crate) mod late;
mod off_model;
mod one_drive;
pub(crate) mod others;
mod warnings;

use crate::comparison::Comparison;
use crate::floor;
use crate::kind::block;
use crate::limiter::Limiters;
use crate::loaded_run::{LoadedRun, Measured};
use crate::number;
use crate::sentences;
use notebook::{CellState, RunState};
use words::{Beyond, EventKind, Metric, NoteKind, Realm, Through, say};

/// More contrasts than this without a verdict are counted, not told one by one.
const UNJUDGED_TOLD_MOST: usize = 3;
/// A cell with fewer transactions than this cannot bound its p99 from above with 95 % confidence: ln 0.05 /
/// ln 0.99.
const SAMPLES_FOR_P99: u64 = 299;

/// Cautions by their weight.
#[derive(Debug, Default)]
pub(crate) struct Cautions {
    /// Those that change how far the answer holds.
    pub(crate) grave: Vec<String>,
    /// The others: a reader should know them, but the verdicts stand.
    pub(crate) notes: Vec<String>,
}

/// Every caution of a comparison of beds.
pub(crate) fn of(loaded: &LoadedRun, comparison: &Comparison) -> Cautions {
    let mut cautions = of_run(loaded, comparison);
    // They say of the answer itself that it is not the drive's.
    cautions.grave.splice(0..0, late::verdicts(loaded, comparison));
    cautions.grave.extend(between(comparison));
    cautions
}

/// The cautions about one run, whatever it is compared with.
pub(crate) fn of_run(loaded: &LoadedRun, comparison: &Comparison) -> Cautions {
    Cautions { grave: grave(loaded, comparison), notes: notes(loaded, comparison) }
}

/// The cautions about the comparison itself.
pub(crate) fn between(comparison: &Comparison) -> Vec<String> {
    let mut grave: Vec<String> = few_repeats(comparison).into_iter().collect();
    grave.extend(unjudged(comparison));
    grave.extend(effect_below_noise(comparison));
    grave
}

/// True if more repeats would settle nothing before the bench itself is mended: beds on one drive, or other
/// programs at work beside the load.
pub(crate) fn bench_is_at_fault(loaded: &LoadedRun, comparison: &Comparison) -> bool {
    is_one_drive(loaded, comparison) || others::caution(loaded, comparison).is_some()
}

/// True if beds of a storage comparison lie on one drive.
pub(crate) fn is_one_drive(loaded: &LoadedRun, comparison: &Comparison) -> bool {
    one_drive::caution(loaded, comparison).is_some()
}

fn grave(loaded: &LoadedRun, comparison: &Comparison) -> Vec<String> {
    let mut grave = Vec::new();
    grave.extend(unfinished(loaded));
    // It leaves no question to answer.
    grave.extend(one_drive::caution(loaded, comparison));
    match &loaded.profile {
        Some(profile) => grave.extend(profile.inaccurate()),
        // A profile takes each of its points for itself.
        None => grave.extend(unlike_points(loaded)),
    }
    grave.extend(by_bed(
        comparison,
        Limiters::is_generator,
        |bed, levels| say!("caution-generator", bed, levels),
        |places| say!("caution-generator-several", places),
    ));
    grave.extend(by_bed(
        comparison,
        Limiters::is_behind,
        |bed, levels| say!("caution-behind", bed, levels),
        |places| say!("caution-behind-several", places),
    ));
    grave.extend(by_bed(
        comparison,
        |limiters| limiters.is_above_pace,
        |bed, levels| say!("caution-above-pace", bed, levels),
        |places| say!("caution-above-pace-several", places),
    ));
    // A model that was not kept is worse than a guest on the machine.
    grave.extend(late::caution(loaded, comparison));
    grave.extend(off_model::caution(loaded, comparison));
    grave.extend(others::caution(loaded, comparison));
    let is_ordered = loaded.run.order == words::Order::Sequential && loaded.beds.len() > 1;
    grave.extend(is_ordered.then(|| say!("caution-order").to_owned()));
    grave.extend(buffered(loaded));
    grave.extend(floor_flags(loaded, comparison));
    grave
}

/// Block loads that went through the page cache of the kernel on real storage: memory answered a part of
/// them, and possibly all.
fn buffered(loaded: &LoadedRun) -> Option<String> {
    let on_storage = loaded.beds.iter().any(|bed| bed.realm == Realm::Real);
    let is_buffered = |workload: &&str| loaded.asked(workload).is_some_and(block::is_buffered);
    let jobs: Vec<&str> = loaded.names().filter(is_buffered).collect();
    (on_storage && !jobs.is_empty()).then(|| say!("caution-buffered", jobs = words::list(jobs)))
}

/// Cells whose figures are those of several points of a matrix together: a sum of small and large I/Os
/// answers no question about either.
fn unlike_points(loaded: &LoadedRun) -> Vec<String> {
    let of = |workload: &str| {
        let points = loaded.asked(workload).and_then(block::points_together)?;
        Some(say!("caution-unlike-points", workload, points, run = loaded.run.id.to_string()))
    };
    loaded.workloads().into_iter().filter_map(of).collect()
}

fn notes(loaded: &LoadedRun, comparison: &Comparison) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(by_bed(
        comparison,
        Limiters::is_at_pace,
        |bed, levels| say!("caution-paced", bed, levels),
        |places| say!("caution-paced-several", places),
    ));
    notes.extend(left_out(loaded));
    notes.extend(drift(loaded, comparison));
    notes.extend(few_samples(loaded));
    notes.extend(errors(loaded));
    notes.extend(warned(loaded, comparison));
    notes.extend(inputs(loaded));
    notes.extend(warnings::of(loaded));
    notes
}

fn unfinished(loaded: &LoadedRun) -> Option<String> {
    let open = loaded
        .cells
        .iter()
        .filter(|m| matches!(m.cell.state, CellState::Planned | CellState::Running))
        .count();
    let done = sentences::grouped(loaded.cells.len() - open);
    let (all, run) = (loaded.cells.len(), loaded.run.id.to_string());
    match loaded.run.state {
        RunState::Finished if open == 0 => None,
        RunState::Finished => Some(say!("caution-not-run", open = sentences::grouped(open))),
        RunState::Running => Some(say!("caution-running", done, all)),
        RunState::Interrupted if loaded.command().is_some() => Some(say!("caution-stopped").to_owned()),
        RunState::Killed | RunState::Failed if loaded.command().is_some() => {
            Some(say!("caution-not-whole").to_owned())
        }
        RunState::Interrupted => Some(say!("caution-interrupted", done, all, run)),
        RunState::Killed => Some(say!("caution-killed", done, all, run)),
        RunState::Failed => Some(match loaded.notes_of(NoteKind::Error).last() {
            Some(why) => say!("caution-failed-why", done, all, why, run),
            None => say!("caution-failed", done, all, run),
        }),
    }
}

/// A sentence about the beds and their levels at which `is` is true: `of_one` with a bed and its levels,
/// `of_several` with all places.
fn by_bed(
    comparison: &Comparison,
    is: fn(&Limiters) -> bool,
    of_one: impl Fn(&str, &str) -> String,
    of_several: impl Fn(&str) -> String,
) -> Option<String> {
    let of = |bed: &str| {
        let bound = comparison.limiters.iter().filter(|limiters| limiters.bed == bed && is(limiters));
        let mut levels: Vec<String> = Vec::new();
        for level in bound.map(|limiters| limiters.level_name.said(limiters.level)) {
            // Several workloads can have a level of one name.
            if !levels.contains(&level) {
                levels.push(level);
            }
        }
        (!levels.is_empty()).then(|| (comparison.shown(bed).to_owned(), words::list(levels)))
    };
    let found: Vec<(String, String)> = comparison.beds.iter().filter_map(|bed| of(&bed.name)).collect();
    let place = |(bed, levels): &(String, String)| say!("caution-place", bed, levels);
    match &found[..] {
        [] => None,
        [(bed, levels)] => Some(of_one(bed, levels)),
        several => Some(of_several(&words::list(several.iter().map(place)))),
    }
}

fn few_repeats(comparison: &Comparison) -> Option<String> {
    let few = comparison
        .contrasts
        .iter()
        .filter(|contrast| contrast.primary && contrast.judgement.exploratory)
        .count();
    let all = comparison.contrasts.iter().filter(|contrast| contrast.primary).count();
    (few > 0).then(|| say!("caution-few-repeats", few, all))
}

fn drift(loaded: &LoadedRun, comparison: &Comparison) -> Vec<String> {
    let drifts = comparison.noise.iter().filter_map(|noise| Some((noise.metric.short(), noise.drift?)));
    let told = |(metric, drift): (_, f64)| {
        say!(
            "caution-drift",
            metric,
            direction = if drift > 0.0 { "up" } else { "down" },
            by = number::percent((drift.abs() * 1000.0).round() / 1000.0),
            order = &loaded.run.order,
        )
    };
    drifts.map(told).collect()
}

fn left_out(loaded: &LoadedRun) -> Option<String> {
    let count = |state| loaded.cells.iter().filter(|m| m.cell.state == state).count();
    match (count(CellState::Invalid), count(CellState::Interrupted)) {
        (0, 0) => None,
        (invalid, 0) => Some(say!("caution-left-out-invalid", invalid)),
        (0, interrupted) => Some(say!("caution-left-out-interrupted", interrupted)),
        (invalid, interrupted) => Some(say!("caution-left-out", invalid, interrupted)),
    }
}

fn unjudged(comparison: &Comparison) -> Vec<String> {
    let mut sentences = comparison.unjudged_sentences(true);
    if sentences.len() > UNJUDGED_TOLD_MOST {
        sentences = vec![say!("caution-unjudged", count = sentences.len(), first = sentences[0])];
    }
    sentences
}

/// Operations of the modelled drives that are slower on this machine than the model, as measured before the
/// first cell. Beds share a sentence for each part of the way to a drive.
fn floor_flags(loaded: &LoadedRun, comparison: &Comparison) -> Vec<String> {
    let (mut beyond, mut told) = (Vec::new(), Vec::new());
    for bed in &loaded.beds {
        let Some(facts) = loaded.scope(&format!("floor:{}", bed.name)) else { continue };
        let bed = comparison.shown(&bed.name);
        beyond.push((bed, Beyond::read(facts)));
        told.extend(floor::flags(facts).iter().map(|flag| on_bed(bed, flag)));
    }
    let mut ways: Vec<Through> = Vec::new();
    for way in beyond.iter().flat_map(|(_, all)| all).map(|beyond| beyond.through) {
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    told.extend(ways.into_iter().map(|way| of_way(way, &beyond)));
    told
}

/// The operations of one part of the way to the drives of these beds.
fn of_way(way: Through, beyond: &[(&str, Vec<Beyond>)]) -> String {
    let beds: Vec<_> = beyond.iter().filter_map(|(bed, all)| Some((*bed, way.sentence(all)?, all))).collect();
    if let [(bed, sentence, _)] = &beds[..] {
        return on_bed(bed, sentence);
    }
    let rests = beds.iter().filter_map(|(bed, _, all)| Some((bed, way.rest(all)?)));
    let beds = rests.map(|(bed, what)| say!("caution-on-one", bed = *bed, what));
    sentences::sentence(&say!("caution-on-beds", what = way.heading(), beds = words::parts(beds)))
}

fn on_bed(bed: &str, sentence: &str) -> String {
    say!("caution-on-bed", bed, sentence = sentences::sentence(sentence))
}

fn few_samples(loaded: &LoadedRun) -> Option<String> {
    let sampled = |m: &&Measured| m.cell.state == CellState::Done;
    let fewest = loaded.cells.iter().filter(sampled).filter_map(|m| m.samples).min()?;
    (fewest < SAMPLES_FOR_P99)
        .then(|| say!("caution-few-samples", fewest = number::count(fewest), least = SAMPLES_FOR_P99))
}

fn errors(loaded: &LoadedRun) -> Option<String> {
    let valid = || loaded.cells.iter().filter(|m| m.cell.state == CellState::Done);
    let total: f64 = valid().filter_map(|m| m.values.get(Metric::Errors)).sum();
    let first = valid().flat_map(|m| &m.events).find(|event| event.kind == EventKind::Error);
    let errors = number::count(total as u64);
    (total > 0.0).then(|| match first {
        Some(event) => say!("caution-errors-first", errors, first = sentences::sentence(&event.message)),
        None => say!("caution-errors", errors),
    })
}

/// Valid cells that carry warnings: requests that were answered late or never, times in which nobody was
/// answered. Their figures hold, but a reader must know.
fn warned(loaded: &LoadedRun, comparison: &Comparison) -> Option<String> {
    let is_warning = |event: &&notebook::Event| event.kind == EventKind::Warning;
    let valid = loaded.cells.iter().filter(|m| m.cell.state == CellState::Done);
    let warned: Vec<&Measured> = valid.filter(|m| m.events.iter().any(|event| is_warning(&event))).collect();
    let first = warned.first()?;
    let said: Vec<&str> =
        first.events.iter().filter(is_warning).map(|event| event.message.as_str()).collect();
    Some(say!(
        "caution-warned",
        cells = sentences::grouped(warned.len()),
        bed = comparison.shown(&first.cell.bed),
        at = loaded.level_name(&first.cell.workload).said(first.cell.level),
        first = sentences::sentence(&words::parts(said)),
    ))
}

/// Transactions whose inputs strayed from the bands of clause 5.5.1.5; short cells do so by chance.
fn inputs(loaded: &LoadedRun) -> Option<String> {
    let valid = loaded.cells.iter().filter(|m| m.cell.state == CellState::Done);
    let strayed: Vec<&Measured> =
        valid.filter(|m| m.events.iter().any(|event| event.kind == EventKind::Input)).collect();
    let first = strayed.first()?.events.iter().find(|event| event.kind == EventKind::Input)?;
    Some(say!(
        "caution-inputs",
        cells = sentences::grouped(strayed.len()),
        first = sentences::sentence(&first.message),
    ))
}

/// A headline difference that is smaller than what one bed differs from itself is said to be so (comparison
/// rule 11).
fn effect_below_noise(comparison: &Comparison) -> Option<String> {
    let headline = comparison.headline.as_ref()?;
    let noise =
        comparison.noise.iter().find(|n| n.workload == headline.workload && n.metric == headline.metric)?;
    let effect = headline.judgement.ratio.value.ln().abs();
    (effect < noise.variation && effect > 0.0)
        .then(|| say!("caution-below-noise", variation = number::percent_rounded(noise.variation)))
}

/// Cells that were left out, for lists.
pub(crate) fn excluded(loaded: &LoadedRun) -> Vec<crate::comparison::ExcludedCell> {
    let left_out = |m: &&Measured| matches!(m.cell.state, CellState::Invalid | CellState::Interrupted);
    loaded
        .cells
        .iter()
        .filter(left_out)
        .map(|m| crate::comparison::ExcludedCell {
            position: m.cell.position,
            bed: m.cell.bed.clone(),
            workload: m.cell.workload.clone(),
            level: m.cell.level,
            level_name: loaded.level_name(&m.cell.workload).clone(),
            repeat: m.cell.repeat,
            state: m.cell.state,
            reasons: m.cell.reasons.clone(),
            of_baseline: false,
        })
        .collect()
}
