//! Files that are there whole or not at all: written beside their place under a name of their own, made durable, then renamed.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::calls::{beside, parent, remove_file, rename, sync_dir};
use crate::dir::Dir;
use crate::file::File;

/// 64 random bits of the kernel, in hexadecimal: a name that nobody else uses, a proof that nobody else knows.
#[must_use]
pub fn nonce() -> String {
    let mut bytes = [0; 8];
    // The call waits until the kernel's generator is ready and is only ever interrupted.
    while getrandom::fill(&mut bytes).is_err() {}
    format!("{:016x}", u64::from_ne_bytes(bytes))
}

/// A file that is being written beside the place that it is for. Dropped without [`put`](Partial::put), it is removed again.
#[derive(Debug)]
pub struct Partial {
    file: File,
    target: PathBuf,
    placed: bool,
}

impl Partial {
    /// Makes the file `.NAME.RANDOM.partial` beside `target`, with these permissions less those that the process's mask takes.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn create(target: &Path, mode: u32) -> io::Result<Self> {
        let path = beside(target, &format!("{}.partial", nonce()));
        Ok(Self { file: File::create_new_with(&path, mode)?, target: target.to_owned(), placed: false })
    }

    /// The file as it is written.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Makes it durable and puts it in its place, replacing the file there.
    ///
    /// # Errors
    /// As the kernel reports; the file in its place is then untouched, unless only the last step, making the new name durable, failed.
    pub fn put(self) -> io::Result<()> {
        self.put_over().map(drop)
    }

    /// [`put`](Self::put), and the file open at its end.
    ///
    /// # Errors
    /// As `put`.
    pub fn put_over(mut self) -> io::Result<std::fs::File> {
        self.file.sync_all()?;
        let open = self.file.as_std().try_clone()?;
        rename(self.file.path(), &self.target)?;
        self.placed = true;
        sync_dir(parent(&self.target))?;
        Ok(open)
    }

    /// Makes it durable and gives it its name, which nothing may have, and returns the file open at its end.
    ///
    /// # Errors
    /// `AlreadyExists` when anything is in its place; otherwise as the kernel reports.
    pub fn put_new(mut self) -> io::Result<std::fs::File> {
        self.file.sync_all()?;
        let open = self.file.as_std().try_clone()?;
        let (dir, name) = Dir::holding(&self.target)?;
        dir.rename_new(self.file.path().file_name().unwrap_or_default(), &name)?;
        self.placed = true;
        dir.sync()?;
        Ok(open)
    }
}

impl Write for Partial {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.placed {
            // An error of the disk may pass; the one that led here, if any, is the one to tell.
            let _ = remove_file(self.file.path()).or_else(|_| remove_file(self.file.path()));
        }
    }
}

/// Replaces the file at `path`, or makes it, with these bytes in one step: after a failure at any point the old or the new ones are there.
///
/// # Errors
/// As the kernel reports.
pub fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut partial = Partial::create(path, mode)?;
    partial.write_all(bytes)?;
    partial.put()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{self, Failure, Plan};
    use std::fs;

    #[test]
    fn at_every_point_the_old_or_the_new_bytes_are_there() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a");
        fs::write(&path, "old").unwrap();
        let (result, points) = fault::count(|| replace(&path, b"new", 0o600));
        result.unwrap();
        for failure in Failure::ALL {
            for at in 1..=points {
                fs::write(&path, "old").unwrap();
                let (result, _) = fault::with(Plan { failure, at }, || replace(&path, b"new", 0o600));
                let left = fs::read(&path).unwrap();
                assert!(left == b"old" || left == b"new", "{failure:?}@{at}: {left:?}");
                assert!(result.is_err() || left == b"new", "{failure:?}@{at}");
                let names = fs::read_dir(temp.path()).unwrap().count();
                assert!(names == 1 || failure == Failure::Crash, "{failure:?}@{at} left a file behind");
                for entry in fs::read_dir(temp.path()).unwrap() {
                    fs::remove_file(entry.unwrap().path()).unwrap();
                }
            }
        }
    }

    #[test]
    fn a_link_is_replaced_and_not_followed() {
        let temp = tempfile::tempdir().unwrap();
        let (precious, link) = (temp.path().join("precious"), temp.path().join("link"));
        fs::write(&precious, "work of years").unwrap();
        std::os::unix::fs::symlink(&precious, &link).unwrap();
        replace(&link, b"new", 0o600).unwrap();
        assert_eq!(fs::read(&precious).unwrap(), b"work of years");
        assert!(!fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn two_nonces_differ() {
        assert_ne!(nonce(), nonce());
    }
}
