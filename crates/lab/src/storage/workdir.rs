//! The directories of a run's bytes, and their removal.
//!
//! Below each storage's path is `drivetrain-data/<run>`: the golden copy of the loaded database and one
//! directory per bed. Only files that a marker calls ours are ever removed.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use database::Marker;
use experiment::{Bed, Experiment, Storage};
use ground::{Clock, nanoseconds};
use remains::{EntryKind, Note};
use rustix::fs::FlockOperation;
use rustix::io::Errno;

use crate::LabError;
use crate::storage::floor_files::{directories_in, remove_all_floor_files};
use crate::storage::seal;
use crate::storage::targets::{check_is_directory, keeps_files, path_of, storages_of};

/// Name of the folder below a storage's path that holds everything drivetrain writes there.
pub(crate) const DATA_FOLDER: &str = "drivetrain-data";
/// The longest wait of a run for a command that removes the remains in its folder.
const PATIENCE: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(20);

/// The directories of one run.
#[derive(Clone, Debug)]
pub(crate) struct WorkDir {
    /// Folder of this run below [`DATA_FOLDER`], the same on every storage.
    key: String,
}

impl WorkDir {
    pub(crate) fn new(key: &str) -> Self {
        Self { key: key.to_owned() }
    }

    /// The directories of a run as its notebook names them, which anybody may have written.
    ///
    /// # Errors
    /// For a name that would lead out of the folder of all runs.
    pub(crate) fn stored(key: &str) -> Result<Self, LabError> {
        let mut parts = Path::new(key).components();
        match (parts.next(), parts.next()) {
            (Some(std::path::Component::Normal(only)), None) if only == key => Ok(Self::new(key)),
            _ => Err(LabError::Refused(format!(
                "the notebook names {key:?} as the folder of the run's data, which is no plain name; nothing was touched"
            ))),
        }
    }

    /// The run's folder on the storage of `bed`.
    pub(crate) fn root(&self, bed: &Bed) -> PathBuf {
        path_of(&bed.storage).join(DATA_FOLDER).join(&self.key)
    }

    /// True if the run's folder lies on a storage and bears its marker: then it is the file system on which
    /// the run began.
    pub(crate) fn is_on(&self, storage: &Storage) -> bool {
        Marker::is_ours(&path_of(storage).join(DATA_FOLDER).join(&self.key))
    }

    /// The golden copy that was loaded for workload number `workload`, from which all cells on this storage
    /// start that work on the same.
    pub(crate) fn golden(&self, bed: &Bed, workload: usize) -> PathBuf {
        self.root(bed).join(format!("golden-{workload}"))
    }

    /// The bed's own directory for files besides the database.
    pub(crate) fn bed(&self, bed: &Bed) -> PathBuf {
        self.root(bed).join(format!("bed-{}", bed.name))
    }

    /// The own directory of the bed's instance number `instance`, from 0.
    pub(crate) fn instance(&self, bed: &Bed, instance: u32) -> PathBuf {
        self.root(bed).join(format!("bed-{}-{}", bed.name, instance + 1))
    }

    /// The directory of that instance's log if logs have a storage of their own.
    pub(crate) fn log(&self, bed: &Bed, instance: u32) -> Option<PathBuf> {
        let log = bed.log.as_ref()?;
        let name = format!("log-{}-{}", bed.name, instance + 1);
        Some(path_of(log).join(DATA_FOLDER).join(&self.key).join(name))
    }

    /// The directory of a restored instance of the bed.
    pub(crate) fn restored(&self, bed: &Bed) -> PathBuf {
        self.root(bed).join(format!("restored-{}", bed.name))
    }

    /// The image of a file system of our own.
    pub(crate) fn image(&self, bed: &Bed) -> PathBuf {
        self.root(bed).join(format!("image-{}", bed.name))
    }

    /// The directory of the bed's backup on `target`.
    pub(crate) fn backup(&self, bed: &Bed, target: &Storage) -> PathBuf {
        path_of(target).join(DATA_FOLDER).join(&self.key).join(format!("backup-{}", bed.name))
    }

    /// Claims the run's folders: creates them with a marker, or refuses a foreign directory. No other process
    /// works in them while the returned value lives. `notebook` is the notebook of the run: a process that
    /// finds the folders later looks there.
    pub(crate) fn claim(&self, experiment: &Experiment, notebook: &Path) -> Result<Claimed, LabError> {
        let mut claimed = Claimed::default();
        for bed in experiment.bed.iter().filter(|bed| keeps_files(experiment, bed)) {
            for storage in storages_of(experiment, bed) {
                check_is_directory(bed, storage)?;
                let path = path_of(storage);
                repair(&path.join(DATA_FOLDER))?;
                claimed.add(&path.join(DATA_FOLDER).join(&self.key), notebook)?;
            }
        }
        Ok(claimed)
    }

    /// The run's folders on all storages, whether they are there or not.
    pub(crate) fn folders(&self, experiment: &Experiment) -> Vec<PathBuf> {
        let storages = |bed| storages_of(experiment, bed);
        let mut folders: Vec<PathBuf> = Vec::new();
        for storage in experiment.bed.iter().flat_map(storages) {
            let folder = path_of(storage).join(DATA_FOLDER).join(&self.key);
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    }

    /// Removes the run's data from the storages of `experiment`. Touches nothing without our marker.
    ///
    /// # Errors
    /// When a directory that bears our marker cannot be removed. The others are removed all the same.
    pub(crate) fn remove(&self, experiment: &Experiment) -> Result<(), LabError> {
        let folders = self.folders(experiment);
        // One that stays does not keep the others.
        let removed: Vec<_> = folders.iter().map(|folder| remove_folder(folder)).collect();
        removed.into_iter().collect()
    }
}

/// The folders of a run that goes on.
#[derive(Debug, Default)]
pub(crate) struct Claimed(Vec<Folder>);

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    /// Absent where the file system has no locks for directories.
    _lock: Option<File>,
    /// Absent where the notebook's path cannot be written down: then the notebook alone knows the folder.
    _note: Option<Note>,
}

impl Claimed {
    fn add(&mut self, folder: &Path, notebook: &Path) -> Result<(), LabError> {
        let path = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        if self.0.iter().any(|known| known.path == path) {
            return Ok(()); // Beds may share a storage.
        }
        let notebook = std::path::absolute(notebook).ok().and_then(|path| path.to_str().map(str::to_owned));
        let note = notebook.map(|notebook| Note::before(EntryKind::Data, &path, &notebook));
        let lock = claim(folder)?;
        remove_all_floor_files(folder); // A reset takes them for somebody's.
        self.0.push(Folder { _lock: lock, path, _note: note });
        Ok(())
    }
}

/// Makes a folder ours and takes its lock. Another command may be about to remove it, because the run before
/// was killed at its very end: that is waited for, and the folder is made anew.
fn claim(folder: &Path) -> Result<Option<File>, LabError> {
    let until_ns = Clock::Wall.now_ns() + nanoseconds(PATIENCE);
    loop {
        // Nothing is put into a folder that is there before its lock is held: somebody may be emptying it.
        if !folder.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            Marker::claim(folder).map_err(LabError::of_marker)?;
        }
        let may_wait = Clock::Wall.now_ns() < until_ns;
        match lock(folder) {
            Ok(held) if may_wait && !held.as_ref().map_or(folder.exists(), |held| is_at(held, folder)) => {}
            Err(LabError::Refused(_)) if may_wait => Clock::Wall.sleep(POLL),
            Ok(held) => {
                Marker::claim(folder).map_err(LabError::of_marker)?;
                return Ok(held);
            }
            Err(refused) => return Err(refused),
        }
    }
}

/// True if an open folder is still the one with this name.
fn is_at(open: &File, folder: &Path) -> bool {
    let (Ok(open), Ok(named)) = (open.metadata(), folder.symlink_metadata()) else { return false };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}

/// Takes the lock of a run's folder, which the kernel gives back when its holder dies.
///
/// # Errors
/// When another process works in it.
pub(crate) fn lock(folder: &Path) -> Result<Option<File>, LabError> {
    let Ok(dir) = File::open(folder) else { return Ok(None) };
    match rustix::fs::flock(&dir, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(dir)),
        Err(Errno::WOULDBLOCK) => {
            let text = format!("another drivetrain works in {}; wait for it to end", folder.display());
            Err(LabError::Refused(text))
        }
        Err(_) => Ok(None),
    }
}

/// Takes down the mounts of runs that were killed.
fn repair(folder: &Path) -> Result<(), LabError> {
    let doing = "unmounting what a killed run left in";
    let repaired = emulate::fuse::repair_stale(folder);
    repaired.map(drop).map_err(|source| LabError::Io { doing, path: folder.to_owned(), source })
}

/// Removes one folder of a run, as far as our marker says that it is ours.
pub(crate) fn remove_folder(folder: &Path) -> Result<(), LabError> {
    let data = folder.parent().unwrap_or(Path::new("."));
    if folder.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        if Marker::is_ours(folder) {
            repair(folder)?;
            seal::check_below(folder).map_err(LabError::of_marker)?;
            remove_all_floor_files(folder);
            directories_in(folder).for_each(|dir| database::image::release(&dir));
        }
        Marker::remove_ours(folder).map_err(LabError::of_marker)?;
    }
    // The shared parent goes only when nothing else lies in it; a failure means that it is still in use.
    let _ = std::fs::remove_dir(data);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_folder_that_another_command_is_about_to_remove_is_waited_for_and_made_anew() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join(DATA_FOLDER).join("run");
        Marker::claim(&folder).unwrap();
        let other = lock(&folder).unwrap();
        let mine = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(10 * POLL);
                remove_folder(&folder).unwrap();
                drop(other);
            });
            claim(&folder).unwrap().unwrap()
        });
        assert!(is_at(&mine, &folder) && Marker::is_ours(&folder));
        assert!(matches!(lock(&folder), Err(LabError::Refused(_))), "the lock is of the new folder");
    }

    #[test]
    fn a_name_from_a_notebook_leads_nowhere_else() {
        for name in ["../../victim", "..", ".", "", "/etc", "a/b", "a/"] {
            assert!(WorkDir::stored(name).is_err(), "{name}");
        }
        assert_eq!(WorkDir::stored("demo-1700000000-4711").unwrap().key, "demo-1700000000-4711");
    }
}
