//! The directory in which relative paths of a run's experiment begin: its working directory, wherever
//! somebody resumes or cleans it from.

use std::path::{Path, PathBuf};

use database::Marker;
use experiment::Experiment;
use notebook::{Notebook, Run};

use crate::error::LabError;
use crate::storage::targets::keeps_files;
use crate::storage::workdir::WorkDir;

/// Directories in which the data of `run` may lie: the one that the notebook names, then, for notebooks that
/// name none, the working directory and the notebook's own.
pub(crate) fn candidates(notebook: &Notebook, run: &Run) -> Vec<PathBuf> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let here = std::env::current_dir().unwrap_or_default();
    let beside = absolute(notebook.path()).parent().map(Path::to_owned);
    run.directory.iter().map(PathBuf::from).chain([here]).chain(beside).collect()
}

/// True if a directory of ours answers there.
pub(crate) fn is_marked(place: &Path) -> bool {
    emulate::fuse::check_answers(place).is_ok() && Marker::is_marked(place)
}

/// True if data of a run lies where it may be; a run whose experiment no longer parses has none that anybody
/// would find.
pub(crate) fn has_data(notebook: &Notebook, run: &Run) -> bool {
    let experiment = experiment::parse(&run.experiment_toml, &run.name);
    let (Ok(experiment), Ok(work)) = (experiment, WorkDir::stored(&run.work_dir)) else { return false };
    let folders = work.folders(&experiment);
    let mut places = candidates(notebook, run).into_iter();
    places.any(|directory| folders.iter().any(|folder| is_marked(&directory.join(folder))))
}

/// Makes the paths of a run's stored experiment absolute.
///
/// # Errors
/// [`LabError::Resume`] when the notebook does not name the directory and the run's data is in none that it
/// may be.
pub(crate) fn make_absolute(
    experiment: &mut Experiment,
    notebook: &Notebook,
    run: &Run,
    work: &WorkDir,
) -> Result<(), LabError> {
    let candidates = candidates(notebook, run);
    let folders = work.folders(experiment);
    let mut relative = folders.iter().filter(|folder| folder.is_relative()).peekable();
    // Where no path leads to data, the working directory is asked for the files of drives alone.
    let is_known = run.directory.is_some()
        || relative.peek().is_none()
        || !experiment.bed.iter().any(|bed| keeps_files(experiment, bed));
    let relative: Vec<_> = relative.collect();
    let holds_data = |directory: &&PathBuf| relative.iter().any(|folder| is_marked(&directory.join(folder)));
    match candidates.iter().find(holds_data).or(candidates.first().filter(|_| is_known)) {
        Some(directory) => experiment.make_paths_absolute(directory),
        None => {
            let why = "it began in a directory that its notebook, of an older version, does not name, and its data lies neither below the \
                       working directory nor beside the notebook; resume it in the directory in which it began, or run the experiment anew";
            return Err(LabError::Resume { run: run.id.0, why: why.to_owned() });
        }
    }
    Ok(())
}
