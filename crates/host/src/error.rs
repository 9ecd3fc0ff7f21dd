//! Errors in reading the machine.

/// The two files without which nothing can be counted. Everything else that is missing is merely unknown.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// A file of /proc is missing or cannot be read.
    #[error("cannot read {path}: is /proc mounted in this container?")]
    Unreadable {
        /// The file.
        path: String,
    },
    /// A file of /proc is not in the form the kernel documents.
    #[error(
        "{path} is not in the form this program knows ({detail}): please report it with the output of `uname -r`"
    )]
    Malformed {
        /// The file.
        path: String,
        /// The fault.
        detail: String,
    },
}
