//! The connections of the server: as many as it can bear, and none for ever.
//!
//! A run may be in the same process, so browsers must not take all of its files or its memory: the number of
//! connections is limited, the kernel keeps little for a browser that does not read, and one that reads
//! nothing for half a minute is let go. It comes back by itself. Once all places are taken, those that do not
//! read leave sooner, and so do those over which nothing passes.

use std::future::Future;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use ground::Clock;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::Sleep;

use crate::peer;

/// Connections at the same time; more wait until one ends. Ten browsers with six each, as browsers open them;
/// each may hold half a MB of pages that it does not read.
const CONNECTIONS_MAX: usize = 64;
/// The times after which a browser is let go.
const PATIENCE: Patience = Patience {
    unread: Duration::from_secs(30),
    unread_if_full: Duration::from_secs(2),
    // A stream of events has a word for its reader every 15 s; no page takes so long to be drawn.
    silent_if_full: Duration::from_secs(40),
};
/// The kernel's buffer of what was sent and not read; Linux takes twice as much.
const UNREAD_BYTES: u32 = 64 << 10;
/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;
/// The interval at which a full listener looks for a free place.
const LOOK: Duration = Duration::from_millis(50);
/// The interval at which a connection over which nothing passes looks whether it is to end.
const TICK: Duration = Duration::from_millis(500);

/// The times for which a connection may do nothing.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// Nothing is read of what waits for the browser.
    unread: Duration,
    /// The same while all places are taken.
    unread_if_full: Duration,
    /// Nothing passes either way while all places are taken.
    silent_if_full: Duration,
}

/// A listener that counts its connections.
#[derive(Debug)]
pub(crate) struct BoundedListener {
    listener: TcpListener,
    /// Held once by the listener and once by each connection; true while all places are taken.
    is_full: Arc<AtomicBool>,
    /// For each of them.
    patience: Patience,
}

impl BoundedListener {
    /// Listens at an address. Needs the context of a runtime.
    pub(crate) fn bind(address: SocketAddr) -> Result<Self> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        // A server that comes back takes the address of the one before, whose connections linger.
        socket.set_reuseaddr(true)?;
        socket.set_send_buffer_size(UNREAD_BYTES)?; // Connections inherit it.
        socket.bind(address)?;
        Ok(Self { listener: socket.listen(BACKLOG)?, is_full: Arc::default(), patience: PATIENCE })
    }

    /// The address, with its port.
    pub(crate) fn address(&self) -> Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// True if it listens on the loopback device alone: there is no token then.
    fn is_for_this_machine(&self) -> bool {
        self.address().is_ok_and(|address| address.ip().is_loopback())
    }

    fn connections(&self) -> usize {
        Arc::strong_count(&self.is_full) - 1
    }
}

impl axum::serve::Listener for BoundedListener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            let is_full = self.connections() >= CONNECTIONS_MAX;
            self.is_full.store(is_full, Ordering::Relaxed);
            if is_full {
                tokio::time::sleep(LOOK).await;
                continue;
            }
            match self.listener.accept().await {
                Ok((stream, from)) if self.is_for_this_machine() && !is_admitted(&stream, from) => {
                    // One that does not wait for its answer misses it.
                    let _ = stream.try_write(REFUSED);
                }
                Ok((stream, from)) => {
                    let (patience, is_full) = (self.patience, Arc::clone(&self.is_full));
                    let passed_ns = Clock::Wall.now_ns();
                    return (
                        Connection { stream, patience, is_full, passed_ns, unread_ns: None, tick: None },
                        from,
                    );
                }
                // One that broke off, or no file left for it now.
                Err(_) => tokio::time::sleep(LOOK).await,
            }
        }
    }

    fn local_addr(&self) -> Result<SocketAddr> {
        self.address()
    }
}

/// The answer to another user of this machine.
const REFUSED: &[u8] = b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n\
    this server answers its own user; `drivetrain serve --listen` with another address gives it a token\n";

/// True for this user's own programs, and those of root.
fn is_admitted(stream: &TcpStream, from: SocketAddr) -> bool {
    stream.local_addr().is_ok_and(|to| peer::is_ours(from, to))
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    patience: Patience,
    /// True while all places are taken, of which this is one.
    is_full: Arc<AtomicBool>,
    /// The last time that anything passed.
    passed_ns: u64,
    /// Since when the browser takes nothing of what waits for it.
    unread_ns: Option<u64>,
    /// Runs while nothing passes, to look at the times again.
    tick: Option<Pin<Box<Sleep>>>,
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(cx, into);
        if read.is_ready() {
            self.passed_ns = Clock::Wall.now_ns();
            return read;
        }
        self.wait(cx)
    }
}

impl Connection {
    /// What came of an attempt to write; an error once the browser has taken nothing for too long.
    fn patient(&mut self, cx: &mut Context<'_>, written: Poll<Result<usize>>) -> Poll<Result<usize>> {
        if written.is_ready() {
            (self.unread_ns, self.passed_ns) = (None, Clock::Wall.now_ns());
            return written;
        }
        self.unread_ns.get_or_insert_with(|| Clock::Wall.now_ns());
        self.wait(cx).map(|left| left.and(Ok(0)))
    }

    /// Waits until the connection has done nothing for too long: an error, and never anything else.
    fn wait(&mut self, cx: &mut Context<'_>) -> Poll<Result<()>> {
        loop {
            if self.is_stale() {
                return Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the browser reads nothing")));
            }
            let tick = self.tick.get_or_insert_with(|| Box::pin(tokio::time::sleep(TICK)));
            ready!(tick.as_mut().poll(cx));
            self.tick = None;
        }
    }

    fn is_stale(&self) -> bool {
        let (patience, is_full) = (self.patience, self.is_full.load(Ordering::Relaxed));
        let unread_most = if is_full { patience.unread_if_full } else { patience.unread };
        self.unread_ns.is_some_and(|since_ns| Clock::Wall.since(since_ns) >= unread_most)
            || (is_full && Clock::Wall.since(self.passed_ns) >= patience.silent_if_full)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.patient(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.patient(cx, written)
    }

    /// With pieces, at most 16 events of a stream wait in memory; without them, 400 KB.
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::net::TcpStream as Client;

    use axum::serve::Listener as _;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
    }

    #[test]
    fn no_more_connections_than_the_limit_are_accepted() {
        runtime().block_on(async {
            let mut listener = BoundedListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
            let address = listener.address().unwrap();
            let mut connections = Vec::new();
            let mut clients = Vec::new();
            for _ in 0..CONNECTIONS_MAX {
                clients.push(Client::connect(address).unwrap());
                connections.push(listener.accept().await.0);
            }
            clients.push(Client::connect(address).unwrap());
            assert!(tokio::time::timeout(LOOK * 4, listener.accept()).await.is_err());
            connections.pop();
            assert!(tokio::time::timeout(LOOK * 40, listener.accept()).await.is_ok());
        });
    }

    #[test]
    fn a_browser_that_takes_nothing_for_too_long_is_let_go() {
        runtime().block_on(async {
            let mut listener = BoundedListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
            listener.patience.unread = LOOK;
            let client = Client::connect(listener.address().unwrap()).unwrap();
            let (mut connection, _) = listener.accept().await;
            let error = connection.write_all(&vec![7; 16 << 20]).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TimedOut);
            drop(client);
        });
    }

    #[test]
    fn browsers_that_do_nothing_leave_their_places_to_others() {
        runtime().block_on(async {
            let mut listener = BoundedListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
            let address = listener.address().unwrap();
            listener.patience.unread_if_full = LOOK;
            listener.patience.silent_if_full = LOOK;
            let mut clients = Vec::new();
            for place in 0..CONNECTIONS_MAX {
                clients.push(Client::connect(address).unwrap());
                let mut connection = listener.accept().await.0;
                tokio::spawn(async move {
                    match place % 2 {
                        0 => connection.write_all(&vec![7; 16 << 20]).await.unwrap_err(),
                        _ => connection.read_u8().await.unwrap_err(),
                    }
                });
            }
            for _ in 0..CONNECTIONS_MAX / 2 {
                clients.push(Client::connect(address).unwrap());
                drop(listener.accept().await);
            }
        });
    }

    #[test]
    fn a_browser_that_reads_again_in_time_gets_everything() {
        runtime().block_on(async {
            let mut listener = BoundedListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
            let mut client = Client::connect(listener.address().unwrap()).unwrap();
            let (mut connection, _) = listener.accept().await;
            let all = vec![7; 16 << 20];
            let sent = async { connection.write_all(&all).await };
            let mut sent = Box::pin(sent);
            assert!(tokio::time::timeout(LOOK, &mut sent).await.is_err(), "the kernel does not take it all");
            let reader = std::thread::spawn(move || {
                let mut read = vec![0; 16 << 20];
                client.read_exact(&mut read).map(|()| read)
            });
            sent.await.unwrap();
            assert!(reader.join().unwrap().unwrap().iter().all(|byte| *byte == 7));
        });
    }
}
