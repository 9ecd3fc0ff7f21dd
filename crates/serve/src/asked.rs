//! The parts of an address that a request asks by. A fault in them is told in the words of this program.

use axum::extract::{FromRequestParts, Path, Query as InQuery};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::answer::Failed;

/// The places of an address that vary: `/run/7`.
pub(crate) struct InPath<T>(pub(crate) T);

/// The text after the question mark of an address: `?a=2&b=1`.
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for InPath<T> {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failed> {
        let asked = Path::<T>::from_request_parts(parts, state).await;
        let path = parts.uri.path();
        asked.map(|Path(asked)| Self(asked)).map_err(|_| {
            let why = format!("{path}: runs and cells have numbers, as in /run/1; all runs are at /");
            Failed(StatusCode::NOT_FOUND, why)
        })
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failed> {
        let asked = InQuery::<T>::from_request_parts(parts, state).await;
        asked.map(|InQuery(asked)| Self(asked)).map_err(|_| {
            let why = format!(
                "{}: a number of a run is missing or is not a number; write /compare?a=2&b=1 for two runs, /trend?run=7 for one run, and /?before=100 for the runs before one",
                parts.uri.path()
            );
            Failed(StatusCode::BAD_REQUEST, why)
        })
    }
}
