//! Database engines: the word of each, and what is known of it wherever it runs; what their commits wait for.

mod url;

use crate::word::words;
pub use url::ServerUrl;

words! {
    /// A database engine.
    pub enum Engine {
        /// SQLite, built in: nothing to install. Stands on real and on emulated storage.
        Sqlite = "sqlite",
        /// PostgreSQL 13 or newer, as installed. Stands on real storage.
        PostgreSql = "postgresql",
        /// MariaDB 10.6 or newer or MySQL 8, as installed. Stands on real storage.
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
    /// Of its servers' URLs; none for an engine inside our own process.
    schemes: &'static [&'static str],
    port: u16,
    password_variable: &'static str,
    url_options: &'static str,
    log_page_bytes: u32,
}

impl Engine {
    /// Names that people will write and that no build knows yet.
    pub const PLANNED: &'static [&'static str] = &["sqlserver"];

    const fn facts(self) -> &'static Facts {
        match self {
            Engine::Sqlite => &Facts {
                title: "SQLite",
                schemes: &[],
                port: 0,
                password_variable: "",
                url_options: "",
                log_page_bytes: 512,
            },
            Engine::PostgreSql => &Facts {
                title: "PostgreSQL",
                schemes: &["postgresql", "postgres"],
                port: 5432,
                password_variable: "PGPASSWORD",
                url_options: "host, port, user, password, dbname, sslmode",
                log_page_bytes: 8192,
            },
            Engine::MariaDb => &Facts {
                title: "MariaDB",
                schemes: &["mysql", "mariadb"],
                port: 3306,
                password_variable: "MYSQL_PWD",
                url_options: "socket, user, password, ssl-mode",
                log_page_bytes: 512,
            },
        }
    }

    /// The engine's name as people spell it.
    pub const fn title(self) -> &'static str {
        self.facts().title
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
    use super::*;

    #[test]
    fn a_server_has_an_address_and_no_scheme_is_of_two_engines() {
        for engine in Engine::ALL {
            assert!(!Engine::PLANNED.contains(&engine.name()));
            assert_eq!(engine.is_server(), engine.port() > 0 && !engine.password_variable().is_empty());
        }
        let mut schemes: Vec<&str> = Engine::servers().flat_map(|engine| engine.schemes()).copied().collect();
        let count = schemes.len();
        schemes.sort_unstable();
        schemes.dedup();
        assert_eq!(schemes.len(), count);
    }
}
