//! The user of an instance's directory, and the server that was started in it: they make a server that
//! outlived its drivetrain findable.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use crate::error::{DatabaseError, ServerError};
use crate::machine::process;
use crate::marker::Marker;

/// Held while an instance exists. The kernel gives the lock back when its holder dies, however it dies.
pub(crate) const LOCK_FILE: &str = "server.lock";
/// Names the server that was started; absent after a clean stop.
pub(crate) const RECORD_FILE: &str = "server.pid";

/// The right to use a directory.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of `dir`, which is ours.
    pub(crate) fn take(dir: &Path) -> Result<Self, DatabaseError> {
        let path = Marker::open(dir)?.ensure(LOCK_FILE, 0o644)?;
        let open = fs::OpenOptions::new().read(true).write(true).open(&path);
        let mut file = open.map_err(DatabaseError::io("opening", &path))?;
        if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            let mut pid = String::new();
            let _ = file.read_to_string(&mut pid); // Only for the message.
            let pid = if pid.trim().is_empty() { "unknown".to_owned() } else { pid.trim().to_owned() };
            return Err(ServerError::Busy { dir: dir.to_owned(), pid }.into());
        }
        let write = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        write.map_err(DatabaseError::io("writing", &path))?;
        Ok(Self { file })
    }
}

impl Drop for Lock {
    /// Closing the file would not do: a program that another thread is just starting has a copy of the
    /// descriptor until it has replaced itself, and the lock would be held as long.
    fn drop(&mut self) {
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock); // The kernel gives it back at the latest with the last copy.
    }
}

/// One started server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) pid: u32,
    started: u64,
    boot: String,
    /// The folder of its socket, to be removed with it.
    pub(crate) socket_dir: PathBuf,
}

impl Record {
    /// Notes the server `pid`, which has just been started.
    pub(crate) fn write(dir: &Path, pid: u32, socket_dir: &Path) -> Result<(), DatabaseError> {
        let started = process::state(pid).map_or(0, |state| state.started);
        let text = format!("{pid} {started} {} {}\n", boot(), socket_dir.display());
        Marker::open(dir)?.write(RECORD_FILE, text.as_bytes(), 0o644).map(drop)
    }

    /// The server that was noted last, unless it was stopped cleanly.
    pub(crate) fn read(dir: &Path) -> Option<Self> {
        let text = fs::read_to_string(dir.join(RECORD_FILE)).ok()?;
        let mut fields = text.trim_end().splitn(4, ' ');
        Some(Self {
            pid: fields.next()?.parse().ok()?,
            started: fields.next()?.parse().ok()?,
            boot: fields.next()?.to_owned(),
            socket_dir: PathBuf::from(fields.next()?),
        })
    }

    /// True if a server ended in `dir` without a clean stop, or is still there.
    pub(crate) fn exists(dir: &Path) -> bool {
        dir.join(RECORD_FILE).exists()
    }

    /// Forgets the server, which has stopped cleanly.
    pub(crate) fn clear(dir: &Path) {
        // One that stays names a process that is gone; somebody else's stays.
        let _ = Marker::open(dir).and_then(|marker| marker.remove(RECORD_FILE));
    }

    /// True if the process of that id is still the server that we started, and not a later one with the same
    /// id: its start must be the same, and its command line must name the directory.
    fn is_alive(&self, dir: &Path) -> bool {
        let same_start = process::state(self.pid).is_some_and(|state| state.started == self.started);
        let command = fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        let dir = dir.as_os_str().as_encoded_bytes();
        same_start
            && self.boot == boot()
            && !process::is_gone(self.pid)
            && command.windows(dir.len().max(1)).any(|part| part == dir)
    }
}

/// Ends a server that its drivetrain left behind in `dir`. To be called with the lock held. Whether there was
/// one.
pub(crate) fn end_stale(dir: &Path) -> bool {
    let Some(record) = Record::read(dir) else { return false };
    let alive = record.is_alive(dir);
    if alive {
        process::kill_tree(record.pid);
    }
    let _ = super::socket::remove(&record.socket_dir); // A folder that holds something else does no harm.
    alive
}

/// Changes with every boot of the machine.
fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .map_or_else(|_| "unknown".to_owned(), |id| id.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn one_holder_at_a_time() {
        let temp = tempfile::tempdir().unwrap();
        Marker::claim(temp.path()).unwrap();
        let first = Lock::take(temp.path()).unwrap();
        let message = Lock::take(temp.path()).unwrap_err().to_string();
        assert!(message.contains(&std::process::id().to_string()), "{message}");
        let copy = first.file.try_clone().unwrap(); // As a program has that is just being started.
        drop(first);
        Lock::take(temp.path()).unwrap();
        drop(copy);
    }

    #[test]
    fn ends_only_the_process_that_was_noted() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path();
        Marker::claim(dir).unwrap();
        assert!(!end_stale(dir), "nothing was noted");
        let sleeper = |argument: &Path| {
            Command::new("sh").args(["-c", "sleep 300; true"]).arg(argument).spawn().unwrap()
        };
        let (mut ours, mut other) = (sleeper(dir), sleeper(Path::new("/elsewhere")));
        for (child, ends) in [(&mut other, false), (&mut ours, true)] {
            Record::write(dir, child.id(), Path::new("/none")).unwrap();
            assert_eq!(end_stale(dir), ends);
            assert_eq!(child.try_wait().unwrap().is_some(), ends);
        }
        assert!(!end_stale(dir), "it is gone");
        process::kill_tree(other.id());
        other.wait().unwrap();
    }

    #[test]
    fn a_number_used_again_is_left_alone() {
        let temp = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh").args(["-c", "sleep 300; true"]).arg(temp.path()).spawn().unwrap();
        let text = format!("{} 1 {} /none\n", child.id(), boot());
        fs::write(temp.path().join(RECORD_FILE), text).unwrap();
        assert!(!end_stale(temp.path()), "another start");
        fs::write(temp.path().join(RECORD_FILE), "garbage").unwrap();
        assert!(!end_stale(temp.path()));
        process::kill_tree(child.id());
        child.wait().unwrap();
    }
}
