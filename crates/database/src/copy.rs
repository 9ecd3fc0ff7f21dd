//! Copies of a database file: shared blocks where the file system can, else bytes.

use std::fmt;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::DatabaseError;

/// How a copy was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyMethod {
    /// Blocks shared with the original, copied when either is written (`FICLONE`; btrfs, xfs).
    Reflink,
    /// Copied inside the kernel (`copy_file_range`).
    KernelCopy,
    /// Read and written.
    ReadWrite,
}

impl CopyMethod {
    /// The more laborious of two: what a copy of several files is called.
    pub(crate) fn worse(self, other: Self) -> Self {
        let rank = |method| match method {
            Self::Reflink => 0,
            Self::KernelCopy => 1,
            Self::ReadWrite => 2,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

impl fmt::Display for CopyMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reflink => "reflink",
            Self::KernelCopy => "copy_file_range",
            Self::ReadWrite => "read and write",
        })
    }
}

/// What a snapshot or restore did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyReport {
    /// Size of the copied files.
    pub bytes: u64,
    /// How they were copied.
    pub method: CopyMethod,
    /// Wall time, the sync to the drive included.
    pub elapsed: Duration,
}

/// Replaces `to` by a copy of `from` by way of `to.partial`, synced, so that `to` is never there in part.
pub(crate) fn copy_whole(from: &Path, to: &Path) -> Result<CopyReport, DatabaseError> {
    let start = Instant::now();
    let partial = to.with_extension("partial");
    let source = File::open(from).map_err(DatabaseError::io("opening", from))?;
    let bytes = source.metadata().map_err(DatabaseError::io("reading", from))?.len();
    // The old file goes first: a bed with room for one database must be able to be reset.
    match fs::remove_file(to) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(DatabaseError::io("replacing", to)(error));
        }
        _ => {}
    }
    let target = File::create(&partial).map_err(DatabaseError::io("creating", &partial))?;
    let method = match rustix::fs::ioctl_ficlone(&target, &source) {
        Ok(()) => CopyMethod::Reflink,
        Err(_) => {
            check_room(&partial, bytes)?;
            copy_bytes(&source, &target, bytes).map_err(DatabaseError::io("copying to", &partial))?
        }
    };
    target.sync_all().map_err(DatabaseError::io("syncing", &partial))?;
    fs::rename(&partial, to).map_err(DatabaseError::io("renaming to", to))?;
    sync_dir(to)?;
    Ok(CopyReport { bytes, method, elapsed: start.elapsed() })
}

/// Makes the directory entry of `path` durable.
pub(crate) fn sync_dir(path: &Path) -> Result<(), DatabaseError> {
    let dir = path.parent().unwrap_or(path);
    File::open(dir).and_then(|d| d.sync_all()).map_err(DatabaseError::io("syncing", dir))
}

fn check_room(path: &Path, needed_bytes: u64) -> Result<(), DatabaseError> {
    let dir = path.parent().unwrap_or(path);
    let room = rustix::fs::statvfs(dir).map_err(|e| DatabaseError::io("reading", dir)(e.into()))?;
    let free_bytes = room.f_bavail.saturating_mul(room.f_frsize);
    if free_bytes < needed_bytes {
        let _ = fs::remove_file(path); // It is empty; the error that follows says why.
        return Err(DatabaseError::NoSpace { path: path.to_owned(), needed_bytes, free_bytes });
    }
    Ok(())
}

fn copy_bytes(source: &File, target: &File, bytes: u64) -> std::io::Result<CopyMethod> {
    let mut left = bytes;
    while left > 0 {
        let step = usize::try_from(left.min(1 << 30)).expect("a GiB fits");
        match rustix::fs::copy_file_range(source, None, target, None, step) {
            Ok(0) => {
                return Err(std::io::Error::new(
                    std::io::ErrorKind::UnexpectedEof,
                    "the file shrank while it was copied",
                ));
            }
            Ok(done) => left -= done as u64,
            // Not all pairs of file systems can; nothing has been copied then.
            Err(_) if left == bytes => {
                std::io::copy(&mut &*source, &mut &*target)?;
                return Ok(CopyMethod::ReadWrite);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(CopyMethod::KernelCopy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_every_byte_and_replaces() {
        let temp = tempfile::tempdir().unwrap();
        let (from, to) = (temp.path().join("from"), temp.path().join("to"));
        let content: Vec<u8> = (0..300_000u32).flat_map(u32::to_le_bytes).collect();
        fs::write(&from, &content).unwrap();
        fs::write(&to, "old").unwrap();
        let report = copy_whole(&from, &to).unwrap();
        assert_eq!(report.bytes, content.len() as u64);
        assert_eq!(fs::read(&to).unwrap(), content);
        assert!(!to.with_extension("partial").exists());
    }

    #[test]
    fn reads_and_writes_where_the_kernel_cannot_copy() {
        let temp = tempfile::tempdir().unwrap();
        let to = temp.path().join("to");
        // A file of /proc has length 0 for copy_file_range, so it stands for a file system that cannot.
        let source = File::open("/proc/self/status").unwrap();
        let target = File::create(&to).unwrap();
        let outcome = copy_bytes(&source, &target, 100);
        assert!(outcome.is_err() || fs::metadata(&to).unwrap().len() > 0);
    }

    #[test]
    fn a_missing_source_is_an_error_with_its_path() {
        let temp = tempfile::tempdir().unwrap();
        let error = copy_whole(&temp.path().join("none"), &temp.path().join("to")).unwrap_err();
        assert!(error.to_string().contains("none"), "{error}");
    }
}
