//! The remains of a killed PostgreSQL: its pid file, and in the kernel a small segment of System V shared
//! memory, by which it recognises a second server on its data. The next start would clear both, but there may
//! be none. It takes the pid file for that of a running server while any process has that id, even a zombie.
#![allow(unsafe_code)] // `shmctl` has no safe wrapper.

use std::fs;
use std::path::Path;

use crate::machine::process::is_gone;

/// Clears the remains of a killed PostgreSQL whose data directory is or was `data`; for another engine there
/// is no such file.
pub(crate) fn clear(data: &Path) {
    clear_pid_file(&data.join("postmaster.pid"));
}

/// Clears the resources that the pid file `path` names, and the file, unless the server or a part of it is
/// still there.
fn clear_pid_file(path: &Path) {
    let text = fs::read_to_string(path).unwrap_or_default();
    let pid = text.lines().next().and_then(|line| line.trim().parse().ok());
    if pid.is_some_and(is_gone) && segment(&text).is_none_or(release) {
        // If it cannot be removed, the server says so at its next start.
        let _ = disk::remove_file(path);
    }
}

/// Removes the segment `id`; `false` when somebody is attached to it.
fn release(id: i32) -> bool {
    // SAFETY: an all-zero `shmid_ds` is a valid value of the plain C structure, to be filled by the kernel.
    let mut status: libc::shmid_ds = unsafe { std::mem::zeroed() };
    // SAFETY: `status` outlives the call, which writes one `shmid_ds` into it.
    let known = unsafe { libc::shmctl(id, libc::IPC_STAT, &raw mut status) } == 0;
    if known && status.shm_nattch == 0 {
        // SAFETY: no pointer is passed. Nobody is attached, and the number comes from the file of a server
        // that has ended.
        unsafe { libc::shmctl(id, libc::IPC_RMID, std::ptr::null_mut()) };
    }
    !known || status.shm_nattch == 0
}

/// Line 7 of the pid file holds key and number of the segment.
fn segment(text: &str) -> Option<i32> {
    text.lines().nth(6)?.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_number() {
        let text = "4711\n/data\n1700000000\n5432\n/tmp/x\n127.0.0.1\n  21234567         3\nready   \n";
        assert_eq!(segment(text), Some(3));
        assert_eq!(segment("4711\n"), None);
    }

    #[test]
    fn a_segment_goes_once_nobody_is_attached() {
        // SAFETY: no pointer is passed.
        let id = unsafe { libc::shmget(libc::IPC_PRIVATE, 4096, 0o600) };
        assert!(id >= 0);
        // SAFETY: the kernel chooses the address.
        let address = unsafe { libc::shmat(id, std::ptr::null(), 0) };
        assert!(!release(id), "it is in use");
        // SAFETY: the address is the one that was attached, and nothing refers into it.
        unsafe { libc::shmdt(address) };
        assert!(release(id));
        // SAFETY: no pointer is passed; the segment is no more.
        assert_eq!(unsafe { libc::shmctl(id, libc::IPC_RMID, std::ptr::null_mut()) }, -1);
        assert!(release(id), "it is gone");
    }

    #[test]
    fn the_file_of_a_living_server_stays() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("postmaster.pid");
        fs::write(&path, format!("{}\n/data\n", std::process::id())).unwrap();
        clear_pid_file(&path);
        assert!(path.exists());
        // A dead process that nobody has waited for.
        let mut child = std::process::Command::new("true").spawn().unwrap();
        fs::write(&path, format!("{}\n/data\n", child.id())).unwrap();
        while !is_gone(child.id()) {
            std::thread::yield_now();
        }
        clear_pid_file(&path);
        assert!(!path.exists());
        child.wait().unwrap();
        clear_pid_file(&path);
    }
}
