//! Errors outside SQLite's own calls. Inside them, SQLite result codes are used.

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

/// An error of mounting, powering on or measuring a directory.
#[derive(Debug, thiserror::Error)]
pub enum EmulateError {
    /// The directory cannot be read.
    #[error("{}: cannot be mounted: {source}; create the directory first", path.display())]
    Directory {
        /// The directory as given.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Two mounts of one directory would have two caches of the same bytes.
    #[error("{}: is mounted already in this process; drop the other `Mount` first", path.display())]
    AlreadyMounted {
        /// The directory, resolved.
        path: PathBuf,
    },
    /// SQLite did not accept the VFS.
    #[error("SQLite refused to register the storage layer (result code {code})")]
    Register {
        /// SQLite result code.
        code: i32,
    },
    /// The power cut itself could not be carried out on the files.
    #[error("the power cut left files in an unknown state: {message}; restore them from a copy")]
    PowerCut {
        /// The file and the system's message.
        message: String,
    },
    /// A mount that keeps nothing to take back.
    #[error(
        "{}: needs power cuts (`--power-cuts`), without which nothing is lost and nothing comes back; mount again with them",
        path.display()
    )]
    NoPowerCuts {
        /// The mount point.
        path: PathBuf,
    },
    /// This machine does not let us mount a file system of our own.
    #[error(
        "modelled drives cannot be mounted here: {why}; {fix}, or use real storage (`--storage BED=PATH`)"
    )]
    NoFuse {
        /// The missing part.
        why: String,
        /// The remedy.
        fix: Cow<'static, str>,
    },
    /// Something would be covered that must stay in sight.
    #[error(
        "{}: refused: {why}; give an empty directory, or one directory for both bytes and mount",
        path.display()
    )]
    NoPoint {
        /// The directory, resolved.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The kernel refuses the mount.
    #[error("{}: cannot be mounted: {why}; {fix}", path.display())]
    Mount {
        /// The mount point.
        path: PathBuf,
        /// The system's message.
        why: String,
        /// The remedy.
        fix: &'static str,
    },
    /// A path lies on a mount whose process neither answers nor ends: whoever touched it would wait.
    #[error("{}: {silent}; {}", path.display(), silent.remedy())]
    Silent {
        /// The path as given.
        path: PathBuf,
        /// The mount.
        silent: crate::fuse::Silent,
    },
    /// A mount stays, and nobody serves it any more.
    #[error(
        "{}: is still mounted: {source}; end or unmount what uses it, then run `drivetrain mount --repair` with this path",
        path.display()
    )]
    Unmount {
        /// The mount point.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The scratch file for the floor could not be used.
    #[error("{}: the floor cannot be measured: {source}; the directory must be writable", path.display())]
    Floor {
        /// The scratch file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}
