//! The common part of clients of servers' protocols: just enough to run prepared statements and read rows,
//! one round trip a statement.
//!
//! The general drivers cost several times what sysbench's C libraries cost for each statement (a task and a
//! queue for each connection, values and rows on the heap), so a comparison with them would measure the
//! client. Here a statement is encoded into one buffer, sent with one call, and the answer is walked through
//! where it lies.

mod guard;
mod socket;

use std::io;

use database::Endpoint;

pub(crate) use guard::Guard;
pub(crate) use socket::{SILENCE_MAX, Socket, Waiting};

/// The error of a statement.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WireError {
    /// The server's answer: SQLSTATE, the server's own number where it has one, and its words.
    #[error("{message} (SQLSTATE {state})", state = String::from_iter(state))]
    Refused { state: [char; 5], number: u16, message: String },
    /// The connection failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The received data violate the protocol.
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

    pub(crate) fn protocol(what: impl Into<String>) -> Self {
        Self::Protocol(what.into())
    }
}

/// The result of a statement.
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

/// One connection that speaks a server's protocol.
pub(crate) trait Client: Sized {
    /// Connects and logs in.
    async fn connect(endpoint: &Endpoint, waiting: Waiting<'_>) -> Result<Self, WireError>;

    /// Executes one statement without values as text.
    async fn text(&mut self, sql: &str) -> Result<Outcome, WireError>;

    /// Asks as text for one row.
    async fn row(&mut self, sql: &str) -> Result<Row, WireError>;
}

/// The first row of a result as text, NULLs as `None`; empty when there was no row.
pub(crate) type Row = Vec<Option<String>>;
