//! The storages of an experiment: their places, and the check that the named ones are on this machine.

use std::path::Path;

use experiment::{Bed, Experiment, Storage};

use crate::LabError;
use crate::needs;

/// Success if everything on this machine that `experiment` names is there: the directories of the beds'
/// storage, and the files and devices of block loads that are used at their present size. A run would find
/// the same faults; a plan asks here.
///
/// # Errors
/// [`LabError::Experiment`] with the first that is missing, whose it is, and what to do.
pub fn check_targets(experiment: &Experiment) -> Result<(), LabError> {
    for bed in experiment.bed.iter().filter(|bed| keeps_files(experiment, bed)) {
        storages_of(experiment, bed).try_for_each(|storage| check_is_directory(bed, storage))?;
        let Storage::Real { path: below } = &bed.storage else { continue };
        for workload in &experiment.workload {
            let mut needed = needs::of(workload).needed_paths().iter().map(|path| below.join(path));
            if let Some(path) = needed.find(|path| !path.exists()) {
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

/// True if a run writes anything to the bed's storage itself.
pub(crate) fn keeps_files(experiment: &Experiment, bed: &Bed) -> bool {
    experiment.url_of(bed).is_none() || experiment.workload.iter().any(|load| !load.uses_database())
}

/// Checks that the path of a bed's storage is a directory.
///
/// # Errors
/// [`LabError::Experiment`], which says what to do.
pub(crate) fn check_is_directory(bed: &Bed, storage: &Storage) -> Result<(), LabError> {
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

/// Every storage that a bed puts files on.
pub(crate) fn storages_of<'a>(experiment: &'a Experiment, bed: &'a Bed) -> impl Iterator<Item = &'a Storage> {
    std::iter::once(&bed.storage).chain(&bed.log).chain(targets(experiment))
}

/// The destinations of backups besides the beds' own storages.
fn targets(experiment: &Experiment) -> impl Iterator<Item = &Storage> {
    experiment.workload.iter().filter_map(|workload| needs::of(workload).target())
}

/// The directory that a storage names.
pub(crate) fn path_of(storage: &Storage) -> &Path {
    match storage {
        Storage::Emulated { path, .. } | Storage::Real { path } => path,
    }
}
