//! Errors, each with the next step for the reader.

use std::io;
use std::path::{Path, PathBuf};

/// An error that prevents a block run. Errors of single I/Os are not here: they are counted in
/// [`Outcome::errors`](crate::Outcome::errors) and the run goes on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BlockError {
    /// The job asks for something impossible.
    #[error("block job: {what}; {help}")]
    BadJob {
        /// The fault.
        what: String,
        /// The replacement.
        help: String,
    },
    /// Nothing is at the path.
    #[error("{}: no such file; create it first (a run that writes makes its own file) or correct the path", path.display())]
    Missing {
        /// The path asked for.
        path: PathBuf,
    },
    /// The path is neither a regular file nor a block device.
    #[error("{}: is a {kind}, not a file or block device; name a file inside it or another path", path.display())]
    NotATarget {
        /// The path asked for.
        path: PathBuf,
        /// The kind that was found.
        kind: &'static str,
    },
    /// The target holds fewer bytes than the job needs.
    #[error("{}: holds {size_bytes} bytes, the job needs at least {needed_bytes}; use a larger target or a smaller size", path.display())]
    TooSmall {
        /// The target.
        path: PathBuf,
        /// Bytes it has.
        size_bytes: u64,
        /// Bytes the job needs.
        needed_bytes: u64,
    },
    /// The file has holes or preallocated ranges: reading them touches no drive.
    #[error("{}: is sparse (first hole at byte {hole_at_bytes}): reading a hole does no I/O and measures nothing; write the file full first", path.display())]
    Sparse {
        /// The target.
        path: PathBuf,
        /// Offset of the first hole.
        hole_at_bytes: u64,
    },
    /// The filesystem refuses O_DIRECT.
    #[error("{}: its filesystem has no O_DIRECT; use another filesystem, or set direct = false and measure the page cache knowingly", path.display())]
    NoDirect {
        /// The target.
        path: PathBuf,
    },
    /// A block size or alignment does not fit the device.
    #[error("{}: {what} of {value_bytes} bytes is not a multiple of the logical block of {logical_block_bytes} bytes that direct I/O needs; use a multiple of it", path.display())]
    Unaligned {
        /// The target.
        path: PathBuf,
        /// "block size", "alignment" or "region start".
        what: &'static str,
        /// The value that does not fit.
        value_bytes: u64,
        /// The required divisor.
        logical_block_bytes: u32,
    },
    /// Writing was refused so that nothing is destroyed.
    #[error("{}: refused: {why}; {help}", path.display())]
    Refused {
        /// The target of the writes.
        path: PathBuf,
        /// The reason.
        why: String,
        /// The remedy.
        help: String,
    },
    /// A file beside the target cannot be written, or may not be.
    #[error(transparent)]
    Output(#[from] disk::OutputError),
    /// The filesystem has too little room for the target file.
    #[error("{}: needs {needed_bytes} bytes, its filesystem has {available_bytes} free; free space or use a smaller size", path.display())]
    NoSpace {
        /// The file to be made.
        path: PathBuf,
        /// Bytes needed.
        needed_bytes: u64,
        /// Bytes free for this user.
        available_bytes: u64,
    },
    /// An operating-system call failed before or after the run.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The failed action.
        action: &'static str,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The engine could not be set up.
    #[error("engine {engine}: cannot {action}: {source}; {help}")]
    Engine {
        /// Name of the engine.
        engine: &'static str,
        /// The failed action.
        action: &'static str,
        /// The kernel's answer.
        source: io::Error,
        /// The remedy.
        help: &'static str,
    },
    /// A load was not begun because another that was to run beside it could not be set up.
    #[error("this load was not begun, because another one that was to run beside it could not be set up")]
    NotStarted,
    /// The caller asked to stop while a target was being filled, or read whether it is ours; a partial file
    /// is gone.
    #[error("{}: stopped while it was made ready; a file that was not full yet is gone", path.display())]
    Stopped {
        /// The file.
        path: PathBuf,
    },
}

impl BlockError {
    pub(crate) fn job(what: impl Into<String>, help: impl Into<String>) -> BlockError {
        BlockError::BadJob { what: what.into(), help: help.into() }
    }

    pub(crate) fn io(path: &Path, action: &'static str, source: impl Into<io::Error>) -> BlockError {
        BlockError::Io { path: path.to_owned(), action, source: source.into() }
    }

    pub(crate) fn refused(path: &Path, why: impl Into<String>, help: impl Into<String>) -> BlockError {
        BlockError::Refused { path: path.to_owned(), why: why.into(), help: help.into() }
    }
}

/// The symbolic name of an errno value ("EIO"), or `None` for a rare one.
pub fn errno_name(errno: i32) -> Option<&'static str> {
    Some(match errno {
        libc::EPERM => "EPERM",
        libc::ENOENT => "ENOENT",
        libc::EINTR => "EINTR",
        libc::EIO => "EIO",
        libc::ENXIO => "ENXIO",
        libc::EBADF => "EBADF",
        libc::EAGAIN => "EAGAIN",
        libc::ENOMEM => "ENOMEM",
        libc::EACCES => "EACCES",
        libc::EFAULT => "EFAULT",
        libc::EBUSY => "EBUSY",
        libc::ENODEV => "ENODEV",
        libc::EINVAL => "EINVAL",
        libc::EFBIG => "EFBIG",
        libc::ENOSPC => "ENOSPC",
        libc::EROFS => "EROFS",
        libc::ENODATA => "ENODATA",
        libc::ETIME => "ETIME",
        libc::EREMOTEIO => "EREMOTEIO",
        libc::EILSEQ => "EILSEQ",
        libc::EOPNOTSUPP => "EOPNOTSUPP",
        libc::ETIMEDOUT => "ETIMEDOUT",
        libc::ESTALE => "ESTALE",
        libc::EDQUOT => "EDQUOT",
        libc::ECANCELED => "ECANCELED",
        libc::ENOLINK => "ENOLINK",
        libc::EBADE => "EBADE",
        libc::ENOMEDIUM => "ENOMEDIUM",
        libc::EUCLEAN => "EUCLEAN",
        _ => return None,
    })
}
