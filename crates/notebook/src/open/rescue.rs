//! A notebook whose path no longer leads to its file: somebody removed, replaced, moved or overwrote it while
//! it was open. Whatever is written reaches the open file, which ends with the process if it has no name any
//! more.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use disk::Stamp;

use super::{Holding, Notebook, cannot_open, make_empty};
use crate::error::NotebookError;
use crate::vfs;

/// The names that are tried for a saved copy.
const NAMES_MAX: u32 = 1000;

/// The fate of the file of an open notebook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Displaced {
    /// Nothing is at its path.
    Gone,
    /// Another file is.
    Replaced,
    /// The file is there, and its bytes are not those of a notebook any more.
    Overwritten,
    /// Its directory has another path, and the file is in it.
    Moved {
        /// The path of the file now.
        now: PathBuf,
    },
}

impl fmt::Display for Displaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => f.write_str("is gone: somebody removed or renamed it while it was written"),
            Self::Replaced => {
                f.write_str("is another file now: somebody replaced the one that was being written")
            }
            Self::Overwritten => f.write_str(
                "is no notebook any more: somebody truncated it or wrote over it while it was written",
            ),
            Self::Moved { now } => write!(f, "was moved to {} while it was written", now.display()),
        }
    }
}

impl Notebook {
    /// Refuses to go on where the path of a notebook that is written leads to another file, or to none.
    /// Costs a look at the path and at the log beside it.
    ///
    /// # Errors
    /// [`NotebookError::Displaced`].
    pub fn require_in_place(&self) -> Result<(), NotebookError> {
        match self.displaced() {
            None => {
                self.log.set(self.log_paths().map(|path| Stamp::at(&path).ok()));
                Ok(())
            }
            Some(how) => Err(NotebookError::Displaced { path: self.path.clone(), how }),
        }
    }

    /// The fate of the file if its path does not lead to it any more; `None` for a notebook that this process
    /// does not write, and for a path that cannot be looked at.
    fn displaced(&self) -> Option<Displaced> {
        let writer = self.writer.get().filter(|_| self.place == Holding::File)?;
        // The lock lies in the same directory: another device there is another file system over it.
        let found = Stamp::at(&self.path);
        let is_elsewhere = found.as_ref().is_ok_and(|found| writer.device() != Some(found.device));
        if !is_elsewhere && !vfs::has_moved(&self.connection) {
            let is_overwritten = vfs::has_lost_its_header(&self.connection);
            return is_overwritten.then(|| {
                // The log holds what is left of the latest cells.
                vfs::keep_log(&self.connection);
                Displaced::Overwritten
            });
        }
        // New files at the path from now on are somebody else's, and so are the files beside it.
        vfs::keep_log(&self.connection);
        let name = self.path.file_name()?;
        let now = writer.directory().map(|directory| directory.join(name));
        match now.filter(|now| *now != self.path && is_open(now)) {
            Some(now) => Some(Displaced::Moved { now }),
            None => Some(if found.is_ok() { Displaced::Replaced } else { Displaced::Gone }),
        }
    }

    /// Saves everything that a displaced notebook holds, and gives the path at which it is then: that of the
    /// moved file, or of a new one, beside the old path if possible. Replaces nothing.
    ///
    /// # Errors
    /// As SQLite reports; [`NotebookError::CannotOpen`] when no place takes a new file.
    pub fn rescue(&self) -> Result<PathBuf, NotebookError> {
        if let Some(Displaced::Moved { now }) = self.displaced() {
            return Ok(now);
        }
        let beside = self.path.parent().map(Path::to_owned);
        let moved = self.writer.get().and_then(|writer| writer.directory());
        let places = [beside, moved, std::env::current_dir().ok(), Some(std::env::temp_dir())];
        let mut last = cannot_open(&self.path, &std::io::ErrorKind::NotFound.into());
        for place in places.into_iter().flatten() {
            match disk::canonicalize(&place).map_err(|error| cannot_open(&place, &error)) {
                Ok(place) => match self.save_in(&place) {
                    Ok(saved) => {
                        self.remove_own_log();
                        return Ok(saved);
                    }
                    Err(error) => last = error,
                },
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Removes our own log and its index from beside a file that is not ours any more: whoever opened that
    /// file next would fold our pages into it. Somebody else's keep their places.
    fn remove_own_log(&self) {
        for (path, ours) in self.log_paths().iter().zip(self.log.get()) {
            let found = Stamp::at(path);
            if ours.is_some_and(|ours| found.is_ok_and(|found| ours.is_same_file(&found))) {
                let _ = disk::remove_file(path); // A remaining file is no worse than before.
            }
        }
    }

    /// The paths of SQLite's log of the notebook and of the index of it.
    fn log_paths(&self) -> [PathBuf; 2] {
        ["-wal", "-shm"].map(|ending| {
            let mut path = self.path.clone().into_os_string();
            path.push(ending);
            PathBuf::from(path)
        })
    }

    /// Gives up the room that was kept for the end of a run.
    pub(crate) fn use_reserve(&self) {
        if let Some(writer) = self.writer.get() {
            writer.use_reserve();
        }
    }

    fn save_in(&self, directory: &Path) -> Result<PathBuf, NotebookError> {
        let file = self.free_name(directory)?;
        let made = make_empty(&file)?;
        let saved = self.connection.execute("VACUUM INTO ?1", [file.to_string_lossy()]);
        match saved {
            Ok(_) => {
                let _ = disk::sync_dir(directory); // The file itself is durable; its name soon will be.
                Ok(file)
            }
            Err(error) => {
                if Stamp::at(&file).is_ok_and(|now| made.is_same_file(&now)) {
                    let _ = disk::remove_file(&file); // A part of a notebook is none.
                }
                Err(self.failed("saving it")(error))
            }
        }
    }

    /// `NAME-rescued.db` in `directory`, with a number if that is taken.
    fn free_name(&self, directory: &Path) -> Result<PathBuf, NotebookError> {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let ending = self.path.extension().map(|ending| format!(".{}", ending.to_string_lossy()));
        let ending = ending.unwrap_or_default();
        for number in 1..=NAMES_MAX {
            let number = if number == 1 { String::new() } else { format!("-{number}") };
            let file = directory.join(format!("{stem}-rescued{number}{ending}"));
            if disk::metadata_if_any(&file).map_err(|error| cannot_open(&file, &error))?.is_none() {
                return Ok(file);
            }
        }
        Err(cannot_open(directory, &std::io::ErrorKind::AlreadyExists.into()))
    }
}

/// True if this process has the file open that has this path now.
fn is_open(path: &Path) -> bool {
    let descriptors = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    descriptors.into_iter().any(|entry| fs::read_link(entry.path()).is_ok_and(|now| now == path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunState;
    use crate::records::{Bed, PlannedCell, RunId, RunPlan};
    use tempfile::TempDir;

    /// A notebook of one run in a directory of its own.
    fn written() -> (TempDir, PathBuf, Notebook, RunId) {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().canonicalize().unwrap().join("home");
        fs::create_dir(&home).unwrap();
        let notebook = Notebook::open_or_create(home.join("f.db")).unwrap();
        let bed = Bed { name: "nvme".into(), ..Bed::default() };
        let cell = PlannedCell { bed: "nvme".into(), ..PlannedCell::default() };
        let run = notebook.start_run(&RunPlan::default(), &[bed], &[cell]).unwrap();
        notebook.require_in_place().unwrap();
        (temp, home, notebook, run)
    }

    fn how(notebook: &Notebook) -> Displaced {
        match notebook.require_in_place() {
            Err(NotebookError::Displaced { how, .. }) => how,
            other => panic!("{other:?}"),
        }
    }

    /// The state of the run in the notebook at `path`, which must be sound.
    fn state(path: &Path, run: RunId) -> RunState {
        let notebook = Notebook::open_existing(path).unwrap();
        notebook.verify().unwrap();
        notebook.run(run).unwrap().state
    }

    fn remove(home: &Path) {
        for name in ["f.db", "f.db-wal", "f.db-shm"] {
            fs::remove_file(home.join(name)).unwrap();
        }
    }

    #[test]
    fn a_removed_notebook_is_saved_under_a_new_name() {
        let (_temp, home, notebook, run) = written();
        fs::write(home.join("f-rescued.db"), "mine").unwrap();
        remove(&home);
        assert_eq!(how(&notebook), Displaced::Gone);
        notebook.finish_run(run, RunState::Finished).unwrap();
        let saved = notebook.rescue().unwrap();
        assert_eq!(saved, home.join("f-rescued-2.db"));
        drop(notebook);
        assert_eq!(state(&saved, run), RunState::Finished);
        Notebook::open_or_create(&saved).unwrap().finish_run(run, RunState::Interrupted).unwrap();
        assert_eq!(fs::read_to_string(home.join("f-rescued.db")).unwrap(), "mine");
        assert_eq!(fs::read_dir(&home).unwrap().count(), 2, "nothing else is left");
    }

    #[test]
    fn another_notebook_in_the_place_keeps_its_files() {
        let (_temp, home, notebook, run) = written();
        remove(&home);
        fs::remove_file(home.join("f.db-lock")).unwrap();
        let other = Notebook::open_or_create(home.join("f.db")).unwrap();
        let of_other = other.start_run(&RunPlan::default(), &[], &[]);
        let log = fs::metadata(home.join("f.db-wal")).unwrap().len();
        assert_eq!(how(&notebook), Displaced::Replaced);
        let saved = notebook.rescue().unwrap();
        drop(notebook);
        assert_eq!(fs::metadata(home.join("f.db-wal")).unwrap().len(), log);
        other.require_in_place().unwrap();
        drop((other, of_other));
        assert_eq!(state(&saved, run), RunState::Killed, "nobody is at work on it");
        assert!(Notebook::open_existing(home.join("f.db")).is_ok());
    }

    #[test]
    fn our_log_is_not_left_beside_a_file_that_somebody_put_in_the_place() {
        let (_temp, home, notebook, run) = written();
        let theirs = home.with_file_name("theirs.db");
        let other = Notebook::open_or_create(&theirs).unwrap();
        let of_other = other.start_run(&RunPlan::default(), &[], &[]).unwrap();
        drop(other);
        fs::rename(home.join("f.db"), home.join("moved.db")).unwrap();
        fs::copy(&theirs, home.join("f.db")).unwrap();
        notebook.finish_run(run, RunState::Finished).unwrap();
        assert_eq!(how(&notebook), Displaced::Replaced);
        let saved = notebook.rescue().unwrap();
        drop(notebook);
        assert_eq!(state(&saved, run), RunState::Finished);
        assert!(!home.join("f.db-wal").exists() && !home.join("f.db-shm").exists());
        let kept = Notebook::open_existing(home.join("f.db")).unwrap();
        kept.verify().unwrap();
        assert_eq!(kept.run(of_other).unwrap().name, "");
    }

    #[test]
    fn a_notebook_whose_directory_was_moved_is_found_there_and_a_lost_one_is_saved_elsewhere() {
        let (_temp, home, notebook, run) = written();
        let moved = home.with_file_name("moved");
        fs::rename(&home, &moved).unwrap();
        assert_eq!(how(&notebook), Displaced::Moved { now: moved.join("f.db") });
        notebook.finish_run(run, RunState::Finished).unwrap();
        assert_eq!(notebook.rescue().unwrap(), moved.join("f.db"));
        fs::create_dir(&home).unwrap();
        fs::rename(moved.join("f.db"), moved.join("g.db")).unwrap();
        assert_eq!(how(&notebook), Displaced::Gone);
        assert_eq!(state(&notebook.rescue().unwrap(), run), RunState::Finished);
        fs::remove_dir_all(&home).unwrap();
        assert_eq!(notebook.rescue().unwrap(), moved.join("f-rescued.db"));
    }

    #[test]
    fn a_notebook_that_was_written_over_is_noticed_and_nothing_is_saved_of_its_rest() {
        for bytes in [&b""[..], &[7; 9000]] {
            let (_temp, home, notebook, _) = written();
            // The same file, as a shell's `>` leaves it.
            let file = fs::OpenOptions::new().write(true).truncate(true).open(home.join("f.db"));
            std::io::Write::write_all(&mut file.unwrap(), bytes).unwrap();
            assert_eq!(how(&notebook), Displaced::Overwritten);
            assert!(matches!(notebook.rescue(), Err(NotebookError::Corrupt { .. })));
            drop(notebook);
            assert!(home.join("f.db-wal").exists(), "the log is kept: it has the latest cells");
            assert!(!home.join("f-rescued.db").exists());
        }
    }

    #[test]
    fn nobody_asks_of_a_notebook_that_is_only_read() {
        let (_temp, home, notebook, _) = written();
        drop(notebook);
        let notebook = Notebook::open_existing(home.join("f.db")).unwrap();
        fs::remove_file(home.join("f.db")).unwrap();
        notebook.require_in_place().unwrap();
        Notebook::in_memory().unwrap().require_in_place().unwrap();
    }

    #[test]
    fn a_path_that_is_not_ours_is_refused_with_what_to_do() {
        let told = cannot_open(Path::new("a.db"), &std::io::ErrorKind::PermissionDenied.into()).to_string();
        assert!(told.contains("permission denied; name another path"), "{told}");
    }
}
