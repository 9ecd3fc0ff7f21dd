//! Greeting, capabilities and passwords.

use database::Endpoint;
use mysql_common::scramble::{scramble_native, scramble_sha256};

use super::{MySql, OK, WireError, little, packet};

/// Not set by MariaDB, which uses the last four reserved bytes for capabilities of its own instead.
const CLIENT_MYSQL: u32 = 1;
const CONNECT_WITH_DB: u32 = 1 << 3;
const PROTOCOL_41: u32 = 1 << 9;
const TRANSACTIONS: u32 = 1 << 13;
const SECURE_CONNECTION: u32 = 1 << 15;
const PLUGIN_AUTH: u32 = 1 << 19;
/// A result ends with one packet instead of two.
const DEPRECATE_EOF: u32 = 1 << 24;
const LOCAL_FILES: u32 = 1 << 7;
const WANTED: u32 = CONNECT_WITH_DB
    | LOCAL_FILES
    | PROTOCOL_41
    | TRANSACTIONS
    | SECURE_CONNECTION
    | PLUGIN_AUTH
    | DEPRECATE_EOF;
/// Of MariaDB's own: the descriptions of a prepared statement's columns are sent once.
const CACHE_METADATA: u32 = 1 << 4;
/// utf8mb4_general_ci, known to all versions.
const COLLATION: u8 = 45;
const PACKET_BYTES_MAX: u32 = 16 << 20;

const NATIVE: &str = "mysql_native_password";
const CACHING: &str = "caching_sha2_password";
/// "Ask me again with the whole password", and the server's request for it.
const FULL_LOGIN: u8 = 4;
const PUBLIC_KEY_REQUEST: u8 = 2;
const MORE_DATA: u8 = 1;
const SWITCH: u8 = 0xfe;

/// The server's first message.
struct Greeting {
    capabilities: u32,
    own_capabilities: u32,
    nonce: Vec<u8>,
    method: String,
}

/// Longest public key that is tried: one of 16384 bits is shorter.
const KEY_MAX: usize = 8192;

impl MySql {
    pub(super) async fn log_in(&mut self, endpoint: &Endpoint) -> Result<(), WireError> {
        let greeting = Greeting::read(&self.packet().await?)
            .ok_or_else(|| WireError::protocol("a greeting that is not version 10 of the protocol"))?;
        if greeting.capabilities & DEPRECATE_EOF == 0 {
            return Err(WireError::protocol("it is older than MariaDB 10.2 or MySQL 5.7.5"));
        }
        let is_mariadb = greeting.capabilities & CLIENT_MYSQL == 0;
        self.caches_columns = is_mariadb && greeting.own_capabilities & CACHE_METADATA != 0;
        let password = endpoint.password.as_ref().map_or("", |password| password.reveal());
        let proof = proof(&greeting.method, &greeting.nonce, password).unwrap_or_default();
        let own = if self.caches_columns { CACHE_METADATA } else { 0 };
        packet(&mut self.socket.output, 1, |output| {
            let capabilities = WANTED | (greeting.capabilities & CLIENT_MYSQL);
            output.extend_from_slice(&capabilities.to_le_bytes());
            output.extend_from_slice(&PACKET_BYTES_MAX.to_le_bytes());
            output.push(COLLATION);
            output.extend_from_slice(&[0; 19]);
            output.extend_from_slice(&own.to_le_bytes());
            put_text(output, &endpoint.user);
            output.push(proof.len() as u8);
            output.extend_from_slice(&proof);
            put_text(output, &endpoint.database);
            put_text(output, &greeting.method);
        });
        self.socket.send().await?;
        self.finish_login(endpoint, password, greeting.method, greeting.nonce).await
    }

    /// Answers whatever the server wants to know besides, until it says yes or no.
    async fn finish_login(
        &mut self,
        endpoint: &Endpoint,
        password: &str,
        mut method: String,
        mut nonce: Vec<u8>,
    ) -> Result<(), WireError> {
        loop {
            let (number, answer) = self.numbered_packet().await?;
            let reply = match answer[0] {
                OK => return Ok(()),
                SWITCH => {
                    let mut parts = answer[1..].splitn(2, |&byte| byte == 0);
                    method = parts
                        .next()
                        .map(|name| String::from_utf8_lossy(name).into_owned())
                        .unwrap_or_default();
                    nonce = parts.next().unwrap_or_default().iter().copied().take(20).collect();
                    proof(&method, &nonce, password)?
                }
                MORE_DATA if method == CACHING && answer.get(1) == Some(&FULL_LOGIN) => {
                    let mut text = [password.as_bytes(), b"\0"].concat();
                    if endpoint.socket.is_none() {
                        let key = self.public_key(number.wrapping_add(1)).await?;
                        text.iter_mut().zip(nonce.iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
                        let sealed = sealed(&text, &key.1)?;
                        self.reply(key.0.wrapping_add(1), &sealed).await?;
                        continue;
                    }
                    text
                }
                // A fast login succeeded; OK follows.
                MORE_DATA if method == CACHING => continue,
                _ => return Err(WireError::protocol("an unknown step of the login")),
            };
            self.reply(number.wrapping_add(1), &reply).await?;
        }
    }

    async fn public_key(&mut self, number: u8) -> Result<(u8, Vec<u8>), WireError> {
        self.reply(number, &[PUBLIC_KEY_REQUEST]).await?;
        let (number, answer) = self.numbered_packet().await?;
        match answer.split_first() {
            Some((&MORE_DATA, key)) => Ok((number, key.to_vec())),
            _ => Err(WireError::protocol("no public key")),
        }
    }

    async fn reply(&mut self, number: u8, body: &[u8]) -> Result<(), WireError> {
        packet(&mut self.socket.output, number, |output| output.extend_from_slice(body));
        Ok(self.socket.send().await?)
    }
}

impl Greeting {
    fn read(packet: &[u8]) -> Option<Self> {
        let (&version, rest) = packet.split_first()?;
        if version != 10 {
            return None;
        }
        let name = rest.iter().position(|&byte| byte == 0)?;
        let rest = rest.get(name + 1 + 4..)?; // connection number
        let mut nonce = rest.get(..8)?.to_vec();
        let rest = rest.get(9..)?;
        let capabilities = (little(rest.get(..2)?) | little(rest.get(5..7)?) << 16) as u32;
        let own_capabilities = little(rest.get(14..18)?) as u32;
        let nonce_length = usize::from(*rest.get(7)?).max(21) - 8;
        let rest = rest.get(18..)?;
        nonce.extend_from_slice(
            rest.get(..nonce_length)?.strip_suffix(b"\0").unwrap_or(&rest[..nonce_length]),
        );
        let method = rest.get(nonce_length..)?.split(|&byte| byte == 0).next()?;
        Some(Self {
            capabilities,
            own_capabilities,
            nonce,
            method: String::from_utf8_lossy(method).into_owned(),
        })
    }
}

/// The password under the server's public key. The reader of the key panics on a damaged one.
fn sealed(text: &[u8], key: &[u8]) -> Result<Vec<u8>, WireError> {
    let damaged = || WireError::protocol("a public key that cannot be read");
    // A panic is an end there, caught or not.
    if cfg!(fuzzing) || key.len() > KEY_MAX || !key.starts_with(b"-----BEGIN ") {
        return Err(damaged());
    }
    std::panic::catch_unwind(|| mysql_common::crypto::encrypt(text, key)).map_err(|_| damaged())
}

/// The proof that the client knows the password.
fn proof(method: &str, nonce: &[u8], password: &str) -> Result<Vec<u8>, WireError> {
    let password = password.as_bytes();
    match method {
        NATIVE => Ok(scramble_native(nonce, password).map(Vec::from).unwrap_or_default()),
        CACHING => Ok(scramble_sha256(nonce, password).map(Vec::from).unwrap_or_default()),
        // The server looks at who holds the other end of the socket.
        "unix_socket" | "auth_socket" => Ok(Vec::new()),
        other => Err(WireError::Login {
            method: other.to_owned(),
            hint: "create the user with mysql_native_password or caching_sha2_password",
        }),
    }
}

fn put_text(output: &mut Vec<u8>, text: &str) {
    output.extend_from_slice(text.as_bytes());
    output.push(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greeting_of_mariadb_is_read() {
        let mut packet = vec![10];
        packet.extend_from_slice(b"10.11.6-MariaDB\0\x07\0\0\0abcdefgh\0");
        packet.extend_from_slice(&[0xfe, 0xf7, 45, 2, 0, 0xff, 0x81, 21]);
        packet.extend_from_slice(&[0; 6]);
        packet.extend_from_slice(&0x1d_u32.to_le_bytes());
        packet.extend_from_slice(b"ijklmnopqrst\0mysql_native_password\0");
        let greeting = Greeting::read(&packet).unwrap();
        assert_eq!(greeting.nonce, b"abcdefghijklmnopqrst");
        assert_eq!(greeting.method, NATIVE);
        assert_eq!(greeting.capabilities & CLIENT_MYSQL, 0);
        assert_ne!(greeting.capabilities & DEPRECATE_EOF, 0);
        assert_ne!(greeting.own_capabilities & CACHE_METADATA, 0);
        // Cut anywhere before the method's name, it is none.
        (0..packet.len() - 22)
            .for_each(|length| assert!(Greeting::read(&packet[..length]).is_none(), "{length}"));
    }

    #[test]
    fn damaged_keys_are_refused() {
        for key in ["", "key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "-----BEGIN "]
        {
            assert!(sealed(b"secret\0", key.as_bytes()).is_err(), "{key}");
        }
    }

    #[test]
    fn unknown_methods_are_named() {
        assert!(proof("dialog", &[1; 20], "x").unwrap_err().to_string().contains("`dialog`"));
        assert_eq!(proof(NATIVE, &[1; 20], "x").unwrap().len(), 20);
        assert!(proof(NATIVE, &[1; 20], "").unwrap().is_empty());
    }
}
