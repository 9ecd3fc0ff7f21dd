//! The connections of the server: as many as it can bear, and none for ever.
//!
//! A run may be in the same process, so browsers must not take all of its files or its memory: the number of
//! connections is limited, the kernel keeps little for a browser that does not read, and one that reads
//! nothing for a minute is let go. It comes back by itself.

use std::future::Future;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::Sleep;

use crate::peer;

/// Connections at the same time; more wait until one ends.
const CONNECTIONS_MAX: usize = 512;
/// The time after which a browser that reads nothing is let go.
const PATIENCE: Duration = Duration::from_secs(60);
/// The kernel's buffer of what was sent and not read; Linux takes twice as much.
const UNREAD_BYTES: u32 = 64 << 10;
/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;
/// The interval at which a full listener looks for a free place.
const LOOK: Duration = Duration::from_millis(50);

/// A listener that counts its connections.
#[derive(Debug)]
pub(crate) struct BoundedListener {
    listener: TcpListener,
    /// Held once by the listener and once by each connection.
    places: Arc<()>,
    /// For each of them.
    patience: Duration,
}

impl BoundedListener {
    /// Listens at an address. Needs the context of a runtime.
    pub(crate) fn bind(address: SocketAddr) -> Result<Self> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        // A server that comes back takes the address of the one before, whose connections linger.
        socket.set_reuseaddr(true)?;
        socket.set_send_buffer_size(UNREAD_BYTES)?; // Connections inherit it.
        socket.bind(address)?;
        Ok(Self { listener: socket.listen(BACKLOG)?, places: Arc::default(), patience: PATIENCE })
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
        Arc::strong_count(&self.places) - 1
    }
}

impl axum::serve::Listener for BoundedListener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            if self.connections() >= CONNECTIONS_MAX {
                tokio::time::sleep(LOOK).await;
                continue;
            }
            match self.listener.accept().await {
                Ok((stream, from)) if self.is_for_this_machine() && !is_admitted(&stream, from) => {
                    // One that does not wait for its answer misses it.
                    let _ = stream.try_write(REFUSED);
                }
                Ok((stream, from)) => {
                    let (patience, place) = (self.patience, Arc::clone(&self.places));
                    return (Connection { stream, patience, stalled: None, _place: place }, from);
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
    patience: Duration,
    /// Runs while the browser takes nothing of what waits for it.
    stalled: Option<Pin<Box<Sleep>>>,
    _place: Arc<()>,
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl Connection {
    /// What came of an attempt to write; an error once the browser has taken nothing for too long.
    fn patient(&mut self, cx: &mut Context<'_>, written: Poll<Result<usize>>) -> Poll<Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let patience = self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        match stalled.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the browser reads nothing"))),
            Poll::Pending => Poll::Pending,
        }
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
    use tokio::io::AsyncWriteExt as _;

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
            listener.patience = LOOK;
            let client = Client::connect(listener.address().unwrap()).unwrap();
            let (mut connection, _) = listener.accept().await;
            let error = connection.write_all(&vec![7; 16 << 20]).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TimedOut);
            drop(client);
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
