//! A server that somebody else runs: visited by its address, never provisioned, copied, stopped or crashed.

use std::collections::BTreeMap;
use std::path::Path;

use emulate::Counters;
use parking_lot::Mutex;
use words::Engine;

use super::control::Control;
use super::engine::ServerEngine;
use super::url;
use crate::client::{Endpoint, HangUp, Life};
use crate::copy::CopyReport;
use crate::engine::Access;
use crate::error::{DatabaseError, ServerError};
use crate::instance::{Instance, RunsIn};
use crate::waits::Waits;

/// One database on an existing server.
#[derive(Debug)]
pub struct Existing {
    engine: &'static ServerEngine,
    endpoint: Endpoint,
    version: String,
    settings: BTreeMap<String, String>,
    control: Mutex<Option<Box<dyn Control>>>,
}

impl Existing {
    /// Reads the address and enters once, so that a wrong one is found now.
    pub(crate) fn visit(
        url: &str,
        engine: &'static ServerEngine,
        hang_up: HangUp,
    ) -> Result<Self, DatabaseError> {
        let address = url::parse(url, engine, std::env::var(engine.word.password_variable()).ok())?;
        let endpoint = Endpoint { hang_up, ..address };
        let mut control = (engine.connect)(&endpoint)?;
        let version = control.version()?;
        if !(engine.wanted.does)(&version) {
            let (place, needed) = (endpoint.address(), engine.wanted.engine);
            let engine = engine.word.title();
            return Err(ServerError::TooOld { engine, place, found: version, needed }.into());
        }
        let settings = control.effective(engine.watched_of_existing)?;
        Ok(Self { engine, endpoint, version, settings, control: Mutex::new(Some(control)) })
    }

    /// Its address and its user.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Checks that the user may create tables, which loading needs and running does not.
    ///
    /// # Errors
    /// [`ServerError::NoPrivilege`] with the statement that grants it; when the server does not answer.
    pub fn require_create(&self) -> Result<(), DatabaseError> {
        self.with_control(|control| control.require_create())
    }

    fn with_control<T>(
        &self,
        work: impl FnOnce(&mut dyn Control) -> Result<T, ServerError>,
    ) -> Result<T, DatabaseError> {
        let mut slot = self.control.lock();
        let mut control = slot.take().map_or_else(|| (self.engine.connect)(&self.endpoint), Ok)?;
        let outcome = work(&mut *control)?;
        // A connection that failed was dropped above and is opened anew the next time.
        *slot = Some(control);
        Ok(outcome)
    }

    fn not_ours<T>(&self, doing: &'static str) -> Result<T, DatabaseError> {
        Err(ServerError::NotOurs { doing, address: self.endpoint.address() }.into())
    }
}

impl Instance for Existing {
    fn engine(&self) -> Engine {
        self.engine.word
    }

    fn version(&self) -> String {
        self.version.clone()
    }

    fn access(&self) -> Access<'_> {
        (self.engine.access)(&self.endpoint)
    }

    /// Only checks that it answers.
    fn start(&mut self) -> Result<(), DatabaseError> {
        self.with_control(|control| control.version()).map(|_| ())
    }

    /// Only leaves.
    fn stop(&mut self) -> Result<(), DatabaseError> {
        *self.control.lock() = None;
        Ok(())
    }

    fn crash(&mut self) -> Result<(), DatabaseError> {
        self.not_ours("crashing the server")
    }

    fn crash_under_load(&self, _seed: u64) -> Result<(), DatabaseError> {
        self.not_ours("crashing the server")
    }

    fn remove(&mut self) -> Result<(), DatabaseError> {
        self.not_ours("removing the database")
    }

    fn snapshot(&mut self, _to: &Path) -> Result<CopyReport, DatabaseError> {
        self.not_ours("copying the database")
    }

    fn restore(&mut self, _from: &Path) -> Result<CopyReport, DatabaseError> {
        self.not_ours("restoring a copy")
    }

    fn size_bytes(&self) -> u64 {
        self.with_control(|control| control.size_bytes()).unwrap_or(0)
    }

    fn settings(&self) -> Vec<(String, String)> {
        let name = self.engine.word.name();
        let mut lines = vec![
            (format!("{name}.version"), self.version.clone()),
            (
                format!("{name}.server"),
                format!("existing, at {}; its settings are its owner's", self.endpoint.address()),
            ),
        ];
        lines.extend(self.settings.iter().map(|(key, value)| (format!("{name}.{key}"), value.clone())));
        lines
    }

    fn storage_counters(&self) -> Counters {
        Counters::default()
    }

    fn first_storage_error(&self) -> Option<String> {
        None
    }

    fn cut_power(&self, _seed: u64) -> Result<(), DatabaseError> {
        self.not_ours("cutting the power")
    }

    fn power_on(&mut self) -> Result<(), DatabaseError> {
        self.not_ours("cutting the power")
    }

    fn set_lying_flush(&self, _lies: bool) -> Result<(), DatabaseError> {
        self.not_ours("letting flushes lie")
    }

    fn server_counters(&self) -> Result<BTreeMap<String, f64>, DatabaseError> {
        self.with_control(|control| control.counters())
    }

    fn wait_sample(&self) -> Result<Waits, DatabaseError> {
        self.with_control(|control| control.waits())
    }

    fn runs_in(&self) -> RunsIn {
        RunsIn::Elsewhere
    }

    fn life(&self) -> Result<Option<Life>, DatabaseError> {
        self.with_control(|control| control.life()).map(Some)
    }
}
