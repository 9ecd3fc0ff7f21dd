//! The remains of dead runs: found, reported and removed.
//!
//! Notes that a process made before each thing give the places ([`remains`]); the thing found there proves
//! itself (`database::dead`). The data of a run that can be resumed is not removed unless the user asks for
//! it.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use words::{say, shell};

use database::{Marker, dead};
use notebook::{Notebook, Run, RunId, RunState};
use remains::{Dead, Entry, EntryKind};

use crate::error::LabError;
use crate::storage::origin;
use crate::storage::replaced::Folders;
use crate::storage::seal;
use crate::storage::workdir::{AWAY, DATA_FOLDER, MOVED_FROM, WorkDir, lock, remove_folder};
use crate::{membership, needs};

pub use crate::storage::replaced::Replaced;

/// Begins the names of all files by which we know our directories.
const OWN_FILES: &str = ".drivetrain";
/// Unit of the number of blocks of a file (`stat(2)`).
const BLOCK_BYTES: u64 = 512;

/// One thing that a run of the past left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// "mount", "control group", "socket folder", "server", "image", "data" or "target".
    pub kind: &'static str,
    /// Its present or former path.
    pub path: PathBuf,
    /// Its size on the drive; 0 if it takes no noticeable space.
    pub size_bytes: u64,
    /// Its fate.
    pub outcome: Outcome,
}

/// The fate of a thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is gone.
    Removed,
    /// It would be removed; nothing was touched.
    Due,
    /// It stays: the reason, and the remedy.
    Kept(String),
    /// It could not be removed: why.
    Failed(String),
}

/// The treatment of the remains of killed processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// Report only; nothing is touched.
    Look,
    /// By any command before its own work: files whose names the user chose are reported and stay.
    InPassing,
    /// By `drivetrain clean`.
    Clean,
}

/// Removes what killed processes of this user left: servers, mounts, control groups, folders of sockets, and
/// the data of runs that nothing can come of any more. Costs next to nothing where nothing was left.
#[must_use]
pub fn remove_remains(care: Care) -> Vec<Left> {
    remains::dead().into_iter().filter_map(|dead| settle(dead, care)).collect()
}

/// Deals with one note. A note whose thing is gone goes without a word.
fn settle(found: Dead, care: Care) -> Option<Left> {
    let only_look = care == Care::Look;
    let entry = found.entry().clone();
    let left = |outcome, size_bytes| {
        Some(Left { kind: entry.kind.as_str(), path: entry.path.clone(), size_bytes, outcome })
    };
    // A mount and a setting of the machine are looked at without touching them.
    if !matches!(entry.kind, EntryKind::Mount | EntryKind::Setting)
        && let Err(silent) = emulate::fuse::check_answers(&entry.path)
    {
        return (care != Care::InPassing).then(|| left(Outcome::Failed(silent.to_string()), 0)).flatten();
    }
    if entry.kind == EntryKind::Data {
        return settle_data(found, &entry, care);
    }
    if entry.kind == EntryKind::Target {
        return settle_target(found, &entry.path, care);
    }
    if only_look {
        return dead::is_there(&entry).then(|| left(Outcome::Due, 0)).flatten();
    }
    match dead::remove(&entry) {
        Ok(was_there) => {
            found.done();
            was_there.then(|| left(Outcome::Removed, 0)).flatten()
        }
        // A setting that a mount of somebody still wants is nobody's fault.
        Err(error)
            if entry.kind == EntryKind::Setting && dead::is_busy(&error) && care == Care::InPassing =>
        {
            None
        }
        // The note stays, for the next time.
        Err(error) => left(Outcome::Failed(dead::in_words(&error)), 0),
    }
}

/// The target of a killed load has a name that the user gave: it is removed on request, as long as nobody
/// else has written to it. A file kept under this name since is not the one that the kill left.
fn settle_target(found: Dead, path: &Path, care: Care) -> Option<Left> {
    if !is_target(path) {
        found.done();
        return None;
    }
    let size_bytes = target_bytes(path);
    let outcome = match care {
        // `drivetrain clean` tells of one that somebody has replaced since, as it cannot remove that.
        Care::InPassing if block::is_replaced(path) => return None,
        Care::InPassing => Outcome::Kept(say!("clean-removes").to_owned()),
        // The remains of an unfinished creation have another name.
        Care::Look if path.symlink_metadata().is_err() => Outcome::Due,
        Care::Look => of_target(block::check_killed(path), Outcome::Due)?,
        Care::Clean => {
            let removed = block::remove_killed(path);
            // The note of a thing that could not be removed stays, for the next time.
            if removed.is_ok() {
                found.done();
            }
            of_target(removed, Outcome::Removed)?
        }
    };
    Some(target(path, size_bytes, outcome))
}

/// `None`: it is not the file that a kill left.
fn of_target(settled: Result<bool, block::BlockError>, done: Outcome) -> Option<Outcome> {
    match settled {
        Ok(is_killed) => is_killed.then_some(done),
        Err(error) => Some(Outcome::Failed(error.to_string())),
    }
}

fn target(path: &Path, size_bytes: u64, outcome: Outcome) -> Left {
    Left { kind: EntryKind::Target.as_str(), path: path.to_owned(), size_bytes, outcome }
}

/// True if the marker of a block load's target lies beside this name, whether the target is whole or not.
#[must_use]
pub fn is_target(path: &Path) -> bool {
    block::marker_of(path).symlink_metadata().is_ok()
}

/// Removes a target of block loads that the user names, with its marker and the remains of an unfinished
/// creation, as far as they prove to be ours. `only_look`: the target and its marker stay.
#[must_use]
pub fn remove_target(path: &Path, only_look: bool) -> Left {
    let size_bytes = target_bytes(path);
    let settled = match only_look {
        true if path.symlink_metadata().is_err() => Ok(()),
        true => block::check_killed(path).map(drop),
        false => block::remove_left_over(path),
    };
    let outcome = match settled {
        Ok(()) if only_look => Outcome::Due,
        Ok(()) => Outcome::Removed,
        Err(error) => Outcome::Failed(error.to_string()),
    };
    target(path, size_bytes, outcome)
}

/// Its size on its drive, bytes.
fn target_bytes(path: &Path) -> u64 {
    path.symlink_metadata().map_or(0, |metadata| metadata.blocks() * BLOCK_BYTES)
}

/// Data is remains only when its run has finished, or never began. Of a run that can go on the notebook
/// knows.
fn settle_data(found: Dead, entry: &Entry, care: Care) -> Option<Left> {
    let stamp = entry.stamp.as_deref();
    let moved_from = stamp.and_then(|stamp| stamp.strip_prefix(MOVED_FROM)).map(Path::new);
    // One that was moved may be back in its place.
    let folder = moved_from.filter(|from| Marker::is_ours(from)).unwrap_or(&entry.path);
    let is_dir = folder.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    if !is_dir || !Marker::is_ours(folder) {
        let why = match moved_from {
            Some(from) => {
                Marker::is_marked(folder).then(|| say!("clean-moved", from = from.display().to_string()))
            }
            // Of a file system that was unmounted under its run, until it is mounted again.
            None => (stamp == Some(AWAY)).then(|| say!("clean-away").to_owned()),
        };
        let Some(why) = why else {
            found.done();
            return None;
        };
        let outcome = Outcome::Kept(why);
        return (care != Care::InPassing).then(|| Left {
            kind: entry.kind.as_str(),
            path: folder.to_owned(),
            size_bytes: size_bytes(folder),
            outcome,
        });
    }
    let notebook = Path::new(&entry.detail);
    let left = |outcome| {
        let size_bytes = size_bytes(folder);
        Some(Left { kind: entry.kind.as_str(), path: folder.to_owned(), size_bytes, outcome })
    };
    match state_of(notebook, folder) {
        Handling::Remains => {}
        Handling::Kept => {
            found.done();
            return None;
        }
        Handling::Unknown(why) => {
            let how = say!("clean-removes-why", why, path = shell::path(folder));
            return left(Outcome::Kept(how));
        }
    }
    if care == Care::Look {
        return left(Outcome::Due);
    }
    let removed = remove(folder);
    if removed.outcome == Outcome::Removed {
        found.done();
    }
    Some(removed)
}

/// The treatment of a dead process's data.
enum Handling {
    /// Nobody needs it.
    Remains,
    /// Its run can go on, or does.
    Kept,
    /// Nobody can say.
    Unknown(String),
}

fn state_of(notebook: &Path, folder: &Path) -> Handling {
    if is_empty(folder) {
        return Handling::Remains;
    }
    let key = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let runs = match Notebook::open_existing(notebook).and_then(|notebook| notebook.runs_in(key)) {
        Ok(runs) => runs,
        Err(error) => return Handling::Unknown(error.to_string()),
    };
    match runs.as_slice() {
        [] => Handling::Unknown(say!("clean-no-run", notebook = notebook.display().to_string())),
        runs if runs.iter().all(|run| run.state == RunState::Finished) => Handling::Remains,
        _ => Handling::Kept,
    }
}

/// True if it holds nothing but our own marker.
fn is_empty(folder: &Path) -> bool {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.into_iter().all(|name| name.to_string_lossy().starts_with(OWN_FILES))
}

/// The data of one run.
#[derive(Clone, Debug)]
pub struct RunData {
    /// The run.
    pub run: RunId,
    /// The run's state.
    pub state: RunState,
    /// Its folders that are there.
    pub folders: Vec<PathBuf>,
    /// Foreign things in the places of its other folders. Its own data may lie elsewhere.
    pub replaced: Vec<Replaced>,
}

/// The runs of a notebook whose data is still there, or what somebody has put in its place. Relative
/// paths of an experiment are looked for where its run began, else below the working directory and the
/// notebook's.
///
/// # Errors
/// The notebook's own.
pub fn data_of_runs(notebook: &Notebook) -> Result<Vec<RunData>, LabError> {
    let mut found = Vec::new();
    for summary in notebook.runs()? {
        let run = notebook.run(summary.id)?;
        let mut folders = folders_of(notebook, &run);
        folders.extend(folders_of_ranks(notebook, &run)?);
        if !folders.is_empty() {
            let Folders { marked, replaced } = folders;
            found.push(RunData { run: run.id, state: run.state, folders: marked, replaced });
        }
    }
    Ok(found)
}

/// The files of block loads that the runs of a notebook made under names of the user's, and that later runs
/// use again: they stay until somebody removes them by name.
///
/// # Errors
/// The notebook's own.
pub fn targets_of_runs(notebook: &Notebook) -> Result<Vec<Left>, LabError> {
    let mut found: Vec<Left> = Vec::new();
    for summary in notebook.runs()? {
        let run = notebook.run(summary.id)?;
        if run.owner().is_some() {
            continue;
        }
        let Ok(experiment) = experiment::parse(&run.experiment_toml, &run.name) else { continue };
        let names: Vec<&String> =
            experiment.workload.iter().flat_map(|workload| needs::of(workload).paths()).collect();
        for below in experiment.bed.iter().map(|bed| bed.storage.path()) {
            for name in &names {
                let places = origin::candidates(notebook, &run).into_iter();
                let places = places.map(|at| at.join(below).join(name));
                let answering = places.filter(|path| emulate::fuse::check_answers(path).is_ok());
                let mut paths = answering.filter_map(|path| path.canonicalize().ok());
                let Some(path) = paths.find(|path| is_target(path)) else { continue };
                if !found.iter().any(|left| left.path == path) {
                    let why = say!("clean-used-again", run = run.id.to_string(), path = shell::path(&path));
                    found.push(target(&path, target_bytes(&path), Outcome::Kept(why)));
                }
            }
        }
    }
    Ok(found)
}

/// The folders of a fleet's ranks on this machine, by their own notebooks.
fn folders_of_ranks(notebook: &Notebook, run: &Run) -> Result<Folders, LabError> {
    let mut found = Folders::default();
    for (number, rank) in (0..).zip(membership::kept_by(notebook, run.id)?).filter(|(_, rank)| rank.is_here) {
        // A notebook that is gone keeps nothing from being found by the data itself.
        let Ok(own) = Notebook::open_existing(Path::new(&rank.notebook)) else { continue };
        for of_rank in own.runs_in(&membership::work_dir_of(&run.work_dir, number))? {
            found.extend(folders_of(&own, &of_rank));
        }
    }
    Ok(found)
}

/// The ranks of a run that keep their data on other machines, each with its host and its notebook there.
///
/// # Errors
/// The notebook's own.
pub fn ranks_elsewhere(notebook: &Notebook, run: RunId) -> Result<Vec<(String, String)>, LabError> {
    let ranks = membership::kept_by(notebook, run)?.into_iter().filter(|rank| !rank.is_here);
    Ok(ranks.map(|rank| (rank.host, rank.notebook)).collect())
}

fn folders_of(notebook: &Notebook, run: &Run) -> Folders {
    let mut found = Folders::default();
    // An experiment that no longer parses cannot be resumed; a listing of the data below a directory finds
    // its folders.
    let Ok(experiment) = experiment::parse(&run.experiment_toml, &run.name) else { return found };
    let directories = origin::candidates(notebook, run);
    // A `resume` of the run reports a name that leads elsewhere.
    let Ok(work) = WorkDir::stored(&run.work_dir) else { return found };
    for folder in work.folders(&experiment) {
        found.add(directories.iter().map(|directory| directory.join(&folder)));
    }
    found
}

/// Folders of data below `dir` that no run of `known` has.
#[must_use]
pub fn data_of_nobody(dir: &Path, known: &[RunData]) -> Vec<Left> {
    let data = std::fs::canonicalize(dir.join(DATA_FOLDER)).unwrap_or_else(|_| dir.join(DATA_FOLDER));
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(&data).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.retain(|folder| {
        let is_dir = folder.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        is_dir && Marker::is_ours(folder) && !known.iter().any(|run| run.folders.contains(folder))
    });
    folders.sort();
    let describe = |path: PathBuf| {
        let why = match lock(&path) {
            Err(error) => error.to_string(),
            Ok(_) => say!("clean-other-run", path = shell::path(&path)),
        };
        Left {
            kind: EntryKind::Data.as_str(),
            size_bytes: size_bytes(&path),
            path,
            outcome: Outcome::Kept(why),
        }
    };
    folders.into_iter().map(describe).collect()
}

/// Removes one folder of data, as far as our marker says that it is ours, unless somebody works in it.
#[must_use]
pub fn remove(folder: &Path) -> Left {
    if let Err(error) = require_marked(folder) {
        return foreign(folder, &error);
    }
    let size_bytes = size_bytes(folder);
    let outcome = match remove_locked(folder) {
        Ok(()) => Outcome::Removed,
        Err(error) => Outcome::Failed(error.to_string()),
    };
    Left { kind: EntryKind::Data.as_str(), path: folder.to_owned(), size_bytes, outcome }
}

/// Looks at the data of a run as [`remove`] does before anything goes, and touches nothing.
#[must_use]
pub fn would_remove(folder: &Path) -> Left {
    if let Err(error) = require_marked(folder) {
        return foreign(folder, &error);
    }
    let looked = seal::check_below(folder).and_then(|()| Marker::survey(folder)).map_err(LabError::of_marker);
    let outcome = match looked {
        Ok(()) => Outcome::Due,
        Err(error) => Outcome::Failed(error.to_string()),
    };
    Left { kind: EntryKind::Data.as_str(), path: folder.to_owned(), size_bytes: size_bytes(folder), outcome }
}

/// A foreign folder is not measured: it may be the whole machine.
fn foreign(folder: &Path, error: &LabError) -> Left {
    let outcome = Outcome::Failed(error.to_string());
    Left { kind: EntryKind::Data.as_str(), path: folder.to_owned(), size_bytes: 0, outcome }
}

fn require_marked(folder: &Path) -> Result<(), LabError> {
    if Marker::is_marked(folder) {
        return Ok(());
    }
    let text = format!("{} is no folder that drivetrain made; nothing was touched", folder.display());
    Err(LabError::Refused(text))
}

fn remove_locked(folder: &Path) -> Result<(), LabError> {
    Marker::open(folder).map_err(LabError::of_marker)?;
    let _lock = lock(folder)?;
    remove_folder(folder)
}

/// The space of all contents of `folder` on its drive, bytes. Follows no link and enters no other file
/// system.
#[must_use]
pub fn size_bytes(folder: &Path) -> u64 {
    let Ok(top) = folder.symlink_metadata() else { return 0 };
    let mut bytes = 0;
    let mut open = vec![folder.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            bytes += metadata.blocks() * BLOCK_BYTES;
            if metadata.is_dir() && metadata.dev() == top.dev() {
                open.push(entry.path());
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use notebook::{Bed, PlannedCell, RunPlan};
    use std::fs;

    /// A notebook with a run whose data folder holds a file.
    fn with_a_run(dir: &Path) -> (Notebook, RunId, PathBuf) {
        let notebook = Notebook::open_or_create(dir.join("a.db")).unwrap();
        let run = RunPlan { work_dir: "x-1-2".to_owned(), ..RunPlan::default() };
        let bed = Bed { name: "a".to_owned(), ..Bed::default() };
        let cell = PlannedCell { bed: "a".to_owned(), ..PlannedCell::default() };
        let run = notebook.start_run(&run, &[bed], &[cell]).unwrap();
        let folder = dir.join("drivetrain-data/x-1-2");
        let marker = Marker::claim(&folder).unwrap();
        marker.write("data", &[b'x'; 10_000], 0o644).unwrap();
        (notebook, run, folder)
    }

    #[test]
    fn data_is_remains_only_when_nothing_can_come_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let (notebook, run, folder) = with_a_run(dir.path());
        let path = notebook.path().to_owned();
        assert!(matches!(state_of(&path, &folder), Handling::Kept), "it runs");
        drop(notebook);
        assert!(matches!(state_of(&path, &folder), Handling::Kept), "it was killed");
        Notebook::open_existing(&path).unwrap().fail_run(run, "no room").unwrap();
        assert!(matches!(state_of(&path, &folder), Handling::Kept), "it failed");
        Notebook::open_existing(&path).unwrap().finish_run(run, RunState::Finished).unwrap();
        assert!(matches!(state_of(&path, &folder), Handling::Remains), "it finished");
        let other = dir.path().join("drivetrain-data/other");
        Marker::claim(&other).unwrap().write("data", b"", 0o644).unwrap();
        assert!(matches!(state_of(&path, &other), Handling::Unknown(_)), "nobody knows the run");
        assert!(matches!(state_of(&dir.path().join("gone.db"), &folder), Handling::Unknown(_)));
        let new = dir.path().join("drivetrain-data/new");
        Marker::claim(&new).unwrap();
        assert!(matches!(state_of(&path, &new), Handling::Remains), "it never began");
    }

    #[test]
    fn only_folders_of_ours_that_nobody_works_in_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let (_notebook, _, folder) = with_a_run(dir.path());
        assert!(size_bytes(&folder) >= 10_000);
        let foreign = dir.path().join("drivetrain-data/foreign");
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join("thesis"), "work of years").unwrap();
        let link = dir.path().join("drivetrain-data/link");
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        for path in [&foreign, &link, &dir.path().join("none")] {
            assert!(matches!(remove(path).outcome, Outcome::Failed(_)), "{}", path.display());
        }
        let held = lock(&folder).unwrap();
        let Outcome::Failed(why) = remove(&folder).outcome else { panic!("somebody works in it") };
        assert!(why.contains("another drivetrain works in"), "{why}");
        drop(held);
        let removed = remove(&folder);
        assert!(removed.outcome == Outcome::Removed && removed.size_bytes >= 10_000, "{removed:?}");
        assert!(!folder.exists() && foreign.join("thesis").exists());
        let nobodys = data_of_nobody(dir.path(), &[]);
        assert!(nobodys.is_empty(), "what is not ours is not even told: {nobodys:?}");
    }
}
