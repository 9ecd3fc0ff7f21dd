//! The list of engines: a room for each, and the one way in. The one place that tells engines apart.

pub mod mariadb;
pub mod postgresql;
pub mod sqlite;

use words::Engine;

use crate::client::HangUp;
use crate::error::{DatabaseError, ServerError};
use crate::instance::{Instance, InstanceSpec};
use crate::server::{Existing, Needs, Server, ServerEngine, ServerSizes, Watched};
use mariadb::MariaDb;
use postgresql::PostgreSql;
use sqlite::Sqlite;

/// The engines that are servers.
pub(crate) static SERVERS: &[&ServerEngine] = &[&postgresql::SERVER, &mariadb::SERVER];

/// The way in for a workload, engine by engine: each has its own driver and its own SQL.
#[derive(Clone, Copy, Debug)]
pub enum Access<'a> {
    /// A database inside our own process.
    Sqlite(&'a Sqlite),
    /// A server that speaks PostgreSQL's protocol.
    PostgreSql(PostgreSql<'a>),
    /// A server that speaks the protocol of MariaDB and MySQL.
    MariaDb(MariaDb<'a>),
}

/// Evaluates an expression with the engine behind a way in: `on_engine!(instance.access(), engine =>
/// engine.load(…))`. The expression is compiled once for each engine, so that nothing is looked up while a
/// workload runs. A workload says in a trait what it needs of an engine, and implements it for the type of
/// each.
#[macro_export]
macro_rules! on_engine {
    ($access:expr, $engine:ident => $answer:expr) => {
        match $access {
            $crate::Access::Sqlite($engine) => $answer,
            $crate::Access::PostgreSql($engine) => $answer,
            $crate::Access::MariaDb($engine) => $answer,
        }
    };
}

/// An instance of `engine` of our own in the directories of `spec`; `needs` concerns servers only. Nothing
/// runs yet and an existing database is left as it is.
///
/// # Errors
/// When the engine is not installed, or a directory is foreign or in use.
pub fn provision(
    engine: Engine,
    spec: InstanceSpec,
    needs: Needs,
) -> Result<Box<dyn Instance>, DatabaseError> {
    Ok(match server(engine) {
        Some(engine) => Box::new(Server::new(spec, engine, needs)?),
        None => Box::new(Sqlite::new(spec)?),
    })
}

/// The database that `url` (`SCHEME://USER@HOST:PORT/DATABASE`) names on a server of `engine` that exists; a
/// password that is not in it comes from the environment ([`Engine::password_variable`]). The connection is
/// tried at once; every wait for the server ends when `hang_up` is asked for.
///
/// # Errors
/// When the engine is no server, the address is wrong, nobody answers, the login is refused or the server is
/// too old.
pub fn visit(engine: Engine, url: &str, hang_up: HangUp) -> Result<Existing, DatabaseError> {
    let built_in = || ServerError::BuiltIn { engine: engine.title() };
    Existing::visit(url, server(engine).ok_or_else(built_in)?, hang_up)
}

/// The server of `engine` at `url`, to be looked at under somebody else's load: as [`visit`], but read-only,
/// and an address with a password in it is refused.
///
/// # Errors
/// As [`visit`]; when the user may not see what other users' sessions do.
pub fn watch(engine: Engine, url: &str, hang_up: HangUp) -> Result<Watched, DatabaseError> {
    let built_in = || ServerError::BuiltIn { engine: engine.title() };
    Watched::visit(url, server(engine).ok_or_else(built_in)?, hang_up)
}

/// The space that an instance of `engine` takes on storage; `None` for the embedded engine.
#[must_use]
pub fn sizes(engine: Engine) -> Option<ServerSizes> {
    server(engine).map(|server| server.sizes)
}

fn server(engine: Engine) -> Option<&'static ServerEngine> {
    SERVERS.iter().copied().find(|server| server.word == engine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_server_has_a_room() {
        for engine in Engine::ALL {
            assert_eq!(server(*engine).is_some(), engine.is_server(), "{engine}");
        }
        let message = visit(Engine::Sqlite, "x", HangUp::default()).unwrap_err().to_string();
        assert_eq!(message, "SQLite is built in and has no server");
    }
}
