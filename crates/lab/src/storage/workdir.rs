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
use ground::nanoseconds;
use remains::{EntryKind, Note};
use rustix::fs::FlockOperation;
use rustix::io::Errno;
use words::{Reason, Reasons};

use crate::error::LabError;
use crate::membership;
use crate::storage::floor_files::{directories_in, remove_all_floor_files};
use crate::storage::seal;
use crate::storage::targets::{check_is_directory, keeps_files, path_of, storages_of};
use crate::world::CLOCK_OF_OTHERS;

/// Name of the folder below a storage's path that holds everything drivetrain writes there.
pub(crate) const DATA_FOLDER: &str = "drivetrain-data";
/// The longest wait of a run for a command that removes the remains in its folder.
const PATIENCE: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(20);
/// The stamp of the note of a folder whose file system was unmounted under its run.
pub(crate) const AWAY: &str = "away";
/// The beginning of the stamp of the note of a folder that was moved under its run; its path follows. Its
/// marker is good for that place alone.
pub(crate) const MOVED_FROM: &str = "moved from ";

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
    lock: Option<File>,
    /// Absent where the notebook's path cannot be written down: then the notebook alone knows the folder.
    note: Option<Note>,
    /// The path of the run's notebook, for the note of a folder that was moved.
    notebook: String,
}

impl Folder {
    /// The reason why its path no longer leads to it, if so.
    fn displaced(&self) -> Option<Reason> {
        block::displaced(self.lock.as_ref()?, &self.path)
    }
}

impl Drop for Folder {
    /// A folder that is no longer in its place was not removed from there: its note says where it is.
    fn drop(&mut self) {
        match (self.displaced(), self.note.take()) {
            (Some(Reason::TargetMoved { now, .. }), Some(_)) => {
                let mut note = Note::before(EntryKind::Data, Path::new(&now), &self.notebook);
                note.stamp(&format!("{MOVED_FROM}{}", self.path.display()));
                note.leave();
            }
            (Some(Reason::TargetUnmounted { .. }), Some(mut note)) => {
                note.stamp(AWAY);
                note.leave();
            }
            _ => {}
        }
    }
}

impl Claimed {
    /// The reasons of the folders whose paths no longer lead to them. Nothing may be made by those paths: it
    /// would lie on another file system, or in a folder of somebody else.
    pub(crate) fn displaced(&self) -> Reasons {
        Reasons(self.0.iter().filter_map(Folder::displaced).collect())
    }

    /// The data of other runs that work on the same storage at this moment, other ranks of this run aside.
    pub(crate) fn beside(&self) -> Vec<PathBuf> {
        self.0.iter().flat_map(|folder| others_beside(&folder.path)).collect()
    }

    fn add(&mut self, folder: &Path, notebook: &Path) -> Result<(), LabError> {
        let path = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        if self.0.iter().any(|known| known.path == path) {
            return Ok(()); // Beds may share a storage.
        }
        let notebook = std::path::absolute(notebook).ok().and_then(|path| path.to_str().map(str::to_owned));
        let note = notebook.as_ref().map(|notebook| Note::before(EntryKind::Data, &path, notebook));
        let lock = claim(folder)?;
        remove_all_floor_files(folder); // A reset takes them for somebody's.
        self.0.push(Folder { lock, path, note, notebook: notebook.unwrap_or_default() });
        Ok(())
    }
}

/// The folders beside a run's own in which another process works: that of another run. Ranks of one run share
/// a storage on purpose.
fn others_beside(folder: &Path) -> Vec<PathBuf> {
    let (Some(data), Some(key)) = (folder.parent(), folder.file_name().and_then(|name| name.to_str())) else {
        return Vec::new();
    };
    let is_other = |path: &PathBuf| {
        let other = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        membership::run_of(other) != membership::run_of(key)
    };
    directories_in(data).filter(is_other).filter(|other| is_locked(other)).collect()
}

/// True if another process holds the lock of a run's folder. A shared lock for a moment keeps nobody out: who
/// wants the folder waits longer.
fn is_locked(folder: &Path) -> bool {
    let asked = |dir: File| rustix::fs::flock(&dir, FlockOperation::NonBlockingLockShared);
    File::open(folder).is_ok_and(|dir| asked(dir) == Err(Errno::WOULDBLOCK))
}

/// Makes a folder ours and takes its lock. Another command may be about to remove it, because the run before
/// was killed at its very end: that is waited for, and the folder is made anew.
fn claim(folder: &Path) -> Result<Option<File>, LabError> {
    let until_ns = CLOCK_OF_OTHERS.now_ns() + nanoseconds(PATIENCE);
    loop {
        // Nothing is put into a folder that is there before its lock is held: somebody may be emptying it.
        if !folder.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            Marker::claim(folder).map_err(LabError::of_marker)?;
        }
        let may_wait = CLOCK_OF_OTHERS.now_ns() < until_ns;
        match lock(folder) {
            Ok(held) if may_wait && !held.as_ref().map_or(folder.exists(), |held| is_at(held, folder)) => {}
            Err(LabError::Refused(_)) if may_wait => CLOCK_OF_OTHERS.sleep(POLL),
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
    let _ = disk::remove_dir(data);
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
    fn a_folder_that_was_taken_away_is_noticed_and_another_run_beside_it_too() {
        let temp = tempfile::tempdir().unwrap();
        let storage = temp.path().canonicalize().unwrap().join("storage");
        let folder = |key: &str| storage.join(DATA_FOLDER).join(key);
        let mut mine = Claimed::default();
        mine.add(&folder("demo-1-2"), Path::new("/nowhere/of/a/test.db")).unwrap();
        assert!(mine.displaced().is_empty() && mine.beside().is_empty());
        Marker::claim(&folder("old-1-2")).unwrap(); // Of a run that has ended.
        let rank = claim(&folder("demo-1-2-rank-3")).unwrap();
        assert!(mine.beside().is_empty());
        let other = claim(&folder("other-5-6")).unwrap();
        assert_eq!(mine.beside(), [folder("other-5-6")]);
        drop((rank, other));
        let moved = storage.with_file_name("moved");
        std::fs::rename(&storage, &moved).unwrap();
        let (path, now) = (folder("demo-1-2"), moved.join(DATA_FOLDER).join("demo-1-2"));
        let (path, now) = (path.display().to_string(), now.display().to_string());
        assert_eq!(mine.displaced().0, [Reason::TargetMoved { path, now }]);
        std::fs::rename(&moved, &storage).unwrap();
        assert!(mine.displaced().is_empty());
        std::fs::remove_dir_all(&storage).unwrap();
        assert!(matches!(mine.displaced().0[..], [Reason::TargetDeleted { .. }]));
    }

    #[test]
    fn a_name_from_a_notebook_leads_nowhere_else() {
        for name in ["../../victim", "..", ".", "", "/etc", "a/b", "a/"] {
            assert!(WorkDir::stored(name).is_err(), "{name}");
        }
        assert_eq!(WorkDir::stored("demo-1700000000-4711").unwrap().key, "demo-1700000000-4711");
    }
}
