//! The one script of a page: buttons that copy a table or a figure. A page is whole without it.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The script as it stands between its tags.
pub(crate) const SCRIPT: &str = include_str!("../../templates/copy.js");

static SOURCE: LazyLock<String> =
    LazyLock::new(|| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(SCRIPT))));

/// The one source of scripts that a report allows, for a Content Security Policy: the hash of its own script.
/// A script that a hostile name would bring along does not run.
pub fn script_source() -> &'static str {
    &SOURCE
}
