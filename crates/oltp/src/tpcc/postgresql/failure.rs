//! The meaning of an error of PostgreSQL for the run.

use database::postgresql::OpeningError;
use database::{bounded_text, with_causes};
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::driver::Failure;

/// A connection that could not be opened.
pub(super) fn not_opened(error: OpeningError) -> Failure {
    match error {
        OpeningError::Socket(_) => Failure::Lost(with_causes(&error)),
        OpeningError::Driver { error, .. } => failure(error),
    }
}

pub(super) fn failure(error: Error) -> Failure {
    let Some(answer) = error.as_db_error() else {
        return match error.is_closed()
            || std::error::Error::source(&error).is_some_and(|source| source.is::<std::io::Error>())
        {
            true => Failure::Lost(with_causes(&error)),
            false => Failure::Error { kind: "unexpected value", message: with_causes(&error) },
        };
    };
    let (code, message) = (answer.code(), bounded_text(&answer.to_string()));
    let retries = [
        (SqlState::T_R_DEADLOCK_DETECTED, "deadlock"),
        (SqlState::T_R_SERIALIZATION_FAILURE, "serialization failure"),
        (SqlState::LOCK_NOT_AVAILABLE, "lock not available"),
    ];
    if let Some((_, kind)) = retries.iter().find(|(state, _)| state == code) {
        return Failure::Retry(kind);
    }
    match code.code() {
        // The server ends, crashes or starts.
        "57P01" | "57P02" | "57P03" | "57P05" => Failure::Lost(message),
        // Disk full, input or output failed, files damaged.
        "53100" | "58030" | "XX001" | "XX002" => Failure::Fatal(message),
        code if code.starts_with("08") => Failure::Lost(message),
        code if code.starts_with("23") => Failure::Error { kind: "constraint violated", message },
        _ => Failure::Error { kind: "statement failed", message },
    }
}

/// A row that must be there is not.
pub(super) fn missing(what: &str) -> Failure {
    Failure::Error { kind: "missing row", message: format!("{what} is not there") }
}
