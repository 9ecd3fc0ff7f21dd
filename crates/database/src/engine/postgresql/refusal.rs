//! Errors of PostgreSQL's driver in our words.
//!
//! Only the server itself refuses a user, by a code of its class 28. A server that says what PostgreSQL never
//! says is another one, or broken, and its user's password is not to blame.

use std::error::Error as _;
use std::io;

use tokio_postgres::Error;
use tokio_postgres::error::SqlState;
use words::Engine;

use super::{OpeningError, TITLE};
use crate::client::Endpoint;
use crate::error::{ServerError, bounded_text, with_causes};

/// Codes of this class are "invalid authorization specification" (PostgreSQL's appendix A).
const REFUSALS: &str = "28";
/// The action that failed while there is no connection.
const CONNECTING: &str = "connecting";
/// The driver's own words for an answer that is none of PostgreSQL's; it has no other name for its kind.
const STRANGE: [&str; 3] =
    ["error parsing response from server", "unexpected message from server", "authentication error"];

/// A connection that could not be opened.
pub(super) fn not_opened(error: &OpeningError, endpoint: &Endpoint) -> ServerError {
    match error {
        OpeningError::Driver { error, said } => explain(error, said, CONNECTING, endpoint),
        OpeningError::Socket(_) => {
            let why = with_causes(error);
            ServerError::Unreached { engine: TITLE, address: endpoint.address(), why }
        }
    }
}

/// An error of the driver; `said` is the start of the server's last message.
pub(super) fn explain(error: &Error, said: &str, doing: &'static str, endpoint: &Endpoint) -> ServerError {
    let address = endpoint.address();
    let Some(database) = error.as_db_error() else { return without_code(error, said, doing, endpoint) };
    let why = bounded_text(database.message());
    match database.code() {
        code if code.code().starts_with(REFUSALS) => wrong_password(endpoint, why),
        &SqlState::INVALID_CATALOG_NAME => {
            ServerError::NoDatabase { engine: TITLE, address, database: endpoint.database.clone() }
        }
        &SqlState::CANNOT_CONNECT_NOW => ServerError::Starting { engine: TITLE, address, why },
        &SqlState::INSUFFICIENT_PRIVILEGE => ServerError::NoPrivilege {
            doing,
            user: endpoint.user.clone(),
            why,
            fix: "grant it, or name another user in the URL".to_owned(),
        },
        code => {
            let code = bounded_text(code.code());
            ServerError::Statement { engine: TITLE, doing, why: format!("{why} (SQLSTATE {code})") }
        }
    }
}

/// An error that is no answer of the server with a code.
fn without_code(error: &Error, said: &str, doing: &'static str, endpoint: &Endpoint) -> ServerError {
    let (address, why) = (endpoint.address(), with_causes(error));
    if why.contains("password missing") {
        return wrong_password(endpoint, why);
    }
    if why.contains("unsupported") {
        let why = format!(
            "{why}; let this user in with scram-sha-256, md5 or password in the server's pg_hba.conf, or name another user in the URL"
        );
        return ServerError::Statement { engine: TITLE, doing, why };
    }
    if is_strange(error) {
        let why = match said {
            "" => why,
            said => format!("{why}; its last message begins with `{said}`"),
        };
        return ServerError::Strange { engine: TITLE, address, doing, why };
    }
    match doing {
        CONNECTING => ServerError::Unreached { engine: TITLE, address, why },
        _ => {
            let why =
                format!("{why}; look into the server's log for the reason, and run this again once it is up");
            ServerError::Statement { engine: TITLE, doing, why }
        }
    }
}

/// True if the server said what PostgreSQL does not say; false if the connection ended.
fn is_strange(error: &Error) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    let is_malformed = source.is_some_and(|error| {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
    });
    is_malformed || STRANGE.contains(&error.to_string().as_str())
}

fn wrong_password(endpoint: &Endpoint, why: String) -> ServerError {
    ServerError::WrongPassword {
        engine: TITLE,
        address: endpoint.address(),
        user: endpoint.user.clone(),
        why,
        variable: Engine::PostgreSql.password_variable(),
    }
}
