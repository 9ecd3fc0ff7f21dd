//! Keeps other processes out of a database that this process has open.
//!
//! The WAL index lives in this process's memory, so a second process would corrupt the database. An
//! open-file-description lock on the bytes that SQLite's own Unix VFS locks refuses both another drivetrain
//! and any ordinary SQLite program, and the kernel drops it when the process dies.
#![allow(unsafe_code)] // fcntl(F_OFD_SETLK) has no safe wrapper.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// First lock byte of SQLite's file format (`PENDING_BYTE`).
const FIRST_BYTE: i64 = 0x4000_0000;
/// Pending, reserved and the 510 shared bytes.
const BYTES: i64 = 512;

/// Takes the lock, exclusively where the file was opened for writing. False when another process has it.
pub(crate) fn take(file: &File, writable: bool) -> io::Result<bool> {
    match set(file, if writable { libc::F_WRLCK } else { libc::F_RDLCK }) {
        Ok(()) => Ok(true),
        Err(error) if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Gives the lock back.
pub(crate) fn release(file: &File) -> io::Result<()> {
    set(file, libc::F_UNLCK)
}

fn set(file: &File, kind: libc::c_int) -> io::Result<()> {
    let lock = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: FIRST_BYTE,
        l_len: BYTES,
        l_pid: 0, // required for open-file-description locks
    };
    // SAFETY: the descriptor is open for the life of `file`, and `lock` is a valid flock that the call only
    // reads.
    let result = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_belongs_to_one_open_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let open =
            || File::options().read(true).write(true).create(true).truncate(false).open(&path).unwrap();
        let (first, second) = (open(), open());
        assert!(take(&first, true).unwrap());
        assert!(take(&first, true).unwrap(), "again by the owner");
        assert!(!take(&second, true).unwrap());
        release(&first).unwrap();
        assert!(take(&second, false).unwrap());
        assert!(take(&first, false).unwrap(), "readers share");
        assert!(!take(&first, true).unwrap());
        drop(second);
        assert!(take(&first, true).unwrap(), "closing gives it back");
    }
}
