//! Just enough of both servers' protocols to run prepared statements and read rows, one round trip a
//! statement.
//!
//! The general drivers cost several times what sysbench's C libraries cost for each statement (a task and a
//! queue for each connection, values and rows on the heap), so a comparison with them would measure the
//! client. Here a statement is encoded into one buffer, sent with one call, and the answer is walked through
//! where it lies.

mod guard;
mod mysql;
mod postgres;
mod socket;

use std::io;

pub(crate) use guard::Guard;
pub(crate) use mysql::{Client as MySql, Prepared as MySqlStatement};
pub(crate) use postgres::Client as Postgres;
pub(crate) use socket::{SILENCE_MAX, Waiting};

/// Why a statement did not end as it should.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WireError {
    /// The server's answer: SQLSTATE, the server's own number where it has one, and its words.
    #[error("{message} (SQLSTATE {state})", state = String::from_iter(state))]
    Refused { state: [char; 5], number: u16, message: String },
    /// The connection failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// What came is not what the protocol says.
    #[error("the server's answer is not understood: {0}")]
    Protocol(String),
    /// A login that this client does not know.
    #[error("the server asks for the login method `{method}`, which is not supported here; {hint}")]
    Login { method: String, hint: &'static str },
}

impl WireError {
    /// The SQLSTATE of a refusal.
    pub(crate) fn state(&self) -> Option<String> {
        match self {
            Self::Refused { state, .. } => Some(state.iter().collect()),
            _ => None,
        }
    }

    fn protocol(what: impl Into<String>) -> Self {
        Self::Protocol(what.into())
    }
}

/// What came of a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Rows that came back.
    pub(crate) rows: u64,
    /// Rows that were changed.
    pub(crate) changed: u64,
}

/// A value of a statement.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'a> {
    Integer(u32),
    Text(&'a [u8]),
}

/// The first row of a result as text, NULLs as `None`; empty when there was no row.
pub(crate) type Row = Vec<Option<String>>;

/// Conversations with a server that says whatever it likes, for the targets of `fuzz/` alone.
#[cfg(fuzzing)]
pub mod fuzzing {
    use database::{Endpoint, Secret};
    use futures_util::FutureExt as _;

    fn endpoint() -> Endpoint {
        Endpoint {
            socket: None,
            host: "h".to_owned(),
            port: 1,
            user: "u".to_owned(),
            password: Some(Secret::new("secret")),
            database: "d".to_owned(),
            hang_up: database::HangUp::default(),
        }
    }

    /// A client of MariaDB or MySQL hears these bytes.
    pub fn mysql(bytes: &[u8]) {
        let ended = super::mysql::converse(bytes, &endpoint()).now_or_never().expect("nothing is waited for");
        assert!(!ended.expect_err("all words end").to_string().is_empty());
    }

    /// A client of PostgreSQL hears these bytes.
    pub fn postgres(bytes: &[u8]) {
        let ended =
            super::postgres::converse(bytes, &endpoint()).now_or_never().expect("nothing is waited for");
        let said = bytes.windows(6).any(|word| word == b"secret");
        assert!(said || !ended.expect_err("all words end").to_string().contains("secret"));
    }
}
