//! A connection's bytes: one call to send, and as few as possible to receive.

use std::io::{self, Read as _, Write as _};
use std::time::Duration;

use database::Endpoint;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// Holds a range of 100 rows and more, so that it is received with one call when the server sends it in one.
const INPUT_BYTES: usize = 32 << 10;
/// A server that says nothing for so long is gone. Longer than any server waits for a lock by default.
const SILENCE_MAX: Duration = Duration::from_secs(120);
/// How long a server may take to accept a connection.
const CONNECT_MAX: Duration = Duration::from_secs(30);

/// How a session waits for its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// In the call that receives it: cheapest, but nothing else happens on this thread meanwhile.
    Alone,
    /// Through the runtime, so that other sessions work meanwhile.
    Shared,
}

/// A stream socket and its two buffers.
pub(crate) struct Socket {
    stream: Stream,
    input: Box<[u8]>,
    start: usize,
    end: usize,
    /// What is to be sent.
    pub(crate) output: Vec<u8>,
}

enum Stream {
    UnixAlone(std::os::unix::net::UnixStream),
    TcpAlone(std::net::TcpStream),
    Unix(tokio::net::UnixStream),
    Tcp(tokio::net::TcpStream),
}

impl Socket {
    pub(crate) async fn connect(endpoint: &Endpoint, waiting: Waiting) -> io::Result<Self> {
        let stream =
            tokio::time::timeout(CONNECT_MAX, Stream::connect(endpoint, waiting)).await.map_err(|_| {
                io::Error::new(io::ErrorKind::TimedOut, "the server does not accept the connection")
            })??;
        Ok(Self {
            stream,
            input: vec![0; INPUT_BYTES].into_boxed_slice(),
            start: 0,
            end: 0,
            output: Vec::with_capacity(1024),
        })
    }

    /// Sends what was collected in `output`.
    pub(crate) async fn send(&mut self) -> io::Result<()> {
        match &mut self.stream {
            Stream::UnixAlone(stream) => stream.write_all(&self.output)?,
            Stream::TcpAlone(stream) => stream.write_all(&self.output)?,
            Stream::Unix(stream) => stream.write_all(&self.output).await?,
            Stream::Tcp(stream) => stream.write_all(&self.output).await?,
        }
        self.output.clear();
        Ok(())
    }

    /// What has been received and not been consumed.
    #[inline]
    pub(crate) fn received(&self) -> &[u8] {
        &self.input[self.start..self.end]
    }

    /// Consumes `count` of the bytes received.
    #[inline]
    pub(crate) fn consume(&mut self, count: usize) {
        self.start += count;
        debug_assert!(self.start <= self.end);
    }

    /// Waits until at least `count` bytes are there to be consumed.
    #[inline]
    pub(crate) async fn need(&mut self, count: usize) -> io::Result<()> {
        while self.end - self.start < count {
            self.receive(count).await?;
        }
        Ok(())
    }

    /// Consumes `count` bytes, however many they are, and keeps none of them.
    pub(crate) async fn skip(&mut self, mut count: usize) -> io::Result<()> {
        loop {
            let here = count.min(self.end - self.start);
            self.start += here;
            count -= here;
            if count == 0 {
                return Ok(());
            }
            self.receive(1).await?;
        }
    }

    /// Receives what there is, having made room for `count` bytes in all.
    async fn receive(&mut self, count: usize) -> io::Result<()> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.input.len() - self.start < count {
            self.input.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.input.len() < count {
            let mut longer = vec![0; count.next_power_of_two()].into_boxed_slice();
            longer[..self.end].copy_from_slice(&self.input[..self.end]);
            self.input = longer;
        }
        let room = &mut self.input[self.end..];
        let got = match &mut self.stream {
            Stream::UnixAlone(stream) => alone(|| stream.read(room))?,
            Stream::TcpAlone(stream) => alone(|| stream.read(room))?,
            Stream::Unix(stream) => stream.read(room).await?,
            Stream::Tcp(stream) => stream.read(room).await?,
        };
        if got == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection"));
        }
        self.end += got;
        Ok(())
    }
}

/// Repeats what a signal interrupted.
fn alone(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let silence = format!("the server said nothing for {} s", SILENCE_MAX.as_secs());
                return Err(io::Error::new(io::ErrorKind::TimedOut, silence));
            }
            other => return other,
        }
    }
}

impl Stream {
    async fn connect(endpoint: &Endpoint, waiting: Waiting) -> io::Result<Self> {
        if let Some(path) = &endpoint.socket {
            let stream = tokio::net::UnixStream::connect(path).await?;
            if waiting == Waiting::Shared {
                return Ok(Self::Unix(stream));
            }
            let stream = stream.into_std()?;
            stream.set_nonblocking(false)?;
            stream.set_read_timeout(Some(SILENCE_MAX))?;
            return Ok(Self::UnixAlone(stream));
        }
        let stream = tokio::net::TcpStream::connect((endpoint.host.as_str(), endpoint.port)).await?;
        stream.set_nodelay(true)?;
        if waiting == Waiting::Shared {
            return Ok(Self::Tcp(stream));
        }
        let stream = stream.into_std()?;
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(SILENCE_MAX))?;
        Ok(Self::TcpAlone(stream))
    }
}
