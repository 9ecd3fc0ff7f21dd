//! PostgreSQL: its programs, its files and the way into it.

mod backup;
mod control;
mod settings;

use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;

use crate::instance::Access;
use crate::server::binaries::{self, Found, Wanted, numbers};
use crate::server::leftovers;
use crate::server::{
    Account, BackupJob, Control, Endpoint, Engine, Existing, Layout, POSTGRESQL_URLS, RestoreJob, Server,
    ServerConfig, ServerError, Setting, Visit,
};
use crate::{DatabaseError, HangUp, InstanceSpec};

pub use settings::log_bytes;

/// As the experiment file spells it.
const NAME: &str = "postgresql";
const TITLE: &str = "PostgreSQL";
const OLDEST: u32 = 13;
const NEEDED: &str = "PostgreSQL 13 or newer";
/// Where the data directory expects the log of changes.
const LOG_LINK: &str = "pg_wal";

/// What is looked for on a machine. `DRIVETRAIN_POSTGRESQL_BIN` names a folder with `postgres` and `initdb`.
const WANTED: Wanted = Wanted {
    engine: NEEDED,
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
};

/// An instance of our own in the directories of `spec`. Nothing runs yet and an existing database is left as
/// it is.
///
/// # Errors
/// When no server is installed, a directory is foreign or in use, or the storage is emulated.
pub fn provision(spec: InstanceSpec) -> Result<Server, DatabaseError> {
    let engine = Postgresql::find()?;
    Server::new(spec, Box::new(engine))
}

/// The database that `url` (`postgres://USER@HOST:PORT/DATABASE`) names on a server that exists; a password
/// that is not in it comes from `PGPASSWORD`. The connection is tried at once; every wait for the server ends
/// when `hang_up` is asked for.
///
/// # Errors
/// When the address is wrong, nobody answers, the login is refused or the server is too old.
pub fn existing(url: &str, hang_up: HangUp) -> Result<Existing, DatabaseError> {
    let visit = Visit {
        name: NAME,
        scheme: &POSTGRESQL_URLS,
        connect: control::connect,
        access: |endpoint| Access::PostgreSql(endpoint),
        settings: settings::OF_EXISTING,
        check: |version, endpoint| {
            if (WANTED.does)(version) {
                return Ok(());
            }
            let (place, found) = (endpoint.address(), version.to_owned());
            Err(ServerError::TooOld { engine: TITLE, place, found, needed: NEEDED })
        },
    };
    Existing::visit(url, visit, hang_up)
}

#[derive(Debug)]
struct Postgresql {
    found: Found,
    version: String,
}

impl Postgresql {
    fn find() -> Result<Self, ServerError> {
        let found = binaries::find(&WANTED)?;
        let numbers: Vec<String> = numbers(&found.version_line).iter().map(u32::to_string).collect();
        Ok(Self { found, version: numbers.join(".") })
    }

    fn major(&self) -> u32 {
        numbers(&self.version).first().copied().unwrap_or(OLDEST)
    }
}

impl Engine for Postgresql {
    fn name(&self) -> &'static str {
        NAME
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

    fn account(&self) -> &'static str {
        "postgres"
    }

    fn space_bytes(&self, config: &ServerConfig) -> (u64, u64) {
        (64 << 20, settings::log_bytes(config.log_for_bytes))
    }

    /// "Fast": clients are sent away, then the last checkpoint.
    fn stop_signal(&self) -> Signal {
        Signal::INT
    }

    /// "Immediate": no checkpoint, but the server's processes are ended and its shared memory is given back.
    fn end_signal(&self) -> Signal {
        Signal::QUIT
    }

    fn settings(&self, config: &ServerConfig) -> Vec<Setting> {
        settings::of(config)
    }

    fn watched(&self) -> &'static [&'static str] {
        settings::WATCHED
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
        // The C locale compares bytes, as the other engines are told to.
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

    fn socket(&self, dir: &Path, port: u16) -> PathBuf {
        dir.join(format!(".s.PGSQL.{port}"))
    }

    fn first_endpoint(&self, endpoint: &Endpoint) -> Endpoint {
        Endpoint { database: "postgres".to_owned(), ..endpoint.clone() }
    }

    fn starts_closed(&self) -> bool {
        false
    }

    fn connect(&self, endpoint: &Endpoint) -> Result<Box<dyn Control>, ServerError> {
        control::connect(endpoint)
    }

    fn belongs_to_place(&self) -> Option<&'static str> {
        Some(LOG_LINK)
    }

    fn settle_in(&self, layout: &Layout) -> Result<(), DatabaseError> {
        let link = layout.data().join(LOG_LINK);
        std::os::unix::fs::symlink(layout.log(), &link).map_err(DatabaseError::io("linking", &link))
    }

    fn clean_up(&self, layout: &Layout) {
        leftovers::clear(&layout.data());
    }

    fn back_up(&self, job: &BackupJob<'_>) -> Result<String, DatabaseError> {
        self.make_backup(job)
    }

    fn bring_back(&self, job: &RestoreJob<'_>) -> Result<(), DatabaseError> {
        self.bring_files_back(job)
    }

    fn load_back(&self, job: &RestoreJob<'_>) -> Result<(), DatabaseError> {
        self.load_dump(job)
    }

    fn access<'a>(&self, endpoint: &'a Endpoint) -> Access<'a> {
        Access::PostgreSql(endpoint)
    }
}
