//! The way into a server that speaks PostgreSQL's protocol.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio_postgres::{Client, Config, NoTls};

use super::PostgreSql;
use crate::client::{Bounded, Heard, connect_socket};

/// A connection as its driver opens it.
pub struct Opened {
    /// The half for questions.
    pub client: Client,
    /// The half that moves bytes: it must run beside, and ends when the client is dropped.
    pub connection: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// Why it ended, where the driver does not say.
    pub(crate) fault: Fault,
}

/// The known fault of a connection: calls of its client say only that it is closed.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    heard: Heard,
    ended: Arc<OnceLock<tokio_postgres::Error>>,
}

impl Fault {
    /// The error that ended the connection.
    pub(crate) fn ended(&self) -> Option<&tokio_postgres::Error> {
        self.ended.get()
    }

    /// The start of the server's last message, printable.
    pub(crate) fn said(&self) -> String {
        self.heard.said()
    }
}

/// A connection that could not be opened.
#[derive(Debug)]
pub enum OpeningError {
    /// Nobody answers.
    Socket(io::Error),
    /// The server's answer, or the end of the connection.
    Driver {
        /// As the driver tells it.
        error: tokio_postgres::Error,
        /// The start of the server's last message, printable; empty before the first.
        said: String,
    },
}

impl fmt::Display for OpeningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpeningError::Socket(_) => f.write_str("error connecting to server"),
            OpeningError::Driver { error, .. } => error.fmt(f),
        }
    }
}

impl std::error::Error for OpeningError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpeningError::Socket(error) => Some(error),
            OpeningError::Driver { error, .. } => error.source(),
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
        let (stream, heard) = Bounded::over(stream.map_err(OpeningError::Socket)?);
        let opened = self.config(application).connect_raw(stream, NoTls).await;
        let (client, mut connection) =
            opened.map_err(|error| OpeningError::Driver { error, said: heard.said() })?;
        let fault = Fault { heard, ended: Arc::default() };
        let ended = Arc::clone(&fault.ended);
        let connection = Box::pin(async move {
            // The client's calls end when the connection is dropped, and find the error.
            if let Err(error) = (&mut connection).await {
                let _ = ended.set(error); // It ends once.
            }
            drop(connection);
        });
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

    /// The error that our client reports when the server says `welcome`, and then `answer` to each question.
    fn told_by(welcome: &'static [u8], answer: &'static [u8]) -> String {
        told_to(&Endpoint::of_test(0), welcome, answer)
    }

    /// The same for a client with the user and the password of `endpoint`.
    fn told_to(endpoint: &Endpoint, welcome: &'static [u8], answer: &'static [u8]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            let mut question = [0; 1024];
            let _ = client.read(&mut question);
            let _ = client.write_all(welcome);
            while client.read(&mut question).is_ok_and(|length| length > 0) {
                let _ = client.write_all(answer);
            }
        });
        let told = control::connect(&Endpoint { port, ..endpoint.clone() }).err().unwrap().to_string();
        server.join().unwrap();
        told
    }

    /// Let in, and ready for a question.
    const WELCOME: &[u8] = b"R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\x01\0\0\0\x02Z\0\0\0\x05I";

    #[test]
    fn what_is_no_answer_of_postgresql_is_told_with_what_it_was() {
        for (welcome, answer, said) in [
            (WELCOME, &b"D\x7f\xff\xff\xffrow"[..], "longer than any"),
            (b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", "HTTP/1.1 400 Bad Request"),
            // A message out of turn, one shorter than its own length, and a notice without an end.
            (b"Z\0\0\0\x05I", b"", "unexpected message"),
            (b"R\0\0\0\x01\0\0\0\0", b"", "invalid message length"),
            (WELCOME, b"N\0\0\0\x08SXX\0", "error parsing response"),
            (WELCOME, b"E\0\0\0\x08SXX\0", "error parsing response"),
            (WELCOME, b"C\0\0\0\x0dSELECT 0\0Z\0\0\0\x05I", "without the row"),
        ] {
            let told = told_by(welcome, answer);
            assert!(told.contains(said) && told.contains("is no answer of PostgreSQL"), "{told}");
            assert!(told.matches("check ").count() == 1 && !told.contains("refused"), "{told}");
        }
    }

    #[test]
    fn only_a_refusal_of_the_server_is_one() {
        let refusal = b"E\0\0\0\x2dSFATAL\0VFATAL\0C28P01\0Mpassword is wrong\0\0";
        let told = told_by(refusal, b"");
        assert!(told.contains("refused user `u`: password is wrong; check the user"), "{told}");
        let told = told_by(b"R\0\0\0\x0c\0\0\0\x05salt", b"");
        assert!(told.contains("refused user") && told.contains("password missing"), "{told}");
        let told = told_by(b"R\0\0\0\x08\0\0\0\x07", b"");
        assert!(told.contains("unsupported authentication method; let this user in with"), "{told}");
    }

    #[test]
    fn a_challenge_that_no_server_makes_is_no_refusal() {
        let mut endpoint = Endpoint::of_test(0);
        endpoint.password = Some(crate::client::Secret::new("sesame"));
        let sasl = b"R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0";
        for (challenge, said) in [
            (&b"R\0\0\0\x15\0\0\0\x0br=x,s=eA==,i="[..], "SCRAM"),
            (&b"R\0\0\0\x10\0\0\0\x0bnonsense"[..], "nonsense"),
        ] {
            let told = told_to(&endpoint, sasl, challenge);
            assert!(told.contains(said) || told.contains("r=x"), "{told}");
            assert!(told.contains("is no answer of PostgreSQL") && !told.contains("refused"), "{told}");
        }
    }
}
