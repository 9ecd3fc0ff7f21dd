//! MariaDB, and MySQL where that is what is installed: programs, files and the way in.

mod backup;
mod control;
mod settings;

use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;

use crate::instance::Access;
use crate::server::binaries::{self, Found, Wanted, numbers};
use crate::server::{
    Account, BackupJob, Control, Endpoint, Engine, Existing, Layout, MARIADB_URLS, RestoreJob, Server,
    ServerConfig, ServerError, Setting, Visit,
};
use crate::{DatabaseError, HangUp, InstanceSpec};

pub use settings::log_bytes;

/// As the experiment file spells it.
const NAME: &str = "mariadb";
const TITLE: &str = "MariaDB";
const NEEDED: &str = "MariaDB 10.6 or newer, or MySQL 8 or newer";
/// The user that a new instance has, without a password.
const FIRST_USER: &str = "root";

/// What is looked for on a machine. `DRIVETRAIN_MARIADB_BIN` names a folder with `mariadbd` or `mysqld`.
const WANTED: Wanted = Wanted {
    engine: NEEDED,
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
};

/// Which of the two it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    MariaDb,
    MySql,
}

/// An instance of our own in the directories of `spec`. Nothing runs yet and an existing database is left as
/// it is.
///
/// # Errors
/// When no server is installed, a directory is foreign or in use, or the storage is emulated.
pub fn provision(spec: InstanceSpec) -> Result<Server, DatabaseError> {
    let engine = MariaDb::find()?;
    Server::new(spec, Box::new(engine))
}

/// The database that `url` (`mysql://USER@HOST:PORT/DATABASE`) names on a server that exists; a password that
/// is not in it comes from `MYSQL_PWD`. The connection is tried at once; every wait for the server ends when
/// `hang_up` is asked for.
///
/// # Errors
/// When the address is wrong, nobody answers, the login is refused or the server is too old.
pub fn existing(url: &str, hang_up: HangUp) -> Result<Existing, DatabaseError> {
    let visit = Visit {
        name: NAME,
        scheme: &MARIADB_URLS,
        connect: control::connect,
        access: |endpoint| Access::MariaDb(endpoint),
        settings: settings::OF_EXISTING,
        check: |version, endpoint| {
            if version_does(&version_of(version)) {
                return Ok(());
            }
            let (place, found) = (endpoint.address(), version.to_owned());
            Err(ServerError::TooOld { engine: TITLE, place, found, needed: NEEDED })
        },
    };
    Existing::visit(url, visit, hang_up)
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

#[derive(Debug)]
struct MariaDb {
    found: Found,
    flavour: Flavour,
    numbers: Vec<u32>,
    version: String,
}

impl MariaDb {
    fn find() -> Result<Self, ServerError> {
        let found = binaries::find(&WANTED)?;
        let (flavour, numbers) = version_of(&found.version_line);
        let version = numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
        Ok(Self { found, flavour, numbers, version })
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

impl Engine for MariaDb {
    fn name(&self) -> &'static str {
        NAME
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

    fn account(&self) -> &'static str {
        "mysql"
    }

    fn space_bytes(&self, config: &ServerConfig) -> (u64, u64) {
        (64 << 20, settings::log_bytes(config.log_for_bytes))
    }

    /// Clients are sent away, then every dirty page is written.
    fn stop_signal(&self) -> Signal {
        Signal::TERM
    }

    /// It has no quick way out that does not write all it has, and leaves nothing in the kernel.
    fn end_signal(&self) -> Signal {
        Signal::KILL
    }

    fn settings(&self, config: &ServerConfig) -> Vec<Setting> {
        settings::of(config, self.flavour, &self.numbers)
    }

    fn watched(&self) -> &'static [&'static str] {
        settings::WATCHED
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

    fn socket(&self, dir: &Path, _port: u16) -> PathBuf {
        dir.join("mysql.sock")
    }

    fn first_endpoint(&self, endpoint: &Endpoint) -> Endpoint {
        Endpoint {
            user: FIRST_USER.to_owned(),
            password: None,
            database: "mysql".to_owned(),
            ..endpoint.clone()
        }
    }

    fn starts_closed(&self) -> bool {
        true
    }

    fn connect(&self, endpoint: &Endpoint) -> Result<Box<dyn Control>, ServerError> {
        control::connect(endpoint)
    }

    fn belongs_to_place(&self) -> Option<&'static str> {
        None
    }

    fn settle_in(&self, _layout: &Layout) -> Result<(), DatabaseError> {
        Ok(())
    }

    fn clean_up(&self, _layout: &Layout) {}

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
        Access::MariaDb(endpoint)
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
