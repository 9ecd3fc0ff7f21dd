//! The places of the connections: who holds them, what he does, and who gives his up when another waits.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use std::task::Context;
use std::time::Duration;

use axum::extract::{ConnectInfo, Request};
use axum::http::Method;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::Next;
use axum::response::Response;
use futures_util::task::AtomicWaker;
use ground::Clock;

use crate::connection::Patience;
use crate::reader::Readers;

/// The place of one connection, shared by the connection, its requests and the listener.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    /// The address of the browser, and that of the server.
    ends: (SocketAddr, SocketAddr),
    rules: Rules,
    /// When it was taken.
    taken_ns: u64,
    /// The last time that a request was whole, or anything was written.
    passed_ns: AtomicU64,
    /// All bytes that the kernel took for the browser.
    written_bytes: AtomicU64,
    /// True once a whole request has come.
    has_asked: AtomicBool,
    /// Requests whose answers have not begun.
    under_way: AtomicU32,
    /// True while the last answer is a stream of events, over which nothing passes for seconds.
    is_stream: AtomicBool,
    /// True while something waits that the browser does not read.
    is_unread: AtomicBool,
    /// True if it is to be given up.
    must_leave: AtomicBool,
    waker: AtomicWaker,
}

/// The things by which a connection may stay, the same for all of a server.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    /// The times for which it may do nothing.
    pub(crate) patience: Patience,
    /// True while all places are taken.
    pub(crate) is_full: Arc<AtomicBool>,
    /// The readers of streams, which have places of their own.
    pub(crate) readers: Readers,
}

impl ConnectionSlot {
    fn new(ends: (SocketAddr, SocketAddr), rules: Rules) -> Self {
        let now_ns = Clock::Wall.now_ns();
        Self {
            ends,
            rules,
            taken_ns: now_ns,
            passed_ns: AtomicU64::new(now_ns),
            written_bytes: AtomicU64::new(0),
            has_asked: AtomicBool::new(false),
            under_way: AtomicU32::new(0),
            is_stream: AtomicBool::new(false),
            is_unread: AtomicBool::new(false),
            must_leave: AtomicBool::new(false),
            waker: AtomicWaker::new(),
        }
    }

    /// The address of the browser, and that of the server.
    pub(crate) fn ends(&self) -> (SocketAddr, SocketAddr) {
        self.ends
    }

    /// A request came, or an answer went on.
    fn pass(&self) {
        self.passed_ns.store(Clock::Wall.now_ns(), Relaxed);
    }

    /// The kernel took so many bytes for the browser.
    pub(crate) fn write(&self, bytes: usize) {
        self.written_bytes.fetch_add(bytes as u64, Relaxed);
        self.pass();
    }

    /// All bytes that the kernel took for the browser.
    pub(crate) fn written_bytes(&self) -> u64 {
        self.written_bytes.load(Relaxed)
    }

    /// The time for which nothing may be read of what waits for the browser.
    pub(crate) fn unread_most(&self) -> Duration {
        let Rules { patience, is_full, readers } = &self.rules;
        let is_awaited = is_full.load(Relaxed) || (self.is_stream.load(Relaxed) && readers.are_full());
        if is_awaited { patience.unread_if_full } else { patience.unread }
    }

    /// True if nothing has passed for too long, whether or not it is awaited.
    pub(crate) fn is_silent_for_too_long(&self) -> bool {
        let Rules { patience, is_full, .. } = &self.rules;
        (is_full.load(Relaxed) && self.silent() >= patience.silent_if_full)
            || self.unasked() >= patience.unasked
    }

    /// Records whether data wait that the browser does not read.
    pub(crate) fn set_unread(&self, is_unread: bool) {
        self.is_unread.store(is_unread, Relaxed);
    }

    /// The time in which nothing has passed.
    fn silent(&self) -> Duration {
        Clock::Wall.since(self.passed_ns.load(Relaxed))
    }

    /// The time in which no whole request has come since the beginning; zero once one has.
    fn unasked(&self) -> Duration {
        if self.has_asked.load(Relaxed) { Duration::ZERO } else { Clock::Wall.since(self.taken_ns) }
    }

    /// True if it is to be given up; else the task of `cx` is woken once it is.
    pub(crate) fn must_leave(&self, cx: &Context<'_>) -> bool {
        self.waker.register(cx.waker());
        self.is_given_up()
    }

    /// True if it is to be given up.
    pub(crate) fn is_given_up(&self) -> bool {
        self.must_leave.load(Relaxed)
    }

    /// True if nobody misses it: no answer is owed, none is being read, and no stream is open.
    fn is_idle(&self) -> bool {
        let is_busy = [&self.is_stream, &self.is_unread].iter().any(|state| state.load(Relaxed));
        !is_busy && self.under_way.load(Relaxed) == 0
    }

    fn give_up(&self) {
        self.must_leave.store(true, Relaxed);
        self.waker.wake();
    }
}

/// All places that are taken.
#[derive(Debug, Default)]
pub(crate) struct Places {
    taken: Vec<Weak<ConnectionSlot>>,
}

impl Places {
    /// Takes one, which is free again when the last holder of the value is gone.
    pub(crate) fn take(&mut self, ends: (SocketAddr, SocketAddr), rules: Rules) -> Arc<ConnectionSlot> {
        let place = Arc::new(ConnectionSlot::new(ends, rules));
        self.taken.push(Arc::downgrade(&place));
        place
    }

    /// The places that are taken.
    pub(crate) fn count(&mut self) -> usize {
        self.taken.retain(|place| place.strong_count() > 0);
        self.taken.len()
    }

    /// Lets the connection go that was silent for the longest time, and to which nothing is owed: silent
    /// for `least` at least, or for `least_unasked` if no request ever came. True if there was one.
    pub(crate) fn free_the_idlest(&self, least: Duration, least_unasked: Duration) -> bool {
        let places = self.taken.iter().filter_map(Weak::upgrade);
        let least_of = |place: &ConnectionSlot| match place.has_asked.load(Relaxed) {
            true => least,
            false => least_unasked,
        };
        let idle = places.filter(|place| place.is_idle() && place.silent() >= least_of(place));
        let idlest = idle.max_by_key(|place| place.silent());
        idlest.inspect(|place| place.give_up()).is_some()
    }
}

/// The place of a connection as its requests know it; none of the listener's own address.
#[derive(Clone, Debug)]
pub(crate) struct Holder(pub(crate) Option<Arc<ConnectionSlot>>);

/// Tells the place of each request and of its answer.
pub(crate) async fn noted(request: Request, next: Next) -> Response {
    let holder = request.extensions().get::<ConnectInfo<Holder>>().and_then(|info| info.0.0.clone());
    let Some(place) = holder else { return next.run(request).await };
    place.has_asked.store(true, Relaxed);
    place.is_stream.store(false, Relaxed);
    place.under_way.fetch_add(1, Relaxed);
    place.pass();
    let has_body = request.method() != Method::HEAD;
    let response = next.run(request).await;
    let kind = response.headers().get(CONTENT_TYPE);
    let is_stream = has_body && kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    place.is_stream.store(is_stream, Relaxed);
    place.pass();
    place.under_way.fetch_sub(1, Relaxed);
    response
}
