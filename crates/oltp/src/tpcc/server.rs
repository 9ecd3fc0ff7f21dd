//! The needs of order entry from a server besides an admin connection, for loading, running and verification.

use super::ask::input::Input;
use super::ask::mode::Mode;
use super::ask::terminal::Screen;
use super::load::server::LoadServer;
use crate::driver::{Connect, Failure, Session};

/// A server on which order entry works.
pub(crate) trait OrderEntryServer: LoadServer + Sync {
    /// One connection of virtual users.
    type Session: Session<Request = Input, Answer = Screen> + 'static;

    /// Connects for users whose transactions work in `mode`.
    async fn session(self, mode: Mode) -> Result<Self::Session, Failure>;
}

/// Opens the sessions of virtual users.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connector<S> {
    pub(crate) server: S,
    pub(crate) mode: Mode,
}

impl<S: OrderEntryServer> Connect for Connector<S> {
    type Session = S::Session;

    async fn connect(&self) -> Result<S::Session, Failure> {
        self.server.session(self.mode).await
    }
}
