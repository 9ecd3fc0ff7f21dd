//! Errors of provisioning, starting, copying and removing a database.

mod backup;
mod group;
mod image;
mod server;

use std::path::PathBuf;

pub use backup::BackupError;
pub use group::GroupError;
pub use image::ImageError;
pub use server::ServerError;

/// The longest text of a server that an error of ours repeats, characters.
const TEXT_MOST: usize = 500;

/// Words of a server or of its driver as a part of a sentence of ours: on one line, with control characters
/// escaped, and cut with `...` after 500 characters. A server that is broken, or none, may say anything.
#[must_use]
pub fn bounded_text(text: &str) -> String {
    let mut bounded = String::new();
    for (position, c) in text.trim().chars().enumerate() {
        match c {
            _ if position == TEXT_MOST => return bounded + "...",
            c if c.is_control() => bounded.extend(c.escape_default()),
            c => bounded.push(c),
        }
    }
    bounded
}

/// The text of an error with those of its causes, each once: the outermost words of drivers say little. It is
/// no longer than that of [`bounded_text`].
#[must_use]
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let more = cause.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        source = cause.source();
    }
    bounded_text(&text)
}

/// An error: the fault, the place and the next step.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The directory holds files that drivetrain did not create; nothing was touched. Exit code 6.
    #[error(
        "{dir} holds {found}, which drivetrain did not create; nothing was touched. Name an empty or new directory",
        dir = dir.display()
    )]
    Refused {
        /// The directory that was asked for.
        dir: PathBuf,
        /// One thing that was found in it.
        found: String,
    },
    /// A directory bears a marker of ours that was not made for it; nothing was touched. Exit code 6.
    #[error(
        "{dir}/.drivetrain does not make {dir} drivetrain's: {why}; nothing was touched. Move the directory back if it was moved, or \
         delete it yourself if you need nothing in it, and run this again",
        dir = dir.display()
    )]
    NotOurs {
        /// The directory.
        dir: PathBuf,
        /// The fault of its marker, as a sentence.
        why: String,
    },
    /// Something of somebody else's lies where only ours should; nothing was touched. Exit code 6.
    #[error(
        "{path} {why}, and so {dir} stays as it is. Move it away if you need it, or delete it if you do not, and run this again",
        path = path.display(), dir = dir.display()
    )]
    Foreign {
        /// The directory that was to be removed.
        dir: PathBuf,
        /// The foreign entry in it.
        path: PathBuf,
        /// The fault: the rest of a sentence.
        why: String,
    },
    /// The file system said no.
    #[error("{doing} {path}: {source}", path = path.display())]
    Io {
        /// The failed action.
        doing: &'static str,
        /// With which path.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// A copy would not fit.
    #[error(
        "copying {path}: needs {needed_bytes} bytes, {free_bytes} are free; free some space or name a storage with more room",
        path = path.display()
    )]
    NoSpace {
        /// The destination of the copy.
        path: PathBuf,
        /// Size of the copy.
        needed_bytes: u64,
        /// The free space for us in the file system.
        free_bytes: u64,
    },
    /// A kept copy is absent or was never finished.
    #[error("no complete copy of a database in {path}: {why}; load the database again", path = path.display())]
    NoCopy {
        /// The place of the search for the copy.
        path: PathBuf,
        /// The fault.
        why: String,
    },
    /// The instance must be running for this.
    #[error("the database in {dir} is not running; start it first", dir = dir.display())]
    NotRunning {
        /// The instance's directory.
        dir: PathBuf,
    },
    /// Connections are still open, so the files may not be touched.
    #[error("the database in {dir} still has {open} open connections; close them first", dir = dir.display())]
    InUse {
        /// The instance's directory.
        dir: PathBuf,
        /// The number of open connections.
        open: usize,
    },
    /// There is a database where a new one was to be loaded.
    #[error("there is a database in {dir} already; remove it, or restore a copy over it", dir = dir.display())]
    NotEmpty {
        /// The instance's directory.
        dir: PathBuf,
    },
    /// A database server failed, or could not be had.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// A backup could not be made or not be restored.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// Processes could not be held to a limit.
    #[error("limits of processes: {0}")]
    Group(#[from] GroupError),
    /// A file system of our own could not be made.
    #[error("a file system for the test: {0}")]
    Image(#[from] ImageError),
    /// The storage layer below the database failed.
    #[error("storage below the database: {0}")]
    Storage(#[from] emulate::EmulateError),
    /// SQLite failed.
    #[error("SQLite, {doing}: {source}{below}", below = below.as_deref().map(|b| format!(" (below it: {b})")).unwrap_or_default())]
    Sqlite {
        /// The failed action.
        doing: &'static str,
        /// SQLite's answer.
        source: rusqlite::Error,
        /// The first error of the storage layer below, where there was one.
        below: Option<String>,
    },
}

impl DatabaseError {
    /// True for a refusal by a safety rule, false for a failure.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::NotOurs { .. } | Self::Foreign { .. })
    }

    pub(crate) fn io(doing: &'static str, path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }

    pub(crate) fn sqlite(doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Self {
        move |source| Self::Sqlite { doing, source, below: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_servers_are_one_short_line() {
        assert_eq!(
            bounded_text("no such table\nDETAIL: \u{1b}[2Jx\n"),
            "no such table\\nDETAIL: \\u{1b}[2Jx"
        );
        let long = bounded_text(&"\u{e9}".repeat(1 << 20));
        assert!(long.chars().count() == TEXT_MOST + 3 && long.ends_with("..."), "{}", long.len());
        let cause = std::io::Error::other("x".repeat(1 << 20));
        assert!(with_causes(&cause).len() < 600);
    }
}
