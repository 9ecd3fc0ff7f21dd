//! Where a run keeps its bytes, and how they go away again.
//!
//! Below each storage's path lies `drivetrain-data/<run>`: the golden copy of the loaded database and one directory per bed. Only what a
//! marker file calls ours is ever removed.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use database::Marker;
use experiment::{Bed, BlockEngine, Experiment, Storage, WHOLE, Workload};
use remains::{Kind, Note};
use rustix::fs::FlockOperation;
use rustix::io::Errno;

use crate::{LabError, seal};

/// Name of the folder below a storage's path that holds everything drivetrain writes there.
pub(crate) const DATA_FOLDER: &str = "drivetrain-data";
/// How long a run waits for a command that removes what was left in its folder.
const PATIENCE: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(20);

/// Whether everything that `experiment` names on this machine is there: the directories of the beds' storage, and the files and devices of
/// block loads that are used as large as they are. A run would find the same, a plan asks here.
///
/// # Errors
/// [`LabError::Experiment`] with the first that is missing, whose it is, and what to do.
pub fn check_targets(experiment: &Experiment) -> Result<(), LabError> {
    for bed in experiment.bed.iter().filter(|bed| keeps_files(experiment, bed)) {
        storages_of(experiment, bed).try_for_each(|storage| check_is_directory(bed, storage))?;
        let Storage::Real { path: below } = &bed.storage else { continue };
        for workload in &experiment.workload {
            let Workload::Block(block) = workload else { continue };
            let is_needed = block.size == WHOLE && block.engine != BlockEngine::Null;
            let missing = |path: &&String| is_needed && !below.join(path).exists();
            if let Some(path) = block.paths.iter().find(missing) {
                let path = below.join(path);
                return Err(LabError::Experiment {
                    what: format!(
                        "{} is not there, and the workload says no size to make it with",
                        path.display()
                    ),
                    place: format!("workload `{}` on bed `{}`", workload.name(), bed.name),
                    fix: "name a file or device that is there, or give the workload a `size`".to_owned(),
                });
            }
        }
    }
    Ok(())
}

/// Whether a run writes anything to the bed's storage itself.
fn keeps_files(experiment: &Experiment, bed: &Bed) -> bool {
    experiment.url_of(bed).is_none() || experiment.workload.iter().any(|load| !load.uses_database())
}

fn check_is_directory(bed: &Bed, storage: &Storage) -> Result<(), LabError> {
    let path = path_of(storage);
    if path.is_dir() {
        return Ok(());
    }
    Err(LabError::Experiment {
        what: format!("the storage path {} is not a directory", path.display()),
        place: format!("bed `{}`", bed.name),
        fix: "create it, mount the storage there, or name another path (`--storage BED=PATH`)".to_owned(),
    })
}

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

    /// Whether the run's folder lies on a storage and bears its marker: then it is the file system on which the run began.
    pub(crate) fn is_on(&self, storage: &Storage) -> bool {
        Marker::is_ours(&path_of(storage).join(DATA_FOLDER).join(&self.key))
    }

    /// The golden copy that was loaded for workload number `workload`, from which all cells on this storage start that work on the same.
    pub(crate) fn golden(&self, bed: &Bed, workload: usize) -> PathBuf {
        self.root(bed).join(format!("golden-{workload}"))
    }

    /// The bed's own directory for what is no database.
    pub(crate) fn bed(&self, bed: &Bed) -> PathBuf {
        self.root(bed).join(format!("bed-{}", bed.name))
    }

    /// The own directory of the bed's instance number `instance`, from 0.
    pub(crate) fn instance(&self, bed: &Bed, instance: u32) -> PathBuf {
        self.root(bed).join(format!("bed-{}-{}", bed.name, instance + 1))
    }

    /// Where that instance's log lies when logs have a storage of their own.
    pub(crate) fn log(&self, bed: &Bed, instance: u32) -> Option<PathBuf> {
        let log = bed.log.as_ref()?;
        let name = format!("log-{}-{}", bed.name, instance + 1);
        Some(path_of(log).join(DATA_FOLDER).join(&self.key).join(name))
    }

    /// Where a restored instance of the bed stands.
    pub(crate) fn restored(&self, bed: &Bed) -> PathBuf {
        self.root(bed).join(format!("restored-{}", bed.name))
    }

    /// The image of a file system of our own.
    pub(crate) fn image(&self, bed: &Bed) -> PathBuf {
        self.root(bed).join(format!("image-{}", bed.name))
    }

    /// Where the bed's backup goes on `target`.
    pub(crate) fn backup(&self, bed: &Bed, target: &Storage) -> PathBuf {
        path_of(target).join(DATA_FOLDER).join(&self.key).join(format!("backup-{}", bed.name))
    }

    /// Claims the run's folders: creates them with a marker, or refuses a foreign directory. Nobody else works in them while what is returned
    /// lives. `notebook` is where the run is kept: whoever finds the folders later asks there.
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

    /// Removes what the run left on the storages of `experiment`. Touches nothing without our marker.
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
        let note = notebook.map(|notebook| Note::before(Kind::Data, &path, &notebook));
        let lock = claim(folder)?;
        remove_all_floor_files(folder); // A reset takes them for somebody's.
        self.0.push(Folder { _lock: lock, path, _note: note });
        Ok(())
    }
}

/// Makes a folder ours and takes its lock. Another command may be about to remove it, because the run before was killed at its very end: that
/// is waited for, and the folder is made anew.
fn claim(folder: &Path) -> Result<Option<File>, LabError> {
    let until = Instant::now() + PATIENCE;
    loop {
        // Nothing is put into a folder that is there before its lock is held: somebody may be emptying it.
        if !folder.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            Marker::claim(folder).map_err(LabError::of_marker)?;
        }
        let may_wait = Instant::now() < until;
        match lock(folder) {
            Ok(held) if may_wait && !held.as_ref().map_or(folder.exists(), |held| is_at(held, folder)) => {}
            Err(LabError::Refused(_)) if may_wait => thread::sleep(POLL),
            Ok(held) => {
                Marker::claim(folder).map_err(LabError::of_marker)?;
                return Ok(held);
            }
            Err(refused) => return Err(refused),
        }
    }
}

/// Whether an open folder is still the one with this name.
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

/// Every storage that a bed puts files on.
fn storages_of<'a>(experiment: &'a Experiment, bed: &'a Bed) -> impl Iterator<Item = &'a Storage> {
    std::iter::once(&bed.storage).chain(&bed.log).chain(targets(experiment))
}

/// Where backups go besides the beds' own storages.
fn targets(experiment: &Experiment) -> impl Iterator<Item = &Storage> {
    experiment.workload.iter().filter_map(|workload| match workload {
        Workload::Backup(backup) => backup.target.as_ref(),
        _ => None,
    })
}

/// The directory that a storage names.
pub(crate) fn path_of(storage: &Storage) -> &Path {
    match storage {
        Storage::Emulated { path, .. } | Storage::Real { path } => path,
    }
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

fn directories_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path())
}

/// As [`remove_floor_files`], in a folder of a run, its beds, and their directories of data and logs: each of them can be mounted in place, and
/// a mount is measured when it begins.
fn remove_all_floor_files(folder: &Path) {
    remove_floor_files(folder);
    for bed in directories_in(folder) {
        remove_floor_files(&bed);
        directories_in(&bed).for_each(|dir| remove_floor_files(&dir));
    }
}

/// Removes what a kill left while the layer's floor was measured: files by their names and by what is in them, and the directory that a mount
/// is tried over, once it is empty.
fn remove_floor_files(folder: &Path) {
    for path in floor_files_in(folder) {
        let is_dir = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        if is_dir {
            let below = floor_files_in(&path).filter(|below| is_floor_file(below));
            below.for_each(|below| drop(std::fs::remove_file(below)));
        }
        // What stays is found and named by the removal of the folder.
        let _ = match is_dir {
            true => std::fs::remove_dir(&path),
            false if is_floor_file(&path) => std::fs::remove_file(&path),
            false => Ok(()),
        };
    }
}

/// Whether a file holds nothing but what the measuring of a floor writes, or nothing.
fn is_floor_file(path: &Path) -> bool {
    const SIZE_MAX_BYTES: u64 = 64 << 20;
    let found = path.symlink_metadata();
    found.is_ok_and(|found| found.is_file() && found.len() <= SIZE_MAX_BYTES)
        && disk::read(path)
            .is_ok_and(|bytes| bytes.iter().all(|byte| [0, emulate::FLOOR_BYTE].contains(byte)))
}

fn floor_files_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let left = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    left.filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(emulate::is_floor_name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_with_the_name_of_a_scratch_file_stays_unless_it_is_one() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join(DATA_FOLDER).join("run");
        Marker::claim(&folder).unwrap();
        let (file, tried) = (folder.join(".drivetrain-floor-1-2"), folder.join(".drivetrain-floor-1-mount"));
        fs::create_dir(&tried).unwrap();
        let bed = folder.join("bed-a-1");
        Marker::claim(&bed).unwrap();
        let log = bed.join("log");
        fs::create_dir(&log).unwrap();
        let below = [
            tried.join(".drivetrain-floor-7-files"),
            tried.join(".drivetrain-floor-7-crowd"),
            bed.join(".drivetrain-floor-7-crowd"),
            log.join(".drivetrain-floor-7-crowd"),
        ];
        let all = || below.iter().chain([&file]);
        for path in all() {
            fs::write(path, "work of years").unwrap();
        }
        remove_folder(&folder).unwrap_err();
        for path in all() {
            assert_eq!(fs::read(path).unwrap(), b"work of years");
            fs::write(path, [0, emulate::FLOOR_BYTE]).unwrap();
        }
        remove_folder(&folder).unwrap();
        assert!(!folder.exists());
    }

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
