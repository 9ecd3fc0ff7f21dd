//! Where a run keeps its bytes, and how they go away again.
//!
//! Below each storage's path lies `drivetrain-data/<run>`: the golden copy of the loaded database and one directory per bed. Only what a
//! marker file calls ours is ever removed.

use std::path::{Path, PathBuf};

use database::Marker;
use experiment::{Bed, Experiment, Storage, Workload};

use crate::LabError;

/// Name of the folder below a storage's path that holds everything drivetrain writes there.
const DATA_FOLDER: &str = "drivetrain-data";

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

    /// The folder name, as the notebook keeps it.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// The run's folder on the storage of `bed`.
    pub(crate) fn root(&self, bed: &Bed) -> PathBuf {
        path_of(&bed.storage).join(DATA_FOLDER).join(&self.key)
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

    /// Claims the run's folders: creates them with a marker, or refuses a foreign directory.
    pub(crate) fn claim(&self, experiment: &Experiment) -> Result<(), LabError> {
        let keeps_files = |bed: &&Bed| {
            experiment.url_of(bed).is_none() || experiment.workload.iter().any(|load| !load.uses_database())
        };
        for bed in experiment.bed.iter().filter(keeps_files) {
            for storage in std::iter::once(&bed.storage).chain(&bed.log).chain(targets(experiment)) {
                let path = path_of(storage);
                if !path.is_dir() {
                    return Err(LabError::Experiment {
                        what: format!("the storage path {} is not a directory", path.display()),
                        place: format!("bed `{}`", bed.name),
                        fix:
                            "create it, mount the storage there, or name another path (`--storage BED=PATH`)"
                                .to_owned(),
                    });
                }
                repair(&path.join(DATA_FOLDER))?;
                let folder = path.join(DATA_FOLDER).join(&self.key);
                Marker::claim(&folder).map_err(|e| LabError::Refused(e.to_string()))?;
            }
        }
        Ok(())
    }
}

/// Takes down the mounts of runs that were killed.
fn repair(folder: &Path) -> Result<(), LabError> {
    let doing = "unmounting what a killed run left in";
    let repaired = emulate::fuse::repair_stale(folder);
    repaired.map(drop).map_err(|source| LabError::Io { doing, path: folder.to_owned(), source })
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

/// Removes what the run with this work folder left on the storages of `experiment`. Touches nothing without our marker.
///
/// # Errors
/// When a directory that bears our marker cannot be removed.
pub fn clean(experiment: &Experiment, work_dir: &str) -> Result<(), LabError> {
    let work = WorkDir::new(work_dir);
    for bed in &experiment.bed {
        for storage in std::iter::once(&bed.storage).chain(&bed.log).chain(targets(experiment)) {
            let data = path_of(storage).join(DATA_FOLDER);
            repair(&data)?;
            let folder = data.join(&work.key);
            if folder.is_dir() {
                remove_floor_files(&folder);
                database::image::release(&work.image(bed));
                Marker::remove_ours(&folder).map_err(|e| LabError::Refused(e.to_string()))?;
            }
            // The shared parent goes only when nothing else lies in it; a failure means that it is still in use.
            let _ = std::fs::remove_dir(&data);
        }
    }
    Ok(())
}

/// Files that a kill left while the layer's floor was measured; in a folder of ours they can only be ours.
fn remove_floor_files(folder: &Path) {
    let left = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    for path in
        left.filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with(".drivetrain-floor-")))
    {
        let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path)); // What stays is found and named by the removal of the folder.
    }
}
