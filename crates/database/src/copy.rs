//! Copies of a database file: shared blocks where the file system can, else bytes.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::time::Duration;

use disk::File;
use ground::Clock;

use crate::error::DatabaseError;
use crate::marker::Marker;

/// Permissions of a copy, less those that the process's mask takes.
const MODE: u32 = 0o644;
/// The size of one read where the kernel cannot copy.
const STEP_BYTES: usize = 1 << 20;

/// The method of a copy.
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
    /// The more laborious of two: the name for a copy of several files.
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

/// The result of a snapshot or restore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyReport {
    /// Size of the copied files.
    pub bytes: u64,
    /// The method of the copies.
    pub method: CopyMethod,
    /// Wall time, the sync to the drive included.
    pub elapsed: Duration,
}

/// Replaces the file `to` of `home` by a copy of `from`, by way of the file `partial` there, synced, so that
/// `to` is never there in part.
pub(crate) fn copy_whole(
    from: &Path,
    home: &Marker,
    to: &str,
    partial: &str,
) -> Result<CopyReport, DatabaseError> {
    let start = Clock::Wall.stopwatch();
    let source = File::open(from).map_err(DatabaseError::io("opening", from))?;
    let bytes = source.metadata().map_err(DatabaseError::io("reading", from))?.len();
    // The old file goes first: a bed with room for one database must be able to be reset.
    home.remove(to)?;
    let target = home.create(partial, MODE)?;
    let at = home.dir().join(partial);
    let copied =
        fill(source, target, bytes, &at).and_then(|method| home.rename(partial, to).map(|()| method));
    let method = copied.inspect_err(|_| {
        let _ = disk::remove_file(&at); // It was made above, and the error is the one to tell.
    })?;
    sync_dir(&at)?;
    Ok(CopyReport { bytes, method, elapsed: start.elapsed() })
}

fn fill(source: File, target: File, bytes: u64, partial: &Path) -> Result<CopyMethod, DatabaseError> {
    let method = match target.share_blocks_of(&source) {
        Ok(()) => CopyMethod::Reflink,
        Err(_) => {
            check_room(partial, bytes)?;
            copy_bytes(source, &target, bytes).map_err(DatabaseError::io("copying to", partial))?
        }
    };
    target.sync_all().map_err(DatabaseError::io("syncing", partial))?;
    Ok(method)
}

/// Makes the directory entry of `path` durable.
pub(crate) fn sync_dir(path: &Path) -> Result<(), DatabaseError> {
    let dir = disk::parent(path);
    disk::sync_dir(dir).map_err(DatabaseError::io("syncing", dir))
}

fn check_room(path: &Path, needed_bytes: u64) -> Result<(), DatabaseError> {
    let dir = disk::parent(path);
    let free_bytes = disk::room_bytes(dir).map_err(DatabaseError::io("reading", dir))?;
    if free_bytes < needed_bytes {
        return Err(DatabaseError::NoSpace { path: path.to_owned(), needed_bytes, free_bytes });
    }
    Ok(())
}

fn copy_bytes(source: File, target: &File, bytes: u64) -> io::Result<CopyMethod> {
    let mut left = bytes;
    while left > 0 {
        let step = usize::try_from(left.min(1 << 30)).expect("a GiB fits");
        match target.copy_range_from(&source, step) {
            Ok(0) => return Err(shrank()),
            Ok(done) => left -= done as u64,
            // Not all pairs of file systems can; nothing has been copied then.
            Err(_) if left == bytes => {
                read_and_write(source, target, bytes)?;
                return Ok(CopyMethod::ReadWrite);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(CopyMethod::KernelCopy)
}

fn read_and_write(source: File, mut target: &File, bytes: u64) -> io::Result<()> {
    let mut source = source.take(bytes);
    let mut buffer = vec![0; STEP_BYTES];
    let mut left = bytes;
    while left > 0 {
        match source.read(&mut buffer) {
            Ok(0) => return Err(shrank()),
            Ok(read) => {
                target.write_all(&buffer[..read])?;
                left -= read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn shrank() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the file shrank while it was copied")
}

#[cfg(test)]
mod tests {
    use super::*;
    use disk::fault::{self, Failure, Plan};
    use std::fs;

    #[test]
    fn copies_every_byte_and_replaces() {
        let temp = tempfile::tempdir().unwrap();
        let from = temp.path().join("from");
        let home = Marker::claim(&temp.path().join("home")).unwrap();
        let content: Vec<u8> = (0..300_000u32).flat_map(u32::to_le_bytes).collect();
        fs::write(&from, &content).unwrap();
        let to = home.write("to", b"old", MODE).unwrap();
        let report = copy_whole(&from, &home, "to", "partial").unwrap();
        assert_eq!(report.bytes, content.len() as u64);
        assert_eq!(fs::read(&to).unwrap(), content);
        assert!(!home.dir().join("partial").exists());
    }

    /// Whichever call fails, the copy is either whole or absent, as reported.
    #[test]
    fn at_every_point_the_copy_is_whole_or_absent() {
        let content: Vec<u8> = (0..700_000u32).map(|i| (i * 7) as u8).collect();
        let temp = tempfile::tempdir().unwrap();
        let from = temp.path().join("from");
        let home = Marker::claim(&temp.path().join("home")).unwrap();
        let partial = home.dir().join("partial");
        let foreign = temp.path().join("foreign");
        fs::write(&from, &content).unwrap();
        fs::write(&foreign, "work of years").unwrap();
        let copy = || copy_whole(&from, &home, "to", "partial");
        let (copied, points) = fault::count(copy);
        copied.unwrap();
        for failure in Failure::ALL {
            for at in 1..=points {
                let to = home.write("to", b"old", MODE).unwrap();
                let plan = Plan { failure, at };
                let (copied, _) = fault::with(plan, copy);
                match fs::read(&to) {
                    Ok(found) => assert!(found == content || (copied.is_err() && found == b"old"), "{plan}"),
                    Err(_) => assert!(copied.is_err(), "{plan}"),
                }
                assert!(failure == Failure::Crash || !partial.exists(), "{plan} left a part behind");
                assert!(
                    fs::read(&from).unwrap() == content && fs::read(&foreign).unwrap() == b"work of years"
                );
                copy().unwrap_or_else(|error| panic!("after {plan}: {error}"));
            }
        }
        Marker::remove_ours(home.dir()).unwrap();
    }

    #[test]
    fn reads_and_writes_where_the_kernel_cannot_copy() {
        let temp = tempfile::tempdir().unwrap();
        let (from, to) = (temp.path().join("from"), temp.path().join("to"));
        let content: Vec<u8> = (0..3_000_000u32).map(|i| (i * 7) as u8).collect();
        fs::write(&from, &content).unwrap();
        let target = File::create_new(&to).unwrap();
        read_and_write(File::open(&from).unwrap(), &target, content.len() as u64).unwrap();
        assert!(fs::read(&to).unwrap() == content);
        let longer = read_and_write(File::open(&from).unwrap(), &target, content.len() as u64 + 1);
        assert_eq!(longer.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_missing_source_is_an_error_with_its_path() {
        let temp = tempfile::tempdir().unwrap();
        let home = Marker::claim(&temp.path().join("home")).unwrap();
        let error = copy_whole(&temp.path().join("none"), &home, "to", "partial").unwrap_err();
        assert!(error.to_string().contains("none"), "{error}");
    }
}
