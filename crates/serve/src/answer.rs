//! Answers: pages, and pages that say why there is none.

use askama::Template;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use notebook::NotebookError;
use report::ReportError;

use crate::pages;

/// An answer that could not be made.
pub(crate) struct Failed(pub(crate) StatusCode, pub(crate) String);

impl From<NotebookError> for Failed {
    fn from(error: NotebookError) -> Self {
        let status = match error {
            NotebookError::NoSuchRun { .. } => StatusCode::NOT_FOUND,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self(status, error.to_string())
    }
}

impl From<ReportError> for Failed {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::Notebook(error) => error.into(),
            other => Self(StatusCode::UNPROCESSABLE_ENTITY, other.to_string()),
        }
    }
}

impl axum::response::IntoResponse for Failed {
    fn into_response(self) -> Response {
        let why = self.1.clone();
        (self.0, page(&pages::Failed { why })).into_response()
    }
}

/// An answer, or why there is none.
pub(crate) type Answer = Result<Response, Failed>;

/// A page.
pub(crate) fn page(template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => axum::response::Html(text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}
