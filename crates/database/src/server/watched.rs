//! A server that somebody else runs and loads: looked at, and never asked to do anything.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use words::{Engine, ServerUrl};

use super::control::Control;
use super::engine::ServerEngine;
use super::look::{Grown, Look, ServerPlace, Work};
use super::url;
use crate::client::{Endpoint, HangUp};
use crate::error::{DatabaseError, ServerError};
use crate::instance::RunsIn;

/// A server under somebody else's load. Its sessions are read-only and read nothing but the server's own
/// views.
#[derive(Debug)]
pub struct Watched {
    engine: &'static ServerEngine,
    endpoint: Endpoint,
    version: String,
    settings: BTreeMap<String, String>,
    place: ServerPlace,
    control: Option<Box<dyn Control>>,
}

impl Watched {
    /// Reads the address and enters once, so that a wrong one, or a user who may not look, is found now.
    pub(crate) fn visit(
        url: &str,
        engine: &'static ServerEngine,
        hang_up: HangUp,
    ) -> Result<Self, DatabaseError> {
        let variable = engine.word.password_variable();
        if ServerUrl::read(url, engine.word).is_ok_and(|address| address.password.is_some()) {
            return Err(ServerError::PasswordInUrl { variable }.into());
        }
        let address = url::parse(url, engine, std::env::var(variable).ok())?;
        let endpoint = Endpoint { hang_up, ..address };
        let mut control = (engine.connect)(&endpoint)?;
        let version = control.version()?;
        if !(engine.wanted.does)(&version) {
            let (place, needed) = (endpoint.address(), engine.wanted.engine);
            let engine = engine.word.title();
            return Err(ServerError::TooOld { engine, place, found: version, needed }.into());
        }
        let place = control.watch()?;
        let settings = control.effective(engine.watched_of_existing)?;
        let place = if is_on_this_machine(&endpoint) { here(place) } else { ServerPlace::default() };
        Ok(Self { engine, endpoint, version, settings, place, control: Some(control) })
    }

    /// Its engine.
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.engine.word
    }

    /// Engine and version in the server's words.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Its address in words, without user and password.
    #[must_use]
    pub fn address(&self) -> String {
        self.endpoint.address()
    }

    /// True if it runs on this machine, as far as its address and its own directory show.
    #[must_use]
    pub fn is_here(&self) -> bool {
        is_on_this_machine(&self.endpoint)
    }

    /// The directory of its data, if that is on this machine and its user may know it.
    #[must_use]
    pub fn data_dir(&self) -> Option<&Path> {
        self.place.data_dir.as_deref()
    }

    /// Processor time of all its processes so far, if they are on this machine and can be recognised.
    #[must_use]
    pub fn processor_time(&self) -> Option<Duration> {
        self.place.process.and_then(|process| RunsIn::Process(process).processor_time())
    }

    /// Its settings that can change a result.
    pub fn settings(&self) -> impl Iterator<Item = (String, String)> {
        let name = self.engine.word.name();
        self.settings.iter().map(move |(key, value)| (format!("{name}.{key}"), value.clone()))
    }

    /// Size of the database that its address names, bytes.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn size_bytes(&mut self) -> Result<u64, DatabaseError> {
        self.with_control(|control| control.size_bytes())
    }

    /// Counters, clients and their waits at this moment. A connection that was lost is made anew.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn look(&mut self) -> Result<Look, DatabaseError> {
        self.with_control(|control| control.look())
    }

    /// The work behind the growth of the counters in `looks` intervals between two looks.
    #[must_use]
    pub fn work(&self, grown: &Grown, looks: u64) -> Work {
        (self.engine.work)(grown, looks)
    }

    fn with_control<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Control) -> Result<T, ServerError>,
    ) -> Result<T, DatabaseError> {
        let mut control = match self.control.take() {
            Some(control) => control,
            None => {
                let mut control = (self.engine.connect)(&self.endpoint)?;
                let place = control.watch()?;
                if is_on_this_machine(&self.endpoint) {
                    self.place = here(place);
                }
                control
            }
        };
        let outcome = work(&mut *control)?;
        // A connection that failed was dropped above and is opened anew the next time.
        self.control = Some(control);
        Ok(outcome)
    }
}

/// True for a socket and for the loopback interface.
fn is_on_this_machine(endpoint: &Endpoint) -> bool {
    let is_loopback = |host: &str| {
        host.eq_ignore_ascii_case("localhost")
            || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    };
    endpoint.socket.is_some() || is_loopback(&endpoint.host)
}

/// The parts of a place that are seen on this machine: a server in a container has others.
fn here(place: ServerPlace) -> ServerPlace {
    let is_seen = |path: &PathBuf| match path.symlink_metadata() {
        Ok(found) => found.is_dir(),
        Err(error) => error.kind() == std::io::ErrorKind::PermissionDenied,
    };
    ServerPlace { data_dir: place.data_dir.filter(is_seen), process: place.process }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::postgresql;

    #[test]
    fn a_password_in_the_address_is_refused_before_anybody_is_asked() {
        for url in ["postgresql://me:sesame@127.0.0.1:1/d", "postgresql://me@127.0.0.1:1/d?password=sesame"] {
            let told = Watched::visit(url, &postgresql::SERVER, HangUp::default()).unwrap_err().to_string();
            assert!(told.contains("PGPASSWORD") && !told.contains("sesame"), "{told}");
        }
    }

    #[test]
    fn a_place_that_is_not_seen_here_is_not_known() {
        let place = ServerPlace { data_dir: Some("/no/such/place".into()), process: Some(7) };
        assert_eq!(here(place.clone()).data_dir, None);
        assert_eq!(here(ServerPlace { data_dir: Some("/".into()), ..place }).data_dir, Some("/".into()));
    }
}
