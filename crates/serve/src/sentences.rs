//! The sentences that the scripts of the live page print.

use serde_json::{Map, Value};
use words::{PhaseName, RunState, Spoken, say};

/// A sentence under the name by which the scripts know it.
type Word = (&'static str, String);

/// Stands for the data that the scripts fill in.
const BLANK: &str = "[]";

/// All of them by name, as JSON that is safe inside of a page; `[]` is filled in by the scripts.
pub(crate) fn for_scripts() -> String {
    let all = [of_states(), of_seconds(), of_drives()].concat();
    let all = all.into_iter().map(|(name, text)| (name.to_owned(), text));
    let idle = PhaseName::ALL.iter().filter(|phase| !phase.is_work()).map(|phase| phase.name());
    let idle = idle.collect::<Vec<_>>().join("|");
    let phases = PhaseName::ALL.iter().map(|phase| (format!("phase-{phase}"), phase.spoken().to_owned()));
    let words: Map<String, Value> = all
        .chain(phases)
        .chain([("idle".to_owned(), idle)])
        .map(|(name, text)| (name, text.into()))
        .collect();
    // No end tag inside of the script element.
    Value::from(words).to_string().replace('<', "\\u003c")
}

/// The states of the page: the sentence of each, and its chip.
fn of_states() -> Vec<Word> {
    vec![
        ("running", say!("live-running").to_owned()),
        ("loading", say!("live-loading").to_owned()),
        ("waiting", say!("live-waiting").to_owned()),
        ("stopping-cell", say!("live-stopping-cell").to_owned()),
        ("stopping-now", say!("live-stopping-now").to_owned()),
        ("stopping-at-once", say!("live-stopping-at-once").to_owned()),
        ("disconnected", say!("live-disconnected").to_owned()),
        ("crowded", say!("live-crowded").to_owned()),
        ("finished", say!("live-finished").to_owned()),
        ("interrupted", say!("live-interrupted").to_owned()),
        ("failed", say!("live-failed").to_owned()),
        ("killed", say!("live-killed").to_owned()),
        ("chip-running", say!("live-chip").to_owned()),
        ("chip-loading", say!("live-chip-loading").to_owned()),
        ("chip-waiting", say!("live-chip-waiting").to_owned()),
        ("chip-stopping-cell", say!("live-chip-stopping").to_owned()),
        ("chip-stopping-now", say!("live-chip-stopping").to_owned()),
        ("chip-stopping-at-once", say!("live-chip-stopping").to_owned()),
        ("chip-disconnected", say!("live-chip-disconnected").to_owned()),
        ("chip-finished", RunState::Finished.spoken().to_owned()),
        ("chip-interrupted", RunState::Interrupted.spoken().to_owned()),
        ("chip-failed", RunState::Failed.spoken().to_owned()),
        ("chip-killed", RunState::Killed.spoken().to_owned()),
    ]
}

/// The plan, the seconds and the events.
fn of_seconds() -> Vec<Word> {
    vec![
        ("ends", say!("live-ends").to_owned()),
        ("took", say!("live-took").to_owned()),
        ("complete", say!("live-complete").to_owned()),
        ("updated", say!("live-updated").to_owned()),
        ("repeat", say!("live-repeat").to_owned()),
        ("repeat-of", say!("live-repeat-of").to_owned()),
        ("stalled", say!("live-stalled").to_owned()),
        ("stall", say!("live-stall", seconds = BLANK)),
        ("bounded", say!("live-bounded").to_owned()),
        ("invalid", say!("live-invalid").to_owned()),
        ("warning", say!("live-warning").to_owned()),
        ("second", say!("live-second").to_owned()),
        ("refused", say!("live-refused").to_owned()),
    ]
}

/// The drives and the limits.
fn of_drives() -> Vec<Word> {
    vec![
        ("drive-log", say!("live-drive-log", drive = BLANK)),
        ("drives-of", say!("live-drives-of").to_owned()),
        ("drives-real", say!("live-drives-real").to_owned()),
        ("drives-modelled", say!("live-drives-modelled").to_owned()),
        ("limits-none", say!("live-limits-none").to_owned()),
        ("limits-drive", say!("live-limits-drive").to_owned()),
        ("limits-processors", say!("live-limits-processors").to_owned()),
        ("limits-cpu", say!("live-limits-cpu").to_owned()),
        ("limits-busy", say!("live-limits-busy").to_owned()),
        ("limits-idle", say!("live-limits-idle").to_owned()),
        ("limits-reads", say!("live-limits-reads").to_owned()),
        ("limits-writes", say!("live-limits-writes").to_owned()),
        ("limits-last", say!("live-limits-last").to_owned()),
        ("limits-no-last", say!("live-limits-no-last").to_owned()),
    ]
}
