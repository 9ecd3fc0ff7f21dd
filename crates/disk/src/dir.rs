//! An open directory: its entries are reached through it, so that nobody can lead a call elsewhere by moving
//! a directory on the way or by putting a link in its place.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, StatxFlags};
use rustix::io::Errno;

use crate::calls::parent;
use crate::fault::{Call, point};
use crate::file::File;
use crate::nonce::beside;
use crate::stamp::Stamp;

/// An open directory and the path that it was opened by.
#[derive(Debug)]
pub struct Dir {
    fd: OwnedFd,
    path: PathBuf,
}

/// The kind of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Link,
    /// A device, FIFO or socket.
    Other,
}

/// Facts about an entry itself, never about what a link leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Its kind.
    pub kind: FileKind,
    /// By which it is recognised.
    pub stamp: Stamp,
    /// The user that it belongs to.
    pub owner: u32,
    /// Permissions.
    pub mode: u16,
    /// Number of its names.
    pub links: u32,
}

impl Facts {
    /// Facts about an open file.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn of(file: &File) -> io::Result<Self> {
        point(Call::Stat, file.path())?;
        let flags = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        Ok(Self::from_statx(&rustix::fs::statx(file.as_std(), "", AtFlags::EMPTY_PATH, flags)?))
    }

    fn from_statx(facts: &rustix::fs::Statx) -> Self {
        Self {
            kind: FileKind::of(FileType::from_raw_mode(u32::from(facts.stx_mode))),
            stamp: Stamp::from_statx(facts),
            owner: facts.stx_uid,
            mode: facts.stx_mode & 0o7777,
            links: facts.stx_nlink,
        }
    }

    /// True for a regular file that belongs to the user of this process, that nobody else may write, and that
    /// has no second name.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.kind == FileKind::File
            && self.owner == rustix::process::geteuid().as_raw()
            && self.mode & 0o022 == 0
            && self.links == 1
    }
}

impl FileKind {
    fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Dir,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

impl Dir {
    /// Opens a directory, by way of links if the path leads over them.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::open_as(path, OFlags::empty())
    }

    /// Opens a directory that must not be a link itself.
    ///
    /// # Errors
    /// `NotADirectory` for a link; otherwise as the kernel reports.
    pub fn open_no_follow(path: &Path) -> io::Result<Self> {
        Self::open_as(path, OFlags::NOFOLLOW)
    }

    /// Opens the directory that holds `path`, and tells the name of `path` in it.
    ///
    /// # Errors
    /// `InvalidInput` for a path that ends in no name; otherwise as the kernel reports.
    pub fn holding(path: &Path) -> io::Result<(Self, OsString)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok((Self::open(parent(path))?, name.to_owned()))
    }

    fn open_as(path: &Path, more: OFlags) -> io::Result<Self> {
        point(Call::Open, path)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | more;
        let fd = rustix::fs::openat(CWD, path, flags, Mode::empty())?;
        Ok(Self { fd, path: path.to_owned() })
    }

    /// The path that it was opened by.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of an entry, for messages.
    #[must_use]
    pub fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }

    /// Opens a directory in this one; a link is refused.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn open_dir(&self, name: &OsStr) -> io::Result<Self> {
        let path = self.join(name);
        point(Call::Open, &path)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self { fd: rustix::fs::openat(&self.fd, name, flags, Mode::empty())?, path })
    }

    /// Facts about an entry; `None` when there is none of that name.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn facts(&self, name: &OsStr) -> io::Result<Option<Facts>> {
        point(Call::Stat, &self.join(name))?;
        let flags = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        match rustix::fs::statx(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW, flags) {
            Ok(facts) => Ok(Some(Facts::from_statx(&facts))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Facts about this directory itself.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn own_facts(&self) -> io::Result<Facts> {
        point(Call::Stat, &self.path)?;
        let flags = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        Ok(Facts::from_statx(&rustix::fs::statx(&self.fd, "", AtFlags::EMPTY_PATH, flags)?))
    }

    /// Names of the entries, sorted.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        point(Call::List, &self.path)?;
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.fd)? {
            let name = entry?.file_name().to_bytes().to_owned();
            if name != b"." && name != b".." {
                names.push(OsStr::from_bytes(&name).to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// Makes a file with these permissions, less those that the process's mask takes, open for reading and
    /// writing.
    ///
    /// # Errors
    /// `AlreadyExists` when anything has the name, a link included; otherwise as the kernel reports.
    pub fn create_new(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let path = self.join(name);
        point(Call::Create, &path)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.fd, name, flags, Mode::from_raw_mode(mode))?;
        Ok(File::from_descriptor(fd, path))
    }

    /// Opens a file to read and, when asked, to write it. A link is refused, and nothing that is no file
    /// makes the call wait.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn open_file(&self, name: &OsStr, write: bool) -> io::Result<File> {
        let path = self.join(name);
        point(Call::Open, &path)?;
        let access = if write { OFlags::RDWR } else { OFlags::RDONLY };
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(File::from_descriptor(rustix::fs::openat(&self.fd, name, flags, Mode::empty())?, path))
    }

    /// Makes a file without a name, for the name that it is to get, open for reading and writing; `None`
    /// where the file system knows none.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn create_unnamed(&self, name: &OsStr, mode: u32) -> io::Result<Option<File>> {
        point(Call::Create, &self.join(name))?;
        let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.fd, ".", flags, Mode::from_raw_mode(mode)) {
            // Without /proc it could not be given its name.
            Ok(fd) if Path::new(&unnamed(&fd)).exists() => {
                Ok(Some(File::from_descriptor(fd, self.join(name))))
            }
            Ok(_) | Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT | Errno::INVAL) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives a file without a name a name that nothing has.
    ///
    /// # Errors
    /// `AlreadyExists` when anything has the name, a link included; otherwise as the kernel reports.
    pub(crate) fn name_unnamed(&self, file: &File, name: &OsStr) -> io::Result<()> {
        point(Call::Rename, &self.join(name))?;
        Ok(rustix::fs::linkat(CWD, unnamed(file.as_std()), &self.fd, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    /// Makes a file that has all of these bytes from the moment it has the name, durably.
    ///
    /// # Errors
    /// `AlreadyExists` when anything has the name, a link included; otherwise as the kernel reports. After a
    /// crash the file is whole or absent; where the file system knows no files without a name, one of the
    /// name `.NAME.RANDOM.partial` may be left.
    pub fn write_new(&self, name: &OsStr, bytes: &[u8], mode: u32) -> io::Result<()> {
        use io::Write as _;
        let Some(mut file) = self.create_unnamed(name, mode)? else {
            return self.write_new_by_rename(name, bytes, mode);
        };
        file.write_all(bytes)?;
        file.sync_all()?;
        self.name_unnamed(&file, name)
    }

    fn write_new_by_rename(&self, name: &OsStr, bytes: &[u8], mode: u32) -> io::Result<()> {
        use io::Write as _;
        let partial = beside(name);
        let mut file = self.create_new(&partial, mode)?;
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        let placed = written.and_then(|()| self.rename_new(&partial, name));
        if placed.is_err() {
            let _ = self.remove_file(&partial); // The error that led here is the one to tell.
        }
        placed
    }

    /// Renames an entry, replacing a file of the new name.
    ///
    /// # Errors
    /// As the kernel reports.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        point(Call::Rename, &self.join(to))?;
        Ok(rustix::fs::renameat(&self.fd, from, &self.fd, to)?)
    }

    /// Renames an entry to a name that nothing has.
    ///
    /// # Errors
    /// `AlreadyExists` when anything has the new name; otherwise as the kernel reports.
    pub fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        point(Call::Rename, &self.join(to))?;
        match rustix::fs::renameat_with(&self.fd, from, &self.fd, to, RenameFlags::NOREPLACE) {
            // Not every file system knows how not to replace; a second name is never given to a name that is
            // taken either.
            Err(Errno::INVAL | Errno::NOSYS) => {
                match rustix::fs::linkat(&self.fd, from, &self.fd, to, AtFlags::empty()) {
                    // Nor second names: a copy made exclusively is left.
                    Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => self.copy_new(from, to),
                    other => Ok(other?),
                }
                .and_then(|()| Ok(rustix::fs::unlinkat(&self.fd, from, AtFlags::empty())?))
            }
            other => Ok(other?),
        }
    }

    /// Copies a file to a name that nothing has, durably; a copy that fails is removed.
    fn copy_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let mut source = self.open_file(from, false)?;
        let mut copy = self.create_new(to, 0o600)?;
        let copied = io::copy(&mut source, &mut copy)
            .and_then(|_| copy.as_std().set_permissions(source.as_std().metadata()?.permissions()))
            .and_then(|()| copy.sync_all());
        if copied.is_err() {
            let _ = self.remove_file(to); // The error that led here is the one to tell.
        }
        copied
    }

    /// Removes a file, or a link itself. An absent one is fine.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        point(Call::Remove, &self.join(name))?;
        absent_is_fine(rustix::fs::unlinkat(&self.fd, name, AtFlags::empty()))
    }

    /// Removes an empty directory. An absent one is fine.
    ///
    /// # Errors
    /// As the kernel reports; `DirectoryNotEmpty` when it holds anything.
    pub fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        point(Call::RemoveDir, &self.join(name))?;
        absent_is_fine(rustix::fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR))
    }

    /// Makes the names in it durable.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn sync(&self) -> io::Result<()> {
        point(Call::Sync, &self.path)?;
        Ok(rustix::fs::fsync(&self.fd)?)
    }

    /// Bytes that an ordinary user may still write on its file system.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn room_bytes(&self) -> io::Result<u64> {
        point(Call::Stat, &self.path)?;
        let room = rustix::fs::fstatvfs(&self.fd)?;
        Ok(room.f_bavail.saturating_mul(room.f_frsize))
    }
}

/// A way to an open file that has no name.
fn unnamed(file: impl AsFd) -> String {
    format!("/proc/self/fd/{}", file.as_fd().as_raw_fd())
}

fn absent_is_fine(removed: rustix::io::Result<()>) -> io::Result<()> {
    match removed {
        Err(Errno::NOENT) => Ok(()),
        other => Ok(other?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{self, Failure, Plan};
    use std::fs;

    fn name(text: &str) -> &OsStr {
        OsStr::new(text)
    }

    #[test]
    fn a_new_file_takes_no_name_that_is_taken() {
        let temp = tempfile::tempdir().unwrap();
        let dir = Dir::open(temp.path()).unwrap();
        fs::write(temp.path().join("theirs"), "work of years").unwrap();
        std::os::unix::fs::symlink("theirs", temp.path().join("link")).unwrap();
        std::os::unix::fs::symlink("nowhere", temp.path().join("loose")).unwrap();
        for taken in ["theirs", "link", "loose"] {
            for error in [
                dir.write_new(name(taken), b"ours", 0o600).unwrap_err(),
                dir.write_new_by_rename(name(taken), b"ours", 0o600).unwrap_err(),
                dir.create_new(name(taken), 0o600).unwrap_err(),
            ] {
                assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{taken}");
            }
        }
        assert_eq!(fs::read(temp.path().join("theirs")).unwrap(), b"work of years");
        assert_eq!(dir.names().unwrap(), ["link", "loose", "theirs"]);
    }

    #[test]
    fn a_new_file_is_whole_or_absent_at_every_point() {
        let temp = tempfile::tempdir().unwrap();
        let dir = Dir::open(temp.path()).unwrap();
        type Way = fn(&Dir, &OsStr, &[u8], u32) -> io::Result<()>;
        for way in [Dir::write_new as Way, Dir::write_new_by_rename as Way] {
            let (result, points) = fault::count(|| way(&dir, name("a"), b"whole", 0o600));
            result.unwrap();
            dir.remove_file(name("a")).unwrap();
            for failure in Failure::ALL {
                for at in 1..=points {
                    let (result, _) =
                        fault::with(Plan { failure, at }, || way(&dir, name("a"), b"whole", 0o600));
                    let there = fs::read(temp.path().join("a")).ok();
                    assert_eq!(there.is_some(), result.is_ok(), "{failure:?}@{at}");
                    assert!(there.is_none_or(|bytes| bytes == b"whole"), "{failure:?}@{at}");
                    for left in dir.names().unwrap() {
                        dir.remove_file(&left).unwrap();
                    }
                }
            }
        }
    }

    #[test]
    fn a_copy_takes_no_name_that_is_taken_and_keeps_the_permissions() {
        use std::os::unix::fs::PermissionsExt as _;
        let temp = tempfile::tempdir().unwrap();
        let dir = Dir::open(temp.path()).unwrap();
        dir.write_new(name("a"), b"whole", 0o640).unwrap();
        dir.write_new(name("theirs"), b"work of years", 0o600).unwrap();
        assert_eq!(dir.copy_new(name("a"), name("theirs")).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(temp.path().join("theirs")).unwrap(), b"work of years");
        let (result, points) = fault::count(|| dir.copy_new(name("a"), name("b")));
        result.unwrap();
        assert_eq!(fs::metadata(temp.path().join("b")).unwrap().permissions().mode() & 0o777, 0o640);
        for at in 1..=points {
            dir.remove_file(name("b")).unwrap();
            let plan = Plan { failure: Failure::Error, at };
            let (result, _) = fault::with(plan, || dir.copy_new(name("a"), name("b")));
            assert!(result.is_err() && !temp.path().join("b").exists(), "@{at}");
        }
    }

    #[test]
    fn a_directory_that_was_moved_away_is_still_the_one_that_was_opened() {
        let temp = tempfile::tempdir().unwrap();
        let (inside, elsewhere) = (temp.path().join("inside"), temp.path().join("elsewhere"));
        fs::create_dir(&inside).unwrap();
        fs::create_dir(&elsewhere).unwrap();
        fs::write(elsewhere.join("a"), "theirs").unwrap();
        let dir = Dir::open(&inside).unwrap();
        fs::rename(&inside, temp.path().join("moved")).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &inside).unwrap();
        dir.remove_file(name("a")).unwrap();
        assert!(dir.create_new(name("b"), 0o600).is_ok());
        assert_eq!(fs::read(elsewhere.join("a")).unwrap(), b"theirs");
        assert!(temp.path().join("moved/b").exists());
        assert!(Dir::open_no_follow(&inside).is_err());
        let above = Dir::open(temp.path()).unwrap();
        assert!(above.open_dir(name("inside")).is_err());
        assert_eq!(above.facts(name("inside")).unwrap().unwrap().kind, FileKind::Link);
        assert_eq!(above.facts(name("none")).unwrap(), None);
    }

    #[test]
    fn names_are_not_replaced_and_a_pipe_does_not_make_anyone_wait() {
        let temp = tempfile::tempdir().unwrap();
        let dir = Dir::open(temp.path()).unwrap();
        dir.write_new(name("a"), b"a", 0o600).unwrap();
        dir.write_new(name("b"), b"b", 0o600).unwrap();
        assert_eq!(dir.rename_new(name("a"), name("b")).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        dir.rename_new(name("a"), name("c")).unwrap();
        let pipe = temp.path().join("pipe");
        rustix::fs::mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let opened = dir.open_file(name("pipe"), false).unwrap();
        assert_eq!(Facts::of(&opened).unwrap().kind, FileKind::Other);
    }

    #[test]
    fn only_what_nobody_else_can_write_is_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let temp = tempfile::tempdir().unwrap();
        let dir = Dir::open(temp.path()).unwrap();
        let is_private = || dir.facts(name("a")).unwrap().unwrap().is_private();
        dir.write_new(name("a"), b"a", 0o600).unwrap();
        assert!(is_private());
        fs::hard_link(temp.path().join("a"), temp.path().join("b")).unwrap();
        assert!(!is_private());
        fs::remove_file(temp.path().join("b")).unwrap();
        fs::set_permissions(temp.path().join("a"), fs::Permissions::from_mode(0o666)).unwrap();
        assert!(!is_private());
    }
}
