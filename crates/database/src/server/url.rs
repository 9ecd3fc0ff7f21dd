//! From the address of an existing server to the connection options of a client.

use std::path::Path;

use words::ServerUrl;

use super::engine::ServerEngine;
use crate::client::{Endpoint, HangUp, Secret};
use crate::error::ServerError;

/// Reads `url`; a password that it lacks is taken from `environment` (the value of the engine's variable).
pub(crate) fn parse(
    url: &str,
    engine: &ServerEngine,
    environment: Option<String>,
) -> Result<Endpoint, ServerError> {
    let ServerUrl { host, port, user, password, database, socket } = ServerUrl::read(url, engine.word)
        .map_err(|faults| ServerError::WrongUrl { why: faults.join("; "), example: example(engine) })?;
    // A host that is a path is the socket, or its folder, as PostgreSQL's clients have it.
    let socket = match host.starts_with('/') {
        true => engine.socket.map(|name| name.named_by(Path::new(&host), port)),
        false => socket,
    };
    let password = password.or(environment).map(Secret::new);
    Ok(Endpoint { socket, host, port, user, password, database, hang_up: HangUp::default() })
}

/// An address that would do.
fn example(engine: &ServerEngine) -> String {
    let word = engine.word;
    let scheme = word.schemes().first().copied().unwrap_or_default();
    format!("{scheme}://USER@HOST:{}/DATABASE (the password in {})", word.port(), word.password_variable())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{mariadb, postgresql};

    fn postgresql(url: &str) -> Result<Endpoint, String> {
        parse(url, &postgresql::SERVER, None).map_err(|error| error.to_string())
    }

    #[test]
    fn reads_the_parts() {
        let endpoint = postgresql("postgres://me:p%40ss@db.example:6000/tpcc?sslmode=disable").unwrap();
        assert_eq!(
            (endpoint.user.as_str(), endpoint.host.as_str(), endpoint.port),
            ("me", "db.example", 6000)
        );
        assert_eq!(endpoint.password, Some(Secret::new("p@ss")));
        assert_eq!(endpoint.database, "tpcc");
        let local = postgresql("postgresql://me@/tpcc?host=/run/postgresql").unwrap();
        assert_eq!(local.socket.as_deref(), Some(std::path::Path::new("/run/postgresql/.s.PGSQL.5432")));
        let six = postgresql("postgres://me@[::1]:7/d").unwrap();
        assert_eq!((six.host.as_str(), six.port), ("::1", 7));
        let maria = parse("mysql://me@h/d?socket=/run/m.sock", &mariadb::SERVER, None).unwrap();
        assert_eq!(maria.socket.as_deref(), Some(std::path::Path::new("/run/m.sock")));
        assert_eq!(maria.port, 3306);
    }

    #[test]
    fn the_environment_stands_in_for_the_password() {
        let from = |url| parse(url, &postgresql::SERVER, Some("env".to_owned())).unwrap().password;
        assert_eq!(from("postgres://me@h/d"), Some(Secret::new("env")));
        assert_eq!(from("postgres://me:url@h/d"), Some(Secret::new("url")));
    }

    #[test]
    fn says_what_is_wrong_and_never_the_password() {
        for (url, part) in [
            ("localhost", "no `://`"),
            ("mysql://me:secret@h/d", "not an address of this engine"),
            ("postgres://h/d", "no user"),
            ("postgres://me:secret@h", "no database"),
            ("postgres://me:secret@/d", "no host"),
            ("postgres://me:secret@h:99999/d", "the port"),
            ("postgres://me:secret@h:0/d", "the port"),
            ("postgres://me:secret@::1/d", "[brackets]"),
            ("postgres://me:secret@[::1/d", "no `]`"),
            ("postgres://me:secret%zz@h/d", "two hexadecimal digits"),
            ("postgres://me:secret@h/d?sslmode=require", "needs TLS"),
            ("postgres://me:secret@h/d?colour=blue", "unknown option `colour`"),
            ("postgres://me:secret@h/d?port=0", "the port"),
            ("postgres://me:secret@h/d?socket=", "not an absolute path"),
            ("postgres://me:secret@h/d?socket=run/s", "not an absolute path"),
            ("postgres://me:secret@h/d?socket=/run/%00s", "a NUL"),
            ("postgres://me:secret@h/d?host=%00", "a NUL"),
            ("postgres://me:secret@h/d?host=/run/\0", "a NUL"),
            ("postgres://me%00:secret@h/d", "a NUL"),
            ("postgres://me:secret%00@h/d", "a NUL"),
        ] {
            let message = postgresql(url).unwrap_err();
            assert!(message.contains(part), "{url}: {message}");
            assert!(!message.contains("secret"), "{message}");
            assert!(message.contains("postgresql://USER@HOST"), "{message}");
        }
    }

    #[test]
    fn odd_addresses_are_refused_or_can_be_connected_to() {
        testkit::odd_inputs("url", |bytes| {
            if let Ok(text) = std::str::from_utf8(bytes) {
                crate::fuzzing::address(text);
            }
        });
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(url in "(postgres://)?[\\PC%@:/?&=\\[\\]]{0,60}") {
            let _ = parse(&url, &postgresql::SERVER, None);
            let _ = parse(&url, &mariadb::SERVER, None);
        }
    }
}
