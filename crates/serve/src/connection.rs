//! A connection: it ends when its browser does nothing for too long.

use std::future::Future;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use ground::Clock;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use crate::place::ConnectionSlot;

/// The interval at which a connection over which nothing passes looks whether it is to end.
const TICK: Duration = Duration::from_millis(500);

/// The times for which a connection may do nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Nothing is read of what waits for the browser.
    pub(crate) unread: Duration,
    /// The same while all places are taken.
    pub(crate) unread_if_full: Duration,
    /// Nothing passes either way while all places are taken.
    pub(crate) silent_if_full: Duration,
    /// No whole request has come since it was opened.
    pub(crate) unasked: Duration,
    /// Nothing passes, nothing is owed, and another browser waits for a place.
    pub(crate) idle_if_awaited: Duration,
    /// The same before the first request, which a browser sends at once.
    pub(crate) unasked_if_awaited: Duration,
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    place: Arc<ConnectionSlot>,
    /// Since when the browser takes nothing of what waits for it.
    unread_ns: Option<u64>,
    /// Runs while nothing passes, to look at the times again.
    tick: Option<Pin<Box<Sleep>>>,
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(cx, into);
        // A head that comes byte by byte is no work: it does not keep the place.
        if read.is_ready() { read } else { self.wait(cx) }
    }
}

impl Connection {
    /// A connection that holds `place`.
    pub(crate) fn new(stream: TcpStream, place: Arc<ConnectionSlot>) -> Self {
        Self { stream, place, unread_ns: None, tick: None }
    }

    /// Passes on the result of an attempt to write; an error once the browser has taken nothing for too long.
    fn patient(&mut self, cx: &mut Context<'_>, written: Poll<Result<usize>>) -> Poll<Result<usize>> {
        if let Poll::Ready(bytes) = &written {
            self.unread_ns = None;
            self.place.set_unread(false);
            self.place.write(bytes.as_ref().copied().unwrap_or_default());
            return written;
        }
        self.place.set_unread(true);
        self.unread_ns.get_or_insert_with(|| Clock::Wall.now_ns());
        self.wait(cx).map(|left| left.and(Ok(0)))
    }

    /// Waits until the connection has done nothing for too long: an error, and never anything else.
    fn wait(&mut self, cx: &mut Context<'_>) -> Poll<Result<()>> {
        loop {
            if self.place.must_leave(cx) || self.is_stale() {
                return Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the browser does nothing")));
            }
            let tick = self.tick.get_or_insert_with(|| Box::pin(tokio::time::sleep(TICK)));
            ready!(tick.as_mut().poll(cx));
            self.tick = None;
        }
    }

    fn is_stale(&self) -> bool {
        let unread = self.unread_ns.map(|since_ns| Clock::Wall.since(since_ns));
        unread.is_some_and(|unread| unread >= self.place.unread_most()) || self.place.is_silent_for_too_long()
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
