//! PostgreSQL: its programs, its files and the way into it.

mod backup;
mod control;
mod files;
mod leftovers;
mod look;
mod opening;
mod refusal;
mod settings;
mod waits;

use std::process::Command;

use rustix::process::Signal;
use words::Engine;

use crate::client::Endpoint;
use crate::engine::Access;
use crate::error::DatabaseError;
use crate::instance::InstanceSpec;
use crate::machine::Account;
use crate::machine::binaries::{Found, Wanted, numbers};
use crate::server::{
    Layout, Needs, Server, ServerConfig, ServerEngine, ServerProgram, ServerSizes, Setting, SocketName,
};

pub use opening::{Opened, OpeningError};

const TITLE: &str = Engine::PostgreSql.title();
const OLDEST: u32 = 13;

/// The facts of PostgreSQL. `DRIVETRAIN_POSTGRESQL_BIN` names a folder with `postgres` and `initdb`.
pub(crate) static SERVER: ServerEngine = ServerEngine {
    word: Engine::PostgreSql,
    wanted: Wanted {
        engine: "PostgreSQL 13 or newer",
        package: "postgresql",
        variable: "DRIVETRAIN_POSTGRESQL_BIN",
        programs: &["postgres"],
        folders: &[
            "/usr/lib/postgresql/*/bin",
            "/usr/pgsql-*/bin",
            "/usr/local/pgsql/bin",
            "/opt/postgresql/*/bin",
        ],
        does: |line| numbers(line).first().is_some_and(|&major| major >= OLDEST),
    },
    program: |found| Box::new(Program::new(found)),
    connect: control::connect,
    work: look::work,
    access: |endpoint| Access::PostgreSql(PostgreSql(endpoint)),
    account: "postgres",
    // "Fast": clients are sent away, then the last checkpoint.
    stop_signal: Signal::INT,
    // "Immediate": no checkpoint, but the server's processes are ended and its shared memory is given back.
    end_signal: Signal::QUIT,
    starts_closed: false,
    first_entry: |endpoint| Endpoint { database: "postgres".to_owned(), ..endpoint.clone() },
    socket: Some(SocketName::BeforePort(".s.PGSQL.")),
    watched: settings::WATCHED,
    watched_of_existing: settings::OF_EXISTING,
    files: files::FILES,
    clean_up: leftovers::clear,
    sizes: ServerSizes {
        empty_bytes: 45_000_000,
        warehouse_bytes: 112_000_000,
        log_bytes: settings::log_bytes,
    },
};

/// The way into a server that speaks PostgreSQL's protocol.
#[derive(Clone, Copy, Debug)]
pub struct PostgreSql<'a>(pub &'a Endpoint);

/// An instance of our own in the directories of `spec`. Nothing runs yet and an existing database is left as
/// it is.
///
/// # Errors
/// When no server is installed, or a directory is foreign or in use.
pub fn provision(spec: InstanceSpec) -> Result<Server, DatabaseError> {
    Server::new(spec, &SERVER, Needs::default())
}

/// An installed PostgreSQL.
#[derive(Debug)]
struct Program {
    found: Found,
    version: String,
}

impl Program {
    fn new(found: Found) -> Self {
        let numbers: Vec<String> = numbers(&found.version_line).iter().map(u32::to_string).collect();
        Self { found, version: numbers.join(".") }
    }

    fn major(&self) -> u32 {
        numbers(&self.version).first().copied().unwrap_or(OLDEST)
    }
}

impl ServerProgram for Program {
    fn engine(&self) -> &'static ServerEngine {
        &SERVER
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn generation(&self) -> String {
        format!("{TITLE} {}", self.major())
    }

    fn settings(&self, config: &ServerConfig) -> Vec<Setting> {
        settings::of(config)
    }

    fn configuration(
        &self,
        layout: &Layout,
        config: &ServerConfig,
        endpoint: &Endpoint,
        _first: bool,
    ) -> Vec<(&'static str, String)> {
        settings::files(layout, config, endpoint)
    }

    fn creation(&self, layout: &Layout, account: &Account) -> Command {
        let mut command = account.command(self.found.beside("initdb"));
        command.arg("--pgdata").arg(layout.data()).arg("--waldir").arg(layout.log());
        // The C locale compares bytes, like the settings of the other engines.
        command.args([
            "--username=drivetrain",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-instructions",
        ]);
        command
    }

    fn server(&self, layout: &Layout, account: &Account) -> Command {
        let mut command = account.command(&self.found.program);
        command.arg("-D").arg(layout.data());
        command.arg(format!("--config-file={}", layout.file(settings::FILE).display()));
        command
    }
}
