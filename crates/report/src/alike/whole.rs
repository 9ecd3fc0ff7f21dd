//! The check that there are two whole runs to compare: finished, with the same beds, workloads and levels,
//! each with a result.

use crate::loaded_run::{GroupKey, LoadedRun, Measured};
use crate::sentences;
use notebook::{CellState, RunState};
use words::say;

/// A run and its name.
type Named<'a> = (&'a LoadedRun, &'a str);

/// Everything that keeps two runs from being compared whatever was asked of them.
pub(super) fn reasons(run: Named<'_>, baseline: Named<'_>) -> Vec<String> {
    if is_same(run.0, baseline.0) {
        let (id, base) = (run.0.run.id, baseline.0.run.id);
        let run = id.to_string();
        return vec![match id == base {
            true => say!("refusal-same-run", run),
            false => say!("refusal-copied-run", run, base = base.to_string()),
        }];
    }
    let mut reasons: Vec<String> = [run, baseline].into_iter().filter_map(unfinished).collect();
    reasons.extend(missing(run, baseline));
    if reasons.is_empty() {
        reasons.extend(without_result(run).into_iter().chain(without_result(baseline)));
    }
    reasons
}

/// True if both are one run, also when it was read twice, in a copy of its notebook, or imported under
/// another number.
fn is_same(a: &LoadedRun, b: &LoadedRun) -> bool {
    a.run.key() == b.run.key()
}

fn unfinished((loaded, name): Named<'_>) -> Option<String> {
    let ended = loaded.cells.iter().filter(|m| m.cell.state.is_final()).count();
    let whole = loaded.run.state == RunState::Finished && ended == loaded.cells.len();
    (!whole).then(|| {
        say!(
            "refusal-not-finished",
            run = name,
            state = loaded.run.state.to_string(),
            ended,
            cells = sentences::grouped(loaded.cells.len()),
            id = loaded.run.id.to_string(),
        )
    })
}

/// Beds, workloads, levels and their crossings that only one of the two runs has.
fn missing(run: Named<'_>, baseline: Named<'_>) -> Vec<String> {
    let mut reasons = Vec::new();
    for ((here, name), (there, other)) in [(run, baseline), (baseline, run)] {
        let mut lacks = |what: String| reasons.push(say!("refusal-missing", what, run = name, other));
        let lacks_bed = |bed: &str| there.beds.iter().all(|other| other.name != bed);
        for bed in here.beds.iter().filter(|bed| lacks_bed(&bed.name)) {
            lacks(say!("refusal-bed", bed = bed.name));
        }
        for workload in here.workloads() {
            if there.of(workload).next().is_none() {
                lacks(say!("refusal-workload", workload));
                continue;
            }
            for level in here.levels(workload) {
                let at = say!("refusal-level", workload, at = here.level_name(workload).said(level));
                if !there.levels(workload).contains(&level) {
                    lacks(at);
                    continue;
                }
                for bed in here.beds.iter().filter(|bed| !lacks_bed(&bed.name)) {
                    let place = GroupKey { workload, level, bed: &bed.name };
                    if !here.group(&place).is_empty() && there.group(&place).is_empty() {
                        lacks(say!("refusal-level-on-bed", at, bed = bed.name));
                    }
                }
            }
        }
    }
    reasons
}

/// Places of which no cell counts: a comparison would pass over them in silence.
fn without_result((loaded, name): Named<'_>) -> Vec<String> {
    let empty = |place: &GroupKey<'_>| !loaded.group(place).is_empty() && loaded.valid(place).is_empty();
    let sentence = |place: GroupKey<'_>| {
        let cells = loaded.group(&place);
        let at = loaded.level_name(place.workload).said(place.level);
        let (workload, bed) = (place.workload, place.bed);
        match first_reason(&cells) {
            Some((invalid, first)) => {
                say!("refusal-no-valid-cell-first", run = name, workload, at, bed, invalid, first)
            }
            None => say!("refusal-no-valid-cell", run = name, workload, at, bed),
        }
    };
    loaded.places().filter(empty).map(sentence).collect()
}

/// The number of invalid cells and the first reason.
fn first_reason(cells: &[&Measured]) -> Option<(usize, String)> {
    let invalid = cells.iter().filter(|m| m.cell.state == CellState::Invalid);
    let first = invalid.clone().find_map(|m| m.cell.reasons.text())?;
    Some((invalid.count(), super::short(&first)))
}
