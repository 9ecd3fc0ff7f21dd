//! The databases that a run makes, visits and watches.

use std::fmt;

use database::{DatabaseError, Existing, HangUp, Instance, InstanceSpec, Needs, Watched};
use words::Engine;

/// The one way of a run to the databases of its beds.
pub trait Servers: fmt::Debug + Send + Sync {
    /// An instance of our own, as [`database::provision`] makes it; nothing runs yet.
    ///
    /// # Errors
    /// As there.
    fn provision(
        &self,
        engine: Engine,
        spec: InstanceSpec,
        needs: Needs,
    ) -> Result<Box<dyn Instance>, DatabaseError>;

    /// Somebody else's server for a load of ours, as [`database::visit`] enters it.
    ///
    /// # Errors
    /// As there.
    fn visit(&self, engine: Engine, url: &str, hang_up: HangUp) -> Result<Existing, DatabaseError>;

    /// Somebody else's server under somebody else's load, as [`database::watch`] enters it.
    ///
    /// # Errors
    /// As there.
    fn watch(&self, engine: Engine, url: &str, hang_up: HangUp) -> Result<Watched, DatabaseError>;
}

/// The engines that are installed on this machine, and the servers that it reaches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfMachine;

impl Servers for OfMachine {
    fn provision(
        &self,
        engine: Engine,
        spec: InstanceSpec,
        needs: Needs,
    ) -> Result<Box<dyn Instance>, DatabaseError> {
        database::provision(engine, spec, needs)
    }

    fn visit(&self, engine: Engine, url: &str, hang_up: HangUp) -> Result<Existing, DatabaseError> {
        database::visit(engine, url, hang_up)
    }

    fn watch(&self, engine: Engine, url: &str, hang_up: HangUp) -> Result<Watched, DatabaseError> {
        database::watch(engine, url, hang_up)
    }
}
