//! The check that there are two whole runs to compare: finished, with the same beds, workloads and levels,
//! each with a result.

use crate::loaded_run::{GroupKey, LoadedRun, Measured};
use crate::sentences;
use notebook::{CellState, RunState};

/// A run and its name.
type Named<'a> = (&'a LoadedRun, &'a str);

/// Everything that keeps two runs from being compared whatever was asked of them.
pub(super) fn reasons(run: Named<'_>, baseline: Named<'_>) -> Vec<String> {
    if is_same(run.0, baseline.0) {
        let (id, base) = (run.0.run.id, baseline.0.run.id);
        let which = if id == base { format!("run {id}") } else { format!("run {id}, a copy of run {base},") };
        return vec![format!(
            "{which} is the baseline itself, and nothing is judged by itself; where a newer run was meant, it was not recorded: look \
             with `drivetrain ls`"
        )];
    }
    let mut reasons: Vec<String> = [run, baseline].into_iter().filter_map(unfinished).collect();
    reasons.extend(missing(run, baseline));
    if reasons.is_empty() {
        reasons.extend(without_result(run).into_iter().chain(without_result(baseline)));
    }
    reasons
}

/// True if both are one run, also when it was read twice, in a copy of its notebook, or imported under
/// another number. The folder of a run's files is made for it alone, from the time and the process.
fn is_same(a: &LoadedRun, b: &LoadedRun) -> bool {
    let of =
        |loaded: &LoadedRun| (loaded.run.started_at.clone(), loaded.run.work_dir.clone(), loaded.run.seed);
    of(a) == of(b) && a.run.experiment_toml == b.run.experiment_toml
}

fn unfinished((loaded, name): Named<'_>) -> Option<String> {
    let ended = loaded.cells.iter().filter(|m| m.cell.state.is_final()).count();
    let whole = loaded.run.state == RunState::Finished && ended == loaded.cells.len();
    (!whole).then(|| {
        format!(
            "{name} is not finished ({}, {ended} of {}): complete it with `drivetrain resume {}`",
            loaded.run.state,
            sentences::count(loaded.cells.len(), "cell", "cells"),
            loaded.run.id
        )
    })
}

/// Beds, workloads, levels and their crossings that only one of the two runs has.
fn missing(run: Named<'_>, baseline: Named<'_>) -> Vec<String> {
    let mut reasons = Vec::new();
    for ((here, name), (there, other)) in [(run, baseline), (baseline, run)] {
        let mut lacks = |what: String| reasons.push(format!("{what} is in {name} and not in {other}"));
        let lacks_bed = |bed: &str| there.beds.iter().all(|other| other.name != bed);
        for bed in here.beds.iter().filter(|bed| lacks_bed(&bed.name)) {
            lacks(format!("the bed `{}`", bed.name));
        }
        for workload in here.workloads() {
            if !there.workloads().contains(&workload) {
                lacks(format!("the workload `{workload}`"));
                continue;
            }
            for level in here.levels(workload) {
                let at = format!("{workload} at {}", sentences::level(level, here.level_name(workload)));
                if !there.levels(workload).contains(&level) {
                    lacks(at);
                    continue;
                }
                for bed in here.beds.iter().filter(|bed| !lacks_bed(&bed.name)) {
                    let place = GroupKey { workload, level, bed: &bed.name };
                    if !here.group(&place).is_empty() && there.group(&place).is_empty() {
                        lacks(format!("{at} on `{}`", bed.name));
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
        let at = sentences::level(place.level, loaded.level_name(place.workload));
        let why = first_reason(&cells);
        format!("{name} has no valid cell of {} at {at} on `{}`{why}", place.workload, place.bed)
    };
    loaded.places().filter(empty).map(sentence).collect()
}

fn first_reason(cells: &[&Measured]) -> String {
    let invalid = cells.iter().filter(|m| m.cell.state == CellState::Invalid);
    match invalid.clone().find_map(|m| m.cell.reasons.text()) {
        Some(reason) => format!(" ({} invalid, the first: {})", invalid.count(), super::short(&reason)),
        None => String::new(),
    }
}
