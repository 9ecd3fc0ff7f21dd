//! Errors of creating a file system of our own.

/// An error that prevents a file system of our own.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// Somebody else would have to do it.
    #[error("making a file system needs root; run as root, or leave `filesystem` out")]
    NotRoot,
    /// A program failed or is not there.
    #[error("{program}: {why}")]
    Program {
        /// The program.
        program: String,
        /// Its words.
        why: String,
    },
}
