//! The connection over which a server is asked and set up.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::atomic::AtomicBool;

use crate::backup::TableSum;
use crate::client::{Endpoint, Life};
use crate::error::ServerError;
use crate::waits::Waits;

use super::look::{Look, ServerPlace};

/// A connection for questions and set-up, apart from the workload's.
pub(crate) trait Control: Debug + Send {
    /// Makes our user and database on a new instance.
    fn set_up(&mut self, endpoint: &Endpoint) -> Result<(), ServerError>;

    /// Brings a loaded server into the state that its copies are to start from.
    fn before_copy(&mut self) -> Result<(), ServerError>;

    /// The server's counters, by its own names and by those of [`crate::Instance::server_counters`].
    fn counters(&mut self) -> Result<BTreeMap<String, f64>, ServerError>;

    /// The working clients at this moment, by the class of their waits.
    fn waits(&mut self) -> Result<Waits, ServerError>;

    /// Makes this session read-only, and checks that its user may see what others do. Gives the server's
    /// place, as far as its user may know it.
    fn watch(&mut self) -> Result<ServerPlace, ServerError>;

    /// Counters, clients and waits at this moment, in as few questions as can be.
    fn look(&mut self) -> Result<Look, ServerError>;

    /// Marks of the server's present life.
    fn life(&mut self) -> Result<Life, ServerError>;

    /// The values that the server has for the settings `names`; unknown ones are left out.
    fn effective(&mut self, names: &[&str]) -> Result<BTreeMap<String, String>, ServerError>;

    /// The contents of every table of our database, in the order of their names.
    fn sums(&mut self, stop: &AtomicBool) -> Result<Vec<TableSum>, ServerError>;

    /// Engine and version in the server's words.
    fn version(&mut self) -> Result<String, ServerError>;

    /// Size of our database, bytes.
    fn size_bytes(&mut self) -> Result<u64, ServerError>;

    /// Checks that our user may create tables.
    fn require_create(&mut self) -> Result<(), ServerError>;
}
