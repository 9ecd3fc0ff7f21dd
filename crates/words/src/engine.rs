//! Database engines: the word of each, and what is known of it wherever it runs; what their commits wait for.

mod url;

use crate::word::words;
pub use url::ServerUrl;

words! {
    /// A database engine.
    pub enum Engine {
        /// SQLite, built in: nothing to install. Stands on real and on emulated storage.
        Sqlite = "sqlite",
        /// PostgreSQL 13 or newer, as installed. Stands on real storage, and by a mount on
        /// emulated storage.
        PostgreSql = "postgresql",
        /// MariaDB 10.6 or newer or MySQL 8, as installed. Stands on real storage, and by a mount on
        /// emulated storage.
        MariaDb = "mariadb",
    }
}

words! {
    /// The event that a commit waits for.
    pub enum Synchronous {
        /// Every commit is on the drive before it is acknowledged: no acknowledged transaction is lost by a
        /// power cut.
        Full = "full",
        /// Acknowledged before it is on the drive: a crash may lose the last transactions, the database stays
        /// consistent.
        Normal = "normal",
        /// Never synced: a power cut may lose or corrupt anything.
        Off = "off",
    }
}

#[expect(clippy::derivable_impls, reason = "`words!` derives the same for all")]
impl Default for Engine {
    fn default() -> Engine {
        Engine::Sqlite
    }
}

#[expect(clippy::derivable_impls, reason = "`words!` derives the same for all")]
impl Default for Synchronous {
    fn default() -> Synchronous {
        Synchronous::Full
    }
}

/// The facts of an engine that hold on every machine.
struct Facts {
    title: &'static str,
    /// Stands for it where there is room for one character.
    letter: char,
    /// Of its servers' URLs; none for an engine inside our own process.
    schemes: &'static [&'static str],
    port: u16,
    password_variable: &'static str,
    url_options: &'static str,
    watch_privilege: &'static str,
    buffer_setting: Option<&'static str>,
    log_page_bytes: u32,
}

impl Engine {
    /// Names that people will write and that no build knows yet.
    pub const PLANNED: &'static [&'static str] = &["sqlserver"];

    const fn facts(self) -> &'static Facts {
        match self {
            Engine::Sqlite => &Facts {
                title: "SQLite",
                letter: 'S',
                schemes: &[],
                port: 0,
                password_variable: "",
                url_options: "",
                watch_privilege: "",
                buffer_setting: None,
                log_page_bytes: 512,
            },
            Engine::PostgreSql => &Facts {
                title: "PostgreSQL",
                letter: 'P',
                schemes: &["postgresql", "postgres"],
                port: 5432,
                password_variable: "PGPASSWORD",
                url_options: "host, port, user, password, dbname, sslmode",
                watch_privilege: "pg_monitor (PostgreSQL)",
                buffer_setting: Some("shared_buffers"),
                log_page_bytes: 8192,
            },
            Engine::MariaDb => &Facts {
                title: "MariaDB",
                letter: 'M',
                schemes: &["mysql", "mariadb"],
                port: 3306,
                password_variable: "MYSQL_PWD",
                url_options: "socket, user, password, ssl-mode",
                watch_privilege: "PROCESS, and SELECT on the database (MariaDB, MySQL)",
                buffer_setting: Some("innodb_buffer_pool_size"),
                log_page_bytes: 512,
            },
        }
    }

    /// The engine's name as people spell it.
    pub const fn title(self) -> &'static str {
        self.facts().title
    }

    /// The letter that stands for it in narrow columns.
    pub const fn letter(self) -> char {
        self.facts().letter
    }

    /// True for an engine with server processes; SQLite runs inside this program.
    pub const fn is_server(self) -> bool {
        !self.facts().schemes.is_empty()
    }

    /// The schemes of the URLs of its servers; examples take the first.
    pub const fn schemes(self) -> &'static [&'static str] {
        self.facts().schemes
    }

    /// The default TCP port of its servers.
    pub const fn port(self) -> u16 {
        self.facts().port
    }

    /// The environment variable that holds the password of its servers' users.
    pub const fn password_variable(self) -> &'static str {
        self.facts().password_variable
    }

    /// Options that the addresses of its servers may have, in words.
    const fn url_options(self) -> &'static str {
        self.facts().url_options
    }

    /// The privilege of a user who may see what the sessions of others do, and the servers that name it so.
    pub const fn watch_privilege(self) -> &'static str {
        self.facts().watch_privilege
    }

    /// The setting of its servers that sizes their buffer pool.
    pub const fn buffer_setting(self) -> Option<&'static str> {
        self.facts().buffer_setting
    }

    /// The unit in which its log is written, bytes.
    pub const fn log_page_bytes(self) -> u32 {
        self.facts().log_page_bytes
    }

    /// The engines that are servers.
    pub fn servers() -> impl Iterator<Item = Engine> {
        Self::ALL.iter().copied().filter(|engine| engine.is_server())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_server_has_an_address_and_no_scheme_or_letter_is_of_two_engines() {
        for engine in Engine::ALL {
            assert!(!Engine::PLANNED.contains(&engine.name()));
            assert_eq!(engine.is_server(), engine.port() > 0 && !engine.password_variable().is_empty());
            assert_eq!(engine.is_server(), !engine.watch_privilege().is_empty());
            assert_eq!(engine.is_server(), engine.buffer_setting().is_some());
        }
        let schemes: Vec<&str> = Engine::servers().flat_map(|engine| engine.schemes()).copied().collect();
        assert_eq!(BTreeSet::from_iter(&schemes).len(), schemes.len());
        let letters: BTreeSet<char> = Engine::ALL.iter().map(|engine| engine.letter()).collect();
        assert_eq!(letters.len(), Engine::ALL.len());
    }
}
