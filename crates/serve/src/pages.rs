//! The pages: two runs compared, and a run second by second. Reports and histories come from `report`, the
//! list of runs from `list`.

use askama::Template;
use notebook::RunId;
use words::say;

/// Two runs compared.
#[derive(Template)]
#[template(path = "compare.html")]
pub(crate) struct Compare {
    pub(crate) first: RunId,
    pub(crate) second: RunId,
    /// The comparison as markup.
    pub(crate) markup: String,
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
