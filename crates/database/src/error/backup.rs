//! Errors of making and restoring a backup.

use std::path::PathBuf;

/// An error: the fault, the place and the next step.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The tool is not installed.
    #[error(
        "the backup tool `{tool}` was not found (looked in {looked}); install the package `{package}`, or set DRIVETRAIN_BACKUP_BIN to the folder that holds it"
    )]
    ToolMissing {
        /// Its name.
        tool: &'static str,
        /// The places of the search.
        looked: String,
        /// The distribution's package.
        package: &'static str,
    },
    /// The tool is older than the server, and would not know its files.
    #[error(
        "{tool} is version {found}, older than the server's {server}: its backups may not be whole; install the server's own version, or set DRIVETRAIN_BACKUP_BIN to the folder that holds it"
    )]
    ToolOlder {
        /// Its path.
        tool: String,
        /// Its version.
        found: String,
        /// The server's.
        server: String,
    },
    /// The tool ended badly.
    #[error("{tool}: {why}{printed}")]
    ToolFailed {
        /// Its name.
        tool: String,
        /// The tool's end.
        why: String,
        /// The last that it printed.
        printed: String,
    },
    /// The target has no room left.
    #[error("the backup's target {dir} is full{printed}; free some space or name another target", dir = dir.display())]
    TargetFull {
        /// The destination of the backup.
        dir: PathBuf,
        /// The tool's output.
        printed: String,
    },
    /// It was stopped from outside.
    #[error("{what} was stopped before its end")]
    Cancelled {
        /// The action.
        what: String,
    },
    /// There is no finished backup.
    #[error("no finished backup in {dir}: {why}", dir = dir.display())]
    Unfinished {
        /// The place of the search.
        dir: PathBuf,
        /// The fault.
        why: String,
    },
    /// A file differs from the one in the backup's list.
    #[error("the backup in {dir} is damaged: {file} {what}; it is not restored", dir = dir.display())]
    Damaged {
        /// The backup's directory.
        dir: PathBuf,
        /// The file within it.
        file: String,
        /// The difference.
        what: String,
    },
    /// Another engine or version made it.
    #[error("the backup in {dir} was made by {found}, and this is {have}", dir = dir.display())]
    OtherEngine {
        /// The backup's directory.
        dir: PathBuf,
        /// Engine and version that made it.
        found: String,
        /// Engine and version at hand.
        have: String,
    },
    /// The engine cannot do that.
    #[error("{engine} {what}; {fix}")]
    NotPossible {
        /// The engine.
        engine: &'static str,
        /// The missing item.
        what: &'static str,
        /// The remedy.
        fix: &'static str,
    },
}
