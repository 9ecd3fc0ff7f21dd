//! Files that are there whole or not at all: written without a name, made durable, then put in their place.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{Gid, Mode, Uid};

use crate::dir::Dir;
use crate::file::File;
use crate::nonce::beside;

/// A file that is being written and has no name yet, so that nothing is left of it when its writer dies.
/// Dropped without [`put`](Partial::put), it is gone. It is `.NAME.RANDOM.partial` beside its place for the
/// moment in which it replaces another, and all the time where the file system knows no files without a name.
#[derive(Debug)]
pub struct Partial {
    file: File,
    dir: Dir,
    /// The name that it is for.
    name: OsString,
    /// The name that it has meanwhile.
    meanwhile: Option<OsString>,
}

impl Partial {
    /// Makes the file for the place `target`, with these permissions less those that the process's mask
    /// takes.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn create(target: &Path, mode: u32) -> io::Result<Self> {
        let (dir, name) = Dir::holding(target)?;
        if let Some(file) = dir.create_unnamed(&name, mode)? {
            return Ok(Self { file, dir, name, meanwhile: None });
        }
        let meanwhile = beside(&name);
        let file = dir.create_new(&meanwhile, mode)?;
        Ok(Self { file, dir, name, meanwhile: Some(meanwhile) })
    }

    /// The file as it is written.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives it the permissions and the owner of the file that it replaces, as far as the kernel lets this
    /// process: a file that others read stays one that others read.
    pub fn take_after(&self, replaced: &Metadata) {
        let file = self.file.as_std();
        let own = |error: &rustix::io::Errno| *error == rustix::io::Errno::PERM;
        let owner = (Uid::from_raw(replaced.uid()), Gid::from_raw(replaced.gid()));
        // An ordinary user may give a file to one of the user's groups, and to nobody else.
        if rustix::fs::fchown(file, Some(owner.0), Some(owner.1)).is_err_and(|error| own(&error)) {
            let _ = rustix::fs::fchown(file, None, Some(owner.1));
        }
        let _ = rustix::fs::fchmod(file, Mode::from_raw_mode(replaced.mode() & 0o777));
    }

    /// Makes it durable and puts it in its place, replacing the file there.
    ///
    /// # Errors
    /// As the kernel reports; the file in its place is then untouched, unless only the last step, making the
    /// new name durable, failed.
    pub fn put(self) -> io::Result<()> {
        self.put_over().map(drop)
    }

    /// [`put`](Self::put), and the file open at its end.
    ///
    /// # Errors
    /// As `put`.
    pub fn put_over(mut self) -> io::Result<fs::File> {
        self.file.sync_all()?;
        let open = self.file.as_std().try_clone()?;
        // Only a file with a name can take the place of another.
        let meanwhile = match &self.meanwhile {
            Some(name) => name.clone(),
            None => {
                let name = beside(&self.name);
                self.dir.name_unnamed(&self.file, &name)?;
                self.meanwhile.insert(name).clone()
            }
        };
        self.dir.rename(&meanwhile, &self.name)?;
        self.meanwhile = None;
        self.dir.sync()?;
        Ok(open)
    }

    /// Makes it durable and gives it its name, which nothing may have, and returns the file open at its end.
    ///
    /// # Errors
    /// `AlreadyExists` when anything is in its place; otherwise as the kernel reports.
    pub fn put_new(mut self) -> io::Result<fs::File> {
        self.file.sync_all()?;
        let open = self.file.as_std().try_clone()?;
        match &self.meanwhile {
            None => self.dir.name_unnamed(&self.file, &self.name)?,
            Some(meanwhile) => self.dir.rename_new(meanwhile, &self.name)?,
        }
        self.meanwhile = None;
        self.dir.sync()?;
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
        if let Some(name) = &self.meanwhile {
            // An error of the disk may pass; the one that led here, if any, is the one to tell.
            let _ = self.dir.remove_file(name).or_else(|_| self.dir.remove_file(name));
        }
    }
}

/// Replaces the file at `path`, or makes it, with these bytes in one step: after a failure at any point the
/// old or the new ones are there.
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
    fn a_file_has_no_name_until_it_is_put() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a");
        let names = || fs::read_dir(temp.path()).unwrap().count();
        let mut partial = Partial::create(&path, 0o600).unwrap();
        partial.write_all(b"new").unwrap();
        assert_eq!(names(), 0, "whoever dies now leaves nothing");
        partial.put_new().unwrap();
        let again = Partial::create(&path, 0o600).unwrap();
        assert_eq!(again.put_new().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let mut other = Partial::create(&path, 0o600).unwrap();
        other.write_all(b"newer").unwrap();
        other.put().unwrap();
        assert_eq!((names(), fs::read(&path).unwrap().as_slice()), (1, b"newer".as_slice()));
    }

    #[test]
    fn where_no_file_goes_without_a_name_one_beside_the_place_is_renamed() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a");
        let named = |bytes: &[u8]| {
            let (dir, name) = Dir::holding(&path).unwrap();
            let meanwhile = beside(&name);
            let mut partial = Partial {
                file: dir.create_new(&meanwhile, 0o600).unwrap(),
                dir,
                name,
                meanwhile: Some(meanwhile),
            };
            partial.write_all(bytes).unwrap();
            partial
        };
        named(b"one").put_new().unwrap();
        assert_eq!(named(b"two").put_new().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        named(b"three").put().unwrap();
        drop(named(b"four"));
        assert_eq!(fs::read(&path).unwrap(), b"three");
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1);
    }

    #[test]
    fn permissions_of_a_replaced_file_stay() {
        use std::os::unix::fs::PermissionsExt as _;
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o4640)).unwrap();
        let replaced = fs::metadata(&path).unwrap();
        let partial = Partial::create(&path, 0o666).unwrap();
        partial.take_after(&replaced);
        partial.put().unwrap();
        let now = fs::metadata(&path).unwrap();
        assert_eq!((now.mode() & 0o7777, now.uid(), now.gid()), (0o640, replaced.uid(), replaced.gid()));
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
}
