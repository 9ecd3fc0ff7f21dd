//! The protocol of MariaDB and MySQL: log in, prepare, and execute with values in binary.

mod login;

use database::Endpoint;

use crate::sysbench::wire::{Client, Outcome, Row, Socket, Value, Waiting, WireError};

/// Length and number in front of every packet.
const HEADER: usize = 4;
/// Packets of this length go on in the next one.
const PACKET_MAX: usize = 0xff_ffff;
const COM_QUERY: u8 = 0x03;
const COM_STMT_PREPARE: u8 = 0x16;
const COM_STMT_EXECUTE: u8 = 0x17;
const OK: u8 = 0x00;
const ERROR: u8 = 0xff;
/// Ends a result; no row of a prepared statement's result begins with it.
const END: u8 = 0xfe;
/// The packets that end a result are shorter than any that begin a value of 2^24 bytes in the same way.
const LARGEST_END: usize = 0xff_ffff;
/// Asks for the rows of a `LOAD DATA LOCAL`.
const LOCAL_FILE: u8 = 0xfb;
/// Type codes of the values.
const TYPE_LONG: u8 = 0x03;
const TYPE_STRING: u8 = 0xfe;

/// One connection.
pub(crate) struct MySql {
    socket: Socket,
    /// The server leaves out the descriptions of columns that it has sent before (MariaDB).
    caches_columns: bool,
}

/// A prepared statement of one connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prepared {
    number: u32,
    /// The server remembers the types of the values from the first execution.
    typed: bool,
}

/// A load that is under way.
#[derive(Debug)]
pub(crate) struct Load {
    number: u8,
}

impl Client for MySql {
    async fn connect(endpoint: &Endpoint, waiting: Waiting<'_>) -> Result<Self, WireError> {
        let mut client = Self { socket: Socket::connect(endpoint, waiting).await?, caches_columns: false };
        client.log_in(endpoint).await?;
        Ok(client)
    }

    async fn text(&mut self, sql: &str) -> Result<Outcome, WireError> {
        self.command(COM_QUERY, sql.as_bytes()).await?;
        self.answer(false).await
    }

    async fn row(&mut self, sql: &str) -> Result<Row, WireError> {
        self.command(COM_QUERY, sql.as_bytes()).await?;
        let columns = match self.packet().await?.as_slice() {
            [OK, ..] => return Ok(Row::new()),
            [count, ..] if *count < 251 => usize::from(*count),
            _ => return Err(WireError::protocol("a result without a number of columns")),
        };
        for _ in 0..columns {
            self.packet().await?;
        }
        let first = self.packet().await?;
        if first[0] == END && first.len() < LARGEST_END {
            return Ok(Row::new());
        }
        let row = text_row(&first, columns)?;
        while !matches!(self.packet().await?.as_slice(), packet if packet[0] == END && packet.len() < LARGEST_END)
        {
        }
        Ok(row)
    }
}

impl MySql {
    /// Prepares one statement; `?` stands for values.
    pub(crate) async fn prepare(&mut self, sql: &str) -> Result<Prepared, WireError> {
        self.command(COM_STMT_PREPARE, sql.as_bytes()).await?;
        let packet = self.packet_expecting_ok().await?;
        let field = |at: usize, length: usize| {
            packet
                .get(at..at + length)
                .ok_or_else(|| WireError::protocol("the answer to a prepare is too short"))
        };
        let number = little(field(1, 4)?) as u32;
        let (columns, values) = (little(field(5, 2)?), little(field(7, 2)?));
        for _ in 0..columns + values {
            self.packet().await?;
        }
        Ok(Prepared { number, typed: false })
    }

    /// Executes a prepared statement with its values in the order of their question marks.
    #[inline]
    pub(crate) async fn execute(
        &mut self,
        statement: &mut Prepared,
        values: &[Value<'_>],
    ) -> Result<Outcome, WireError> {
        let output = &mut self.socket.output;
        packet(output, 0, |output| {
            output.push(COM_STMT_EXECUTE);
            output.extend_from_slice(&statement.number.to_le_bytes());
            // No cursor; executed once.
            output.extend_from_slice(&[0, 1, 0, 0, 0]);
            if values.is_empty() {
                return;
            }
            debug_assert!(values.len() <= 8, "the map of NULLs is one byte");
            output.extend_from_slice(&[0, u8::from(!statement.typed)]);
            if !statement.typed {
                for value in values {
                    output.extend_from_slice(&match value {
                        Value::Integer(_) => [TYPE_LONG, 0],
                        Value::Text(_) => [TYPE_STRING, 0],
                    });
                }
            }
            for value in values {
                match value {
                    Value::Integer(integer) => output.extend_from_slice(&integer.to_le_bytes()),
                    Value::Text(text) => {
                        debug_assert!(text.len() < 251, "the length is one byte");
                        output.push(text.len() as u8);
                        output.extend_from_slice(text);
                    }
                }
            }
        });
        statement.typed = true;
        self.socket.send().await?;
        self.answer(self.caches_columns).await
    }

    /// Begins a load: `sql` is a `LOAD DATA LOCAL INFILE`, whatever name it has in it. Follow with
    /// [`MySql::load_data`] and end with [`MySql::load_end`].
    pub(crate) async fn load_begin(&mut self, sql: &str) -> Result<Load, WireError> {
        self.command(COM_QUERY, sql.as_bytes()).await?;
        let (number, packet) = self.numbered_packet().await?;
        match packet[0] {
            LOCAL_FILE => Ok(Load { number: number.wrapping_add(1) }),
            _ => Err(WireError::protocol("it does not ask for the rows to load")),
        }
    }

    /// Sends rows, less than 16 MB at once.
    pub(crate) async fn load_data(&mut self, load: &mut Load, rows: &[u8]) -> Result<(), WireError> {
        packet(&mut self.socket.output, load.number, |output| output.extend_from_slice(rows));
        load.number = load.number.wrapping_add(1);
        Ok(self.socket.send().await?)
    }

    /// Ends a load; tells how many rows there were.
    pub(crate) async fn load_end(&mut self, load: Load) -> Result<u64, WireError> {
        packet(&mut self.socket.output, load.number, |_| {});
        self.socket.send().await?;
        let packet = self.packet_expecting_ok().await?;
        Ok(length_encoded(&packet[1..])?.0)
    }

    async fn command(&mut self, command: u8, text: &[u8]) -> Result<(), WireError> {
        packet(&mut self.socket.output, 0, |output| {
            output.push(command);
            output.extend_from_slice(text);
        });
        Ok(self.socket.send().await?)
    }

    #[inline]
    async fn answer(&mut self, caches_columns: bool) -> Result<Outcome, WireError> {
        let length = self.header().await?;
        self.socket.need(length).await?;
        let body = &self.socket.received()[..length];
        let mut columns = match body.first() {
            Some(&OK) => {
                let changed = length_encoded(&body[1..])?.0;
                self.socket.consume(length);
                return Ok(Outcome { rows: 0, changed });
            }
            Some(&ERROR) => {
                let error = refusal(body);
                self.socket.consume(length);
                return Err(error);
            }
            Some(&count) if count < 251 => usize::from(count),
            _ => return Err(WireError::protocol("a result without a number of columns")),
        };
        if caches_columns && body.get(1) == Some(&0) {
            columns = 0;
        }
        self.socket.consume(length);
        for _ in 0..columns {
            let length = self.header().await?;
            self.socket.skip(length).await?;
        }
        self.rows().await
    }

    /// Walks over the rows up to the end of the result.
    #[inline]
    async fn rows(&mut self) -> Result<Outcome, WireError> {
        let mut outcome = Outcome::default();
        loop {
            let length = self.header().await?;
            self.socket.need(1).await?;
            match self.socket.received()[0] {
                END => {
                    self.socket.skip(length).await?;
                    return Ok(outcome);
                }
                ERROR => {
                    self.socket.need(length).await?;
                    let error = refusal(&self.socket.received()[..length]);
                    self.socket.consume(length);
                    return Err(error);
                }
                _ => {
                    outcome.rows += 1;
                    self.socket.skip(length).await?;
                }
            }
        }
    }

    /// Length of the next packet.
    #[inline]
    async fn header(&mut self) -> Result<usize, WireError> {
        self.socket.need(HEADER).await?;
        let header: [u8; HEADER] = *self.socket.received().first_chunk().expect("just received");
        self.socket.consume(HEADER);
        let length = little(&header[..3]) as usize;
        if length == 0 || length == PACKET_MAX {
            return Err(WireError::protocol(format!("a packet of {length} bytes")));
        }
        Ok(length)
    }

    /// A whole packet and its number.
    async fn numbered_packet(&mut self) -> Result<(u8, Vec<u8>), WireError> {
        self.socket.need(HEADER).await?;
        let number = self.socket.received()[3];
        let length = self.header().await?;
        self.socket.need(length).await?;
        let packet = self.socket.received()[..length].to_vec();
        self.socket.consume(length);
        if packet[0] == ERROR { Err(refusal(&packet)) } else { Ok((number, packet)) }
    }

    async fn packet(&mut self) -> Result<Vec<u8>, WireError> {
        Ok(self.numbered_packet().await?.1)
    }

    async fn packet_expecting_ok(&mut self) -> Result<Vec<u8>, WireError> {
        let packet = self.packet().await?;
        if packet[0] == OK { Ok(packet) } else { Err(WireError::protocol("something else than OK")) }
    }
}

/// Talks to a server that says these bytes: the first tells about what.
#[cfg(any(test, fuzzing))]
pub(crate) async fn converse(bytes: &[u8], endpoint: &Endpoint) -> Result<(), WireError> {
    let (&about, bytes) = bytes.split_first().unwrap_or((&0, bytes));
    let mut client = MySql { socket: Socket::said(bytes), caches_columns: about & 16 != 0 };
    loop {
        match about % 8 {
            0 | 1 => client.log_in(endpoint).await?,
            2 | 3 => {
                let mut statement = client.prepare("SELECT ?").await?;
                client.execute(&mut statement, &[Value::Integer(1), Value::Text(b"a")]).await?;
            }
            4 => drop(client.row("SELECT 1").await?),
            5 => {
                let mut load = client.load_begin("LOAD DATA").await?;
                client.load_data(&mut load, b"1").await?;
                client.load_end(load).await?;
            }
            _ => drop(client.text("COMMIT").await?),
        }
    }
}

/// Appends a packet with length and number.
#[inline]
fn packet(output: &mut Vec<u8>, number: u8, body: impl FnOnce(&mut Vec<u8>)) {
    let start = output.len();
    output.extend_from_slice(&[0, 0, 0, number]);
    body(output);
    let length = output.len() - start - HEADER;
    debug_assert!(length < PACKET_MAX, "statements are short");
    output[start..start + 3].copy_from_slice(&(length as u32).to_le_bytes()[..3]);
}

/// A little-endian number of up to eight bytes.
fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// A number in the protocol's own length coding, and how many bytes it took.
fn length_encoded(bytes: &[u8]) -> Result<(u64, usize), WireError> {
    let length = match bytes.first() {
        Some(0xfc) => 2,
        Some(0xfd) => 3,
        Some(0xfe) => 8,
        Some(&small) if small < 251 => return Ok((u64::from(small), 1)),
        _ => return Err(WireError::protocol("a number is missing")),
    };
    let digits = bytes.get(1..=length).ok_or_else(|| WireError::protocol("a number is cut short"))?;
    Ok((little(digits), 1 + length))
}

/// A row in text: each value with its length, 0xfb for NULL.
fn text_row(mut packet: &[u8], columns: usize) -> Result<Row, WireError> {
    let mut row = Row::with_capacity(columns);
    for _ in 0..columns {
        if let Some((0xfb, rest)) = packet.split_first() {
            packet = rest;
            row.push(None);
            continue;
        }
        let (length, taken) = length_encoded(packet)?;
        let end = usize::try_from(length).ok().and_then(|length| taken.checked_add(length));
        let value = end.and_then(|end| packet.get(taken..end));
        let value = value.ok_or_else(|| WireError::protocol("a row is cut short"))?;
        row.push(Some(String::from_utf8_lossy(value).into_owned()));
        packet = &packet[taken + value.len()..];
    }
    Ok(row)
}

/// Number, `#` and SQLSTATE, words. Before the login there is no SQLSTATE.
fn refusal(body: &[u8]) -> WireError {
    let number = body.get(1..3).map_or(0, little) as u16;
    let text = body.get(3..).unwrap_or_default();
    let mut state = ['?'; 5];
    let text = match text.strip_prefix(b"#") {
        Some(marked) if marked.len() >= 5 => {
            state.iter_mut().zip(marked).for_each(|(to, &from)| *to = char::from(from));
            &marked[5..]
        }
        _ => text,
    };
    WireError::Refused { state, number, message: database::bounded_text(&String::from_utf8_lossy(text)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_packets_are_coded_as_the_protocol_says() {
        assert_eq!(length_encoded(&[250]).unwrap(), (250, 1));
        assert_eq!(length_encoded(&[0xfc, 1, 2]).unwrap(), (513, 3));
        assert_eq!(length_encoded(&[0xfe, 1, 0, 0, 0, 0, 0, 0, 0]).unwrap(), (1, 9));
        assert!(length_encoded(&[0xfd, 1]).is_err());
        assert!(length_encoded(&[]).is_err());
        let mut output = Vec::new();
        packet(&mut output, 3, |output| output.extend_from_slice(b"ab"));
        assert_eq!(output, [2, 0, 0, 3, b'a', b'b']);
    }

    #[test]
    fn rows_are_read_and_short_ones_refused() {
        assert_eq!(text_row(b"\x02ab\xfb\0", 3).unwrap(), [Some("ab".to_owned()), None, Some(String::new())]);
        assert!(text_row(b"\x05ab", 1).is_err());
        assert!(
            text_row(b"\xfe\xff\xff\xff\xff\xff\xff\xff\xffab", 1).is_err(),
            "a length beyond all memory"
        );
    }

    #[test]
    fn refusals_carry_number_state_and_words() {
        let error = refusal(b"\xff\xbd\x04#40001Deadlock found");
        let WireError::Refused { number, .. } = &error else { panic!("{error}") };
        assert_eq!(*number, 1213);
        assert_eq!(error.to_string(), "Deadlock found (SQLSTATE 40001)");
        assert!(refusal(b"\xff\x10\x04Too many connections").to_string().starts_with("Too many connections"));
    }
}
