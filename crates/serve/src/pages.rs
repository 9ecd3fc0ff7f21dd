//! The pages: the index, two runs compared, and a run second by second. Reports come from `report`.

use askama::Template;
use notebook::{RunId, RunSummary};
use report::KeptVerdict;
use words::say;

/// The list of runs.
#[derive(Template)]
#[template(path = "index.html")]
pub(crate) struct Index {
    pub(crate) notebook: String,
    /// The latest first.
    pub(crate) runs: Vec<Row>,
    /// Runs of the notebook, in words.
    pub(crate) count: String,
    /// True if there are later runs on another page.
    pub(crate) has_newer: bool,
    /// The run before which those of the next page were started, if there is one.
    pub(crate) older: Option<RunId>,
}

/// A run in the list.
pub(crate) struct Row {
    pub(crate) run: RunSummary,
    pub(crate) verdict: Option<KeptVerdict>,
    /// The realm and the scale.
    pub(crate) realm: String,
}

impl Row {
    pub(crate) fn of(run: RunSummary) -> Self {
        let verdict = run.verdict.as_deref().and_then(KeptVerdict::read);
        let realm = report::realm_and_scale(&run.realm, run.scale);
        Self { run, verdict, realm }
    }
}

/// Runs on one page.
pub(crate) const RUNS: u32 = 100;

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
