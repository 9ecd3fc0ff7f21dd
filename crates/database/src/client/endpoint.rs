//! The address of a server and the user who may enter.

use std::fmt;
use std::path::{Path, PathBuf};

use super::hang_up::HangUp;

/// A password. It never shows itself: `Debug` prints stars, and `Display` does not exist.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Hides `text`.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The password itself, to be handed to a server and to nothing else.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// The data that a client needs to connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The server's unix socket file, where it has one that this process may use: the fastest way in.
    pub socket: Option<PathBuf>,
    /// Host name or address for TCP.
    pub host: String,
    /// TCP port; 0 while an own server has not been started.
    pub port: u16,
    /// The user.
    pub user: String,
    /// The user's password.
    pub password: Option<Secret>,
    /// The database to work in.
    pub database: String,
    /// Ends every wait for this server.
    pub hang_up: HangUp,
}

impl Endpoint {
    /// The folder of the socket: PostgreSQL's clients want this and the port instead of the file.
    #[must_use]
    pub fn socket_dir(&self) -> Option<&Path> {
        self.socket.as_deref()?.parent()
    }

    /// The address in words, without user and password: for messages.
    #[must_use]
    pub fn address(&self) -> String {
        match &self.socket {
            Some(socket) => socket.display().to_string(),
            None => format!("{}:{}", self.host, self.port),
        }
    }

    /// The TCP address as a URL without the password, for print.
    #[must_use]
    pub fn url(&self, scheme: &str) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        format!("{scheme}://{}@{host}:{}/{}", self.user, self.port, self.database)
    }
}

#[cfg(test)]
impl Endpoint {
    /// A server of a test on this machine.
    pub(crate) fn of_test(port: u16) -> Endpoint {
        Endpoint {
            socket: None,
            host: "127.0.0.1".to_owned(),
            port,
            user: "u".to_owned(),
            password: None,
            database: "d".to_owned(),
            hang_up: HangUp::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_stays_hidden() {
        let password = Some(Secret::new("open sesame"));
        let endpoint = Endpoint { host: "::1".to_owned(), password, ..Endpoint::of_test(5432) };
        assert!(!format!("{endpoint:?}").contains("sesame"));
        assert_eq!(endpoint.url("postgres"), "postgres://u@[::1]:5432/d");
        assert_eq!(endpoint.address(), "::1:5432");
    }
}
