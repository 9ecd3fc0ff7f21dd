//! What order entry needs of a server besides an admin connection; with it the server can be run on and
//! proven.

use super::ask::input::Input;
use super::ask::mode::Mode;
use super::ask::terminal::Screen;
use super::load::loaded::Loaded;
use crate::admin::Server;
use crate::driver::{Connect, Session};
use crate::error::OltpError;

/// A server on which order entry works.
pub(crate) trait OrderEntryServer: Server {
    /// Opens the sessions of virtual users.
    type Connector: Connect<Session: Session<Request = Input, Answer = Screen>>;

    /// The way in for virtual users whose transactions work in `mode`.
    fn connector(self, mode: Mode) -> Self::Connector;

    /// Adds our routines and the note of what the tables hold.
    async fn note(self, loaded: &Loaded) -> Result<(), OltpError>;
}
