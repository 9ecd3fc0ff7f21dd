//! Why processes could not be held to a limit.

use std::io;
use std::path::PathBuf;

/// Why a limit could not be set.
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
