//! The pages: the index, two runs compared, and a run second by second. Reports come from `report`.

use askama::Template;
use notebook::{RunId, RunSummary};
use serde_json::{Value, json};
use words::say;

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

/// The sentences that the script prints, by name. `[]` is filled in by the script.
pub(crate) fn words() -> String {
    let words: Value = json!({
        "running": say!("live-running"), "loading": say!("live-loading"), "finished": say!("live-finished"),
        "interrupted": say!("live-interrupted"), "disconnected": say!("live-disconnected"),
        "stopping-cell": say!("live-stopping-cell"), "stopping-now": say!("live-stopping-now"),
        "live": say!("live-chip"), "ended": say!("live-chip-ended"), "waiting": say!("live-waiting"),
        "counts": say!("live-counts"), "left": say!("live-left"), "ends": say!("live-ends"),
        "rate": say!("live-rate"), "latency": say!("live-latency"), "repeat": say!("live-repeat"),
        "now": say!("live-now"), "done": say!("live-done"), "stall": say!("live-stall"),
        "invalid": say!("live-invalid"), "warning": say!("live-warning"), "cell": say!("live-cell"),
        "no-verdict": say!("live-no-verdict"), "refused": say!("live-refused"),
    });
    // No end tag inside of the script element.
    words.to_string().replace('<', "\\u003c")
}
