//! Whether an experiment can be run as it stands after `--set`, `--storage` and `--scale`: what a plan may leave open and a run may not.

use crate::file::{Engine, Experiment, Storage};

/// Why an experiment that makes sense cannot be run as it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunnableError {
    /// A database server is to stand on modelled drives, which serve SQLite only.
    #[error("{} ({}); {}", self.what(), self.place(), self.fix())]
    ServerOnModel {
        /// The engine.
        engine: Engine,
        /// What is on modelled drives, as `--storage` names it: `nvme` for a bed, `nvme.log` for a log on a drive of its own.
        places: Vec<String>,
    },
}

impl RunnableError {
    /// What cannot be done, without where and without what to do.
    pub fn what(&self) -> String {
        let RunnableError::ServerOnModel { engine, .. } = self;
        format!("the engine {engine} stands on real storage in this version, not on modelled drives")
    }

    /// Where in the experiment.
    pub fn place(&self) -> String {
        let RunnableError::ServerOnModel { places, .. } = self;
        match places.split_last() {
            Some((last, rest @ [_, ..])) => format!("beds {} and {last}", rest.join(", ")),
            _ => format!("bed {}", places.concat()),
        }
    }

    /// What to do.
    pub fn fix(&self) -> String {
        let RunnableError::ServerOnModel { places, .. } = self;
        let arguments: Vec<String> = places.iter().map(|place| format!("--storage {place}=PATH")).collect();
        format!("give each a directory on the storage under test: {}", arguments.join(" "))
    }
}

/// Checks what a plan may leave open: servers stand on real storage, which a named experiment cannot know and `--storage` gives.
///
/// # Errors
/// When a database server would have to stand on a modelled drive.
pub fn check_runnable(experiment: &Experiment) -> Result<(), RunnableError> {
    let engine = experiment.database.as_ref().map(|database| database.engine).unwrap_or_default();
    let needs_server = experiment.workload.iter().any(|workload| workload.uses_database());
    if !engine.is_server() || !needs_server {
        return Ok(());
    }
    let is_model = |storage: &Storage| matches!(storage, Storage::Emulated { .. });
    let mut places = Vec::new();
    for bed in experiment.bed.iter().filter(|bed| experiment.url_of(bed).is_none()) {
        if is_model(&bed.storage) {
            places.push(bed.name.clone());
        }
        if bed.log.as_ref().is_some_and(is_model) {
            places.push(format!("{}.log", bed.name));
        }
    }
    if places.is_empty() { Ok(()) } else { Err(RunnableError::ServerOnModel { engine, places }) }
}
