//! The address of a server that exists already: a URL with a scheme of its engine. Text alone: nothing is
//! looked up or opened.

use std::path::PathBuf;

use super::Engine;

/// Options of no effect on us that other clients write into URLs.
const PASSED_OVER: [&str; 5] =
    ["application_name", "connect_timeout", "client_encoding", "charset", "gssencmode"];
/// Values of the option for TLS that a client without TLS can keep to.
const WITHOUT_TLS: [&str; 5] = ["disable", "disabled", "prefer", "preferred", "allow"];
/// Stands for a part that cannot be read.
const UNREADABLE: &str = "?";

/// The parts of an address. It has no `Debug`: it may hold a password.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerUrl {
    /// Host name, address, or the path of a socket or its folder; empty where `socket` is given.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// The user.
    pub user: String,
    /// The user's password.
    pub password: Option<String>,
    /// The database to work in.
    pub database: String,
    /// The path of the server's socket.
    pub socket: Option<PathBuf>,
}

impl ServerUrl {
    /// Reads the address of a server of this engine.
    ///
    /// # Errors
    /// Everything that is wrong with it, a sentence each; none shows a password.
    pub fn read(url: &str, engine: Engine) -> Result<ServerUrl, Vec<String>> {
        let Some((scheme, rest)) = url.split_once("://") else {
            return Err(vec!["the address has no `://`".to_owned()]);
        };
        if !engine.schemes().contains(&scheme) {
            return Err(vec![format!("`{scheme}://` is not an address of this engine")]);
        }
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (login, place) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (user, password) = login.split_once(':').map_or((login, None), |(user, word)| (user, Some(word)));
        let mut faults = Vec::new();
        let (host, port) = host_and_port(place).unwrap_or_else(|fault| {
            faults.push(fault);
            (UNREADABLE, "")
        });
        let mut text = |text: &str| {
            decode(text).unwrap_or_else(|fault| {
                faults.push(fault);
                UNREADABLE.to_owned()
            })
        };
        let mut address = ServerUrl {
            host: text(host),
            port: engine.port(),
            user: text(user),
            password: password.map(&mut text),
            database: text(database),
            socket: None,
        };
        if !port.is_empty() {
            faults.extend(port_number(port).map(|port| address.port = port).err());
        }
        let options = query.split('&').filter(|pair| !pair.is_empty());
        faults.extend(options.filter_map(|pair| address.option(pair, engine).err()));
        let has_place = !address.host.is_empty() || address.socket.is_some();
        let parts = [
            (!address.user.is_empty(), "user"),
            (!address.database.is_empty(), "database"),
            (has_place, "host"),
        ];
        let missing = parts.iter().filter(|(is_there, _)| !is_there);
        faults.extend(missing.map(|(_, part)| format!("the address names no {part}")));
        if faults.is_empty() { Ok(address) } else { Err(faults) }
    }

    fn option(&mut self, pair: &str, engine: Engine) -> Result<(), String> {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = decode(value)?;
        match key {
            "host" => self.host = value,
            "port" => self.port = port_number(&value)?,
            "user" => self.user = value,
            "password" => self.password = Some(value),
            "dbname" => self.database = value,
            "socket" => self.socket = Some(socket_path(value)?),
            "sslmode" | "ssl-mode" if WITHOUT_TLS.contains(&value.to_lowercase().as_str()) => {}
            "sslmode" | "ssl-mode" => {
                return Err(format!(
                    "`{key}={value}` needs TLS, which this program does not speak; use a trusted network and `{key}=disable`"
                ));
            }
            key if PASSED_OVER.contains(&key) => {}
            key => {
                let known = engine.url_options();
                return Err(format!("the address has an unknown option `{key}` (known: {known})"));
            }
        }
        Ok(())
    }
}

/// The host and, where one is given, the port.
fn host_and_port(place: &str) -> Result<(&str, &str), String> {
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
    Ok((host, port))
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

    #[test]
    fn every_fault_of_an_address_is_told() {
        let faults = ServerUrl::read("postgresql://h:99999/?sslmode=require&colour=blue", Engine::PostgreSql);
        let faults = faults.err().unwrap_or_default();
        let parts = ["the port", "needs TLS", "unknown option `colour`", "no user", "no database"];
        assert_eq!(faults.len(), parts.len(), "{faults:?}");
        for (fault, part) in faults.iter().zip(parts) {
            assert!(fault.contains(part), "{fault}");
        }
        let unreadable = ServerUrl::read("mysql://%zz@[h/d", Engine::MariaDb).err().unwrap_or_default();
        assert_eq!(unreadable.len(), 2, "what cannot be read is not missing as well: {unreadable:?}");
    }
}
