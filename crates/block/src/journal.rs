//! The journal of a verified run: which write of each block the target has made durable, kept on another device. After a crash it says
//! what the target must still hold.
//!
//! Layout, little-endian: magic (4 bytes), CRC-32 of the rest of the header (4), run (8), bytes per block (8), bytes of the target (8);
//! then records of block (4), write (4) and their CRC-32 (4). A record is written after the target has acknowledged the flush that the
//! write was followed by, so a journal that loses its end claims less than is true, and never more.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::error::BlockError;
use crate::ledger::Ledger;

const MAGIC: [u8; 4] = *b"DTj1";
const HEADER_BYTES: usize = 32;
const RECORD_BYTES: usize = 12;
/// Records between the load and the journal; what comes while they all wait is left out, which only weakens the check.
const WAITING_MAX: usize = 1 << 18;
/// The journal is made durable itself this often.
const SYNC_EVERY: Duration = Duration::from_millis(100);
/// A block after a failed write: anything may be there from then on.
pub(crate) const NOTHING: u32 = 0;

/// A write of a block that is durable: the block and the number of the write.
type Claim = (u32, u32);

/// What a journal of a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalSummary {
    /// Durable writes of blocks that it holds.
    pub records: u64,
    /// Durable writes that it does not hold, because its device was too slow.
    pub left_out: u64,
    /// Why it ended early, if it did.
    pub error: Option<String>,
}

/// The load's end.
#[derive(Clone, Debug)]
pub(crate) struct JournalSender {
    sender: SyncSender<Option<Claim>>,
    left_out: Arc<AtomicU64>,
}

impl JournalSender {
    /// Takes a durable write; never waits.
    #[inline]
    pub(crate) fn note(&self, block: u32, write: u32) {
        if self.sender.try_send(Some((block, write))).is_err() {
            self.left_out.fetch_add(1, Relaxed);
        }
    }
}

/// A journal that is being written.
#[derive(Debug)]
pub(crate) struct JournalWriter {
    pub(crate) sender: JournalSender,
    thread: JoinHandle<(u64, io::Result<()>)>,
}

impl JournalWriter {
    /// Makes the journal of a run with this ledger.
    pub(crate) fn create(path: &Path, ledger: &Ledger, size_bytes: u64) -> Result<JournalWriter, BlockError> {
        let failed = |error: io::Error| BlockError::io(path, "write the journal", error);
        let mut file = File::create(path).map_err(failed)?;
        let mut header = [0; HEADER_BYTES];
        header[..4].copy_from_slice(&MAGIC);
        header[8..16].copy_from_slice(&ledger.stamper.run().to_le_bytes());
        header[16..24].copy_from_slice(&ledger.block_bytes().to_le_bytes());
        header[24..32].copy_from_slice(&size_bytes.to_le_bytes());
        let checksum = crc32fast::hash(&header[8..]);
        header[4..8].copy_from_slice(&checksum.to_le_bytes());
        file.write_all(&header).and_then(|()| file.sync_all()).map_err(failed)?;
        let (sender, receiver) = sync_channel(WAITING_MAX);
        let thread = thread::spawn(move || write(file, &receiver));
        Ok(JournalWriter { sender: JournalSender { sender, left_out: Arc::default() }, thread })
    }

    /// Writes what is left and ends the journal.
    pub(crate) fn finish(self) -> JournalSummary {
        // The writer is gone only when it failed, which it tells itself.
        let _ = self.sender.sender.send(None);
        let (records, result) = self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let left_out = self.sender.left_out.load(Relaxed);
        JournalSummary { records, left_out, error: result.err().map(|error| error.to_string()) }
    }
}

fn write(file: File, receiver: &Receiver<Option<Claim>>) -> (u64, io::Result<()>) {
    let (mut out, mut records, mut synced) = (BufWriter::new(file), 0, Instant::now());
    loop {
        let step = match receiver.recv_timeout(SYNC_EVERY) {
            Ok(Some((block, write))) => {
                records += 1;
                out.write_all(&record(block, write))
            }
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Ok(None) | Err(RecvTimeoutError::Disconnected) => {
                return (records, out.flush().and_then(|()| out.get_ref().sync_data()));
            }
        };
        let step = step.and_then(|()| {
            if synced.elapsed() < SYNC_EVERY {
                return Ok(());
            }
            synced = Instant::now();
            out.flush().and_then(|()| out.get_ref().sync_data())
        });
        if step.is_err() {
            return (records, step);
        }
    }
}

fn record(block: u32, write: u32) -> [u8; RECORD_BYTES] {
    let mut record = [0; RECORD_BYTES];
    record[..4].copy_from_slice(&block.to_le_bytes());
    record[4..8].copy_from_slice(&write.to_le_bytes());
    let checksum = crc32fast::hash(&record[..8]);
    record[8..].copy_from_slice(&checksum.to_le_bytes());
    record
}

/// A journal that was read back: for each block the write that must be there at least.
#[derive(Debug)]
pub(crate) struct Journal {
    pub(crate) run: u64,
    pub(crate) block_bytes: u64,
    /// [`NOTHING`] for a block of which nothing is known.
    pub(crate) durable: Vec<u32>,
}

impl Journal {
    /// Reads a journal up to its end, or to where it was cut.
    ///
    /// # Errors
    /// When it cannot be read or is none.
    pub(crate) fn read(path: &Path) -> Result<Journal, BlockError> {
        let failed = |error: io::Error| BlockError::io(path, "read the journal", error);
        let mut input = BufReader::new(File::open(path).map_err(failed)?);
        let mut header = [0; HEADER_BYTES];
        input.read_exact(&mut header).map_err(failed)?;
        let checksum = crc32fast::hash(&header[8..]);
        let (run, block_bytes, size_bytes) = (word(&header, 8), word(&header, 16), word(&header, 24));
        let blocks = size_bytes.checked_div(block_bytes).unwrap_or(0);
        if header[..4] != MAGIC || header[4..8] != checksum.to_le_bytes() || blocks > u64::from(u32::MAX) {
            let what = format!("{} is not a journal of a verified run", path.display());
            return Err(BlockError::job(what, "name the file that --journal wrote"));
        }
        let mut durable = vec![NOTHING; size_bytes.div_ceil(block_bytes) as usize];
        let mut bytes = [0; RECORD_BYTES];
        while input.read_exact(&mut bytes).is_ok() {
            let half = |at: usize| word(&bytes, at) as u32;
            let (block, write) = (half(0), u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]));
            let known = durable.get_mut(block as usize);
            let (Some(known), true) = (known, record(block, write) == bytes) else { break };
            // A later claim counts, and a failed write takes it back; workers may hand in claims a little out of order.
            *known = if write == NOTHING { NOTHING } else { write.max(*known) };
        }
        Ok(Journal { run, block_bytes, durable })
    }
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}
