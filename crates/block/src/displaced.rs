//! Targets that were taken away under a load: the kernel goes on with the open file as if nothing had
//! happened, and whoever looks for it by its name finds nothing, or something else.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use words::Reason;

/// The place of an open file or directory beside the name by which it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Whereabouts {
    /// Its name leads to it.
    There,
    /// It was deleted.
    Deleted,
    /// It, or a directory above it, was moved here.
    Moved(PathBuf),
    /// No name leads to it: its file system was unmounted, or another was mounted over it.
    Unmounted {
        /// `major:minor` of the device of its file system.
        device: String,
    },
}

impl Whereabouts {
    /// Looks after the open `file` that was opened as `path`; links in the path are followed.
    pub(crate) fn of(file: &File, path: &Path) -> io::Result<Whereabouts> {
        let held = file.metadata()?;
        let is_it = |found: &fs::Metadata| (found.dev(), found.ino()) == (held.dev(), held.ino());
        match fs::metadata(path) {
            Ok(found) if is_it(&found) => return Ok(Whereabouts::There),
            Ok(_) => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            Err(error) => return Err(error),
        }
        // Not every file system counts the names of a directory down to none.
        let now = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
        Ok(match fs::metadata(&now) {
            Ok(found) if is_it(&found) => Whereabouts::Moved(now),
            _ if held.nlink() == 0 || now.as_os_str().as_encoded_bytes().ends_with(b" (deleted)") => {
                Whereabouts::Deleted
            }
            _ => {
                let device = held.dev();
                let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
                Whereabouts::Unmounted { device: format!("{major}:{minor}") }
            }
        })
    }
}

/// Says what became of an open file or directory, if its path no longer leads to it. One that cannot be
/// looked at answers with errors of its own.
pub fn displaced(file: &File, path: &Path) -> Option<Reason> {
    let named = path.display().to_string();
    match Whereabouts::of(file, path).ok()? {
        Whereabouts::There => None,
        Whereabouts::Deleted => Some(Reason::TargetDeleted { path: named }),
        Whereabouts::Moved(now) => Some(Reason::TargetMoved { path: named, now: now.display().to_string() }),
        Whereabouts::Unmounted { device } => Some(Reason::TargetUnmounted { path: named, device }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_itself_and_not_by_its_name() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let (dir, path) = (root.join("dir"), root.join("dir").join("file"));
        fs::create_dir(&dir).unwrap();
        fs::write(&path, "x").unwrap();
        let (file, held) = (File::open(&path).unwrap(), File::open(&dir).unwrap());
        let of = |file, path| Whereabouts::of(file, path).unwrap();
        assert_eq!((of(&file, &path), of(&held, &dir)), (Whereabouts::There, Whereabouts::There));
        let (other, now) = (root.join("other"), root.join("other").join("file"));
        fs::rename(&dir, &other).unwrap();
        assert_eq!(of(&file, &path), Whereabouts::Moved(now.clone()));
        assert_eq!(of(&held, &dir), Whereabouts::Moved(other.clone()));
        // Another one in its place is not it.
        fs::create_dir(&dir).unwrap();
        fs::write(&path, "y").unwrap();
        assert_eq!(of(&file, &path), Whereabouts::Moved(now.clone()));
        fs::remove_file(&now).unwrap();
        fs::remove_dir(&other).unwrap();
        assert_eq!((of(&file, &path), of(&held, &dir)), (Whereabouts::Deleted, Whereabouts::Deleted));
    }
}
