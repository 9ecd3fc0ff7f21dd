//! Targets of loads without an experiment: the files that they make, the treatment of those that a kill left,
//! and the bed that a target is in the record of its load.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use block::{BlockError, Target, WritePermit};
use device::catalogue::Entry;
use experiment::{Bed, Design, Experiment, SCHEMA_VERSION, Size, Storage, WHOLE, Workload};
use remains::{EntryKind, NoPlace, Note};
use words::say;

use crate::console::Console;
use crate::exit::Coded;
use crate::printable::in_one_line;

/// Notes that a target is about to be made at `path`, for the command that comes after a kill. An existing
/// file already has an owner.
///
/// # Errors
/// The directory that the user names for notes takes none: nothing is made then.
pub(crate) fn note(path: &Path, console: &Console) -> anyhow::Result<Option<Note>> {
    let is_free = path.symlink_metadata().is_err() && !lab::clean::is_target(path);
    if is_free { note_at(path, console) } else { Ok(None) }
}

/// The note of a target that may be written from now on. One that a kill left, and whose note is lost, gets a
/// new one; a file that was kept has an owner.
///
/// # Errors
/// As [`note`].
pub(crate) fn note_found(
    note: Option<Note>,
    permit: &WritePermit,
    console: &Console,
) -> anyhow::Result<Option<Note>> {
    if note.is_some() || permit.was_kept() {
        return Ok(note);
    }
    let is_noted = resolved(permit.path())
        .is_some_and(|path| remains::count(EntryKind::Target, &path) != remains::Count::default());
    if is_noted { Ok(None) } else { note_at(permit.path(), console) }
}

/// A note says where the file is whatever links and folders become.
fn resolved(path: &Path) -> Option<PathBuf> {
    Some(disk::parent(path).canonicalize().ok()?.join(path.file_name()?))
}

fn note_at(path: &Path, console: &Console) -> anyhow::Result<Option<Note>> {
    let Some(path) = resolved(path) else { return Ok(None) };
    match Note::required(EntryKind::Target, &path, "") {
        Ok(note) => Ok(Some(note)),
        Err(no_place) => without_notes(&no_place, console).map(|()| None),
    }
}

/// Refuses the directory that the user names for notes. Where no usual one takes any, the work goes on, and
/// the user knows.
///
/// # Errors
/// The user named the directory.
pub(crate) fn without_notes(no_place: &NoPlace, console: &Console) -> anyhow::Result<()> {
    if no_place.is_named() {
        return Err(Coded::refused(no_place.to_string()));
    }
    console.must_know(&format!("warning: {no_place}"));
    Ok(())
}

/// Removes the target of a load that has ended, or leaves it where it is to stay. The results are kept
/// before what this says is told: a file that somebody moved or replaced meanwhile takes none of them along.
///
/// # Errors
/// It cannot be removed, or its marker not be written. Its note stays then, for `drivetrain clean`.
pub(crate) fn let_go(target: Option<Target>, keep: bool, note: Option<Note>) -> Result<(), BlockError> {
    let Some(Target::Permitted(permit)) = target else { return Ok(()) };
    let Some(permit) = Arc::into_inner(permit) else { return Ok(()) };
    let let_go = if keep || permit.was_kept() { permit.keep() } else { permit.remove() };
    match note {
        Some(note) if let_go.is_err() => note.leave(),
        note => drop(note), // Nothing is left that it could speak of.
    }
    let_go
}

/// The name of the one bed: that of imported jobs, so that results on one target can be compared.
const BED: &str = "target";
/// Longer paths are told by their last part.
const LABEL_LONGEST: usize = 32;

/// A target as the bed of an experiment.
#[derive(Clone, Debug)]
pub(crate) struct TargetBed {
    /// Names the run: the file, the device or the drive.
    pub(crate) name: String,
    /// Its name in sentences and tables.
    pub(crate) label: String,
    pub(crate) storage: Storage,
    /// The files and devices that the load names.
    pub(crate) paths: Vec<String>,
    pub(crate) size: Size,
}

impl TargetBed {
    /// A file or device, as it was named.
    pub(crate) fn of_file(given: &Path, target: &Target) -> TargetBed {
        let path = std::path::absolute(given).unwrap_or_else(|_| given.to_owned());
        let directory = disk::parent(&path);
        let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let is_device = fs::metadata(&path).is_ok_and(|found| found.file_type().is_block_device());
        // A file is the same load on another storage; a device is that storage.
        let listed = if is_device { path.display().to_string() } else { name.clone() };
        let shown = given.display().to_string();
        let label = if shown.chars().count() <= LABEL_LONGEST { &shown } else { &name };
        TargetBed {
            label: in_one_line(label),
            name: in_one_line(&name),
            storage: Storage::Real { path: directory },
            paths: vec![listed],
            size: size_of(&path, target),
        }
    }

    /// A modelled drive, as it was named.
    pub(crate) fn of_drive(given: &str, entry: &Entry, size: Size) -> TargetBed {
        let is_file = given.ends_with(".toml");
        let file = || std::path::absolute(given).unwrap_or_else(|_| given.into()).display().to_string();
        let drive = if is_file { file() } else { entry.name.clone() };
        TargetBed {
            name: entry.name.clone(),
            label: entry.title.clone(),
            storage: Storage::Emulated { drive, path: here() },
            paths: Vec::new(),
            size,
        }
    }

    /// No drive at all.
    pub(crate) fn none(size: Size) -> TargetBed {
        TargetBed {
            name: "null".to_owned(),
            label: say!("load-no-drive").to_owned(),
            storage: Storage::Real { path: here() },
            paths: Vec::new(),
            size,
        }
    }

    /// The load on this bed as an experiment of one cell.
    pub(crate) fn experiment(&self, title: String, mut load: experiment::Block, seed: u64) -> Experiment {
        (load.paths, load.size) = (self.paths.clone(), self.size);
        let bed = Bed { label: Some(self.label.clone()), ..Bed::on(BED, self.storage.clone()) };
        Experiment {
            schema: SCHEMA_VERSION,
            title,
            question: None,
            description: None,
            published: None,
            bed: vec![bed],
            database: None,
            workload: vec![Workload::Block(load)],
            design: Design { repeats: 1, seed: Some(seed), ..Design::default() },
            fleet: None,
        }
    }
}

fn here() -> PathBuf {
    PathBuf::from(".")
}

/// The size of a target; of a pipe or what cannot be opened, whatever it is.
fn size_of(path: &Path, target: &Target) -> Size {
    let is_regular = |found: fs::Metadata| found.is_file() || found.file_type().is_block_device();
    let end = || File::open(path).and_then(|mut file| file.seek(SeekFrom::End(0))).ok();
    match target {
        Target::Permitted(permit) => Size(permit.size_bytes()),
        Target::AddressSpace { size_bytes } => Size(*size_bytes),
        Target::ReadOnly(_) if fs::metadata(path).is_ok_and(is_regular) => end().map_or(WHOLE, Size),
        Target::ReadOnly(_) => WHOLE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_last_part_below_its_directory() {
        let dir = tempfile::tempdir().unwrap();
        let (name, shown) = ("a\nfile of the user.dat", "a\\nfile of the user.dat");
        let path = dir.path().join(name);
        fs::write(&path, [0; 5000]).unwrap();
        let bed = TargetBed::of_file(&path, &Target::ReadOnly(path.clone()));
        assert_eq!((bed.name.as_str(), bed.paths[0].as_str(), bed.size), (shown, name, Size(5000)));
        assert_eq!(bed.storage.path(), dir.path().canonicalize().unwrap());
        assert_eq!(bed.label, shown, "the whole path is long");
    }
}
