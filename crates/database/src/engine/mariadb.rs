//! MariaDB, or MySQL if that is installed: programs, files and connections.

mod backup;
mod control;
mod files;
mod look;
mod settings;
mod waits;

use std::path::PathBuf;
use std::process::Command;

use mysql_async::OptsBuilder;
use rustix::process::Signal;
use words::Engine;

use crate::client::{ANSWER_MOST_BYTES, Endpoint};
use crate::engine::Access;
use crate::error::DatabaseError;
use crate::instance::InstanceSpec;
use crate::machine::Account;
use crate::machine::binaries::{Found, Wanted, numbers};
use crate::server::{
    Layout, Needs, Server, ServerConfig, ServerEngine, ServerProgram, ServerSizes, Setting, SocketName,
};

const TITLE: &str = Engine::MariaDb.title();

/// The facts of MariaDB and MySQL. `DRIVETRAIN_MARIADB_BIN` names a folder with `mariadbd` or `mysqld`.
pub(crate) static SERVER: ServerEngine = ServerEngine {
    word: Engine::MariaDb,
    wanted: Wanted {
        engine: "MariaDB 10.6 or newer, or MySQL 8 or newer",
        package: "mariadb-server",
        variable: "DRIVETRAIN_MARIADB_BIN",
        programs: &["mariadbd", "mysqld"],
        folders: &[
            "/usr/sbin",
            "/usr/libexec",
            "/usr/local/mariadb/bin",
            "/usr/local/mysql/bin",
            "/opt/mariadb/*/bin",
            "/opt/mysql/*/bin",
        ],
        does: |line| version_does(&version_of(line)),
    },
    program: |found| Box::new(Program::new(found)),
    connect: control::connect,
    work: look::work,
    access: |endpoint| Access::MariaDb(MariaDb(endpoint)),
    account: "mysql",
    // Clients are sent away, then every dirty page is written.
    stop_signal: Signal::TERM,
    // It has no quick way out that does not write all it has, and leaves nothing in the kernel.
    end_signal: Signal::KILL,
    starts_closed: true,
    first_entry,
    socket: Some(SocketName::Whole("mysql.sock")),
    watched: settings::WATCHED,
    watched_of_existing: settings::OF_EXISTING,
    files: files::FILES,
    clean_up: |_| {},
    sizes: ServerSizes {
        empty_bytes: 110_000_000,
        warehouse_bytes: 120_000_000,
        log_bytes: settings::log_bytes,
    },
};

/// The way into a server that speaks the protocol of MariaDB and MySQL.
#[derive(Clone, Copy, Debug)]
pub struct MariaDb<'a>(pub &'a Endpoint);

impl MariaDb<'_> {
    /// The connection options for its client library.
    #[must_use]
    pub fn options(&self) -> OptsBuilder {
        let Self(endpoint) = self;
        OptsBuilder::default()
            .ip_or_hostname(endpoint.host.clone())
            .tcp_port(endpoint.port)
            .socket(endpoint.socket.as_ref().map(|path| path.display().to_string()))
            // Else it asks a TCP server for its socket and tries that.
            .prefer_socket(false)
            .user(Some(endpoint.user.clone()))
            .pass(endpoint.password.as_ref().map(|secret| secret.reveal().to_owned()))
            .db_name(Some(endpoint.database.clone()))
            // Else the server says itself how long its messages may be.
            .max_allowed_packet(Some(ANSWER_MOST_BYTES as usize))
    }
}

/// An instance of our own in the directories of `spec`. Nothing runs yet and an existing database is left as
/// it is.
///
/// # Errors
/// When no server is installed, or a directory is foreign or in use.
pub fn provision(spec: InstanceSpec) -> Result<Server, DatabaseError> {
    Server::new(spec, &SERVER, Needs::default())
}

/// A new instance has this user, without a password.
fn first_entry(endpoint: &Endpoint) -> Endpoint {
    let (user, database) = ("root".to_owned(), "mysql".to_owned());
    Endpoint { user, password: None, database, ..endpoint.clone() }
}

/// The flavour: MariaDB or MySQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    MariaDb,
    MySql,
}

/// Flavour and numbers of a version in the server's or the program's words.
fn version_of(line: &str) -> (Flavour, Vec<u32>) {
    let flavour = if line.contains("MariaDB") { Flavour::MariaDb } else { Flavour::MySql };
    // Programs print `mysqld  Ver 8.0.36 for Linux`.
    let version = line.split_once("Ver ").map_or(line, |(_, rest)| rest);
    (flavour, numbers(version))
}

fn version_does((flavour, numbers): &(Flavour, Vec<u32>)) -> bool {
    match flavour {
        Flavour::MariaDb => *numbers >= vec![10, 6],
        Flavour::MySql => *numbers >= vec![8],
    }
}

/// An installed MariaDB or MySQL.
#[derive(Debug)]
struct Program {
    found: Found,
    flavour: Flavour,
    numbers: Vec<u32>,
    version: String,
}

impl Program {
    fn new(found: Found) -> Self {
        let (flavour, numbers) = version_of(&found.version_line);
        let version = numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
        Self { found, flavour, numbers, version }
    }

    /// The script that creates instances; it lies beside the server or with the programs for everybody.
    fn creation_script(&self) -> PathBuf {
        let beside = ["mariadb-install-db", "mysql_install_db"].map(|name| self.found.beside(name));
        let elsewhere = [
            "/usr/bin/mariadb-install-db",
            "/usr/bin/mysql_install_db",
            "/usr/local/mariadb/scripts/mariadb-install-db",
        ];
        let mut places = beside.into_iter().chain(elsewhere.map(PathBuf::from));
        places.find(|path| path.exists()).unwrap_or_else(|| PathBuf::from("mariadb-install-db"))
    }

    fn configured(layout: &Layout) -> String {
        format!("--defaults-file={}", layout.file(settings::FILE).display())
    }
}

impl ServerProgram for Program {
    fn engine(&self) -> &'static ServerEngine {
        &SERVER
    }

    fn title(&self) -> &'static str {
        match self.flavour {
            Flavour::MariaDb => TITLE,
            Flavour::MySql => "MySQL",
        }
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn generation(&self) -> String {
        let two: Vec<String> = self.numbers.iter().take(2).map(u32::to_string).collect();
        format!("{} {}", self.title(), two.join("."))
    }

    fn settings(&self, config: &ServerConfig) -> Vec<Setting> {
        settings::of(config, self.flavour, &self.numbers)
    }

    fn configuration(
        &self,
        layout: &Layout,
        config: &ServerConfig,
        endpoint: &Endpoint,
        first: bool,
    ) -> Vec<(&'static str, String)> {
        vec![(settings::FILE, settings::file(layout, &self.settings(config), endpoint, first))]
    }

    fn creation(&self, layout: &Layout, account: &Account) -> Command {
        match self.flavour {
            Flavour::MariaDb => {
                let mut command = account.command(self.creation_script());
                command.arg(Self::configured(layout));
                command.args([
                    "--auth-root-authentication-method=normal",
                    "--skip-test-db",
                    "--skip-name-resolve",
                ]);
                command
            }
            Flavour::MySql => {
                let mut command = account.command(&self.found.program);
                command.arg(Self::configured(layout)).arg("--initialize-insecure");
                command
            }
        }
    }

    fn server(&self, layout: &Layout, account: &Account) -> Command {
        let mut command = account.command(&self.found.program);
        command.arg(Self::configured(layout));
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_two_apart() {
        for (line, flavour, does) in [
            (
                "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)",
                Flavour::MariaDb,
                true,
            ),
            ("mysqld  Ver 10.3.39-MariaDB for Linux", Flavour::MariaDb, false),
            ("11.4.2-MariaDB", Flavour::MariaDb, true),
            (
                "/usr/sbin/mysqld  Ver 8.0.36-0ubuntu0.22.04.1 for Linux on x86_64 ((Ubuntu))",
                Flavour::MySql,
                true,
            ),
            ("mysqld  Ver 5.7.44 for Linux", Flavour::MySql, false),
        ] {
            let version = version_of(line);
            assert_eq!((version.0, version_does(&version)), (flavour, does), "{line}");
        }
    }
}
