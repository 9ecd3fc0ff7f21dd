//! Errors in reading a run for a comparison or a report.

use crate::refusal::Refusal;
use notebook::{NotebookError, RunId};

/// An error that prevents a comparison or a report. A run with missing, invalid or single cells is no error:
/// the existing cells are shown, and the missing ones are named.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The notebook could not be read.
    #[error(transparent)]
    Notebook(#[from] NotebookError),
    /// The run was never planned to its end, so there is nothing to show.
    #[error("run {run} has no {what}: it was stopped before it was planned; run the experiment again")]
    Empty {
        /// The run.
        run: RunId,
        /// `beds` or `cells`.
        what: &'static str,
    },
    /// Two runs are not alike, so neither can be judged by the other.
    #[error(transparent)]
    Refused(#[from] Box<Refusal>),
    /// A name given as varied is nothing in which two runs can differ.
    #[error("--treat {}: nothing is called {}; it can be {}", names.join(","), quoted(names), known.join(", "))]
    NoFactor {
        /// The names without a meaning.
        names: Vec<String>,
        /// The differences of the two runs; where there are none, everything in which they could differ.
        known: Vec<String>,
    },
    /// The page could not be put together; an error of this program.
    #[error("the report's page could not be written: {0}; this is a fault of drivetrain, please report it")]
    Page(#[from] askama::Error),
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
}
