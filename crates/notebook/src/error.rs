//! The errors of a notebook, and the user's remedy for each.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use rusqlite::ffi;

use crate::open::rescue::Displaced;
use words::CellState;

use crate::records::{CellId, RunId};
use crate::vfs;

/// Every way in which a notebook can refuse or fail. Each names the fault, the place and the next step.
#[derive(Debug, thiserror::Error)]
pub enum NotebookError {
    /// No file at the path.
    #[error("no notebook at {}: run an experiment first, or name the notebook's path", path.display())]
    NotFound {
        /// The path asked for.
        path: PathBuf,
    },
    /// The file is something else: left untouched.
    #[error("{} is not a notebook but {found}; it was left untouched: name another path", path.display())]
    NotANotebook {
        /// The path asked for.
        path: PathBuf,
        /// The apparent kind of the file.
        found: String,
    },
    /// A newer version of the tool wrote the file.
    #[error(
        "{} has notebook version {found}, this build reads up to version {supported}: use a newer drivetrain",
        path.display()
    )]
    Newer {
        /// The notebook's path.
        path: PathBuf,
        /// Version found in the file.
        found: i64,
        /// Newest version this build knows.
        supported: i64,
    },
    /// The file is a notebook, but damaged.
    #[error(
        "the notebook {} is damaged: {detail}; use a backup copy of the file; runs that can still be read can be exported (`drivetrain export RUN`)",
        path.display()
    )]
    Corrupt {
        /// The notebook's path.
        path: PathBuf,
        /// The fault.
        detail: String,
    },
    /// The file is sound, but one of its values is in no form that this build knows.
    #[error(
        "the notebook {} holds a value that this drivetrain cannot read: {detail}; written by a newer version? use that one; otherwise use a backup copy of the file, or export the other runs (`drivetrain export RUN`)",
        path.display()
    )]
    Unreadable {
        /// The notebook's path.
        path: PathBuf,
        /// The place and the value.
        detail: String,
    },
    /// Another process is writing this notebook.
    #[error(
        "the notebook {} is being written by {holder}: wait for it to end, or use another notebook",
        path.display()
    )]
    InUse {
        /// The notebook's path.
        path: PathBuf,
        /// The holder, as far as it is known.
        holder: String,
    },
    /// The path of a notebook that is written leads to another file, or to none.
    #[error("the notebook {} {how}", path.display())]
    Displaced {
        /// The notebook's path.
        path: PathBuf,
        /// The fate of the file.
        how: Displaced,
    },
    /// No space left for the notebook. Earlier records are intact.
    #[error(
        "no space left for the notebook {} (while {doing}); what was recorded before is intact: free some space and run the command again",
        path.display()
    )]
    Full {
        /// The notebook's path.
        path: PathBuf,
        /// The failed action.
        doing: &'static str,
    },
    /// No space left for a notebook that is not there yet. Nothing is left behind.
    #[error(
        "no space left to make the notebook {}; nothing was recorded: free some space, or name another place with --notebook",
        path.display()
    )]
    NoRoom {
        /// The notebook's path.
        path: PathBuf,
    },
    /// The notebook or its directory cannot be written.
    #[error("cannot write the notebook {}: {detail}; use a path in a writable directory", path.display())]
    ReadOnly {
        /// The notebook's path.
        path: PathBuf,
        /// The part that refused.
        detail: String,
    },
    /// The notebook cannot be opened at all.
    #[error("cannot open the notebook {}: {detail}", path.display())]
    CannotOpen {
        /// The notebook's path.
        path: PathBuf,
        /// The reason.
        detail: String,
    },
    /// The storage under the notebook reported an I/O error. Earlier records are intact.
    #[error(
        "the storage under the notebook {} failed while {doing}: {detail}; what was recorded before is intact",
        path.display()
    )]
    Storage {
        /// The notebook's path.
        path: PathBuf,
        /// The failed action.
        doing: &'static str,
        /// SQLite's message.
        detail: String,
    },
    /// SQLite refused for another reason: an error of this program.
    #[error("the notebook {} failed while {doing}: {source}", path.display())]
    Sql {
        /// The notebook's path.
        path: PathBuf,
        /// The failed action.
        doing: &'static str,
        /// SQLite's error.
        source: rusqlite::Error,
    },
    /// A notebook was to be copied into itself.
    #[error(
        "{} would be copied into itself, and holds its runs already: name another notebook to copy from, or --notebook to copy to",
        path.display()
    )]
    Itself {
        /// The notebook's path.
        path: PathBuf,
    },
    /// The notebook has no such run.
    #[error("the notebook has no run {id}: `drivetrain ls` lists its runs")]
    NoSuchRun {
        /// The run asked for.
        id: RunId,
    },
    /// The notebook has no such cell.
    #[error("the notebook has no cell {id}")]
    NoSuchCell {
        /// The cell asked for.
        id: CellId,
    },
    /// The cell is not in a state that allows the step.
    #[error("cell {cell} is {state}, so it cannot be {wanted}: reset unfinished cells first")]
    WrongState {
        /// The cell.
        cell: CellId,
        /// The state of its latest attempt.
        state: CellState,
        /// The wanted item.
        wanted: &'static str,
    },
    /// A plan or record contradicts itself; nothing was stored.
    #[error("the notebook refuses this record and stored nothing of it: {detail}")]
    BadRecord {
        /// The contradiction.
        detail: String,
    },
    /// The destination of an export failed.
    #[error("cannot write the export: {source}")]
    Export {
        /// The destination's error.
        #[from]
        source: std::io::Error,
    },
}

/// Sorts an error of SQLite by the user's remedy.
pub(crate) fn classify(path: &Path, doing: &'static str, source: rusqlite::Error) -> NotebookError {
    let path = path.to_owned();
    let detail = source.to_string();
    let Some(failure) = source.sqlite_error() else {
        return match source {
            // A value that the tables allow but this program never writes.
            rusqlite::Error::FromSqlConversionFailure(_, _, what) => {
                NotebookError::Unreadable { path, detail: what.to_string() }
            }
            rusqlite::Error::IntegralValueOutOfRange(..) | rusqlite::Error::InvalidColumnType(..) => {
                NotebookError::Unreadable { path, detail }
            }
            _ => NotebookError::Sql { path, doing, source },
        };
    };
    // The shared-memory file beside a WAL is grown by allocation: its failure means no space.
    if failure.extended_code == ffi::SQLITE_IOERR_SHMSIZE {
        return NotebookError::Full { path, doing };
    }
    if failure.extended_code == vfs::NO_MARK {
        let found = "another program's SQLite database, without a notebook's mark".to_owned();
        return NotebookError::NotANotebook { path, found };
    }
    match failure.code {
        ErrorCode::NotADatabase => {
            NotebookError::NotANotebook { path, found: "a file that SQLite cannot read".to_owned() }
        }
        ErrorCode::DatabaseCorrupt => NotebookError::Corrupt { path, detail },
        ErrorCode::DiskFull => NotebookError::Full { path, doing },
        ErrorCode::ReadOnly => NotebookError::ReadOnly { path, detail },
        ErrorCode::CannotOpen => NotebookError::CannotOpen { path, detail },
        ErrorCode::PermissionDenied => NotebookError::CannotOpen { path, detail },
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            NotebookError::InUse { path, holder: "another program".to_owned() }
        }
        ErrorCode::SystemIoFailure => NotebookError::Storage { path, doing, detail },
        _ => NotebookError::Sql { path, doing, source },
    }
}

/// The error for the findings of SQLite's integrity checks. They also run into a storage that cannot be read,
/// which is no damage.
pub(crate) fn unsound(path: &Path, doing: &'static str, detail: String) -> NotebookError {
    let path = path.to_owned();
    let codes = detail.split("error code=").skip(1);
    let mut codes =
        codes.filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<i32>().ok());
    // The lowest byte of a code is its kind.
    if codes.any(|code| code & 0xff == ffi::SQLITE_IOERR) {
        return NotebookError::Storage { path, doing, detail };
    }
    NotebookError::Corrupt { path, detail }
}
