//! Errors of limiting processes.

use std::io;
use std::path::PathBuf;

/// An error that prevents a limit.
#[derive(Debug, thiserror::Error)]
pub enum GroupError {
    /// Nothing here could set such a limit.
    #[error("not available here: {why}")]
    NotAvailable {
        /// The missing support.
        why: String,
    },
    /// The machine does not let us.
    #[error(
        "not permitted here: writing `{text}` to {path}: {source}; run as root on a machine that lets root set limits",
        path = path.display()
    )]
    NotPermitted {
        /// The file.
        path: PathBuf,
        /// The text for the file.
        text: String,
        /// The system's answer.
        source: io::Error,
    },
}
