//! Answers: pages, and pages that say why there is none.

use askama::Template;
use axum::Json;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use notebook::NotebookError;
use report::ReportError;

use crate::pages;

/// The reason of a failure, as it travels with the page that tells it.
#[derive(Clone)]
struct Why(String);

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
        let mut response = (self.0, page(&pages::Failed { why })).into_response();
        response.extensions_mut().insert(Why(self.1));
        response
    }
}

/// The failures of data addresses as JSON, `{"error": "..."}`: their readers are programs.
pub(crate) async fn failures_as_json(request: Request, next: Next) -> Response {
    let is_data = request.uri().path().starts_with("/api/");
    let mut response = next.run(request).await;
    match response.extensions_mut().remove::<Why>() {
        Some(Why(why)) if is_data => {
            (response.status(), Json(serde_json::json!({ "error": why }))).into_response()
        }
        _ => response,
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
