//! The readers of streams of events: half of the places at most, and none for ever who does not read.
//!
//! A stream has a word for its reader every 15 s. So little stays in the buffers of the kernel for hours, and
//! no write ever has to wait: the kernel of this machine is asked how much of it was read.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use ground::Clock;

use crate::peer::{self, Queues};
use crate::place::ConnectionSlot;

/// Streams at the same time: half of the places, so that every other request finds one.
pub(crate) const STREAMS_MAX: usize = 32;
/// The interval at which the kernel is asked what a reader has read.
const LOOK: Duration = Duration::from_secs(1);

/// All readers of streams.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readers {
    open: Arc<AtomicUsize>,
}

impl Readers {
    /// The streams that are open.
    pub(crate) fn count(&self) -> usize {
        self.open.load(Relaxed)
    }

    /// True while there is no place for a further stream.
    pub(crate) fn are_full(&self) -> bool {
        self.count() >= STREAMS_MAX
    }

    /// A place for the stream of this connection, as long as the value lives; `None` if all are taken.
    pub(crate) fn take(&self, slot: Option<Arc<ConnectionSlot>>) -> Option<Reader> {
        let more = |open: usize| (open < STREAMS_MAX).then_some(open + 1);
        self.open.fetch_update(Relaxed, Relaxed, more).ok()?;
        Some(Reader { readers: self.clone(), slot, read: Read::default() })
    }
}

/// The reader of one stream.
#[derive(Debug)]
pub(crate) struct Reader {
    readers: Readers,
    slot: Option<Arc<ConnectionSlot>>,
    read: Read,
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.readers.open.fetch_sub(1, Relaxed);
    }
}

impl Reader {
    /// True once it has read nothing for too long of what was sent, or its place is to be given up.
    pub(crate) fn is_gone(&mut self) -> bool {
        let Some(slot) = &self.slot else { return false };
        self.read.look(slot.written_bytes(), || waiting(slot.ends()));
        slot.is_given_up() || self.read.idle().is_some_and(|idle| idle >= slot.unread_most())
    }
}

/// The bytes that wait on both sides of a connection, as far as this machine's kernel knows. The queue of
/// this end comes first: bytes that move on in between count twice, and nobody is taken for a reader.
fn waiting((from, to): (SocketAddr, SocketAddr)) -> u64 {
    let own = peer::queues(to, from).unwrap_or_default();
    let Queues { unread_bytes, .. } = peer::queues(from, to).unwrap_or_default();
    own.unsent_bytes + unread_bytes
}

/// The progress of a reader.
#[derive(Debug, Default)]
struct Read {
    /// The bytes that it has certainly read, of all that were written.
    most_bytes: u64,
    /// Since when it has read nothing of what waits for it.
    idle_ns: Option<u64>,
    looked_ns: Option<u64>,
}

impl Read {
    /// Looks again if it is time to, and something waited or was written.
    fn look(&mut self, written_bytes: u64, waiting_bytes: impl FnOnce() -> u64) {
        let is_early = self.looked_ns.is_some_and(|looked_ns| Clock::Wall.since(looked_ns) < LOOK);
        if is_early || written_bytes == self.most_bytes {
            return;
        }
        self.looked_ns = Some(Clock::Wall.now_ns());
        self.note(written_bytes.saturating_sub(waiting_bytes()), written_bytes);
    }

    fn note(&mut self, read_bytes: u64, written_bytes: u64) {
        if read_bytes > self.most_bytes {
            (self.most_bytes, self.idle_ns) = (read_bytes, None);
        }
        if self.most_bytes < written_bytes {
            self.idle_ns.get_or_insert_with(|| Clock::Wall.now_ns());
        }
    }

    fn idle(&self) -> Option<Duration> {
        self.idle_ns.map(|since_ns| Clock::Wall.since(since_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_places_are_for_streams_and_each_is_free_again() {
        let readers = Readers::default();
        let mut taken: Vec<Reader> = (0..STREAMS_MAX).map(|_| readers.take(None).unwrap()).collect();
        assert!(readers.take(None).is_none() && readers.are_full());
        taken.pop();
        assert!(readers.take(None).is_some(), "the last one is dropped at once");
        drop(taken);
        assert_eq!(readers.count(), 0);
    }

    #[test]
    fn a_reader_is_idle_while_it_reads_nothing_of_what_waits() {
        let mut read = Read::default();
        read.note(0, 100);
        let since_ns = read.idle_ns;
        assert!(since_ns.is_some(), "nothing is read");
        read.note(0, 200);
        assert_eq!(read.idle_ns, since_ns, "more is written, and nothing is read");
        read.note(150, 200);
        assert!(read.idle_ns >= since_ns && read.most_bytes == 150, "some is read, and some waits");
        read.note(200, 200);
        assert_eq!(read.idle_ns, None, "all is read");
        read.look(200, || panic!("nothing was written"));
    }
}
