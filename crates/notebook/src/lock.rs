//! The writer's lock: one process writes a notebook at a time.
//!
//! SQLite alone would let two processes take turns, and two runs would then share one machine without
//! knowing of each other. The lock is an advisory lock on a small file beside the notebook, not on
//! the notebook itself: closing a second descriptor of the notebook would drop SQLite's own locks
//! (POSIX advisory locks belong to the process, not to the descriptor). The kernel releases it when the holder dies.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::NotebookError;

/// Attempts to take the lock: a reader that asks whether a writer is alive holds it for an instant.
const TRIES: u32 = 5;
const PAUSE_BETWEEN_TRIES: Duration = Duration::from_millis(20);

/// Held for as long as the process may write; the file goes away with it.
#[derive(Debug)]
pub(crate) struct WriterLock {
    file: File,
    path: PathBuf,
}

impl WriterLock {
    /// Takes the lock, or says who has it.
    pub(crate) fn acquire(notebook: &Path) -> Result<WriterLock, NotebookError> {
        let path = lock_path(notebook);
        let mut holder = String::new();
        for attempt in 0..TRIES {
            if attempt > 0 {
                std::thread::sleep(PAUSE_BETWEEN_TRIES);
            }
            let file = open(&path).map_err(|error| refused(notebook, &error))?;
            match file.try_lock() {
                // Between opening and locking, the last holder may have removed the file: then the
                // lock is on a file nobody else will find, and the next try makes a new one.
                Ok(()) if is_still_there(&file, &path) => return Ok(WriterLock::sign(file, path)),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => holder = read_holder(file),
                Err(TryLockError::Error(error)) => return Err(refused(notebook, &error)),
            }
        }
        Err(NotebookError::InUse { path: notebook.to_owned(), holder })
    }

    /// Whether some process holds the lock now.
    pub(crate) fn is_held(notebook: &Path) -> bool {
        match File::open(lock_path(notebook)) {
            Ok(file) => matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)),
            Err(_) => false,
        }
    }

    /// Writes the process number for whoever is refused; failing to do so costs only that hint.
    fn sign(mut file: File, path: PathBuf) -> WriterLock {
        let _ = file.set_len(0);
        let _ = file.rewind();
        let _ = writeln!(file, "{}", std::process::id());
        WriterLock { file, path }
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // Removed while still locked, so that nobody else's lock file is removed.
        if is_still_there(&self.file, &self.path) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn lock_path(notebook: &Path) -> PathBuf {
    let mut name = notebook.as_os_str().to_owned();
    name.push("-lock");
    PathBuf::from(name)
}

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

fn is_still_there(file: &File, path: &Path) -> bool {
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(held), Ok(found)) => held.ino() == found.ino() && held.dev() == found.dev(),
        _ => false,
    }
}

fn read_holder(mut file: File) -> String {
    let mut text = String::new();
    match file.read_to_string(&mut text) {
        Ok(_) if !text.trim().is_empty() => format!("process {}", text.trim()),
        _ => "another process".to_owned(),
    }
}

fn refused(notebook: &Path, error: &std::io::Error) -> NotebookError {
    let path = notebook.to_owned();
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            NotebookError::Full { path, doing: "taking the writer's lock" }
        }
        ErrorKind::NotFound => NotebookError::CannotOpen {
            path,
            detail: "its directory does not exist: create it first".to_owned(),
        },
        _ => NotebookError::ReadOnly { path, detail: format!("its directory refuses new files ({error})") },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_writer_is_refused_and_told_who_writes() {
        let dir = tempfile::tempdir().unwrap();
        let notebook = dir.path().join("a.db");
        assert!(!WriterLock::is_held(&notebook));
        let first = WriterLock::acquire(&notebook).unwrap();
        assert!(WriterLock::is_held(&notebook));
        let refusal = WriterLock::acquire(&notebook).unwrap_err().to_string();
        assert!(refusal.contains(&format!("process {}", std::process::id())), "{refusal}");
        drop(first);
        assert!(!WriterLock::is_held(&notebook));
        assert!(!lock_path(&notebook).exists(), "the lock file goes away with its holder");
        WriterLock::acquire(&notebook).unwrap();
    }

    #[test]
    fn a_lock_file_left_by_a_dead_process_does_not_hold() {
        let dir = tempfile::tempdir().unwrap();
        let notebook = dir.path().join("a.db");
        std::fs::write(lock_path(&notebook), "4194304\n").unwrap();
        assert!(!WriterLock::is_held(&notebook));
        assert!(WriterLock::acquire(&notebook).is_ok());
    }

    #[test]
    fn a_missing_directory_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let refusal = WriterLock::acquire(&dir.path().join("missing/a.db")).unwrap_err().to_string();
        assert!(refusal.contains("does not exist"), "{refusal}");
    }
}
