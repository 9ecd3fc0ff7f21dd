//! Calls on names: making, listing, renaming and removing, each behind its point.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use rustix::io::Errno;

use crate::fault::{Call, point};

/// The directory that holds `path`; `.` for a bare name.
#[must_use]
pub fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Facts about `path` itself, never about the target of a link.
///
/// # Errors
/// As the kernel reports.
pub fn metadata(path: &Path) -> io::Result<fs::Metadata> {
    point(Call::Stat, path)?;
    fs::symlink_metadata(path)
}

/// Facts about `path` itself, `None` where nothing is there. Only the kernel's plain "no" counts as such.
///
/// # Errors
/// As the kernel reports.
pub fn metadata_if_any(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match metadata(path) {
        Ok(facts) => Ok(Some(facts)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// True if this process may write the file at `path`: neither its mode nor its file system forbids it.
///
/// # Errors
/// As the kernel reports.
pub fn is_writable(path: &Path) -> io::Result<bool> {
    point(Call::Stat, path)?;
    match rustix::fs::access(path, Access::WRITE_OK) {
        Ok(()) => Ok(true),
        Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The one name of the target of `path`: absolute, without links.
///
/// # Errors
/// As the kernel reports.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    point(Call::Stat, path)?;
    fs::canonicalize(path)
}

/// The bytes of a file.
///
/// # Errors
/// As the kernel reports.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    point(Call::Read, path)?;
    fs::read(path)
}

/// The text of a file.
///
/// # Errors
/// As the kernel reports; `InvalidData` for bytes that are not UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    point(Call::Read, path)?;
    fs::read_to_string(path)
}

/// Makes a directory that is not there yet.
///
/// # Errors
/// `AlreadyExists` when anything is at the path; otherwise as the kernel reports.
pub fn create_dir(path: &Path) -> io::Result<()> {
    point(Call::MakeDir, path)?;
    fs::create_dir(path)
}

/// Makes a directory and those above it that are missing.
///
/// # Errors
/// As the kernel reports; `NotADirectory` when something else is in the way.
pub fn create_dir_all(path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent() {
        create_dir_all(above)?;
    }
    match create_dir(path) {
        // Another process may have made it in between.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        other => other,
    }
}

/// Names in a directory, sorted.
///
/// # Errors
/// As the kernel reports.
pub fn list(dir: &Path) -> io::Result<Vec<OsString>> {
    point(Call::List, dir)?;
    let mut names = fs::read_dir(dir)?
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect::<io::Result<Vec<OsString>>>()?;
    names.sort();
    Ok(names)
}

/// Renames a file or a directory, replacing a file of the new name.
///
/// # Errors
/// As the kernel reports.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    point(Call::Rename, to)?;
    fs::rename(from, to)
}

/// Removes a file, or a link itself. An absent one is fine.
///
/// # Errors
/// As the kernel reports.
pub fn remove_file(path: &Path) -> io::Result<()> {
    point(Call::Remove, path)?;
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Removes an empty directory. An absent one is fine.
///
/// # Errors
/// As the kernel reports; `DirectoryNotEmpty` when it holds anything.
pub fn remove_dir(path: &Path) -> io::Result<()> {
    point(Call::RemoveDir, path)?;
    match fs::remove_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Makes the names in a directory durable.
///
/// # Errors
/// As the kernel reports.
pub fn sync_dir(dir: &Path) -> io::Result<()> {
    point(Call::Sync, dir)?;
    fs::File::open(dir)?.sync_all()
}

/// Bytes that an ordinary user may still write on the file system of `dir`.
///
/// # Errors
/// As the kernel reports.
pub fn room_bytes(dir: &Path) -> io::Result<u64> {
    point(Call::Stat, dir)?;
    let room = rustix::fs::statvfs(dir)?;
    Ok(room.f_bavail.saturating_mul(room.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_made_and_removed_and_what_is_absent_is_fine() {
        let temp = tempfile::tempdir().unwrap();
        let deep = temp.path().join("a/b/c");
        create_dir_all(&deep).unwrap();
        create_dir_all(&deep).unwrap();
        assert_eq!(list(&temp.path().join("a")).unwrap(), ["b"]);
        assert_eq!(remove_dir(&temp.path().join("a")).unwrap_err().kind(), io::ErrorKind::DirectoryNotEmpty);
        remove_dir(&deep).unwrap();
        remove_dir(&deep).unwrap();
        remove_file(&deep.join("none")).unwrap();
    }

    #[test]
    fn a_file_in_the_way_of_a_directory_is_an_error() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("a"), "x").unwrap();
        assert!(create_dir_all(&temp.path().join("a/b")).is_err());
        assert_eq!(fs::read(temp.path().join("a")).unwrap(), b"x");
    }
}
