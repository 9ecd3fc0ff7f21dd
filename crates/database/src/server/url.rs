//! The address of a server that exists already: a URL with a scheme of its engine.

use std::path::{Path, PathBuf};

use super::engine::ServerEngine;
use crate::client::{Endpoint, HangUp, Secret};
use crate::error::ServerError;

/// Options of no effect on us that other clients write into URLs.
const PASSED_OVER: [&str; 5] =
    ["application_name", "connect_timeout", "client_encoding", "charset", "gssencmode"];

/// Reads `url`; a password that it lacks is taken from `environment` (the value of the engine's variable).
pub(crate) fn parse(
    url: &str,
    engine: &ServerEngine,
    environment: Option<String>,
) -> Result<Endpoint, ServerError> {
    let wrong = |why: String| ServerError::WrongUrl { why, example: example(engine) };
    let (name, rest) = url.split_once("://").ok_or_else(|| wrong("the address has no `://`".to_owned()))?;
    if !engine.word.schemes().contains(&name) {
        return Err(wrong(format!("`{name}://` is not an address of this engine")));
    }
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
    let (login, place) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (user, password) = login.split_once(':').map_or((login, None), |(user, word)| (user, Some(word)));
    let (host, port) = host_and_port(place, engine.word.port()).map_err(wrong)?;
    let mut endpoint = Endpoint {
        socket: None,
        host: decode(host).map_err(wrong)?,
        port,
        user: decode(user).map_err(wrong)?,
        password: password.map(|word| decode(word).map(Secret::new)).transpose().map_err(wrong)?,
        database: decode(database).map_err(wrong)?,
        hang_up: HangUp::default(),
    };
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        option(&mut endpoint, pair, engine).map_err(wrong)?;
    }
    complete(endpoint, engine, environment)
}

/// An address that would do.
fn example(engine: &ServerEngine) -> String {
    let word = engine.word;
    let scheme = word.schemes().first().copied().unwrap_or_default();
    format!("{scheme}://USER@HOST:{}/DATABASE (the password in {})", word.port(), word.password_variable())
}

fn complete(
    mut endpoint: Endpoint,
    engine: &ServerEngine,
    environment: Option<String>,
) -> Result<Endpoint, ServerError> {
    let wrong = |why: &str| ServerError::WrongUrl { why: why.to_owned(), example: example(engine) };
    if endpoint.user.is_empty() {
        return Err(wrong("the address names no user"));
    }
    if endpoint.database.is_empty() {
        return Err(wrong("the address names no database"));
    }
    if endpoint.host.is_empty() && endpoint.socket.is_none() {
        return Err(wrong("the address names no host"));
    }
    // A host that is a path is the socket, or its folder, as PostgreSQL's clients have it.
    if endpoint.host.starts_with('/') {
        let path = Path::new(&endpoint.host);
        let is_folder = engine.socket_has_port;
        let socket = if is_folder { path.join(engine.socket_name(endpoint.port)) } else { path.to_owned() };
        endpoint.socket = Some(socket);
    }
    if endpoint.password.is_none() {
        endpoint.password = environment.map(Secret::new);
    }
    Ok(endpoint)
}

fn host_and_port(place: &str, standard: u16) -> Result<(&str, u16), String> {
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']').ok_or("the address has `[` and no `]`")?;
            (host, after.strip_prefix(':').unwrap_or(after))
        }
        None => place.rsplit_once(':').unwrap_or((place, "")),
    };
    if host.contains(':') && !place.starts_with('[') {
        return Err("an IPv6 address stands in [brackets]".to_owned());
    }
    Ok((host, if port.is_empty() { standard } else { port_number(port)? }))
}

fn port_number(text: &str) -> Result<u16, String> {
    let port = text.parse().ok().filter(|port| *port > 0);
    port.ok_or_else(|| "the port is not a number between 1 and 65535".to_owned())
}

/// The place of a socket: what is relative would be another place wherever the program is started.
fn socket_path(value: String) -> Result<PathBuf, String> {
    let path = PathBuf::from(value);
    if path.is_absolute() {
        return Ok(path);
    }
    Err("`socket` is not an absolute path (write socket=/run/mysqld/mysqld.sock)".to_owned())
}

fn option(endpoint: &mut Endpoint, pair: &str, engine: &ServerEngine) -> Result<(), String> {
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    let value = decode(value)?;
    match key {
        "host" => endpoint.host = value,
        "port" => endpoint.port = port_number(&value)?,
        "user" => endpoint.user = value,
        "password" => endpoint.password = Some(Secret::new(value)),
        "dbname" => endpoint.database = value,
        "socket" => endpoint.socket = Some(socket_path(value)?),
        "sslmode" | "ssl-mode"
            if ["disable", "disabled", "prefer", "preferred", "allow"]
                .contains(&value.to_lowercase().as_str()) => {}
        "sslmode" | "ssl-mode" => {
            return Err(format!(
                "`{key}={value}` needs TLS, which this program does not speak; use a trusted network and `{key}=disable`"
            ));
        }
        key if PASSED_OVER.contains(&key) => {}
        key => {
            let known = engine.url_options;
            return Err(format!("the address has an unknown option `{key}` (known: {known})"));
        }
    }
    Ok(())
}

/// Undoes percent-encoding. A NUL is refused: it ends a path, and a name in what is said to a server.
fn decode(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = rest.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let byte = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(
            byte.ok_or("the address has a `%` without two hexadecimal digits behind it (write %25 for %)")?,
        );
        rest = &rest[2..];
    }
    if bytes.contains(&0) {
        return Err("the address has a NUL (`%00`), which no name, password or path can hold".to_owned());
    }
    String::from_utf8(bytes).map_err(|_| "the address is not UTF-8".to_owned())
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

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(url in "(postgres://)?[\\PC%@:/?&=\\[\\]]{0,60}") {
            let _ = parse(&url, &postgresql::SERVER, None);
            let _ = parse(&url, &mariadb::SERVER, None);
        }
    }
}
