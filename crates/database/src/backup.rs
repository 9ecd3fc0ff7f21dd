//! Backups made in the native way of each engine, and instances restored from them.
//!
//! A backup is a directory of ours: `files/` as the tool left it, and a list of every file with its length
//! and checksum, written when the tool has ended well. A backup without that list was never finished; one
//! that does not match it is damaged, and is not restored.

mod manifest;
mod priority;
mod pump;
pub(crate) mod tool;
mod watch;

use std::path::{Path, PathBuf};
use std::time::Duration;

use emulate::Backing;
use words::{Reason, Reasons};

pub use crate::error::BackupError;
pub use manifest::{Flipped, Verified, flip_bit, verify};
pub(crate) use manifest::{Manifest, SECRET, claim, files_dir};
pub(crate) use priority::use_idle_time_only;
pub(crate) use pump::{Pace, named, stream_into, stream_out_of};
pub use watch::BackupWatch;

/// The two native ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackupMethod {
    /// The data files as they are: `pg_basebackup`, `mariadb-backup`, SQLite's online backup.
    #[default]
    Physical,
    /// The contents, as commands that load them again: `pg_dump`, `mariadb-dump`. Not for SQLite.
    Logical,
}

impl BackupMethod {
    /// As the experiment file and the list of a backup spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Physical => "physical",
            Self::Logical => "logical",
        }
    }
}

/// A backup that is to be made.
#[derive(Clone, Debug)]
pub struct BackupRequest {
    /// The backup's own directory; created with a marker, or must be empty or ours. Its contents are
    /// replaced.
    pub dir: PathBuf,
    /// The method.
    pub method: BackupMethod,
    /// True to compress it (gzip at its fastest level), if the engine's tools can. SQLite's cannot.
    pub compress: bool,
    /// The most that the tool may write, bytes per second; `None` for as fast as it can.
    pub rate_limit_bytes_per_s: Option<u64>,
    /// The backing of the directory. The copy takes the time of a modelled drive; the list of checksums and
    /// its check do not.
    pub backing: Backing,
    /// True if the tool gets the drive only while no other process uses it (`ionice -c 3`; supported by the
    /// schedulers BFQ and mq-deadline).
    pub idle_io: bool,
    /// A control group that the tool is to run in.
    pub cgroup: Option<PathBuf>,
    /// True to list every file with its checksum afterwards. A backup without that list cannot be restored;
    /// it serves only as load.
    pub listed: bool,
}

impl BackupRequest {
    /// A physical backup at full speed into `dir` on real storage.
    #[must_use]
    pub fn new(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            method: BackupMethod::Physical,
            compress: false,
            rate_limit_bytes_per_s: None,
            backing: Backing::Real,
            idle_io: false,
            cgroup: None,
            listed: true,
        }
    }
}

/// The parts of the time of a copy, one after the other and never at the same time. A part that the engine or
/// its tool does not tell apart is `None`; the rest of the time is in none of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyParts {
    /// Reading what is copied, where the one thread that copies waits for each read.
    pub read: Option<Duration>,
    /// Writing the copy.
    pub write: Option<Duration>,
    /// Putting the copy onto the drive.
    pub flush: Option<Duration>,
    /// Copying as a whole: a tool that reads and writes at the same time, and syncs by itself.
    pub copy: Option<Duration>,
    /// Applying the log that was copied beside the files, by a tool of its own.
    pub recover: Option<Duration>,
}

impl CopyParts {
    /// A copy by a tool, and putting it onto the drive afterwards.
    pub(crate) fn copied(copy: Duration, flush: Duration) -> Self {
        Self { copy: Some(copy), flush: Some(flush), ..Self::default() }
    }
}

impl From<emulate::CallTimes> for CopyParts {
    fn from(times: emulate::CallTimes) -> Self {
        let (read, write, flush) = (Some(times.read), Some(times.write), Some(times.sync));
        Self { read, write, flush, ..Self::default() }
    }
}

/// A backup that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupReport {
    /// Length of all its files.
    pub bytes: u64,
    /// The number of files.
    pub files: usize,
    /// From the start of the tool until everything is on the drive.
    pub elapsed: Duration,
    /// Of that: the parts that are known.
    pub parts: CopyParts,
    /// Time that the list of checksums took afterwards; not part of the backup.
    pub listed: Duration,
    /// The tool and its version.
    pub tool: String,
}

/// An instance that was restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestoreReport {
    /// From the first byte until the instance answers.
    pub elapsed: Duration,
    /// Of that: bringing the files back, or making a new instance and loading it.
    pub files: Duration,
    /// Of `files`: the parts that are known.
    pub parts: CopyParts,
    /// Of that: starting, recovery included.
    pub start: Duration,
}

/// The contents of one table, independent of the order of its rows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TableSum {
    /// Its name.
    pub table: String,
    /// Its rows.
    pub rows: u64,
    /// A sum over checksums of all rows, in the engine's own way: equal for equal rows, comparable within one
    /// engine only.
    pub sum: String,
}

/// The differences between the tables of a source and of a restored instance; empty when they hold the same.
#[must_use]
pub fn differences(source: &[TableSum], restored: &[TableSum]) -> Reasons {
    let find = |sums: &[TableSum], name: &str| sums.iter().find(|sum| sum.table == name).cloned();
    let differs = |of_source: &TableSum| {
        let table = of_source.table.clone();
        match find(restored, &table) {
            None => Some(Reason::TableMissing { table }),
            Some(other) if other.rows != of_source.rows => {
                Some(Reason::TableRows { table, rows: other.rows, expected: of_source.rows })
            }
            Some(other) => (other.sum != of_source.sum).then_some(Reason::TableDiffers { table }),
        }
    };
    let added = restored.iter().filter(|sum| find(source, &sum.table).is_none());
    let added = added.map(|sum| Reason::TableAdded { table: sum.table.clone() });
    source.iter().filter_map(differs).chain(added).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(table: &str, rows: u64, sum: &str) -> TableSum {
        TableSum { table: table.to_owned(), rows, sum: sum.to_owned() }
    }

    #[test]
    fn every_kind_of_difference_is_named() {
        let source = [sum("a", 1, "x"), sum("b", 2, "y"), sum("c", 3, "z")];
        assert!(differences(&source, &source).is_empty());
        let restored = [sum("a", 1, "X"), sum("b", 1, "y"), sum("d", 0, "0")];
        let words = differences(&source, &restored).to_string();
        assert_eq!(
            words,
            "table a holds other rows: the checksums differ; table b has 1 rows instead of 2; table c is missing; \
             table d was not in the source"
        );
    }
}
