//! A connection's bytes: one call to send, and as few as possible to receive.
#![allow(unsafe_code)] // The runtime gives a descriptor's number to the kernel and cannot see itself that it stays open.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use database::{Endpoint, HangUp};
use ground::Clock;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::guard::{Guard, Watched};

/// Holds a range of 100 rows and more, so that it is received with one call when the server sends it in one.
const INPUT_BYTES: usize = 32 << 10;
/// A server that says nothing for so long is gone. Longer than any server waits for a lock by default.
pub(crate) const SILENCE_MAX: Duration = Duration::from_secs(120);
/// The interval at which a client that waits in a call checks for a hang-up.
const LOOK: Duration = Duration::from_millis(200);
/// The time limit of a connection.
const CONNECT_MAX: Duration = Duration::from_secs(30);

/// The way in which a session waits for its answer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Waiting<'a> {
    /// In a call on this thread, where nothing else happens meanwhile.
    Alone,
    /// Likewise, without a limit of its own: the guard sees to it. Cheapest.
    Guarded(&'a Guard),
    /// Through the runtime, so that other sessions work meanwhile.
    Shared,
}

/// A stream socket and its two buffers.
pub(crate) struct Socket {
    stream: Stream,
    watched: Option<Arc<Watched>>,
    hang_up: HangUp,
    input: Box<[u8]>,
    start: usize,
    end: usize,
    /// The data to send.
    pub(crate) output: Vec<u8>,
}

/// All wait for data to read and for nothing else. A unix socket tells everybody who listens when the other
/// side has *read* what was sent, so a thread in a plain `recv`, or a runtime that watches for both
/// directions, would be woken twice for each statement.
enum Stream {
    /// A unix socket, waited for by `poll`.
    Unix(OwnedFd),
    /// A TCP socket that blocks: its own sends wake nobody.
    Tcp(OwnedFd),
    Shared(AsyncFd<OwnedFd>),
    /// A server whose words are all there.
    #[cfg(any(test, fuzzing))]
    Said(parking_lot::Mutex<io::Cursor<Vec<u8>>>),
}

impl Socket {
    /// A connection to a server that says these bytes, whatever it is asked.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn said(bytes: &[u8]) -> Self {
        let stream = Stream::Said(parking_lot::Mutex::new(io::Cursor::new(bytes.to_vec())));
        let input = vec![0; INPUT_BYTES].into_boxed_slice();
        Self {
            stream,
            watched: None,
            hang_up: HangUp::default(),
            input,
            start: 0,
            end: 0,
            output: Vec::new(),
        }
    }

    pub(crate) async fn connect(endpoint: &Endpoint, waiting: Waiting<'_>) -> io::Result<Self> {
        let stream = tokio::select! {
            connected = tokio::time::timeout(CONNECT_MAX, Stream::connect(endpoint, waiting)) => {
                let late = "the server does not accept the connection";
                connected.map_err(|_| io::Error::new(io::ErrorKind::TimedOut, late))??
            }
            () = endpoint.hang_up.asked() => return Err(hung_up()),
        };
        let watched = match waiting {
            Waiting::Guarded(guard) => Some(guard.watch(stream.socket())?),
            _ => None,
        };
        Ok(Self {
            stream,
            watched,
            hang_up: endpoint.hang_up.clone(),
            input: vec![0; INPUT_BYTES].into_boxed_slice(),
            start: 0,
            end: 0,
            output: Vec::with_capacity(1024),
        })
    }

    /// Sends the collected `output`. Statements fit into the socket's own buffer; a larger output (a load)
    /// waits in this call.
    pub(crate) async fn send(&mut self) -> io::Result<()> {
        #[cfg(any(test, fuzzing))]
        if matches!(self.stream, Stream::Said(_)) {
            self.output.clear();
            return Ok(());
        }
        let socket = self.stream.socket();
        let mut rest = self.output.as_slice();
        while !rest.is_empty() {
            match send(socket, rest, SendFlags::NOSIGNAL) {
                Ok(count) => rest = &rest[count..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => wait_for(socket, PollFlags::OUT, Some((SILENCE_MAX, &self.hang_up)))?,
                Err(error) => return Err(error.into()),
            }
        }
        self.output.clear();
        Ok(())
    }

    /// The data received and not yet consumed.
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

    /// Receives the available data, as far as there is space, on the way to `count` bytes.
    async fn receive(&mut self, count: usize) -> io::Result<()> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.input.len() - self.start < count {
            self.input.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        // The buffer grows with the received data, not with the length that a server claims.
        if self.end == self.input.len() {
            let mut longer = vec![0; 2 * self.end].into_boxed_slice();
            longer[..self.end].copy_from_slice(&self.input);
            self.input = longer;
        }
        let room = &mut self.input[self.end..];
        let got = match &self.stream {
            Stream::Unix(socket) | Stream::Tcp(socket) if self.watched.is_none() => {
                wait_for(socket, PollFlags::IN, Some((SILENCE_MAX, &self.hang_up)))?;
                receive(socket, room, RecvFlags::DONTWAIT)?
            }
            Stream::Unix(socket) => {
                guarded(self.watched.as_deref(), || wait_for(socket, PollFlags::IN, None))?;
                receive(socket, room, RecvFlags::DONTWAIT)?
            }
            Stream::Tcp(socket) => {
                guarded(self.watched.as_deref(), || receive(socket, room, RecvFlags::empty()))?
            }
            #[cfg(any(test, fuzzing))]
            Stream::Said(bytes) => io::Read::read(&mut *bytes.lock(), room)?,
            Stream::Shared(socket) => loop {
                let mut ready = socket.readable().await?;
                match receive(socket.get_ref(), room, RecvFlags::DONTWAIT) {
                    Ok(got) => {
                        // It did not fill the buffer, so there is no more; a wakeup announces later data.
                        if got < room.len() {
                            ready.clear_ready();
                        }
                        break got;
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => ready.clear_ready(),
                    Err(error) => return Err(error),
                }
            },
        };
        if got == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection"));
        }
        self.end += got;
        Ok(())
    }
}

fn receive(socket: &OwnedFd, room: &mut [u8], flags: RecvFlags) -> io::Result<usize> {
    loop {
        match recv(socket, &mut *room, flags) {
            Ok((_, got)) => return Ok(got),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Waits until the socket can be read or written, or is broken; where there is a limit, no longer than that
/// and until it is to hang up.
fn wait_for(socket: &OwnedFd, what: PollFlags, limit: Option<(Duration, &HangUp)>) -> io::Result<()> {
    let since = Clock::Wall.stopwatch();
    let look = limit.map(|_| Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) });
    loop {
        match poll(&mut [PollFd::new(socket, what)], look.as_ref()) {
            Ok(0) => match limit {
                Some((_, hang_up)) if hang_up.is_asked() => return Err(hung_up()),
                Some((limit, _)) if since.elapsed() >= limit => return Err(silence()),
                _ => {}
            },
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// A wait that the guard may end.
#[inline]
fn guarded<T>(watched: Option<&Watched>, wait: impl FnOnce() -> T) -> T {
    let Some(watched) = watched else { return wait() };
    watched.mark();
    let result = wait();
    watched.mark();
    result
}

/// The error of a wait that ended because nobody wants the answer.
fn hung_up() -> io::Error {
    io::Error::other("stopped before the server answered")
}

/// The error of a wait that ended without an answer.
fn silence() -> io::Error {
    let words = format!("the server said nothing for {} s", SILENCE_MAX.as_secs());
    io::Error::new(io::ErrorKind::TimedOut, words)
}

impl Stream {
    async fn connect(endpoint: &Endpoint, waiting: Waiting<'_>) -> io::Result<Self> {
        let is_unix = endpoint.socket.is_some();
        let socket = match &endpoint.socket {
            Some(path) => OwnedFd::from(tokio::net::UnixStream::connect(path).await?.into_std()?),
            None => {
                let stream = tokio::net::TcpStream::connect((endpoint.host.as_str(), endpoint.port)).await?;
                stream.set_nodelay(true)?;
                stream.into_std()?.into()
            }
        };
        if matches!(waiting, Waiting::Shared) {
            // SAFETY: an `OwnedFd` has the same open descriptor from its beginning to its end, and the
            // registration owns it.
            let registered = unsafe { AsyncFd::register_with_interest(socket, Interest::READABLE) };
            return Ok(Self::Shared(registered?));
        }
        rustix::io::ioctl_fionbio(&socket, false)?;
        Ok(if is_unix { Self::Unix(socket) } else { Self::Tcp(socket) })
    }

    fn socket(&self) -> &OwnedFd {
        match self {
            Self::Unix(socket) | Self::Tcp(socket) => socket,
            Self::Shared(socket) => socket.get_ref(),
            #[cfg(any(test, fuzzing))]
            Self::Said(_) => unreachable!("it has no descriptor"),
        }
    }
}
