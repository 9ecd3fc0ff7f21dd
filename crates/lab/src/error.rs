//! Errors that stop a run. A failed cell is not an error of the run: it is recorded as invalid and the run
//! goes on.

use std::path::PathBuf;

/// A fault of one place: whose it is, what it is, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceFault {
    /// The bed or workload.
    pub place: String,
    /// The fault.
    pub what: String,
    /// The remedy.
    pub fix: String,
}

/// An error that stopped the run: the fault, the place and the next step.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// Safety forbids it: a foreign directory, a block device.
    #[error("refused: {0}")]
    Refused(String),
    /// The experiment asks for something that cannot be done as written.
    #[error("{what}\n  in the experiment: {place}\n  what to do: {fix}")]
    Experiment {
        /// The impossible request.
        what: String,
        /// The part of the experiment.
        place: String,
        /// The necessary change.
        fix: String,
    },
    /// An option of a command asks for something that cannot be done.
    #[error("{what}\n  at: {option}\n  what to do: {fix}")]
    Option {
        /// The impossible request.
        what: String,
        /// The option with its value.
        option: String,
        /// The necessary change.
        fix: String,
    },
    /// Places of the experiment cannot be used on this machine.
    #[error("{}", InWords(faults))]
    Places {
        /// All of them.
        faults: Vec<PlaceFault>,
    },
    /// A drive file could not be read or understood.
    #[error("drive of bed `{bed}`: {why}")]
    Drive {
        /// The bed.
        bed: String,
        /// The catalogue's own words.
        why: String,
    },
    /// The file system said no.
    #[error("{doing} {path}: {source}", path = path.display())]
    Io {
        /// The failed action.
        doing: &'static str,
        /// With which path.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// The database server could not be provisioned, started or copied.
    #[error("database: {0}")]
    Database(String),
    /// Loading failed or the loaded data is not consistent.
    #[error("loading order entry: {0}")]
    Load(String),
    /// The storage layer.
    #[error("storage: {0}")]
    Storage(String),
    /// The notebook could not be read or written.
    #[error(transparent)]
    Notebook(#[from] notebook::NotebookError),
    /// Several hosts: a rank is gone, failed or does not come, or the lead is gone.
    #[error("{0}")]
    Fleet(#[from] fleet::FleetError),
    /// The run that should go on is finished, or its stored experiment cannot be read.
    #[error("run {run}: {why}")]
    Resume {
        /// The run's number.
        run: i64,
        /// The fault.
        why: String,
    },
}

/// Faults of places: one as every fault of an experiment is told, of several all in a list.
struct InWords<'a>(&'a [PlaceFault]);

impl std::fmt::Display for InWords<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let [PlaceFault { place, what, fix }] = self.0 {
            return write!(f, "{what}\n  in the experiment: {place}\n  what to do: {fix}");
        }
        write!(f, "{} places of the experiment cannot be used as they are", self.0.len())?;
        self.0.iter().try_for_each(|PlaceFault { place, what, fix }| {
            write!(f, "\n- {place}: {what}\n  what to do: {fix}")
        })
    }
}

impl LabError {
    /// The error of a marked directory that cannot be made, examined or removed: a refusal, unless the file
    /// system failed.
    pub(crate) fn of_marker(error: database::DatabaseError) -> Self {
        match error {
            database::DatabaseError::Io { doing, path, source } => Self::Io { doing, path, source },
            other => Self::refused(other),
        }
    }

    /// A refusal from below, in its own words.
    pub(crate) fn refused(error: impl std::fmt::Display) -> Self {
        Self::Refused(error.to_string())
    }
}
