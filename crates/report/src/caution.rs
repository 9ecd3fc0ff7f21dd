//! Caveats about the numbers: each a full sentence, made only when the run gives cause for it.

mod one_drive;
pub(crate) mod others;

use crate::comparison::Comparison;
use crate::limiter::Limiters;
use crate::loaded_run::{LoadedRun, Measured};
use crate::number;
use crate::sentences;
use notebook::{CellState, RunState};
use words::{EventKind, Metric, NoteKind};

/// More contrasts than this without a verdict are counted, not told one by one.
const UNJUDGED_TOLD_MOST: usize = 3;
/// More than this share of late completions (in per cent of I/O) is named: the bed was then slower than its
/// model.
const LATE_MOST_PERCENT: f64 = 1.0;
/// A cell with fewer transactions than this cannot bound its p99 from above with 95 % confidence: ln 0.05 /
/// ln 0.99.
const SAMPLES_FOR_P99: u64 = 299;

/// Every caution of a comparison, the gravest first.
pub(crate) fn of(loaded: &LoadedRun, comparison: &Comparison) -> Vec<String> {
    let mut cautions = Vec::new();
    cautions.extend(unfinished(loaded));
    cautions.extend(generator_bound(comparison));
    cautions.extend(loaded.beds.iter().filter_map(|bed| others::caution(loaded, comparison, &bed.name)));
    cautions.extend(few_repeats(comparison));
    cautions.extend(one_drive::caution(loaded, comparison));
    cautions.extend(order(loaded, comparison));
    cautions.extend(left_out(loaded));
    cautions.extend(unjudged(comparison));
    cautions.extend(loaded.beds.iter().filter_map(|bed| late(loaded, comparison, &bed.name)));
    cautions.extend(loaded.beds.iter().flat_map(|bed| floor_flags(loaded, comparison, &bed.name)));
    cautions.extend(few_samples(loaded));
    cautions.extend(errors(loaded));
    cautions.extend(warned(loaded, comparison));
    cautions.extend(inputs(loaded));
    cautions.extend(effect_below_noise(comparison));
    cautions.extend(loaded.notes_of(NoteKind::Warning).map(str::to_owned));
    cautions
}

fn unfinished(loaded: &LoadedRun) -> Option<String> {
    let open = loaded
        .cells
        .iter()
        .filter(|m| matches!(m.cell.state, CellState::Planned | CellState::Running))
        .count();
    let done = sentences::count(loaded.cells.len() - open, "cell", "cells");
    match loaded.run.state {
        RunState::Finished if open == 0 => None,
        RunState::Finished => {
            Some(format!("{} of the plan were not run.", sentences::count(open, "cell", "cells")))
        }
        RunState::Running => {
            Some(format!("The run is not complete: {done} of {} are recorded.", loaded.cells.len()))
        }
        RunState::Interrupted => Some(format!(
            "The run was interrupted after {done} of {}; `drivetrain resume {}` completes it.",
            loaded.cells.len(),
            loaded.run.id
        )),
        RunState::Killed => Some(format!(
            "The run was killed after {done} of {}; `drivetrain resume {}` completes it.",
            loaded.cells.len(),
            loaded.run.id
        )),
        RunState::Failed => {
            let why =
                loaded.notes_of(NoteKind::Error).last().map(|why| format!(": {why}")).unwrap_or_default();
            Some(format!(
                "The run failed after {done} of {}{why}; once that is mended, `drivetrain resume {}` goes on.",
                loaded.cells.len(),
                loaded.run.id
            ))
        }
    }
}

fn generator_bound(comparison: &Comparison) -> Vec<String> {
    let mut cautions = by_bed(comparison, Limiters::is_generator, |bed, levels| {
        format!("The load generator was what bounded {bed} at {levels}: its storage was not measured there.")
    });
    cautions.extend(by_bed(comparison, Limiters::is_paced, |bed, levels| {
        format!(
            "{bed} kept the rate that was asked for at {levels}: latency is that of this rate, and how much more it could do was not measured."
        )
    }));
    cautions
}

/// A sentence about each bed and its levels at which `is` is true.
fn by_bed(
    comparison: &Comparison,
    is: fn(&Limiters) -> bool,
    sentence: impl Fn(&str, &str) -> String,
) -> Vec<String> {
    let of = |bed: &str| {
        let bound = comparison.limiters.iter().filter(|limiters| limiters.bed == bed && is(limiters));
        let levels: Vec<String> =
            bound.map(|limiters| sentences::level(limiters.level, &limiters.level_name)).collect();
        (!levels.is_empty()).then(|| sentence(comparison.shown(bed), &levels.join(", ")))
    };
    comparison.beds.iter().filter_map(|bed| of(&bed.name)).collect()
}

fn few_repeats(comparison: &Comparison) -> Option<String> {
    let few = comparison
        .contrasts
        .iter()
        .filter(|contrast| contrast.primary && contrast.judgement.exploratory)
        .count();
    let all = comparison.contrasts.iter().filter(|contrast| contrast.primary).count();
    (few > 0).then(|| {
        format!(
            "{few} of {all} primary contrasts rest on too few repeats (fewer than 6 pairs, or 4 and 4 unpaired cells) \
             and are exploratory: a hint, no finding."
        )
    })
}

fn order(loaded: &LoadedRun, comparison: &Comparison) -> Vec<String> {
    let mut cautions = Vec::new();
    if loaded.run.order == "sequential" {
        cautions.push(
            "The order was not randomised: each bed ran as a block, so a drift of the machine looks like a difference of beds."
                .to_owned(),
        );
    }
    for noise in comparison.noise.iter() {
        let Some(drift) = noise.drift else { continue };
        let metric = noise.metric.short();
        let remedy = if loaded.run.order == "sequential" {
            "and the order of cells does not cancel it"
        } else {
            "interleaved pairs cancel most of it"
        };
        let direction = if drift > 0.0 { "rose" } else { "fell" };
        cautions.push(format!(
            "{metric} {direction} by {} from the first repeat to the last on all beds alike; {remedy}.",
            number::percent((drift.abs() * 1000.0).round() / 1000.0)
        ));
    }
    cautions
}

fn left_out(loaded: &LoadedRun) -> Option<String> {
    let count = |state| loaded.cells.iter().filter(|m| m.cell.state == state).count();
    let parts: Vec<String> = [(CellState::Invalid, "invalid"), (CellState::Interrupted, "interrupted")]
        .into_iter()
        .filter_map(|(state, word)| Some((count(state), word)).filter(|(count, _)| *count > 0))
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let one = count(CellState::Invalid) + count(CellState::Interrupted) == 1;
    let verb = if one { "cell is" } else { "cells are" };
    (!parts.is_empty()).then(|| {
        format!(
            "{} {verb} left out of every figure and verdict; the reasons are listed.",
            parts.join(" and ")
        )
    })
}

fn unjudged(comparison: &Comparison) -> Vec<String> {
    let mut sentences = comparison.unjudged_sentences(true);
    if sentences.len() > UNJUDGED_TOLD_MOST {
        let count = sentences.len();
        sentences.truncate(1);
        sentences.insert(0, format!("{count} primary contrasts could not be judged. The first:"));
        sentences = vec![sentences.join(" ")];
    }
    sentences
}

fn late(loaded: &LoadedRun, comparison: &Comparison, bed: &str) -> Option<String> {
    let valid = loaded.cells.iter().filter(|m| m.cell.bed == bed && m.cell.state == CellState::Done);
    let late = valid.filter_map(|m| Some((m, m.values.get(Metric::LateCompletions)?)));
    let late: Vec<_> = late.filter(|(_, share)| *share > LATE_MOST_PERCENT).collect();
    let worst = late.iter().map(|(_, share)| *share).fold(0.0, f64::max);
    let (first, _) = late.iter().min_by(|(a, _), (b, _)| a.cell.level.total_cmp(&b.cell.level))?;
    Some(format!(
        "Up to {} % of the I/O of {} completed later than its drive model said, the first at {}: this machine could not keep \
         up, so the bed looks slower than the modelled drive.",
        number::plain(worst),
        comparison.shown(bed),
        sentences::level(first.cell.level, &first.cell.level_name)
    ))
}

/// Flags that were stored when the emulation layer's own cost was measured: what of the modelled drive it
/// cannot show.
fn floor_flags(loaded: &LoadedRun, comparison: &Comparison, bed: &str) -> Vec<String> {
    let facts = loaded.scope(&format!("floor:{bed}"));
    let flags = facts.into_iter().flatten().filter(|(key, value)| is_flag(key) && !value.is_empty());
    flags.map(|(_, flag)| format!("On {}: {}", comparison.shown(bed), sentences::sentence(flag))).collect()
}

/// True if a fact of a floor is its flag rather than a figure.
pub(crate) fn is_flag(key: &str) -> bool {
    key.split(['.', '_']).any(|word| word.starts_with("flag"))
}

fn few_samples(loaded: &LoadedRun) -> Option<String> {
    let sampled = |m: &&Measured| m.cell.state == CellState::Done;
    let fewest = loaded.cells.iter().filter(sampled).filter_map(|m| m.samples).min()?;
    (fewest < SAMPLES_FOR_P99).then(|| {
        format!(
            "The p99 of some cells rests on as few as {} latencies; {SAMPLES_FOR_P99} are the least that bound a p99.",
            number::count(fewest)
        )
    })
}

fn errors(loaded: &LoadedRun) -> Option<String> {
    let valid = || loaded.cells.iter().filter(|m| m.cell.state == CellState::Done);
    let total: f64 = valid().filter_map(|m| m.values.get(Metric::Errors)).sum();
    let first = valid().flat_map(|m| &m.events).find(|event| event.kind.contains("error"));
    let said = first
        .map(|event| format!(", the first: {}", sentences::sentence(&event.message)))
        .unwrap_or_else(|| ".".to_owned());
    (total > 0.0).then(|| format!("{} errors were counted in valid cells{said}", number::count(total as u64)))
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
    Some(format!(
        "{} to be read with care; the first, of {} at {}: {}",
        match warned.len() {
            1 => "One valid cell is".to_owned(),
            many => format!("{} are", sentences::count(many, "valid cell", "valid cells")),
        },
        comparison.shown(&first.cell.bed),
        sentences::level(first.cell.level, &first.cell.level_name),
        sentences::sentence(&said.join("; "))
    ))
}

/// Transactions whose inputs strayed from the bands of clause 5.5.1.5; short cells do so by chance.
fn inputs(loaded: &LoadedRun) -> Option<String> {
    let valid = loaded.cells.iter().filter(|m| m.cell.state == CellState::Done);
    let strayed: Vec<&Measured> =
        valid.filter(|m| m.events.iter().any(|event| event.kind == EventKind::Input)).collect();
    let first = strayed.first()?.events.iter().find(|event| event.kind == EventKind::Input)?;
    Some(format!(
        "In {} the inputs strayed from the bands of clause 5.5.1.5, as short cells do by chance; the first: {}",
        sentences::count(strayed.len(), "valid cell", "valid cells"),
        sentences::sentence(&first.message)
    ))
}

/// A headline difference that is smaller than what one bed differs from itself is said to be so (comparison
/// rule 11).
fn effect_below_noise(comparison: &Comparison) -> Option<String> {
    let headline = comparison.headline.as_ref()?;
    let noise =
        comparison.noise.iter().find(|n| n.workload == headline.workload && n.metric == headline.metric)?;
    let effect = headline.judgement.ratio.value.ln().abs();
    (effect < noise.variation && effect > 0.0).then(|| {
        format!(
            "The difference is smaller than the spread of one bed from cell to cell ({}).",
            number::percent_rounded(noise.variation)
        )
    })
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
            level_name: m.cell.level_name.clone(),
            repeat: m.cell.repeat,
            state: m.cell.state,
            reasons: m.cell.reasons.clone(),
            of_baseline: false,
        })
        .collect()
}
