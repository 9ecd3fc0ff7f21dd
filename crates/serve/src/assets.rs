//! The scripts and the style of the pages, embedded into the binary.

use axum::http::header;
use axum::response::{IntoResponse as _, Response};

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// A file by its name, with its media type; the scripts are modules.
const ASSETS: [(&str, &str, &str); 6] = [
    ("live.js", SCRIPT, include_str!("../assets/live.js")),
    ("state.js", SCRIPT, include_str!("../assets/state.js")),
    ("words.js", SCRIPT, include_str!("../assets/words.js")),
    ("figures.js", SCRIPT, include_str!("../assets/figures.js")),
    ("drives.js", SCRIPT, include_str!("../assets/drives.js")),
    ("live.css", STYLE, include_str!("../assets/live.css")),
];

/// The file of this name; `None` if there is none. The style of reports is that of all pages.
pub(crate) fn asset(name: &str) -> Option<Response> {
    if name == "report.css" {
        return Some(([(header::CONTENT_TYPE, STYLE)], report::style_sheet()).into_response());
    }
    let (_, kind, text) = ASSETS.into_iter().find(|(known, ..)| *known == name)?;
    Some(([(header::CONTENT_TYPE, kind)], text).into_response())
}
