//! The storages of an experiment: their directories, and the files and devices that block loads name.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use emulate::EmulateError;
use experiment::{Bed, Experiment, Storage};

use crate::error::{LabError, PlaceFault};
use crate::needs;

/// A file or device of a block load that cannot be used, or a file that cannot be made.
pub(crate) struct Missing {
    workload: String,
    bed: String,
    path: PathBuf,
    why: Why,
}

enum Why {
    /// It is not there, and nothing says how large to make it.
    NoSize,
    /// It is not there, and neither is its directory.
    NoDirectory,
    /// It cannot be opened.
    Closed(std::io::Error),
}

impl Missing {
    /// As a fault of its place.
    pub(crate) fn fault(&self) -> PlaceFault {
        let path = self.path.display();
        let (what, fix) = match &self.why {
            Why::NoSize => (
                format!("{path} is not there, and the workload says no size to make it with"),
                "name a file or device that is there, or give the workload a `size`",
            ),
            Why::NoDirectory => (
                format!("{path} cannot be made: its directory does not exist"),
                "create the directory, or name another path",
            ),
            Why::Closed(error) => (
                format!("{path} cannot be read: {error}"),
                "give this user the right to read it, or name another file",
            ),
        };
        let place = format!("workload `{}` on bed `{}`", self.workload, self.bed);
        PlaceFault { place, what, fix: fix.to_owned() }
    }
}

/// The files and devices that block loads name and that a run could not use.
pub(crate) fn missing_files(experiment: &Experiment) -> Vec<Missing> {
    let mut missing = Vec::new();
    for bed in experiment.bed.iter().filter(|bed| keeps_files(experiment, bed)) {
        let Storage::Real { path: below } = &bed.storage else { continue };
        if !below.is_dir() {
            continue; // That is the fault to mend first.
        }
        for workload in &experiment.workload {
            let needed = needs::of(workload).needed_paths();
            for name in needs::of(workload).paths() {
                let path = below.join(name);
                if let Some(why) = unusable(&path, needed.contains(name)) {
                    let (workload, bed) = (workload.name().to_owned(), bed.name.clone());
                    missing.push(Missing { workload, bed, path, why });
                }
            }
        }
    }
    missing
}

fn unusable(path: &Path, is_needed: bool) -> Option<Why> {
    match path.metadata() {
        // A pipe would wait for its other end.
        Ok(found) if found.is_file() || found.file_type().is_block_device() => {
            File::open(path).err().map(Why::Closed)
        }
        Ok(_) => None,
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Some(Why::Closed(error)),
        Err(_) if is_needed => Some(Why::NoSize),
        Err(_) if !disk::parent(path).is_dir() => Some(Why::NoDirectory),
        Err(_) => None,
    }
}

/// Every storage that beds put files on, with its bed.
pub(crate) fn used(experiment: &Experiment) -> Vec<(&Bed, &Storage)> {
    let beds = experiment.bed.iter().filter(|bed| keeps_files(experiment, bed));
    beds.flat_map(|bed| storages_of(experiment, bed).map(move |storage| (bed, storage))).collect()
}

/// True if a run writes anything to the bed's storage itself.
pub(crate) fn keeps_files(experiment: &Experiment, bed: &Bed) -> bool {
    experiment.url_of(bed).is_none() || experiment.workload.iter().any(|load| !load.uses_database())
}

/// The first storage that lies on a mount that does not answer: nothing may touch it.
pub(crate) fn silent(experiment: &Experiment) -> Option<PlaceFault> {
    used(experiment).into_iter().find_map(|(bed, storage)| of_silent(bed, storage))
}

fn of_silent(bed: &Bed, storage: &Storage) -> Option<PlaceFault> {
    let Err(EmulateError::Silent { path, silent }) = emulate::fuse::check_answers(path_of(storage)) else {
        return None;
    };
    let what = format!("the storage path {} cannot be used: {silent}", path.display());
    Some(PlaceFault { place: format!("bed `{}`", bed.name), what, fix: silent.remedy() })
}

/// Checks that the path of a bed's storage is a directory.
///
/// # Errors
/// [`LabError::Experiment`], which says what to do.
pub(crate) fn check_is_directory(bed: &Bed, storage: &Storage) -> Result<(), LabError> {
    if let Some(PlaceFault { place, what, fix }) = of_silent(bed, storage) {
        return Err(LabError::Experiment { what, place, fix });
    }
    let path = path_of(storage);
    if path.is_dir() {
        return Ok(());
    }
    let fault = match path.metadata() {
        Ok(_) => "is not a directory".to_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => "does not exist".to_owned(),
        Err(error) => format!("cannot be looked at ({error})"),
    };
    Err(LabError::Experiment {
        what: format!("the storage path {} {fault}", path.display()),
        place: format!("bed `{}`", bed.name),
        fix: format!(
            "create it, mount the storage there, or name another path (`--storage {}=PATH`)",
            bed.name
        ),
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
