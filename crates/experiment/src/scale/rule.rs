//! The rule of scaling: the scaled parts, the factor and the floor of each.

use crate::file::Experiment;
use crate::shrink::{INSTANCES, Rule, readable, shrink};
use crate::units::Size;
use crate::workload::Workload;
use words::{ScaleChange, ScaleClause, ScaleRule, ScaledPart, ScaledParts};

const MEMORY_MIN_BYTES: u64 = 4 << 20;
/// The memory of a server's processes and a little page cache besides its buffer pool.
const LIMIT_ABOVE_MEMORY_BYTES: u64 = 128 << 20;
/// Memory is rounded to this, finer than any effect of it.
const MEMORY_STEP_BYTES: u64 = 64 << 10;
/// Shrinks all values of the rule, and reports each change once.
pub(super) fn shrink_all(experiment: &mut Experiment, factor: f64) -> Vec<ScaleChange> {
    let mut changes = Vec::new();
    let before = database_bytes(experiment);
    for workload in &mut experiment.workload {
        workload.of_mut().scale(factor, &mut changes);
    }
    let after = database_bytes(experiment);
    if after < before {
        scale_memory(experiment, after as f64 / before as f64, &mut changes);
    }
    scale_instances(experiment, factor, &mut changes);
    once_each(changes.into_iter())
}

/// The rule, as far as it concerns the workloads of `experiment`.
pub(super) fn rule(experiment: &Experiment) -> ScaleRule {
    let mut workloads: Vec<&Workload> = experiment.workload.iter().collect();
    workloads.sort_by_key(|workload| workload.kind());
    let rules: Vec<Rule> = workloads.iter().map(|workload| workload.of().rule()).collect();
    let parts = |of: fn(&Rule) -> &[ScaledPart]| once_each(rules.iter().flat_map(of).copied());
    let (sizes, loads) = (parts(|rule| rule.sizes), parts(|rule| rule.loads));
    let mut clauses = vec![ScaleClause::Sizes { parts: ScaledParts(sizes) }];
    if workloads.iter().any(|workload| workload.uses_database()) {
        clauses.push(ScaleClause::Memory);
    }
    if !loads.is_empty() {
        clauses.push(ScaleClause::Loads { parts: ScaledParts(loads) });
    }
    clauses.extend(once_each(rules.iter().flat_map(|rule| rule.clauses.iter().cloned())));
    if rules.iter().any(|rule| rule.has_times) {
        clauses.push(ScaleClause::Times);
    }
    if experiment.database.as_ref().is_some_and(|database| database.instances > 1) {
        clauses.push(ScaleClause::Instances);
    }
    let stays = ScaledParts([parts(|rule| rule.stays), vec![ScaledPart::Repeats]].concat());
    ScaleRule { clauses, stays }
}

/// The values without those that came before.
fn once_each<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for value in values {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

/// The size of the largest database that the workloads load: memory is set in relation to it. 0 without a
/// database.
fn database_bytes(experiment: &Experiment) -> u64 {
    experiment.workload.iter().map(|workload| workload.of().database_bytes()).max().unwrap_or(0)
}

fn scale_memory(experiment: &mut Experiment, ratio: f64, changes: &mut Vec<ScaleChange>) {
    let own = experiment.bed.iter_mut().filter_map(|bed| bed.memory.as_mut());
    let common = experiment.database.as_mut().map(|database| &mut database.memory);
    let scaled = |memory: &Size| {
        (memory.0 as f64 * ratio / MEMORY_STEP_BYTES as f64).round() as u64 * MEMORY_STEP_BYTES
    };
    for memory in common.into_iter().chain(own) {
        let bytes = scaled(memory);
        shrink(memory, Size(bytes.max(MEMORY_MIN_BYTES)), ScaledPart::Memory, readable, changes);
    }
    let memory = |experiment: &Experiment| {
        let of_beds = experiment.bed.iter().filter_map(|bed| experiment.memory_of(bed));
        of_beds.max().map_or(0, |memory| memory.0)
    };
    // The processes of a server do not shrink with its database.
    let least = memory(experiment) + LIMIT_ABOVE_MEMORY_BYTES;
    let own = experiment.bed.iter_mut().filter_map(|bed| bed.memory_limit.as_mut());
    let common = experiment.database.as_mut().and_then(|database| database.memory_limit.as_mut());
    for limit in common.into_iter().chain(own) {
        let bytes = scaled(limit);
        shrink(limit, Size(bytes.max(least)), ScaledPart::MemoryLimit, readable, changes);
    }
}

fn scale_instances(experiment: &mut Experiment, factor: f64, changes: &mut Vec<ScaleChange>) {
    let most = INSTANCES.iter().find(|(at, _)| factor <= *at).map(|(_, most)| *most);
    if let (Some(database), Some(most)) = (&mut experiment.database, most) {
        shrink(&mut database.instances, most, ScaledPart::Instances, u32::to_string, changes);
    }
}
