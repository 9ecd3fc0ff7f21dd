//! The pages: the index, two runs compared, and a run second by second. Reports come from `report`.

use askama::Template;
use notebook::{RunId, RunSummary};
use serde_json::{Value, json};
use words::{say, spoken_state};

/// The list of runs.
#[derive(Template)]
#[template(path = "index.html")]
pub(crate) struct Index {
    pub(crate) notebook: String,
    pub(crate) runs: Vec<RunSummary>,
}

/// Two runs compared.
#[derive(Template)]
#[template(path = "compare.html")]
pub(crate) struct Compare {
    pub(crate) first: RunId,
    pub(crate) second: RunId,
    pub(crate) text: String,
}

/// A run second by second.
#[derive(Template)]
#[template(path = "live.html")]
pub(crate) struct Live {
    pub(crate) run: RunId,
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) started: String,
    /// The sentences of the script, as JSON that is safe inside of a page.
    pub(crate) words: String,
}

/// A page that says why there is none.
#[derive(Template)]
#[template(path = "error.html")]
pub(crate) struct Failed {
    pub(crate) why: String,
}

/// The sentences that the scripts print, by name; `[]` is filled in by them. One that begins with `chip-` is
/// the chip of a state of the page.
pub(crate) fn words() -> String {
    let words: Value = json!({
        "running": say!("live-running"), "loading": say!("live-loading"), "waiting": say!("live-waiting"),
        "stopping-cell": say!("live-stopping-cell"), "stopping-now": say!("live-stopping-now"),
        "stopping-at-once": say!("live-stopping-at-once"), "disconnected": say!("live-disconnected"),
        "finished": say!("live-finished"), "interrupted": say!("live-interrupted"),
        "failed": say!("live-failed"), "killed": say!("live-killed"),
        "chip-running": say!("live-chip"), "chip-loading": say!("live-chip-loading"),
        "chip-waiting": say!("live-chip-waiting"), "chip-stopping-cell": say!("live-chip-stopping"),
        "chip-stopping-now": say!("live-chip-stopping"), "chip-stopping-at-once": say!("live-chip-stopping"),
        "chip-disconnected": say!("live-chip-disconnected"), "chip-finished": spoken_state("finished"),
        "chip-interrupted": spoken_state("interrupted"), "chip-failed": spoken_state("failed"),
        "chip-killed": spoken_state("killed"),
        "counts": say!("live-counts"), "ends": say!("live-ends"), "repeat": say!("live-repeat"),
        "rate": say!("live-rate"), "latency": say!("live-latency"), "second": say!("live-second"),
        "mean": say!("live-mean"), "p50": "p50", "p99": "p99", "p999": "p99.9",
        "stall": say!("live-stall"), "invalid": say!("live-invalid"), "warning": say!("live-warning"),
        "cell": say!("live-cell"), "refused": say!("live-refused"),
    });
    // No end tag inside of the script element.
    words.to_string().replace('<', "\\u003c")
}
