//! The connections of the server: as many as it can bear, and none for ever.
//!
//! A run may be in the same process, so browsers must not take all of its files or its memory: the number of
//! connections is limited, the kernel keeps little for a browser that does not read, and one that reads
//! nothing for half a minute is let go. It comes back by itself. So is one that has not asked for anything
//! whole within seconds. Streams of events have half of the places at most. Once all places are taken, those
//! that do not read leave sooner, and while another browser waits, the connection that is idle for the
//! longest time leaves at once.

use std::io::Result;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::IncomingStream;
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::connection::{Connection, Patience};
use crate::peer;
use crate::place::{Holder, Places, Rules};
use crate::reader::Readers;

/// Connections at the same time; more wait until one ends. Ten browsers with six each, as browsers open them;
/// each may hold half a MB of pages that it does not read.
const CONNECTIONS_MAX: usize = 64;
/// The times after which a browser is let go.
const PATIENCE: Patience = Patience {
    unread: Duration::from_secs(30),
    unread_if_full: Duration::from_secs(2),
    // A stream of events has a word for its reader every 15 s; no page takes so long to be drawn.
    silent_if_full: Duration::from_secs(40),
    unasked: Duration::from_secs(5),
    idle_if_awaited: Duration::from_secs(1),
    unasked_if_awaited: Duration::from_millis(200),
};
/// The kernel's buffer of what was sent and not read; Linux takes twice as much.
const UNREAD_BYTES: u32 = 64 << 10;
/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;
/// The interval at which a full listener looks for a free place.
const LOOK: Duration = Duration::from_millis(50);
/// The same once a connection was told to leave: hundreds that do nothing must not hold up the next browser.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// A listener that counts its connections.
#[derive(Debug)]
pub(crate) struct BoundedListener {
    listener: TcpListener,
    places: Places,
    /// True while all places are taken.
    is_full: Arc<AtomicBool>,
    readers: Readers,
    /// One that waits for a place.
    waiting: Option<(TcpStream, SocketAddr)>,
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
        Ok(Self {
            listener: socket.listen(BACKLOG)?,
            places: Places::default(),
            is_full: Arc::default(),
            readers: Readers::default(),
            waiting: None,
            patience: PATIENCE,
        })
    }

    /// The readers of streams.
    pub(crate) fn readers(&self) -> Readers {
        self.readers.clone()
    }

    /// The rules for the next connection.
    fn rules(&self) -> Rules {
        let (is_full, readers) = (Arc::clone(&self.is_full), self.readers.clone());
        Rules { patience: self.patience, is_full, readers }
    }

    /// The address, with its port.
    pub(crate) fn address(&self) -> Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// True if it listens on the loopback device alone: there is no token then.
    fn is_for_this_machine(&self) -> bool {
        self.address().is_ok_and(|address| address.ip().is_loopback())
    }

    /// The next connection of somebody who is answered.
    async fn next(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, from)) if self.is_for_this_machine() && !is_admitted(&stream, from) => {
                    // One that does not wait for its answer misses it.
                    let _ = stream.try_write(REFUSED);
                }
                Ok(next) => return next,
                // One that broke off, or no file left for it now.
                Err(_) => tokio::time::sleep(LOOK).await,
            }
        }
    }
}

impl axum::serve::Listener for BoundedListener {
    type Io = Connection;
    type Addr = Holder;

    async fn accept(&mut self) -> (Connection, Holder) {
        loop {
            let is_full = self.places.count() >= CONNECTIONS_MAX;
            self.is_full.store(is_full, Ordering::Relaxed);
            if self.waiting.is_none() {
                self.waiting = Some(self.next().await);
                continue;
            }
            if is_full {
                let Patience { idle_if_awaited, unasked_if_awaited, .. } = self.patience;
                let leaves = self.places.free_the_idlest(idle_if_awaited, unasked_if_awaited);
                tokio::time::sleep(if leaves { LOOK_AGAIN } else { LOOK }).await;
                continue;
            }
            if let Some((stream, from)) = self.waiting.take() {
                // One without an address has broken off.
                let Ok(to) = stream.local_addr() else { continue };
                let place = self.places.take((from, to), self.rules());
                let holder = Holder(Some(Arc::clone(&place)));
                return (Connection::new(stream, place), holder);
            }
        }
    }

    fn local_addr(&self) -> Result<Holder> {
        Ok(Holder(None))
    }
}

impl Connected<IncomingStream<'_, BoundedListener>> for Holder {
    fn connect_info(stream: IncomingStream<'_, BoundedListener>) -> Self {
        stream.remote_addr().clone()
    }
}

/// The answer to another user of this machine.
const REFUSED: &[u8] = b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n\
    this server answers its own user; `drivetrain serve --listen` with another address gives it a token\n";

/// True for this user's own programs, and those of root.
fn is_admitted(stream: &TcpStream, from: SocketAddr) -> bool {
    stream.local_addr().is_ok_and(|to| peer::is_ours(from, to))
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read as _, Write as _};
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
            listener.patience.unasked_if_awaited = Duration::MAX;
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
    fn whoever_asks_for_nothing_whole_leaves_and_the_idlest_makes_room() {
        runtime().block_on(async {
            let mut listener = BoundedListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
            let address = listener.address().unwrap();
            listener.patience.unasked = LOOK;
            let mut half = Client::connect(address).unwrap();
            half.write_all(b"GET / HTTP/1.1\r\nHost").unwrap();
            let mut connection = listener.accept().await.0;
            let mut head = Vec::new();
            let error = connection.read_to_end(&mut head).await.unwrap_err();
            assert!(error.kind() == ErrorKind::TimedOut && head.starts_with(b"GET"));
            drop(connection);
            (listener.patience.unasked, listener.patience.unasked_if_awaited) = (Duration::MAX, LOOK);
            let (mut clients, mut idle) = (Vec::new(), Vec::new());
            for _ in 0..CONNECTIONS_MAX {
                clients.push(Client::connect(address).unwrap());
                let mut connection = listener.accept().await.0;
                idle.push(tokio::spawn(async move { connection.read_u8().await.unwrap_err().kind() }));
            }
            clients.push(Client::connect(address).unwrap());
            let next = tokio::time::timeout(LOOK * 200, listener.accept()).await;
            assert!(next.is_ok(), "one of them left its place");
            let left = idle.iter().filter(|left| left.is_finished()).count();
            assert!((1..=CONNECTIONS_MAX).contains(&left), "{left} left");
        });
    }

    #[test]
    fn hundreds_that_ask_nothing_leave_their_places_to_the_next() {
        runtime().block_on(async {
            let mut listener = BoundedListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
            let address = listener.address().unwrap();
            let clients: Vec<Client> =
                (0..4 * CONNECTIONS_MAX).map(|_| Client::connect(address).unwrap()).collect();
            for _ in &clients {
                let mut connection = listener.accept().await.0;
                tokio::spawn(async move { connection.read_u8().await.unwrap_err() });
            }
            // Each of them had a place in the end, though none had asked for anything.
            assert!(listener.places.count() <= CONNECTIONS_MAX);
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
