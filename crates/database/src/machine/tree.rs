//! Copies of a server's directories, and the contents of such a directory.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Advice, SeekFrom};

use super::account::Account;
use super::room;
use crate::copy::CopyMethod;
use crate::error::{DatabaseError, ServerError};

/// Everything below a directory: the directories first, parents before children.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    dirs: Vec<PathBuf>,
    /// Each with its length.
    files: Vec<(PathBuf, u64)>,
    /// Length of all files.
    pub(crate) bytes: u64,
}

impl Tree {
    /// Lists `root`, without the entry `except` at its top. Paths are relative to it.
    pub(crate) fn list(root: &Path, except: Option<&str>) -> Result<Self, DatabaseError> {
        let mut tree = Self { dirs: vec![PathBuf::new()], ..Self::default() };
        let mut next = 0;
        while let Some(dir) = tree.dirs.get(next).cloned() {
            next += 1;
            let path = root.join(&dir);
            for entry in fs::read_dir(&path).map_err(DatabaseError::io("listing", &path))? {
                let entry = entry.map_err(DatabaseError::io("listing", &path))?;
                if next == 1 && except.is_some_and(|name| entry.file_name() == name) {
                    continue;
                }
                tree.add(&entry, dir.join(entry.file_name()))?;
            }
        }
        Ok(tree)
    }

    /// The listed files, relative to the root.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(path, _)| path.as_path())
    }

    /// The listed files with their lengths.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = (&Path, u64)> {
        self.files.iter().map(|(path, bytes)| (path.as_path(), *bytes))
    }

    fn add(&mut self, entry: &fs::DirEntry, relative: PathBuf) -> Result<(), DatabaseError> {
        let metadata = entry.metadata().map_err(DatabaseError::io("reading", &entry.path()))?;
        if metadata.is_dir() {
            self.dirs.push(relative);
        } else if metadata.is_file() {
            self.bytes += metadata.len();
            self.files.push((relative, metadata.len()));
        } else if metadata.is_symlink() {
            return Err(ServerError::LeadsOut { path: entry.path() }.into());
        } // Sockets and pipes hold nothing to copy.
        Ok(())
    }

    /// Copies the listed files from `from` to `to` inside `home`, which does not exist yet and is then
    /// `owner`'s. Returns how, at worst, a file was copied.
    pub(crate) fn copy(
        &self,
        from: &Path,
        to: &Path,
        home: &Path,
        owner: Option<&Account>,
    ) -> Result<CopyMethod, DatabaseError> {
        let mut worst = CopyMethod::Reflink;
        for dir in &self.dirs {
            let path = to.join(dir);
            // The root may be there, empty: a drive is mounted on it.
            if !(dir.as_os_str().is_empty() && path.is_dir()) {
                disk::create_dir(&path).map_err(DatabaseError::io("creating", &path))?;
            }
            finish(&from.join(dir), &path, owner)?;
        }
        for file in self.files() {
            let (source, target) = (from.join(file), to.join(file));
            // Room is asked for when the first file turns out to need it.
            let method = match clone_file(&source, &target)? {
                Cloned::Whole => CopyMethod::Reflink,
                Cloned::Not(source, target, bytes) => {
                    if worst == CopyMethod::Reflink {
                        room::check_disk(home, self.bytes)?;
                    }
                    copy_bytes(&source, &target, bytes).map_err(DatabaseError::io("copying to", to))?
                }
            };
            finish(&source, &target, owner)?;
            worst = worst.worse(method);
        }
        Ok(worst)
    }

    /// Writes the copy in `to` to the drive and out of the host's cache, so that the next reader reads the
    /// drive.
    pub(crate) fn settle(&self, to: &Path) -> Result<(), DatabaseError> {
        let dir = File::open(to).map_err(DatabaseError::io("opening", to))?;
        // One call instead of one sync for each of a thousand small files.
        rustix::fs::syncfs(&dir).map_err(|error| DatabaseError::io("syncing", to)(error.into()))?;
        // The kernel does not pass the former on to a modelled drive; one flush is what it amounts to.
        dir.sync_all().map_err(DatabaseError::io("syncing", to))?;
        for file in self.files() {
            if let Ok(file) = File::open(to.join(file)) {
                // Advice: a file system that does not take it keeps its cache warm, no more.
                let _ = rustix::fs::fadvise(&file, 0, None, Advice::DontNeed);
            }
        }
        Ok(())
    }
}

/// Bytes of all files below `root`; 0 where there is none. Files that come and go meanwhile are no matter.
pub(crate) fn size_bytes(root: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(root) else { return 0 };
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size_bytes(&entry.path()),
        Ok(metadata) if metadata.is_file() => metadata.len(),
        _ => 0,
    };
    entries.flatten().map(size).sum()
}

/// Gives the copy the original's mode, and its owner.
fn finish(source: &Path, target: &Path, owner: Option<&Account>) -> Result<(), DatabaseError> {
    let mode = fs::metadata(source).map_err(DatabaseError::io("reading", source))?.permissions().mode();
    fs::set_permissions(target, fs::Permissions::from_mode(mode & 0o777))
        .map_err(DatabaseError::io("setting the mode of", target))?;
    owner.map_or(Ok(()), |account| account.own(target))
}

/// Copies the file `from` to `to`, which does not exist yet and is then `owner`'s.
pub(crate) fn copy_file(from: &Path, to: &Path, owner: Option<&Account>) -> Result<(), DatabaseError> {
    if let Cloned::Not(source, target, bytes) = clone_file(from, to)? {
        copy_bytes(&source, &target, bytes).map_err(DatabaseError::io("copying to", to))?;
    }
    finish(from, to, owner)
}

/// A new file, and whether it has its content already.
enum Cloned {
    Whole,
    Not(disk::File, disk::File, u64),
}

fn clone_file(from: &Path, to: &Path) -> Result<Cloned, DatabaseError> {
    let source = disk::File::open(from).map_err(DatabaseError::io("opening", from))?;
    let target = disk::File::create_new(to).map_err(DatabaseError::io("creating", to))?;
    let bytes = source.metadata().map_err(DatabaseError::io("reading", from))?.len();
    if bytes == 0 || target.share_blocks_of(&source).is_ok() {
        return Ok(Cloned::Whole);
    }
    Ok(Cloned::Not(source, target, bytes))
}

/// Copies written parts and only reserves unwritten ones: a new redo log is a gigabyte of nothing.
fn copy_bytes(source: &disk::File, target: &disk::File, bytes: u64) -> std::io::Result<CopyMethod> {
    if target.reserve(0, bytes).is_err() {
        target.set_len(bytes)?; // Not every file system can reserve.
    }
    let mut method = CopyMethod::KernelCopy;
    let mut at = 0;
    while at < bytes {
        let start = match rustix::fs::seek(source.as_std(), SeekFrom::Data(at)) {
            Ok(start) => start,
            Err(rustix::io::Errno::NXIO) => break, // Nothing but holes from here on.
            Err(_) => at,
        };
        let end =
            rustix::fs::seek(source.as_std(), SeekFrom::Hole(start)).unwrap_or(bytes).clamp(start, bytes);
        let end = if end == start { bytes } else { end };
        method = method.worse(copy_range(source, target, start, end)?);
        at = end;
    }
    Ok(method)
}

fn copy_range(source: &disk::File, target: &disk::File, start: u64, end: u64) -> std::io::Result<CopyMethod> {
    let mut at = start;
    while at < end {
        let step = usize::try_from((end - at).min(1 << 30)).expect("a GiB fits");
        match target.copy_range_at(source, at, step) {
            Ok(0) => {
                return Err(std::io::Error::new(
                    std::io::ErrorKind::UnexpectedEof,
                    "the file shrank while it was copied",
                ));
            }
            Ok(done) => at += done as u64,
            // Not all pairs of file systems can.
            Err(_) => return read_and_write(source, target, at, end),
        }
    }
    Ok(CopyMethod::KernelCopy)
}

fn read_and_write(
    source: &disk::File,
    target: &disk::File,
    start: u64,
    end: u64,
) -> std::io::Result<CopyMethod> {
    let mut buffer = vec![0; 1 << 20];
    let mut at = start;
    while at < end {
        let step = usize::try_from(end - at).unwrap_or(usize::MAX).min(buffer.len());
        source.read_exact_at(&mut buffer[..step], at)?;
        target.write_all_at(&buffer[..step], at)?;
        at += step as u64;
    }
    Ok(CopyMethod::ReadWrite)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt as _;

    #[test]
    fn copies_a_tree_with_holes_byte_for_byte() {
        let temp = tempfile::tempdir().unwrap();
        let (from, to) = (temp.path().join("from"), temp.path().join("to"));
        fs::create_dir_all(from.join("a/b")).unwrap();
        fs::create_dir_all(from.join("left-out")).unwrap();
        fs::write(from.join("a/b/small"), "text").unwrap();
        fs::write(from.join("a/empty"), "").unwrap();
        let holes = File::create(from.join("holes")).unwrap();
        holes.set_len(5 << 20).unwrap();
        holes.write_all_at(&[7; 9000], 1 << 20).unwrap();
        holes.write_all_at(&[8; 10], (4 << 20) + 3).unwrap();
        fs::set_permissions(from.join("a"), fs::Permissions::from_mode(0o700)).unwrap();
        let tree = Tree::list(&from, Some("left-out")).unwrap();
        assert_eq!(tree.bytes, (5 << 20) + 4);
        tree.copy(&from, &to, temp.path(), None).unwrap();
        tree.settle(&to).unwrap();
        for name in ["a/b/small", "a/empty", "holes"] {
            assert_eq!(fs::read(from.join(name)).unwrap(), fs::read(to.join(name)).unwrap(), "{name}");
        }
        assert!(!to.join("left-out").exists());
        assert_eq!(fs::metadata(to.join("a")).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(size_bytes(&to), tree.bytes);
    }

    #[test]
    fn reads_and_writes_where_the_kernel_cannot_copy() {
        let temp = tempfile::tempdir().unwrap();
        let content: Vec<u8> = (0..3_000_000u32).map(|i| i as u8).collect();
        fs::write(temp.path().join("from"), &content).unwrap();
        let source = disk::File::open(&temp.path().join("from")).unwrap();
        let target = disk::File::create_new(&temp.path().join("to")).unwrap();
        read_and_write(&source, &target, 0, 3_000_000).unwrap();
        assert_eq!(fs::read(temp.path().join("to")).unwrap(), content);
    }

    #[test]
    fn a_link_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", temp.path().join("link")).unwrap();
        let message = Tree::list(temp.path(), None).unwrap_err().to_string();
        assert!(message.contains("link leads out"), "{message}");
        assert_eq!(Tree::list(temp.path(), Some("link")).unwrap().bytes, 0);
    }
}
