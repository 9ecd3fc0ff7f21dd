//! An open file whose every call passes a point.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, FlockOperation, OFlags};
use rustix::io::Errno;

use crate::fault::{Call, point};

/// An open file and the path that it was opened by.
#[derive(Debug)]
pub struct File {
    file: fs::File,
    path: PathBuf,
}

impl File {
    /// Makes a file that only its owner may read (mode 0600), open for reading and writing.
    ///
    /// # Errors
    /// `AlreadyExists` when anything is at the path, a link included; otherwise as the kernel reports.
    pub fn create_new(path: &Path) -> io::Result<Self> {
        Self::create_new_with(path, 0o600)
    }

    /// [`create_new`](Self::create_new) with other permissions, less those that the process's mask takes.
    ///
    /// # Errors
    /// As `create_new`.
    pub fn create_new_with(path: &Path, mode: u32) -> io::Result<Self> {
        point(Call::Create, path)?;
        let file = fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(mode)
            .custom_flags(no_follow())
            .open(path)?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Opens a file to read it.
    ///
    /// # Errors
    /// As the kernel reports; a link is refused (ELOOP).
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::open_as(path, fs::OpenOptions::new().read(true))
    }

    /// Opens a file to read and write it.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_to_write(path: &Path) -> io::Result<Self> {
        Self::open_as(path, fs::OpenOptions::new().read(true).write(true))
    }

    /// Opens a file to write at its end.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_to_append(path: &Path) -> io::Result<Self> {
        Self::open_as(path, fs::OpenOptions::new().append(true))
    }

    fn open_as(path: &Path, options: &mut fs::OpenOptions) -> io::Result<Self> {
        point(Call::Open, path)?;
        let file = options.custom_flags(no_follow()).open(path)?;
        Ok(Self { file, path: path.to_owned() })
    }

    pub(crate) fn from_descriptor(descriptor: OwnedFd, path: PathBuf) -> Self {
        Self { file: descriptor.into(), path }
    }

    /// [`try_lock`](Self::try_lock) for any number of descriptors that take it so.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn try_lock_shared(&self) -> io::Result<bool> {
        point(Call::Lock, &self.path)?;
        locked(self.file.try_lock_shared())
    }

    /// The path that it was opened by.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file itself, for calls that have no point.
    #[must_use]
    pub fn as_std(&self) -> &fs::File {
        &self.file
    }

    /// Takes the lock of the whole file that only one opening of it can have; `false` when another has it.
    /// The kernel gives it back when its holder dies, however it dies.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn try_lock(&self) -> io::Result<bool> {
        point(Call::Lock, &self.path)?;
        match rustix::fs::flock(&self.file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(true),
            Err(Errno::WOULDBLOCK) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives the lock back at once. Closing the file would not do: a program that another thread is just
    /// starting has a copy of the descriptor until it has replaced itself.
    pub fn unlock(&self) {
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock); // The kernel gives it back at the latest with the last copy.
    }

    /// Makes its bytes and facts durable.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn sync_all(&self) -> io::Result<()> {
        point(Call::Sync, &self.path)?;
        self.file.sync_all()
    }

    /// Changes its length.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn set_len(&self, size_bytes: u64) -> io::Result<()> {
        point(Call::Truncate, &self.path)?;
        self.file.set_len(size_bytes)
    }

    /// Facts about it.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn metadata(&self) -> io::Result<fs::Metadata> {
        point(Call::Stat, &self.path)?;
        self.file.metadata()
    }

    /// Makes this file share the blocks of `source` (`FICLONE`).
    ///
    /// # Errors
    /// When the file system cannot, or the two lie on different ones.
    pub fn share_blocks_of(&self, source: &Self) -> io::Result<()> {
        point(Call::Copy, &self.path)?;
        Ok(rustix::fs::ioctl_ficlone(&self.file, &source.file)?)
    }

    /// Fills `buffer` from byte `at` on.
    ///
    /// # Errors
    /// As the kernel reports; `UnexpectedEof` when the file ends before.
    pub fn read_exact_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        point(Call::Read, &self.path)?;
        self.file.read_exact_at(buffer, at)
    }

    /// Writes all of `bytes` from byte `at` on. A write that is made to fail leaves half of them behind.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn write_all_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        if let Err(failure) = point(Call::Write, &self.path) {
            if failure.kind() != io::ErrorKind::Other {
                self.file.write_all_at(&bytes[..bytes.len() / 2], at)?;
            }
            return Err(failure);
        }
        self.file.write_all_at(bytes, at)
    }

    /// Reserves room with a place for `count_bytes` from byte `at` on.
    ///
    /// # Errors
    /// When the file system cannot, or has no space.
    pub fn reserve(&self, at: u64, count_bytes: u64) -> io::Result<()> {
        point(Call::Write, &self.path)?;
        Ok(rustix::fs::fallocate(&self.file, FallocateFlags::empty(), at, count_bytes)?)
    }

    /// Copies up to `count_bytes` from byte `at` of `source` to byte `at` of this file, inside the kernel;
    /// returns the number of bytes.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn copy_range_at(&self, source: &Self, at: u64, count_bytes: usize) -> io::Result<usize> {
        point(Call::Copy, &self.path)?;
        let (mut from, mut to) = (at, at);
        Ok(rustix::fs::copy_file_range(
            &source.file,
            Some(&mut from),
            &self.file,
            Some(&mut to),
            count_bytes,
        )?)
    }

    /// Copies up to `count_bytes` from the position of `source` to the position of this file, inside the
    /// kernel, and returns the number of bytes.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn copy_range_from(&self, source: &Self, count_bytes: usize) -> io::Result<usize> {
        point(Call::Copy, &self.path)?;
        Ok(rustix::fs::copy_file_range(&source.file, None, &self.file, None, count_bytes)?)
    }
}

fn locked(outcome: Result<(), fs::TryLockError>) -> io::Result<bool> {
    match outcome {
        Ok(()) => Ok(true),
        Err(fs::TryLockError::WouldBlock) => Ok(false),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

fn no_follow() -> i32 {
    // Nobody waits for the other end of a pipe that lies where a file is expected.
    (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed()
}

impl Read for &File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        point(Call::Read, &self.path)?;
        (&self.file).read(buffer)
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self).read(buffer)
    }
}

impl Write for &File {
    /// A write that is made to fail leaves half of its bytes behind, as a crash or a full disk does.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(failure) = point(Call::Write, &self.path) {
            if failure.kind() != io::ErrorKind::Other {
                (&self.file).write_all(&bytes[..bytes.len() / 2])?;
            }
            return Err(failure);
        }
        (&self.file).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{Failure, Plan, with};

    #[test]
    fn nothing_that_is_there_is_taken_and_no_link_followed() {
        let temp = tempfile::tempdir().unwrap();
        let (precious, link) = (temp.path().join("precious"), temp.path().join("link"));
        fs::write(&precious, "work of years").unwrap();
        std::os::unix::fs::symlink(&precious, &link).unwrap();
        for path in [&precious, &link] {
            assert_eq!(File::create_new(path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        }
        assert!(File::open_to_write(&link).is_err());
        assert!(File::open_to_append(&link).is_err());
        assert_eq!(fs::read(&precious).unwrap(), b"work of years");
    }

    #[test]
    fn a_full_disk_takes_half_of_a_write() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a");
        let (result, _) = with(Plan { failure: Failure::Full, at: 2 }, || {
            File::create_new(&path).and_then(|mut file| file.write_all(b"12345678"))
        });
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"1234");
    }
}
