//! The way into a server that speaks PostgreSQL's protocol.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use tokio_postgres::{Client, Config, NoTls};

use super::PostgreSql;
use crate::client::{Bounded, Fault, connect_socket};

/// A connection as its driver opens it.
pub struct Opened {
    /// The half for questions.
    pub client: Client,
    /// The half that moves bytes: it must run beside, and ends when the client is dropped.
    pub connection: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// Why it ended, where the driver does not say.
    pub(crate) fault: Fault,
}

/// A connection that could not be opened.
#[derive(Debug)]
pub enum OpeningError {
    /// Nobody answers.
    Socket(io::Error),
    /// The server's answer, or the end of the connection.
    Driver(tokio_postgres::Error),
}

impl fmt::Display for OpeningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpeningError::Socket(_) => f.write_str("error connecting to server"),
            OpeningError::Driver(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpeningError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpeningError::Socket(error) => Some(error),
            OpeningError::Driver(error) => error.source(),
        }
    }
}

impl PostgreSql<'_> {
    /// Opens a connection as `application`; the socket answers within `limit`. No answer on it is longer than
    /// a client of ours can use.
    ///
    /// # Errors
    /// When nobody answers, or the server does not let the user in.
    pub async fn open(&self, application: &str, limit: Duration) -> Result<Opened, OpeningError> {
        let Self(endpoint) = self;
        let stream = connect_socket(endpoint.socket_dir(), (&endpoint.host, endpoint.port), limit).await;
        let (stream, fault) = Bounded::over(stream.map_err(OpeningError::Socket)?);
        let opened = self.config(application).connect_raw(stream, NoTls).await;
        let (client, connection) = opened.map_err(OpeningError::Driver)?;
        // Its errors reach the client's calls too.
        let connection = Box::pin(async move { drop(connection.await) });
        Ok(Opened { client, connection, fault })
    }

    /// The options of a connection.
    fn config(&self, application: &str) -> Config {
        let Self(endpoint) = self;
        let mut config = Config::new();
        config.user(&endpoint.user).dbname(&endpoint.database).application_name(application);
        if let Some(password) = &endpoint.password {
            config.password(password.reveal());
        }
        config
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::super::control;
    use crate::client::Endpoint;

    /// What a client of ours is told by a server that says `welcome`, and then `answer` to each question.
    fn told_by(welcome: &'static [u8], answer: &'static [u8]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            let _ = client.write_all(welcome);
            let mut question = [0; 1024];
            while client.read(&mut question).is_ok_and(|length| length > 0) {
                let _ = client.write_all(answer);
            }
        });
        let told = control::connect(&Endpoint::of_test(port)).err().unwrap().to_string();
        server.join().unwrap();
        told
    }

    #[test]
    fn a_server_that_announces_gigabytes_is_left() {
        // Let in, and ready for a question; then a row of 2 GiB, or a stranger's first words.
        let welcome = b"R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\x01\0\0\0\x02Z\0\0\0\x05I";
        for (welcome, answer) in
            [(&welcome[..], &b"D\x7f\xff\xff\xffrow"[..]), (b"HTTP/1.1 400 Bad Request", b"")]
        {
            let told = told_by(welcome, answer);
            assert!(told.contains("longer than any") && told.contains("check that PostgreSQL"), "{told}");
        }
    }
}
