//! The limits of the run, the workload's deviations from TPC-C, and the commands that repeat the run.

use super::{Section, list};
use crate::loaded_run::LoadedRun;
use crate::sentences;
use crate::source::Source;
use crate::svg::escape;
use words::{Engine, NoteKind};

/// Made from the facts of the run: each sentence is printed only if its cause exists.
pub(super) fn not_shown(source: &Source<'_>) -> Section {
    let loaded = source.loaded;
    let mut limits: Vec<String> = Vec::new();
    if loaded.is_emulated() {
        limits.push(
            "How the real drives behave where the model is silent: ageing, wear, heat, firmware housekeeping over hours, \
             power-saving states. The model holds the numbers of data sheets and studies, with their errors; `drivetrain drives` shows each with its source."
                .to_owned(),
        );
    }
    if loaded.is_simulated() {
        limits.push(
            "Anything that the model leaves out: locks on rows, checkpoints in bursts, wear and heat of drives, faults of the software, and \
             whatever the study did not tell of its set-up. Parameters were fitted to printed numbers; a fitted number is no prediction."
                .to_owned(),
        );
    }
    if loaded.run.scale < 1.0 {
        limits.push(
            "The full size. A shrunk database, fewer users and shorter phases change how much is cached and how often users meet; \
             ratios between beds carry over better than absolute numbers, and neither is a measurement of the full size."
                .to_owned(),
        );
    }
    let transactions = loaded.workloads().iter().any(|workload| loaded.kind(workload).is_order_entry);
    if transactions {
        limits.extend(transaction_limits(loaded));
    }
    if !source.comparison.crashes.is_empty() {
        limits.push(
            "What a drive's own cache loses in a power cut, where processes were killed on real storage: what the operating system holds \
             survives a kill. Under a modelled drive the power itself is cut."
                .to_owned(),
        );
    }
    for limit in loaded.workloads().iter().filter_map(|workload| loaded.kind(workload).limits) {
        if !limits.iter().any(|known| known == limit) {
            limits.push(limit.to_owned());
        }
    }
    if !loaded.is_simulated() {
        let (start, beside) = match has_database(loaded) {
            true => {
                ("every cell starts from the same fresh copy and", " on the same processors as the database")
            }
            false => ("every cell", ""),
        };
        limits.push(format!(
            "Loads above the highest level, long runs and full or aged drives: {start} is short."
        ));
        limits.push(format!("More than this machine: one host, one load generator{beside}."));
    }
    if !source.comparison.nuisances.is_empty() {
        limits.push("The effect of the treatment alone: the beds differ in other factors, too, which are named above.".to_owned());
    }
    if source.comparison.contrasts.iter().any(|contrast| contrast.primary && contrast.judgement.exploratory) {
        limits.push("Anything final where repeats are few: such verdicts are hints.".to_owned());
    }
    Section {
        id: "limits".into(),
        heading: "What this does not show".to_owned(),
        body: list(&limits),
        ..Section::default()
    }
}

/// The difference of the engine inside this program from others.
const EMBEDDED: &str = "lets one transaction write at a time; servers that write in parallel put more I/O in flight and can gain more, or less, from a faster drive";
/// The difference of a server from others.
const SERVER: &str = "has a buffer pool, a log and a way to write back of its own; another server can gain more, or less, from a faster drive";

fn has_database(loaded: &LoadedRun) -> bool {
    loaded.workloads().iter().any(|workload| loaded.kind(workload).has_database)
}

fn transaction_limits(loaded: &LoadedRun) -> Vec<String> {
    let engine = loaded.facts.iter().find_map(|(scope, facts)| match scope.split_once(':') {
        Some(("database", _)) => facts.get("engine"),
        Some(("bed", _)) => facts.get("database.engine"),
        _ => None,
    });
    let name = engine.map_or_else(|| Engine::default().name(), |name| name.as_str());
    let known = Engine::of(name);
    let engine = known.map_or(name, |engine| engine.title());
    let how = if known.is_none_or(Engine::is_server) { SERVER } else { EMBEDDED };
    vec![
        format!("Another database engine. This one is {engine}, which {how}."),
        "Users who think: virtual users send the next transaction as soon as the last is answered, so latency is that of a \
         saturated system and not what people would wait at a counter."
            .to_owned(),
    ]
}

/// The deviations from TPC-C and the disclaimer, when the workload is derived from it.
pub(super) fn deviations(source: &Source<'_>) -> Option<Section> {
    let loaded = source.loaded;
    let deviations: Vec<String> = loaded.notes_of(NoteKind::Deviation).map(str::to_owned).collect();
    let disclaimer: Vec<String> = loaded.notes_of(NoteKind::Disclaimer).map(str::to_owned).collect();
    if deviations.is_empty() && disclaimer.is_empty() {
        return None;
    }
    let heading = if deviations.is_empty() { "" } else { "<p>Clauses that it does not follow:</p>" };
    let body = format!("{heading}{}", list(&deviations));
    Some(Section {
        id: "deviations".into(),
        heading: "Deviations from TPC-C".to_owned(),
        lead: disclaimer,
        figures: Vec::new(),
        body,
    })
}

/// Seed, command and experiment.
pub(super) fn reproduce(source: &Source<'_>) -> Section {
    let run = &source.loaded.run;
    let toml = escape_lines(&run.experiment_toml);
    let body = format!(
        "<pre class=\"wrap\">drivetrain run experiment.toml --set design.seed={}</pre>\
         <details><summary>experiment.toml</summary><pre>{toml}</pre></details>",
        run.seed
    );
    let ended = run
        .ended_at
        .as_deref()
        .map(|time| format!(", ended {} UTC", crate::naming::minute(time)))
        .unwrap_or_default();
    Section {
        id: "reproduce".into(),
        heading: "How to reproduce".to_owned(),
        lead: vec![
            "Save the experiment below as experiment.toml; it is the one that was run, after scaling and settings. \
             The seed fixes the order of the cells and every random choice; times vary with the machine."
                .to_owned(),
            format!(
                "drivetrain {}, begun {} UTC{ended}, {}, {}.",
                run.tool_version,
                crate::naming::minute(&run.started_at),
                source.mark,
                sentences::count(source.loaded.cells.len(), "cell", "cells")
            ),
        ],
        figures: Vec::new(),
        body,
    }
}

/// Escapes line by line: a line end is not a control character to be replaced here.
fn escape_lines(text: &str) -> String {
    text.lines().map(escape).collect::<Vec<_>>().join("\n")
}
