//! The rule of scaling: the scaled parts, the factor and the floor of each, and the sentence about it.

use std::time::Duration;

use crate::file::Experiment;
use crate::units::{Size, Span};
use crate::workload::Workload;

/// Fewer warehouses have no remote ones, which a tenth of new orders and a seventh of payments touch.
const WAREHOUSES_MIN: u32 = 2;
/// The smallest rate that an experiment may ask for.
const RATE_MIN: f64 = 0.001;
const MEMORY_MIN_BYTES: u64 = 4 << 20;
/// The memory of a server's processes and a little page cache besides its buffer pool.
const LIMIT_ABOVE_MEMORY_BYTES: u64 = 128 << 20;
/// Memory is rounded to this, finer than any effect of it.
const MEMORY_STEP_BYTES: u64 = 64 << 10;
pub(crate) const MEASURE_MIN: Duration = Duration::from_secs(2);
pub(crate) const RAMP_UP_MIN: Duration = Duration::from_secs(1);
/// Times are rounded to this.
pub(crate) const TIME_STEP: Duration = Duration::from_millis(100);

/// Instances that stay at a factor and below: each is a server of its own, with memory and processes that a
/// small machine must hold.
pub(crate) const INSTANCES: [(f64, u32); 2] = [(1.0 / 600.0, 2), (1.0 / 60.0, 4)];

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

/// The rule in words, as far as it concerns one workload.
#[derive(Default)]
pub(crate) struct Rule {
    /// Sizes that are multiplied by the factor s.
    pub(crate) sizes: &'static [&'static str],
    /// Loads that are multiplied by the square root of s.
    pub(crate) loads: &'static [&'static str],
    /// The other scaled parts, with the rule of each.
    pub(crate) clauses: Vec<&'static str>,
    /// True if times are multiplied by s to the power of 3/4.
    pub(crate) has_times: bool,
    /// The unscaled parts.
    pub(crate) stays: &'static [&'static str],
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

/// Replaces `value` by `smaller` where that is smaller, and says so.
pub(crate) fn shrink<T: PartialOrd + Clone>(
    value: &mut T,
    smaller: T,
    what: &str,
    show: impl Fn(&T) -> String,
    changes: &mut Vec<String>,
) {
    if smaller < *value {
        changes.push(format!("{what} {} became {}", show(value), show(&smaller)));
        *value = smaller;
    }
}

/// `count` x `factor`, between 1 and `count`.
pub(crate) fn part(count: u32, factor: f64) -> u32 {
    let scaled = (f64::from(count) * factor).round() as u32;
    scaled.clamp(1, count.max(1))
}

/// Multiplies levels, of which those that become the same one are kept once.
pub(crate) fn scale_levels(levels: &mut Vec<u32>, factor: f64, what: &str, changes: &mut Vec<String>) {
    let mut scaled: Vec<u32> = Vec::new();
    for level in levels.iter().map(|written| part(*written, factor)) {
        if !scaled.contains(&level) {
            scaled.push(level);
        }
    }
    if scaled != *levels {
        changes.push(format!("{what} {} became {}", list(levels), list(&scaled)));
        *levels = scaled;
    }
}

pub(crate) fn scale_warehouses(warehouses: &mut u32, factor: f64, changes: &mut Vec<String>) {
    let scaled = (f64::from(*warehouses) * factor).round() as u32;
    shrink(warehouses, scaled.max(WAREHOUSES_MIN), "warehouses", u32::to_string, changes);
}

/// A rate of an open loop, to three digits: more were not meant.
pub(crate) fn scale_rate(rate: &mut f64, factor: f64, changes: &mut Vec<String>) {
    let scaled = *rate * factor.sqrt();
    if !(scaled.is_normal() && scaled > 0.0) {
        return;
    }
    let decimals = 2 - scaled.log10().floor() as i32;
    let unit = 10_f64.powi(decimals.abs());
    // Dividing by a power of ten, not multiplying by its inverse, gives the number that the digits spell.
    let rounded = if decimals > 0 { (scaled * unit).round() / unit } else { (scaled / unit).round() * unit };
    shrink(rate, rounded.max(RATE_MIN), "arrivals per second", f64::to_string, changes);
}

pub(crate) fn scale_times(
    ramp_up: &mut Span,
    measure: &mut Span,
    factor: f64,
    floors: [Duration; 2],
    changes: &mut Vec<String>,
) {
    scale_time(ramp_up, factor, floors[0], "ramp-up", changes);
    scale_time(measure, factor, floors[1], "measuring", changes);
}

pub(crate) fn scale_time(
    span: &mut Span,
    factor: f64,
    floor: Duration,
    what: &str,
    changes: &mut Vec<String>,
) {
    let steps = (span.0.as_secs_f64() * factor.powf(0.75) / TIME_STEP.as_secs_f64()).round();
    // A span of more steps than 32 bits count is years long: it stays as written.
    if steps <= f64::from(u32::MAX) {
        shrink(span, Span((TIME_STEP * steps as u32).max(floor)), what, Span::to_string, changes);
    }
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

fn list(levels: &[u32]) -> String {
    levels.iter().map(u32::to_string).collect::<Vec<String>>().join(", ")
}

/// A size as a person says it: three digits or so, in the unit it was most likely written in.
pub(crate) fn readable(size: &Size) -> String {
    let exact = size.to_string();
    if exact.len() <= 6 {
        return exact;
    }
    match size.0 as f64 {
        bytes if bytes >= (1_u64 << 30) as f64 => format!("{:.1} GiB", bytes / (1_u64 << 30) as f64),
        bytes => format!("{:.1} MiB", bytes / (1_u64 << 20) as f64),
    }
}

/// Fewer rows lie in too few pages for a share of 0.01 % to be one.
const TABLE_ROWS_MIN: u32 = 100_000;

/// The rows of a scanned table.
pub(crate) fn scale_rows(rows: &mut u32, factor: f64, changes: &mut Vec<String>) {
    let scaled = (f64::from(*rows) * factor).round() as u32;
    shrink(rows, scaled.max(TABLE_ROWS_MIN), "rows of a table", u32::to_string, changes);
}
