//! The pages: a run second by second, and that there is none. Reports and histories come from `report`, the
//! list of runs from `list`, two runs compared from `compare`.

use askama::Template;
use notebook::RunId;
use words::say;

/// A run second by second.
#[derive(Template)]
#[template(path = "live.html")]
pub(crate) struct Live {
    pub(crate) run: RunId,
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) started: String,
    /// The realm and the scale.
    pub(crate) realm: String,
    /// The command that goes on with it.
    pub(crate) resume: String,
    /// The sentences of the script, as JSON that is safe inside of a page.
    pub(crate) words: String,
}

/// A page that says why there is none.
#[derive(Template)]
#[template(path = "error.html")]
pub(crate) struct Failed {
    pub(crate) why: String,
}
