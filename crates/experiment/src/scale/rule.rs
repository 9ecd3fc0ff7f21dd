//! The rule of scaling: the scaled parts, the factor and the floor of each, and the sentence about it.

use crate::file::Experiment;
use crate::shrink::{INSTANCES, Rule, readable, shrink};
use crate::units::Size;
use crate::workload::Workload;

const MEMORY_MIN_BYTES: u64 = 4 << 20;
/// The memory of a server's processes and a little page cache besides its buffer pool.
const LIMIT_ABOVE_MEMORY_BYTES: u64 = 128 << 20;
/// Memory is rounded to this, finer than any effect of it.
const MEMORY_STEP_BYTES: u64 = 64 << 10;
/// Shrinks all values of the rule, and reports each change once.
pub(super) fn shrink_all(experiment: &mut Experiment, factor: f64) -> Vec<String> {
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
    let mut stated: Vec<String> = Vec::new();
    for change in changes {
        if !stated.contains(&change) {
            stated.push(change);
        }
    }
    stated
}

/// The rule in words, as far as it concerns the workloads of `experiment`.
pub(super) fn in_words(experiment: &Experiment) -> String {
    let mut workloads: Vec<&Workload> = experiment.workload.iter().collect();
    workloads.sort_by_key(|workload| workload.kind());
    let rules: Vec<Rule> = workloads.iter().map(|workload| workload.of().rule()).collect();
    let all = |of: fn(&Rule) -> &[&'static str]| {
        let mut words: Vec<&str> = Vec::new();
        for word in rules.iter().flat_map(of) {
            if !words.contains(word) {
                words.push(word);
            }
        }
        words
    };
    let (sizes, loads) = (all(|rule| rule.sizes), all(|rule| rule.loads));
    let mut clauses = vec![format!("{} x s", named(&sizes))];
    if workloads.iter().any(|workload| workload.uses_database()) {
        clauses.push("memory as the database".to_owned());
    }
    if !loads.is_empty() {
        clauses.push(format!("{} x s^(1/2)", named(&loads)));
    }
    clauses.extend(all(|rule| &rule.clauses).into_iter().map(str::to_owned));
    if rules.iter().any(|rule| rule.has_times) {
        clauses.push("times x s^(3/4)".to_owned());
    }
    if experiment.database.as_ref().is_some_and(|database| database.instances > 1) {
        clauses.push("of the instances 4 at 1/60 and below, 2 at 1/600 and below".to_owned());
    }
    let stays = [all(|rule| rule.stays), vec!["repeats"]].concat();
    format!("{}; {} as written", clauses.join(", "), named(&stays))
}

/// Names in a sentence: "a", "a and b", "a, b and c".
fn named(names: &[&str]) -> String {
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => (*only).to_owned(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// The size of the largest database that the workloads load: memory is set in relation to it. 0 without a
/// database.
fn database_bytes(experiment: &Experiment) -> u64 {
    experiment.workload.iter().map(|workload| workload.of().database_bytes()).max().unwrap_or(0)
}

fn scale_memory(experiment: &mut Experiment, ratio: f64, changes: &mut Vec<String>) {
    let own = experiment.bed.iter_mut().filter_map(|bed| bed.memory.as_mut());
    let common = experiment.database.as_mut().map(|database| &mut database.memory);
    let scaled = |memory: &Size| {
        (memory.0 as f64 * ratio / MEMORY_STEP_BYTES as f64).round() as u64 * MEMORY_STEP_BYTES
    };
    for memory in common.into_iter().chain(own) {
        let bytes = scaled(memory);
        shrink(memory, Size(bytes.max(MEMORY_MIN_BYTES)), "memory", readable, changes);
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
        shrink(limit, Size(bytes.max(least)), "the limit of all memory", readable, changes);
    }
}

fn scale_instances(experiment: &mut Experiment, factor: f64, changes: &mut Vec<String>) {
    let most = INSTANCES.iter().find(|(at, _)| factor <= *at).map(|(_, most)| *most);
    if let (Some(database), Some(most)) = (&mut experiment.database, most) {
        shrink(&mut database.instances, most, "instances", u32::to_string, changes);
    }
}
