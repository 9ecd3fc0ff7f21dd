//! Writing a journal beside the load, which never waits for it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ground::Clock;

use super::format::{HEADS_BYTES, Head, Of, Record, State};
use super::{JournalPlace, JournalSummary, NOTHING};
use crate::error::BlockError;
use crate::ledger::Ledger;

/// Records between the load and the journal; when all are in use, further ones are left out, which only
/// weakens the check.
const WAITING_MAX: usize = 1 << 18;
/// The journal is made durable itself this often.
const SYNC_EVERY: Duration = Duration::from_millis(100);
/// Records are handed to the file in pieces of this many bytes.
const PIECE_BYTES: usize = 64 << 10;

/// The records that could not be handed to the journal.
#[derive(Debug, Default)]
struct LeftOut {
    durable: AtomicU64,
    failed: AtomicU64,
}

/// The load's end.
#[derive(Clone, Debug)]
pub(crate) struct JournalSender {
    sender: SyncSender<Option<Record>>,
    left_out: Arc<LeftOut>,
}

impl JournalSender {
    /// Takes a durable write, or with [`NOTHING`] a failed one; never waits.
    #[inline]
    pub(crate) fn note(&self, block: u32, write: u32) {
        if self.sender.try_send(Some(Record { block, write })).is_err() {
            let counter = if write == NOTHING { &self.left_out.failed } else { &self.left_out.durable };
            counter.fetch_add(1, Relaxed);
        }
    }

    /// Counts durable writes that nobody could keep in mind until their flush.
    pub(crate) fn leave_out(&self, writes: u64) {
        self.left_out.durable.fetch_add(writes, Relaxed);
    }
}

/// The store of a journal.
pub(super) trait Keep: Send + 'static {
    /// Writes all bytes at a place.
    fn write_at(&mut self, bytes: &[u8], place: u64) -> io::Result<()>;
    /// Makes them durable.
    fn sync(&mut self) -> io::Result<()>;
}

impl Keep for File {
    fn write_at(&mut self, bytes: &[u8], place: u64) -> io::Result<()> {
        self.write_all_at(bytes, place)
    }

    fn sync(&mut self) -> io::Result<()> {
        match self.sync_data() {
            // A terminal or the null device has nothing to make durable.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
            other => other,
        }
    }
}

/// A journal that is being written.
#[derive(Debug)]
pub(crate) struct JournalWriter {
    pub(crate) sender: JournalSender,
    thread: JoinHandle<(Books, io::Result<()>)>,
}

impl JournalWriter {
    /// Makes the journal of a run with this ledger on a target.
    pub(crate) fn create(
        place: &JournalPlace,
        ledger: &Ledger,
        (target, size_bytes): (&Path, u64),
    ) -> Result<JournalWriter, BlockError> {
        let file = place.create(target)?;
        Self::begin(Box::new(file), ledger, size_bytes)
            .map_err(|error| BlockError::io(&place.path, "write the journal", error))
    }

    pub(super) fn begin(keep: Box<dyn Keep>, ledger: &Ledger, size_bytes: u64) -> io::Result<JournalWriter> {
        let of = Of { run: ledger.stamper.run(), block_bytes: ledger.block_bytes(), size_bytes };
        let left_out = Arc::<LeftOut>::default();
        let books = Books::begin(keep, of, Arc::clone(&left_out))?;
        let (sender, receiver) = sync_channel(WAITING_MAX);
        let thread = thread::spawn(move || write(books, &receiver));
        Ok(JournalWriter { sender: JournalSender { sender, left_out }, thread })
    }

    /// Writes the remaining records and closes the journal.
    pub(crate) fn finish(self) -> JournalSummary {
        // The writer is gone only when it failed, which it tells itself.
        let _ = self.sender.sender.send(None);
        let (mut books, result) = self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let end = if result.is_ok() { State::Closed } else { State::GivenUp };
        let closed = books.close(end);
        let result = result.and(closed);
        JournalSummary {
            records: books.durable,
            left_out: self.sender.left_out.durable.load(Relaxed),
            error: result.err().map(|error| error.to_string()),
        }
    }
}

/// A journal's file and the progress of its writing.
struct Books {
    keep: Box<dyn Keep>,
    of: Of,
    left_out: Arc<LeftOut>,
    /// Number of the next head.
    number: u64,
    /// Records taken.
    written: u64,
    /// Of them, those that are durable.
    durable: u64,
    /// Over all records taken, and over those that are durable.
    checksum: crc32fast::Hasher,
    durable_checksum: u32,
    /// Records that are not in the file yet, and where they go.
    piece: Vec<u8>,
    place: u64,
    /// A head was written that is not durable.
    head_waits: bool,
}

impl std::fmt::Debug for Books {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Books").field("written", &self.written).field("durable", &self.durable).finish()
    }
}

impl Books {
    fn begin(keep: Box<dyn Keep>, of: Of, left_out: Arc<LeftOut>) -> io::Result<Books> {
        let mut books = Books {
            keep,
            of,
            left_out,
            number: 0,
            written: 0,
            durable: 0,
            checksum: crc32fast::Hasher::new(),
            durable_checksum: 0,
            piece: Vec::with_capacity(PIECE_BYTES),
            place: HEADS_BYTES as u64,
            head_waits: false,
        };
        books.write_head(State::Open)?;
        books.write_head(State::Open)?;
        books.keep.sync()?;
        books.head_waits = false;
        Ok(books)
    }

    fn take(&mut self, record: Record) -> io::Result<()> {
        self.written += 1;
        let bytes = record.encode(self.of.run, self.written);
        self.checksum.update(&bytes);
        self.piece.extend_from_slice(&bytes);
        if self.piece.len() >= PIECE_BYTES { self.hand_over() } else { Ok(()) }
    }

    fn hand_over(&mut self) -> io::Result<()> {
        self.keep.write_at(&self.piece, self.place)?;
        self.place += self.piece.len() as u64;
        self.piece.clear();
        Ok(())
    }

    /// Makes all records durable, and only then says so in the head.
    fn sync(&mut self) -> io::Result<()> {
        if self.written == self.durable && !self.head_waits {
            return Ok(());
        }
        self.hand_over()?;
        self.keep.sync()?;
        self.head_waits = false;
        if self.written > self.durable {
            (self.durable, self.durable_checksum) = (self.written, self.checksum.clone().finalize());
            self.write_head(State::Open)?;
        }
        Ok(())
    }

    /// Writes the last head; its room was there from the beginning, so a full device takes it.
    fn close(&mut self, end: State) -> io::Result<()> {
        self.write_head(end)?;
        self.keep.sync()
    }

    fn write_head(&mut self, state: State) -> io::Result<()> {
        let head = Head {
            of: self.of,
            number: self.number,
            records: self.durable,
            checksum: self.durable_checksum,
            state,
            left_out: self.left_out.durable.load(Relaxed),
            failed_left_out: self.left_out.failed.load(Relaxed),
        };
        self.keep.write_at(&head.encode(), Head::place(self.number))?;
        self.number += 1;
        self.head_waits = true;
        Ok(())
    }
}

fn write(mut books: Books, receiver: &Receiver<Option<Record>>) -> (Books, io::Result<()>) {
    let result = write_all(&mut books, receiver);
    if result.is_err() {
        let waiting = receiver.try_iter().flatten().count() as u64;
        books.left_out.durable.fetch_add(books.written - books.durable + waiting, Relaxed);
        // If not even that goes, the run's own warnings still tell the error.
        let _ = books.close(State::GivenUp);
    }
    (books, result)
}

/// Takes records until the run is over, and makes them durable now and then.
fn write_all(books: &mut Books, receiver: &Receiver<Option<Record>>) -> io::Result<()> {
    let mut synced = Clock::Wall.stopwatch();
    loop {
        match receiver.recv_timeout(SYNC_EVERY) {
            Ok(Some(record)) => books.take(record)?,
            Err(RecvTimeoutError::Timeout) => {}
            Ok(None) | Err(RecvTimeoutError::Disconnected) => return books.sync(),
        }
        if synced.elapsed() >= SYNC_EVERY {
            synced = Clock::Wall.stopwatch();
            books.sync()?;
        }
    }
}
