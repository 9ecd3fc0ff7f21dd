//! The sentences that the scripts of the live page print.

use serde_json::{Map, Value};
use words::{say, spoken_state};

/// A sentence under the name by which the scripts know it.
type Word = (&'static str, &'static str);

/// All of them by name, as JSON that is safe inside of a page; `[]` is filled in by the scripts.
pub(crate) fn for_scripts() -> String {
    let all = [of_states(), of_seconds(), of_drives(), of_events()].concat();
    let words: Map<String, Value> =
        all.into_iter().map(|(name, text)| (name.to_owned(), text.into())).collect();
    // No end tag inside of the script element.
    Value::from(words).to_string().replace('<', "\\u003c")
}

/// The states of the page: the sentence of each, and its chip.
fn of_states() -> Vec<Word> {
    vec![
        ("running", say!("live-running")),
        ("loading", say!("live-loading")),
        ("waiting", say!("live-waiting")),
        ("stopping-cell", say!("live-stopping-cell")),
        ("stopping-now", say!("live-stopping-now")),
        ("stopping-at-once", say!("live-stopping-at-once")),
        ("disconnected", say!("live-disconnected")),
        ("finished", say!("live-finished")),
        ("interrupted", say!("live-interrupted")),
        ("failed", say!("live-failed")),
        ("killed", say!("live-killed")),
        ("chip-running", say!("live-chip")),
        ("chip-loading", say!("live-chip-loading")),
        ("chip-waiting", say!("live-chip-waiting")),
        ("chip-stopping-cell", say!("live-chip-stopping")),
        ("chip-stopping-now", say!("live-chip-stopping")),
        ("chip-stopping-at-once", say!("live-chip-stopping")),
        ("chip-disconnected", say!("live-chip-disconnected")),
        ("chip-finished", spoken_state("finished")),
        ("chip-interrupted", spoken_state("interrupted")),
        ("chip-failed", spoken_state("failed")),
        ("chip-killed", spoken_state("killed")),
    ]
}

/// The plan, the seconds and the events.
fn of_seconds() -> Vec<Word> {
    vec![
        ("counts", say!("live-counts")),
        ("ends", say!("live-ends")),
        ("repeat", say!("live-repeat")),
        ("rate", say!("live-rate")),
        ("latency", say!("live-latency")),
        ("second", say!("live-second")),
        ("mean", say!("live-mean")),
        ("p50", "p50"),
        ("p99", "p99"),
        ("p999", "p99.9"),
        ("stall", say!("live-stall")),
        ("not-measured", say!("live-not-measured")),
        ("no-second", say!("live-no-second")),
        ("bounded", say!("live-bounded")),
        ("invalid", say!("live-invalid")),
        ("warning", say!("live-warning")),
        ("cell", say!("live-cell")),
        ("refused", say!("live-refused")),
    ]
}

/// The drives and the limits.
fn of_drives() -> Vec<Word> {
    vec![
        ("drive", say!("live-drive")),
        ("drive-log", say!("live-drive-log")),
        ("drive-iops", say!("live-drive-iops")),
        ("drive-read", say!("live-drive-read")),
        ("drive-written", say!("live-drive-written")),
        ("drive-await", say!("live-drive-await")),
        ("drive-busy", say!("live-drive-busy")),
        ("drive-so-far", say!("live-drive-so-far")),
        ("drive-course", say!("live-drive-course")),
        ("drives-of", say!("live-drives-of")),
        ("drives-real", say!("live-drives-real")),
        ("drives-modelled", say!("live-drives-modelled")),
        ("limits-none", say!("live-limits-none")),
        ("limits-drive", say!("live-limits-drive")),
        ("limits-processors", say!("live-limits-processors")),
        ("limits-read", say!("live-limits-read")),
        ("limits-read-processors", say!("live-limits-read-processors")),
        ("limits-last", say!("live-limits-last")),
        ("limits-no-last", say!("live-limits-no-last")),
    ]
}

/// The phases of a cell and the units of its work, by the names that its events have.
fn of_events() -> Vec<Word> {
    vec![
        ("phase-reset", say!("live-phase-reset")),
        ("phase-prepare", say!("live-phase-prepare")),
        ("phase-ramp-up", say!("live-phase-ramp-up")),
        ("phase-measure", say!("live-phase-measure")),
        ("phase-drain", say!("live-phase-drain")),
        ("phase-done", say!("live-phase-done")),
        ("phase-check", say!("live-phase-check")),
        ("phase-precondition", say!("live-phase-precondition")),
        ("phase-lay out", say!("live-phase-lay-out")),
        ("phase-cold scan", say!("live-phase-cold-scan")),
        ("phase-trial scan", say!("live-phase-trial-scan")),
        ("phase-recover", say!("live-phase-recover")),
        ("phase-load", say!("live-phase-load")),
        ("phase-crash", say!("live-phase-crash")),
        ("phase-backup", say!("live-phase-backup")),
        ("phase-verify", say!("live-phase-verify")),
        ("phase-restore", say!("live-phase-restore")),
        ("phase-proof", say!("live-phase-proof")),
        ("unit-new orders/s", say!("live-unit-orders")),
        ("unit-transactions/s", say!("live-unit-transactions")),
        ("unit-MB/s of backup", say!("live-unit-backup")),
    ]
}
