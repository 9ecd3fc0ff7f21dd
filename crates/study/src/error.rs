//! Errors of questions to a study or a run.

use notebook::NotebookError;

use crate::calibrate::CalibrateError;
use crate::predict::PredictError;
use crate::procedure::ProcedureError;

/// The reason why a question to a study or a run has no answer.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The run, the experiment or the study does not have the data that the question needs; says what would.
    #[error("{0}")]
    Question(String),
    /// The notebook cannot be read or written.
    #[error(transparent)]
    Notebook(#[from] NotebookError),
    /// A published procedure cannot be simulated.
    #[error(transparent)]
    Procedure(#[from] ProcedureError),
    /// The parameters cannot be fitted.
    #[error(transparent)]
    Calibrate(#[from] CalibrateError),
    /// The demands of the run cannot be predicted with.
    #[error(transparent)]
    Predict(#[from] PredictError),
}

impl StudyError {
    pub(crate) fn question(message: impl Into<String>) -> StudyError {
        StudyError::Question(message.into())
    }
}
