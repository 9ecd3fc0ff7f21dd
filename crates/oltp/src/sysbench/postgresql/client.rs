//! PostgreSQL's protocol, version 3: log in, prepare, and execute by bind, execute and sync in one message,
//! values in binary.

use database::Endpoint;
use postgres_protocol::authentication::{md5_hash, sasl};

use crate::sysbench::wire::{Client, Outcome, Row, Socket, Value, Waiting, WireError};

/// Tag and length in front of every message; the length counts itself.
const HEADER: usize = 5;
/// Version 3.0 of the protocol.
const VERSION: i32 = 3 << 16;
/// Messages that are kept whole (errors, logins, a row of settings) are short; a longer one is no such
/// message.
const KEPT_MAX: usize = 16 << 20;
/// A login with more rounds than this would keep the client busy for seconds; servers ask for 4096.
const ROUNDS_MAX: u32 = 1_000_000;
/// The format code for binary values.
const BINARY: i16 = 1;

/// One connection.
pub(crate) struct Postgres {
    socket: Socket,
}

/// One message, its body in the socket's buffer.
#[derive(Clone, Copy)]
struct Message {
    tag: u8,
    body: usize,
}

impl Client for Postgres {
    async fn connect(endpoint: &Endpoint, waiting: Waiting<'_>) -> Result<Self, WireError> {
        let mut client = Self { socket: Socket::connect(endpoint, waiting).await? };
        client.start_up(endpoint).await?;
        client.log_in(endpoint).await?;
        client.until_ready().await?;
        Ok(client)
    }

    async fn text(&mut self, sql: &str) -> Result<Outcome, WireError> {
        self.ask(sql).await?;
        self.until_ready().await
    }

    async fn row(&mut self, sql: &str) -> Result<Row, WireError> {
        self.ask(sql).await?;
        loop {
            let Message { tag, body } = self.message().await?;
            match tag {
                b'T' | b'N' => self.socket.skip(body).await?,
                b'D' => {
                    self.keep(body).await?;
                    let row = text_row(&self.socket.received()[..body]);
                    self.socket.consume(body);
                    self.until_ready().await?;
                    return row.ok_or_else(|| WireError::protocol("a row is cut short"));
                }
                b'E' => {
                    self.keep(body).await?;
                    let error = refusal(&self.socket.received()[..body]);
                    self.socket.consume(body);
                    self.until_ready().await?;
                    return Err(error);
                }
                _ => {
                    self.socket.skip(body).await?;
                    self.until_ready().await?;
                    return Ok(Row::new());
                }
            }
        }
    }
}

impl Postgres {
    async fn start_up(&mut self, endpoint: &Endpoint) -> Result<(), WireError> {
        let output = &mut self.socket.output;
        output.extend_from_slice(&[0; 4]);
        output.extend_from_slice(&VERSION.to_be_bytes());
        let parameters = [
            ("user", endpoint.user.as_str()),
            ("database", &endpoint.database),
            ("application_name", "drivetrain"),
        ];
        for (name, value) in parameters {
            put_text(output, name.as_bytes());
            put_text(output, value.as_bytes());
        }
        output.push(0);
        close(output, 0);
        Ok(self.socket.send().await?)
    }

    async fn log_in(&mut self, endpoint: &Endpoint) -> Result<(), WireError> {
        let password = endpoint.password.as_ref().map_or("", |password| password.reveal());
        loop {
            let body = self.body(b'R').await?;
            let (kind, rest) = integer(&body)?;
            match kind {
                0 => return Ok(()),
                3 => self.answer_login(|output| put_text(output, password.as_bytes())).await?,
                5 => {
                    let salt = rest.try_into().map_err(|_| WireError::protocol("a salt is not 4 bytes"))?;
                    let hash = md5_hash(endpoint.user.as_bytes(), password.as_bytes(), salt);
                    self.answer_login(|output| put_text(output, hash.as_bytes())).await?;
                }
                10 => self.scram(rest, password).await?,
                other => {
                    return Err(WireError::Login {
                        method: format!("number {other}"),
                        hint: "use SCRAM, MD5 or trust in pg_hba.conf",
                    });
                }
            }
        }
    }

    async fn scram(&mut self, methods: &[u8], password: &str) -> Result<(), WireError> {
        if !methods.split(|&byte| byte == 0).any(|method| method == sasl::SCRAM_SHA_256.as_bytes()) {
            let method = String::from_utf8_lossy(methods).replace('\0', " ").trim().to_owned();
            return Err(WireError::Login { method, hint: "use SCRAM-SHA-256 in pg_hba.conf" });
        }
        let mut scram = sasl::ScramSha256::new(password.as_bytes(), sasl::ChannelBinding::unsupported());
        self.answer_login(|output| {
            put_text(output, sasl::SCRAM_SHA_256.as_bytes());
            output.extend_from_slice(&(scram.message().len() as i32).to_be_bytes());
            output.extend_from_slice(scram.message());
        })
        .await?;
        let challenge = self.body(b'R').await?;
        let challenge = integer(&challenge)?.1;
        if rounds(challenge) > ROUNDS_MAX {
            return Err(WireError::protocol("a login of more than a million rounds"));
        }
        scram.update(challenge)?;
        self.answer_login(|output| output.extend_from_slice(scram.message())).await?;
        let outcome = self.body(b'R').await?;
        Ok(scram.finish(integer(&outcome)?.1)?)
    }

    async fn answer_login(&mut self, body: impl FnOnce(&mut Vec<u8>)) -> Result<(), WireError> {
        message(&mut self.socket.output, b'p', body);
        Ok(self.socket.send().await?)
    }

    /// Prepares statements, all in one round trip; `$1` and so on stand for values.
    pub(crate) async fn prepare<'a>(
        &mut self,
        statements: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), WireError> {
        let output = &mut self.socket.output;
        for (name, sql) in statements {
            message(output, b'P', |output| {
                put_text(output, name.as_bytes());
                put_text(output, sql.as_bytes());
                output.extend_from_slice(&0_i16.to_be_bytes());
            });
        }
        message(output, b'S', |_| {});
        self.socket.send().await?;
        self.until_ready().await.map(drop)
    }

    /// Executes a prepared statement with its values in the order of their numbers.
    #[inline]
    pub(crate) async fn execute(&mut self, name: &str, values: &[Value<'_>]) -> Result<Outcome, WireError> {
        let output = &mut self.socket.output;
        message(output, b'B', |output| {
            output.push(0);
            put_text(output, name.as_bytes());
            output.extend_from_slice(&1_i16.to_be_bytes());
            output.extend_from_slice(&BINARY.to_be_bytes());
            output.extend_from_slice(&(values.len() as i16).to_be_bytes());
            for value in values {
                match value {
                    Value::Integer(integer) => {
                        output.extend_from_slice(&4_i32.to_be_bytes());
                        output.extend_from_slice(&integer.to_be_bytes());
                    }
                    Value::Text(text) => {
                        output.extend_from_slice(&(text.len() as i32).to_be_bytes());
                        output.extend_from_slice(text);
                    }
                }
            }
            output.extend_from_slice(&1_i16.to_be_bytes());
            output.extend_from_slice(&BINARY.to_be_bytes());
        });
        // Execute without a limit of rows, then sync.
        output.extend_from_slice(&[b'E', 0, 0, 0, 9, 0, 0, 0, 0, 0, b'S', 0, 0, 0, 4]);
        self.socket.send().await?;
        self.until_ready().await
    }

    /// Begins a COPY: `sql` is a `COPY ... FROM STDIN`. Follow with [`Postgres::copy_data`] and end with
    /// [`Postgres::copy_end`].
    pub(crate) async fn copy_begin(&mut self, sql: &str) -> Result<(), WireError> {
        self.ask(sql).await?;
        loop {
            let Message { tag, body } = self.message().await?;
            match tag {
                b'G' => return Ok(self.socket.skip(body).await?),
                b'N' => self.socket.skip(body).await?,
                b'E' => {
                    self.keep(body).await?;
                    let error = refusal(&self.socket.received()[..body]);
                    self.socket.consume(body);
                    self.until_ready().await?;
                    return Err(error);
                }
                other => return Err(WireError::Protocol(format!("message `{}`", other.escape_ascii()))),
            }
        }
    }

    /// Sends rows of a COPY.
    pub(crate) async fn copy_data(&mut self, rows: &[u8]) -> Result<(), WireError> {
        message(&mut self.socket.output, b'd', |output| output.extend_from_slice(rows));
        Ok(self.socket.send().await?)
    }

    /// Ends a COPY; tells how many rows there were.
    pub(crate) async fn copy_end(&mut self) -> Result<u64, WireError> {
        message(&mut self.socket.output, b'c', |_| {});
        self.socket.send().await?;
        Ok(self.until_ready().await?.changed)
    }

    async fn ask(&mut self, sql: &str) -> Result<(), WireError> {
        message(&mut self.socket.output, b'Q', |output| put_text(output, sql.as_bytes()));
        Ok(self.socket.send().await?)
    }

    /// Reads up to the end of the answer, whatever went wrong on the way, so that the next statement finds a
    /// clean connection.
    #[inline]
    async fn until_ready(&mut self) -> Result<Outcome, WireError> {
        let (mut outcome, mut refused) = (Outcome::default(), None);
        loop {
            let Message { tag, body } = self.message().await?;
            match tag {
                b'D' => {
                    outcome.rows += 1;
                    self.socket.skip(body).await?;
                }
                b'C' => {
                    self.keep(body).await?;
                    outcome.changed = changed(&self.socket.received()[..body])
                        .and_then(|changed| outcome.changed.checked_add(changed))
                        .ok_or_else(|| WireError::protocol("more rows changed than can be counted"))?;
                    self.socket.consume(body);
                }
                b'E' => {
                    self.keep(body).await?;
                    refused.get_or_insert(refusal(&self.socket.received()[..body]));
                    self.socket.consume(body);
                }
                b'Z' => {
                    self.socket.skip(body).await?;
                    return refused.map_or(Ok(outcome), Err);
                }
                // Parsed, bound, no data, a notice, a parameter's new value: nothing to do.
                b'1' | b'2' | b'n' | b'N' | b'S' | b'K' | b'T' | b'I' | b'A' => {
                    self.socket.skip(body).await?
                }
                other => return Err(WireError::Protocol(format!("message `{}`", other.escape_ascii()))),
            }
        }
    }

    #[inline]
    async fn message(&mut self) -> Result<Message, WireError> {
        self.socket.need(HEADER).await?;
        let header: [u8; HEADER] = *self.socket.received().first_chunk().expect("just received");
        let length = u32::from_be_bytes([header[1], header[2], header[3], header[4]]) as usize;
        self.socket.consume(HEADER);
        let body = length.checked_sub(4).ok_or_else(|| WireError::protocol("a message without a length"))?;
        Ok(Message { tag: header[0], body })
    }

    /// Waits for a body that is looked at as a whole.
    async fn keep(&mut self, body: usize) -> Result<(), WireError> {
        if body > KEPT_MAX {
            return Err(WireError::protocol(format!("a message of {body} bytes")));
        }
        Ok(self.socket.need(body).await?)
    }

    /// The body of the next message, which must be a `tag`.
    async fn body(&mut self, tag: u8) -> Result<Vec<u8>, WireError> {
        loop {
            let message = self.message().await?;
            self.keep(message.body).await?;
            let body = self.socket.received()[..message.body].to_vec();
            self.socket.consume(message.body);
            match message.tag {
                found if found == tag => return Ok(body),
                b'E' => return Err(refusal(&body)),
                b'N' => {}
                other => return Err(WireError::Protocol(format!("message `{}`", other.escape_ascii()))),
            }
        }
    }
}

/// Talks to a server that says these bytes: the first tells about what.
#[cfg(any(test, fuzzing))]
pub(crate) async fn converse(bytes: &[u8], endpoint: &Endpoint) -> Result<(), WireError> {
    let (&about, bytes) = bytes.split_first().unwrap_or((&0, bytes));
    let mut client = Postgres { socket: Socket::said(bytes) };
    loop {
        match about % 8 {
            0 | 1 => {
                client.log_in(endpoint).await?;
                client.until_ready().await?;
            }
            2 => client.prepare([("a", "SELECT $1")].into_iter()).await?,
            3 => drop(client.execute("a", &[Value::Integer(1), Value::Text(b"a")]).await?),
            4 | 5 => drop(client.row("SELECT 1").await?),
            6 => {
                client.copy_begin("COPY").await?;
                client.copy_data(b"1").await?;
                client.copy_end().await?;
            }
            _ => drop(client.text("COMMIT").await?),
        }
    }
}

/// Appends a message with tag and length.
#[inline]
fn message(output: &mut Vec<u8>, tag: u8, body: impl FnOnce(&mut Vec<u8>)) {
    output.push(tag);
    let start = output.len();
    output.extend_from_slice(&[0; 4]);
    body(output);
    close(output, start);
}

/// Writes the length of a message that began at `start` into its beginning.
fn close(output: &mut [u8], start: usize) {
    let length = (output.len() - start) as u32;
    output[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

fn put_text(output: &mut Vec<u8>, text: &[u8]) {
    output.extend_from_slice(text);
    output.push(0);
}

/// The rounds that a SCRAM challenge (`r=...,s=...,i=4096`) asks for; 0 when it says none that can be read.
fn rounds(challenge: &[u8]) -> u32 {
    let asked = challenge.split(|&byte| byte == b',').find_map(|part| part.strip_prefix(b"i="));
    asked.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok()).unwrap_or(0)
}

fn integer(body: &[u8]) -> Result<(i32, &[u8]), WireError> {
    let (first, rest) =
        body.split_first_chunk().ok_or_else(|| WireError::protocol("a login message is too short"))?;
    Ok((i32::from_be_bytes(*first), rest))
}

/// A row in text: the number of values, then each with its length, -1 for NULL.
fn text_row(body: &[u8]) -> Option<Row> {
    let (count, mut rest) = body.split_first_chunk::<2>()?;
    let mut row = Row::new();
    for _ in 0..i16::from_be_bytes(*count) {
        let (length, values) = rest.split_first_chunk::<4>()?;
        rest = values;
        row.push(match usize::try_from(i32::from_be_bytes(*length)) {
            Err(_) => None,
            Ok(length) => {
                let (value, others) = rest.split_at_checked(length)?;
                rest = others;
                Some(String::from_utf8_lossy(value).into_owned())
            }
        });
    }
    Some(row)
}

/// The number at the end of `UPDATE 1`, `INSERT 0 1` or `DELETE 1`; 0 of `SELECT 1` and others, `None` of one
/// that cannot be counted.
fn changed(tag: &[u8]) -> Option<u64> {
    if tag.starts_with(b"SELECT") {
        return Some(0);
    }
    let tag = tag.strip_suffix(b"\0").unwrap_or(tag);
    let words = tag.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    let add = |sum: u64, digit: &u8| sum.checked_mul(10)?.checked_add(u64::from(digit - b'0'));
    tag[words..].iter().try_fold(0, add)
}

/// An error's fields are a letter and a text each.
fn refusal(body: &[u8]) -> WireError {
    let mut state = ['?'; 5];
    let mut message = String::new();
    for field in body.split(|&byte| byte == 0) {
        match field.split_first() {
            Some((b'C', code)) => state.iter_mut().zip(code).for_each(|(to, &from)| *to = char::from(from)),
            Some((b'M', text)) => message = database::bounded_text(&String::from_utf8_lossy(text)),
            _ => {}
        }
    }
    WireError::Refused { state, number: 0, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_tell_how_many_rows_changed() {
        let changed_by = |tag: &str| changed(format!("{tag}\0").as_bytes());
        assert_eq!(
            ["UPDATE 1", "INSERT 0 1", "DELETE 120", "SELECT 5", "BEGIN"].map(changed_by),
            [1, 1, 120, 0, 0].map(Some)
        );
        assert_eq!(changed_by("UPDATE 18446744073709551615"), Some(u64::MAX));
        assert_eq!(changed_by("UPDATE 18446744073709551616"), None, "more than can be counted");
    }

    #[test]
    fn a_login_says_how_many_rounds_it_takes() {
        assert_eq!(rounds(b"r=abc,s=ZGVm,i=4096"), 4096);
        assert_eq!(rounds(b"r=abc,s=ZGVm,i=4294967295"), u32::MAX);
        assert_eq!(rounds(b"r=abc"), 0);
    }

    #[test]
    fn refusals_carry_state_and_words() {
        let error = refusal(b"SERROR\0VERROR\0C40P01\0Mdeadlock detected\0\0");
        assert_eq!(error.state().as_deref(), Some("40P01"));
        assert_eq!(error.to_string(), "deadlock detected (SQLSTATE 40P01)");
    }

    #[test]
    fn rows_are_read_and_short_ones_refused() {
        let body = b"\0\x03\0\0\0\x02ab\xff\xff\xff\xff\0\0\0\0";
        assert_eq!(text_row(body).unwrap(), [Some("ab".to_owned()), None, Some(String::new())]);
        assert_eq!(text_row(&body[..10]), None);
    }

    #[test]
    fn messages_count_their_length() {
        let mut output = vec![7];
        message(&mut output, b'Q', |output| put_text(output, b"x"));
        assert_eq!(output, [7, b'Q', 0, 0, 0, 6, b'x', 0]);
    }
}
