//! What can go wrong when a run is read for a comparison or a report.

use notebook::{NotebookError, RunId};

/// Why a comparison or report could not be made. A run with missing, invalid or single cells is no error:
/// what is there is shown, and what is missing is named.
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
    /// Two runs share no bed, workload and level, so nothing can be set against anything.
    #[error(
        "runs {a} and {b} have no bed, workload and level in common: the first has {first}, the second has {second}; \
         compare runs of the same experiment"
    )]
    NothingInCommon {
        /// The first run.
        a: RunId,
        /// The second run.
        b: RunId,
        /// What the first run measured.
        first: String,
        /// What the second run measured.
        second: String,
    },
    /// The page could not be put together; an error of this program.
    #[error("the report's page could not be written: {0}; this is a fault of drivetrain, please report it")]
    Page(#[from] askama::Error),
}
