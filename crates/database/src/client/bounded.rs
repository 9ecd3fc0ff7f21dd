//! A way to PostgreSQL on which no answer is longer than a client of ours can use; the driver of MariaDB has
//! such a limit of its own, for each message.
//!
//! The driver believes the length that a message announces and collects all rows of an answer. A server that
//! is broken, or no server, would make it take all memory. Here each answer is measured before the driver
//! keeps it.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpSocket, TcpStream, UnixStream, lookup_host};

/// The longest answer to one question, bytes of all its messages. The longest answers that any code here
/// asks for are rows of views and a few rows of tables: less than a MiB. The driver takes eight times as much
/// memory for short rows.
pub(crate) const ANSWER_MOST_BYTES: u64 = 16 << 20;

/// Bytes of tag and length of a message.
const HEADER_BYTES: usize = 5;
/// The server is ready for the next question: an answer has ended.
const READY: u8 = b'Z';
/// The messages of which answers consist: of the parsing, binding, rows, ends and parameters of statements.
/// A bit for each tag, as dozens of them pass for a transaction.
const IN_ANSWERS: u128 = bits(b"123CDIKSTZnst");

const fn bits(mut tags: &[u8]) -> u128 {
    let mut bits = 0;
    while let [tag, rest @ ..] = tags {
        bits |= 1 << *tag;
        tags = rest;
    }
    bits
}

/// Bytes of the server's last message that are kept for an error: those of a challenge of SCRAM.
const SAID_MOST_BYTES: usize = 128;

/// The fault of an answer without an end.
pub(crate) const TOO_LONG: &str = "an answer began to come that is longer than any that drivetrain asks for";

/// A stream from and to a server.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A stream that ends with an error once an answer is too long.
pub(crate) struct Bounded {
    stream: Box<dyn Stream>,
    meter: Meter,
    heard: Heard,
}

/// The last message of a server on a stream: the driver itself reports only that it was wrong.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard(Arc<Mutex<Vec<u8>>>);

impl Heard {
    fn keep(&self, said: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clear();
        kept.extend_from_slice(said);
    }

    /// The start of its last message, printable; empty before the first, and where it was one of an answer.
    pub(crate) fn said(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).trim_ascii().escape_ascii().to_string()
    }
}

impl Bounded {
    /// Over this stream, and what is heard on it.
    pub(crate) fn over(stream: Box<dyn Stream>) -> (Bounded, Heard) {
        let heard = Heard::default();
        (Bounded { stream, meter: Meter::default(), heard: heard.clone() }, heard)
    }
}

/// A connection to a socket in this directory with PostgreSQL's name for it, or to a host.
pub(crate) async fn connect(
    directory: Option<&Path>,
    (host, port): (&str, u16),
    limit: Duration,
) -> io::Result<Box<dyn Stream>> {
    let opening = async {
        Ok::<Box<dyn Stream>, io::Error>(match directory {
            Some(directory) => {
                Box::new(UnixStream::connect(directory.join(format!(".s.PGSQL.{port}"))).await?)
            }
            None => Box::new(over_tcp(host, port).await?),
        })
    };
    tokio::time::timeout(limit, opening).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// The first address of a host that answers.
async fn over_tcp(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut failed = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in lookup_host((host, port)).await? {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        // A peer that has gone without a word is found out in the end.
        socket.set_keepalive(true)?;
        match socket.connect(address).await {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// Lengths of messages and of the answer so far, while bytes pass.
#[derive(Debug, Default)]
struct Meter {
    header: [u8; HEADER_BYTES],
    header_length: usize,
    /// Bytes that are left of the message.
    left: u64,
    /// Bytes of the answer with all that its messages announced.
    answered: u64,
    /// The start of the message, of one that is worth it.
    said: Vec<u8>,
    /// True if `said` is another than it was.
    says_more: bool,
    /// True if the message is worth it.
    is_odd: bool,
    /// True if the server was ready once: from then on its messages are those of answers.
    is_open: bool,
}

/// An answer is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TooLong;

impl Meter {
    fn pass(&mut self, mut bytes: &[u8]) -> Result<(), TooLong> {
        while !bytes.is_empty() {
            if self.left > 0 {
                let now = self.left.min(bytes.len() as u64);
                self.left -= now;
                self.say(&bytes[..now as usize]);
                bytes = &bytes[now as usize..];
                continue;
            }
            if self.header_length == 0
                && let Some((header, rest)) = bytes.split_first_chunk()
            {
                self.open(*header, rest)?;
                bytes = rest;
                continue;
            }
            let now = (HEADER_BYTES - self.header_length).min(bytes.len());
            let (head, rest) = bytes.split_at(now);
            self.header[self.header_length..][..now].copy_from_slice(head);
            self.header_length += now;
            bytes = rest;
            if self.header_length == HEADER_BYTES {
                self.header_length = 0;
                self.open(self.header, bytes)?;
            }
        }
        Ok(())
    }

    /// A header is whole, and these bytes came with it.
    fn open(&mut self, header: [u8; HEADER_BYTES], rest: &[u8]) -> Result<(), TooLong> {
        self.listen(header);
        // Bytes that are no message have no end: all that came belong to them.
        self.begin(header).inspect_err(|TooLong| {
            self.is_odd = true;
            self.say(&header);
            self.say(rest);
        })
    }

    /// Another message begins. Those of which answers consist are not kept: they pass for every transaction.
    fn listen(&mut self, header: [u8; HEADER_BYTES]) {
        self.says_more |= !self.said.is_empty();
        self.said.clear();
        let is_of_answer = header[0].is_ascii() && IN_ANSWERS >> header[0] & 1 == 1;
        self.is_odd = !self.is_open || !is_of_answer;
        self.say(&header);
    }

    fn say(&mut self, bytes: &[u8]) {
        if !self.is_odd {
            return;
        }
        self.says_more = true;
        let room = SAID_MOST_BYTES - self.said.len();
        self.said.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Counts the length that a header announces. It has its own four bytes in it; less is a fault that the
    /// driver tells.
    fn begin(&mut self, header: [u8; HEADER_BYTES]) -> Result<(), TooLong> {
        let [tag, length @ ..] = header;
        let length = u64::from(u32::from_be_bytes(length));
        self.answered += length + 1;
        if self.answered > ANSWER_MOST_BYTES {
            return Err(TooLong);
        }
        self.left = length.saturating_sub(4);
        if tag == READY {
            self.answered = 0;
            self.is_open = true;
        }
        Ok(())
    }
}

impl AsyncRead for Bounded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let passed = self.meter.pass(&buffer.filled()[before..]);
        if std::mem::take(&mut self.meter.says_more) {
            self.heard.keep(&self.meter.said);
        }
        Poll::Ready(passed.map_err(|TooLong| io::Error::new(io::ErrorKind::InvalidData, TOO_LONG)))
    }
}

impl AsyncWrite for Bounded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(tag: u8, body: usize) -> Vec<u8> {
        let mut bytes = vec![tag];
        bytes.extend((body as u32 + 4).to_be_bytes());
        bytes.resize(HEADER_BYTES + body, 7);
        bytes
    }

    #[test]
    fn messages_of_answers_are_not_kept_and_others_are() {
        let mut meter = Meter::default();
        meter.pass(&message(b'R', 4)).unwrap();
        assert_eq!(meter.said[0], b'R', "before the server was ready everything is");
        meter.pass(&message(READY, 1)).unwrap();
        meter.says_more = false;
        meter.pass(&message(b'D', 30)).unwrap();
        assert!(meter.said.is_empty() && meter.says_more, "nothing older is taken for it");
        meter.says_more = false;
        meter.pass(&message(b'C', 3)).unwrap();
        assert!(meter.said.is_empty() && !meter.says_more, "nothing to do for each of them");
        meter.pass(&message(b'N', 3)).unwrap();
        assert_eq!((meter.said[0], meter.says_more), (b'N', true));
    }

    #[test]
    fn answers_pass_however_they_are_cut() {
        let answer = [message(b'D', 300), message(b'C', 0), message(READY, 1)].concat();
        let session = answer.repeat(50);
        for piece in [1, 3, 5, 7, 306, session.len()] {
            let mut meter = Meter::default();
            session.chunks(piece).for_each(|bytes| meter.pass(bytes).expect("short answers"));
            assert_eq!((meter.left, meter.header_length, meter.answered), (0, 0, 0), "pieces of {piece}");
        }
    }

    #[test]
    fn a_long_message_is_refused_by_its_header_and_many_by_their_sum() {
        let header = [b'D', 0x7f, 0xff, 0xff, 0xff];
        assert_eq!(Meter::default().pass(&header), Err(TooLong));
        assert!(
            Meter::default().pass(&[b'D', 0xff, 0xff, 0xff, 0xff]).is_err(),
            "a length is never negative"
        );
        let row = message(b'D', 1 << 20);
        let mut meter = Meter::default();
        let passed = (0..100).take_while(|_| meter.pass(&row).is_ok()).count();
        assert_eq!(passed, 15, "an answer without an end");
    }
}
