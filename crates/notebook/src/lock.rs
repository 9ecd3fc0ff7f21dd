//! The writer's lock: one process writes a notebook at a time.
//!
//! SQLite alone would let two processes take turns, and two runs would then share one machine without knowing
//! of each other. The lock is an advisory lock on a small file beside the notebook, not on the notebook
//! itself: closing a second descriptor of the notebook would drop SQLite's own locks (POSIX advisory locks
//! belong to the process, not to the descriptor). The kernel releases it when the holder dies.
//!
//! A file of that name is ours when it is empty or holds a process number and the run that the process is at
//! work on, which is all that this program ever writes there. Any other is somebody's: it is neither written
//! nor removed.

use std::cell::RefCell;
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use disk::{Dir, File};

use ground::Clock;

use crate::error::NotebookError;
use crate::records::RunId;

/// Attempts to take the lock: a reader that asks whether a writer is alive holds it for an instant.
const TRIES: u32 = 5;
const PAUSE_BETWEEN_TRIES: Duration = Duration::from_millis(20);
/// Longest process number and number of a run, with the ends of their lines.
const SIGNATURE_MAX_BYTES: u64 = 46;
/// Begins the second line, which names the holder's work.
const RUN: &str = "run ";
/// It conducts none.
const NO_RUN: &str = "-";
/// Room that is kept for the end of a run on a drive that fills up meanwhile: far more than the state of the
/// run and its reason take.
const RESERVE_BYTES: u64 = 64 << 10;
/// Everybody may ask whether a writer is alive, as far as the process's mask permits.
const MODE: u32 = 0o666;

/// Held for as long as the process may write; the file goes away with it.
#[derive(Debug)]
pub(crate) struct WriterLock {
    file: RefCell<File>,
    /// A file without a name that takes room beside the notebook while a run is worked on.
    reserve: RefCell<Option<File>>,
}

impl WriterLock {
    /// Takes the lock, or says who has it.
    pub(crate) fn acquire(notebook: &Path) -> Result<WriterLock, NotebookError> {
        let path = lock_path(notebook);
        let failed = |error: io::Error| refused(notebook, &path, &error);
        let mut holder = "another process".to_owned();
        for attempt in 0..TRIES {
            if attempt > 0 {
                Clock::Wall.sleep(PAUSE_BETWEEN_TRIES);
            }
            let Some(mut file) = open(&path).map_err(failed)? else { continue };
            holder = match read_signature(&mut file).map_err(failed)? {
                Some(signature) => signature.holder,
                None => return Err(foreign(notebook, &path)),
            };
            // Between opening and locking, the last holder may have removed the file: then the
            // lock is on a file nobody else will find, and the next try makes a new one.
            if file.try_lock().map_err(failed)? && is_still_there(&file).map_err(failed)? {
                return Ok(WriterLock::sign(file));
            }
        }
        Err(NotebookError::InUse { path: notebook.to_owned(), holder })
    }

    /// The work of the process that holds the lock now.
    pub(crate) fn work_of_holder(notebook: &Path) -> Work {
        let Ok(mut file) = File::open(&lock_path(notebook)) else { return Work::Nothing };
        if !file.try_lock_shared().is_ok_and(|taken| !taken) {
            return Work::Nothing;
        }
        // An unreadable file gives no answer.
        read_signature(&mut file).ok().flatten().map_or(Work::Unknown, |signature| signature.work)
    }

    /// Says that the holder is at work on this run; failing to do so costs only that hint.
    pub(crate) fn work_on(&self, run: RunId) {
        let _ = self.write(&run.0.to_string());
        let mut reserve = self.reserve.borrow_mut();
        if reserve.is_none() {
            *reserve = keep_room(self.file.borrow().path());
        }
    }

    /// Gives up the room that was kept for the end of a run.
    pub(crate) fn use_reserve(&self) {
        self.reserve.borrow_mut().take();
    }

    /// Writes the process id for a refused process; a failure costs only that hint.
    fn sign(file: File) -> WriterLock {
        let lock = WriterLock { file: RefCell::new(file), reserve: RefCell::default() };
        let _ = lock.write(NO_RUN);
        lock
    }

    /// The device of the directory in which the lock was made, if it can be told.
    pub(crate) fn device(&self) -> Option<u64> {
        self.file.borrow().metadata().ok().map(|facts| facts.dev())
    }

    /// The present path of that directory, wherever somebody has moved it.
    pub(crate) fn directory(&self) -> Option<PathBuf> {
        let descriptor = self.file.borrow().as_std().as_raw_fd();
        let now = std::fs::read_link(format!("/proc/self/fd/{descriptor}")).ok()?;
        now.parent().map(Path::to_owned)
    }

    fn write(&self, run: &str) -> io::Result<()> {
        let mut file = self.file.borrow_mut();
        file.set_len(0)?;
        file.rewind()?;
        // In one call: a concurrent reader finds all of it or nothing.
        file.write_all(format!("{}\n{RUN}{run}\n", std::process::id()).as_bytes())
    }
}

/// The work of the lock's holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Nobody holds the lock.
    Nothing,
    /// Somebody writes, but conducts no run.
    NoRun,
    /// This run.
    Run(RunId),
    /// The holder does not say.
    Unknown,
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // Removed while still locked, so that nobody else's lock file is removed.
        let file = self.file.borrow();
        if is_still_there(&file).is_ok_and(|there| there) {
            let _ = disk::remove_file(file.path()); // The next writer takes one that stays.
        }
    }
}

/// Takes room in the directory of `beside`, if the file system knows files without names and has some. A kill
/// leaves nothing of it.
fn keep_room(beside: &Path) -> Option<File> {
    let (directory, name) = Dir::holding(beside).ok()?;
    let file = directory.create_unnamed(&name, 0o600).ok()??;
    file.reserve(0, RESERVE_BYTES).ok().map(|()| file)
}

fn lock_path(notebook: &Path) -> PathBuf {
    let mut name = notebook.as_os_str().to_owned();
    name.push("-lock");
    PathBuf::from(name)
}

/// The lock file, made where there is none; `None` when it came or went meanwhile.
fn open(path: &Path) -> io::Result<Option<File>> {
    let (opened, passing) = match disk::metadata_if_any(path)? {
        // Opening a pipe or a device could hang or do harm.
        Some(facts) if !facts.is_file() => return Err(ErrorKind::AlreadyExists.into()),
        Some(_) => (File::open_to_write(path), ErrorKind::NotFound),
        None => (File::create_new_with(path, MODE), ErrorKind::AlreadyExists),
    };
    match opened {
        Err(error) if error.kind() == passing => Ok(None),
        opened => opened.map(Some),
    }
}

fn is_still_there(file: &File) -> io::Result<bool> {
    let (held, found) = (file.metadata()?, disk::metadata_if_any(file.path())?);
    Ok(found.is_some_and(|found| held.ino() == found.ino() && held.dev() == found.dev()))
}

/// The contents of a lock file of ours.
struct Signature {
    /// The signer, in words.
    holder: String,
    work: Work,
}

/// The signer of the file; `None` if it holds text that this program never writes.
fn read_signature(file: &mut File) -> io::Result<Option<Signature>> {
    let mut text = Vec::new();
    file.take(SIGNATURE_MAX_BYTES + 1).read_to_end(&mut text)?;
    if text.len() as u64 > SIGNATURE_MAX_BYTES {
        return Ok(None);
    }
    Ok(String::from_utf8(text).ok().and_then(|text| parse(&text)))
}

/// A number alone is of an older build, and a line that was cut off is ours all the same.
fn parse(text: &str) -> Option<Signature> {
    let (text, is_whole) = text.strip_suffix('\n').map_or((text, false), |text| (text, true));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (number, run) = text.split_once('\n').map_or((text, None), |(number, run)| (number, Some(run)));
    let work = match run.map(|run| (run, run.strip_prefix(RUN))) {
        None => Work::Unknown,
        Some((cut_off, _)) if !is_whole && RUN.starts_with(cut_off) => Work::Unknown,
        Some((_, Some(NO_RUN))) => Work::NoRun,
        Some((_, Some(run))) if is_number(run) => Work::Run(RunId(run.parse().ok()?)),
        Some(_) => return None,
    };
    let holder = match number {
        "" if run.is_none() => "another process".to_owned(),
        number if is_number(number) => format!("process {number}"),
        _ => return None,
    };
    Some(Signature { holder, work })
}

fn foreign(notebook: &Path, lock: &Path) -> NotebookError {
    NotebookError::CannotOpen {
        path: notebook.to_owned(),
        detail: format!(
            "{} is in the place of its lock and was not made by drivetrain; it was left untouched: move it away, or name another notebook",
            lock.display()
        ),
    }
}

fn refused(notebook: &Path, lock: &Path, error: &io::Error) -> NotebookError {
    let path = notebook.to_owned();
    let doing = "taking the writer's lock";
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded if notebook.exists() => {
            NotebookError::Full { path, doing }
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => NotebookError::NoRoom { path },
        ErrorKind::NotFound | ErrorKind::NotADirectory => NotebookError::CannotOpen {
            path,
            detail: "its directory does not exist: create it first".to_owned(),
        },
        ErrorKind::AlreadyExists => foreign(notebook, lock),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            NotebookError::ReadOnly { path, detail: format!("its directory refuses new files ({error})") }
        }
        _ => NotebookError::Storage { path, doing, detail: error.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_writer_is_refused_and_told_who_writes() {
        let dir = tempfile::tempdir().unwrap();
        let notebook = dir.path().join("a.db");
        assert_eq!(WriterLock::work_of_holder(&notebook), Work::Nothing);
        let first = WriterLock::acquire(&notebook).unwrap();
        assert_eq!(WriterLock::work_of_holder(&notebook), Work::NoRun);
        for run in [12, i64::MAX, 3] {
            first.work_on(RunId(run));
            assert_eq!(WriterLock::work_of_holder(&notebook), Work::Run(RunId(run)));
        }
        for text in ["77\n", "77\nru", "77", ""] {
            std::fs::write(lock_path(&notebook), text).unwrap();
            assert_eq!(
                WriterLock::work_of_holder(&notebook),
                Work::Unknown,
                "as an older build or a cut leaves it"
            );
        }
        first.work_on(RunId(3));
        let refusal = WriterLock::acquire(&notebook).unwrap_err().to_string();
        assert!(refusal.contains(&format!("process {}", std::process::id())), "{refusal}");
        drop(first);
        assert_eq!(WriterLock::work_of_holder(&notebook), Work::Nothing);
        assert!(!lock_path(&notebook).exists(), "the lock file goes away with its holder");
        WriterLock::acquire(&notebook).unwrap();
    }

    #[test]
    fn room_is_kept_for_the_end_of_a_run_under_no_name() {
        let dir = tempfile::tempdir().unwrap();
        let lock = WriterLock::acquire(&dir.path().join("a.db")).unwrap();
        assert!(lock.reserve.borrow().is_none(), "nobody is at work on a run");
        lock.work_on(RunId(1));
        // A file system that knows no files without names keeps none.
        let kept = lock.reserve.borrow().as_ref().map(|file| file.metadata().unwrap().len());
        assert!(kept.is_none_or(|bytes| bytes == RESERVE_BYTES), "{kept:?}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "the lock alone");
        lock.use_reserve();
        assert!(lock.reserve.borrow().is_none());
    }

    #[test]
    fn a_lock_file_left_by_a_dead_process_does_not_hold() {
        let dir = tempfile::tempdir().unwrap();
        let notebook = dir.path().join("a.db");
        std::fs::write(lock_path(&notebook), "4194304\n").unwrap();
        assert_eq!(WriterLock::work_of_holder(&notebook), Work::Nothing);
        assert!(WriterLock::acquire(&notebook).is_ok());
    }

    #[test]
    fn what_is_no_lock_of_ours_is_neither_written_nor_removed() {
        let dir = tempfile::tempdir().unwrap();
        let (notebook, precious) = (dir.path().join("a.db"), dir.path().join("precious"));
        let lock = lock_path(&notebook);
        let refused = || WriterLock::acquire(&notebook).unwrap_err().to_string();
        for foreign in [
            "12 monkeys\n",
            "12\nrun\n",
            "12\nrun 1 2\n",
            "12\nrun -1\n",
            "\nrun 1\n",
            &"1".repeat(50),
            "\n\n",
        ] {
            std::fs::write(&lock, foreign).unwrap();
            assert!(refused().contains("was not made by drivetrain"), "{}", refused());
            assert_eq!(std::fs::read_to_string(&lock).unwrap(), foreign);
        }
        std::fs::remove_file(&lock).unwrap();
        std::fs::write(&precious, "").unwrap();
        std::os::unix::fs::symlink(&precious, &lock).unwrap();
        assert!(refused().contains("was not made by drivetrain"), "{}", refused());
        std::fs::remove_file(&lock).unwrap();
        std::fs::create_dir(&lock).unwrap();
        assert!(refused().contains("was not made by drivetrain"), "{}", refused());
        assert!(lock.is_dir() && std::fs::read(&precious).unwrap().is_empty());
    }

    #[test]
    fn a_missing_directory_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let refusal = WriterLock::acquire(&dir.path().join("missing/a.db")).unwrap_err().to_string();
        assert!(refusal.contains("does not exist"), "{refusal}");
    }
}
