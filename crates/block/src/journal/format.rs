//! The bytes of a journal, little-endian.
//!
//! Two copies of the head (a sector each), then records. The copies are written in turn, each with a number
//! one higher, so that one of them is whole at any moment. A head holds: magic (4 bytes), CRC-32 of
//! everything else in the sector (4), run (8), bytes per block (8), bytes of the target (8), number (8),
//! records that are durable (8), CRC-32 of those records (4), state (4), durable writes left out (8), failed
//! writes left out (8), zeros.
//!
//! A record holds: block (4), write (4), low half of its sequence number (4), CRC-32 of run, sequence number,
//! block and write (4). The first record is number 1, so zeros are never a record, and neither is a record of
//! another run or place.
//!
//! The first format, which is still read, had a head of 32 bytes (magic, CRC-32 of the rest, run, bytes per
//! block, bytes of the target) and records of block, write and their CRC-32: a missing record leaves no trace
//! there, and nothing says where the end was.

use crate::job::{IO_SIZE_BYTES_MAX, IO_SIZE_BYTES_MIN};
use crate::ledger::BLOCKS_MAX;

const MAGIC: [u8; 4] = *b"DTj2";
pub(super) const FIRST_MAGIC: [u8; 4] = *b"DTj1";
/// One copy of the head.
pub(super) const HEAD_BYTES: usize = 512;
/// Both copies of the head: where the records begin.
pub(super) const HEADS_BYTES: usize = 2 * HEAD_BYTES;
pub(super) const RECORD_BYTES: usize = 16;
pub(super) const FIRST_HEAD_BYTES: usize = 32;
pub(super) const FIRST_RECORD_BYTES: usize = 12;

/// True if a file begins like a journal of any format; `head` are its first bytes.
#[must_use]
pub fn is_journal(head: &[u8]) -> bool {
    head.starts_with(&MAGIC) || head.starts_with(&FIRST_MAGIC)
}

/// The run that a journal belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Of {
    pub(super) run: u64,
    pub(super) block_bytes: u64,
    pub(super) size_bytes: u64,
}

impl Of {
    /// Blocks of the target; `None` when no run has such blocks.
    pub(super) fn blocks(&self) -> Option<u64> {
        let sizes = u64::from(IO_SIZE_BYTES_MIN)..=u64::from(IO_SIZE_BYTES_MAX);
        if !sizes.contains(&self.block_bytes) {
            return None;
        }
        let blocks = self.size_bytes.div_ceil(self.block_bytes);
        (blocks <= BLOCKS_MAX).then_some(blocks)
    }
}

/// The progress of writing a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Records were still coming.
    Open,
    /// The run was over, and all its records are there.
    Closed,
    /// The journal could not be written any more, and the run went on.
    GivenUp,
}

/// The contents of a copy of the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) of: Of,
    pub(super) number: u64,
    pub(super) records: u64,
    pub(super) checksum: u32,
    pub(super) state: State,
    pub(super) left_out: u64,
    pub(super) failed_left_out: u64,
}

impl Head {
    pub(super) fn encode(&self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        let mut put = |at: usize, word: u64| bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        put(8, self.of.run);
        put(16, self.of.block_bytes);
        put(24, self.of.size_bytes);
        put(32, self.number);
        put(40, self.records);
        put(48, u64::from(self.checksum) | (self.state as u64) << 32);
        put(56, self.left_out);
        put(64, self.failed_left_out);
        bytes[..4].copy_from_slice(&MAGIC);
        let checksum = head_checksum(&bytes);
        bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// `None` when any bit of it is not as it was written.
    pub(super) fn decode(bytes: &[u8]) -> Option<Head> {
        let bytes: &[u8; HEAD_BYTES] = bytes.try_into().ok()?;
        if bytes[..4] != MAGIC || bytes[4..8] != head_checksum(bytes).to_le_bytes() {
            return None;
        }
        let state = match word(bytes, 48) >> 32 {
            0 => State::Open,
            1 => State::Closed,
            2 => State::GivenUp,
            _ => return None,
        };
        Some(Head {
            of: Of { run: word(bytes, 8), block_bytes: word(bytes, 16), size_bytes: word(bytes, 24) },
            number: word(bytes, 32),
            records: word(bytes, 40),
            checksum: word(bytes, 48) as u32,
            state,
            left_out: word(bytes, 56),
            failed_left_out: word(bytes, 64),
        })
    }

    /// True if these bytes, which are no whole head, were one: its first bytes are there.
    pub(super) fn was_one(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC)
    }

    /// The place of the copy with this number.
    pub(super) fn place(number: u64) -> u64 {
        number % 2 * HEAD_BYTES as u64
    }
}

fn head_checksum(bytes: &[u8; HEAD_BYTES]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..4]);
    hasher.update(&bytes[8..]);
    hasher.finalize()
}

/// A durable write of a block, or with [`NOTHING`](super::NOTHING) a failed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) block: u32,
    pub(super) write: u32,
}

impl Record {
    pub(super) fn encode(self, run: u64, sequence: u64) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        bytes[..4].copy_from_slice(&self.block.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.write.to_le_bytes());
        bytes[8..12].copy_from_slice(&(sequence as u32).to_le_bytes());
        bytes[12..].copy_from_slice(&self.checksum(run, sequence).to_le_bytes());
        bytes
    }

    /// The record in these bytes and its sequence number, which lies near `expected`; `None` when they are no
    /// record of this run.
    pub(super) fn decode(bytes: &[u8; RECORD_BYTES], run: u64, expected: u64) -> Option<(Record, u64)> {
        let half = half(bytes, 8);
        let apart = half.wrapping_sub(expected as u32).cast_signed();
        let sequence = expected.checked_add_signed(i64::from(apart)).filter(|sequence| *sequence > 0)?;
        let record = Record { block: self::half(bytes, 0), write: self::half(bytes, 4) };
        (record.checksum(run, sequence) == self::half(bytes, 12)).then_some((record, sequence))
    }

    fn checksum(self, run: u64, sequence: u64) -> u32 {
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&run.to_le_bytes());
        bytes[8..16].copy_from_slice(&sequence.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.block.to_le_bytes());
        bytes[20..].copy_from_slice(&self.write.to_le_bytes());
        crc32fast::hash(&bytes)
    }

    /// A record of the first format.
    pub(super) fn decode_first(bytes: &[u8; FIRST_RECORD_BYTES]) -> Option<Record> {
        let record = Record { block: half(bytes, 0), write: half(bytes, 4) };
        (crc32fast::hash(&bytes[..8]) == half(bytes, 8)).then_some(record)
    }
}

/// The head of the first format.
pub(super) fn decode_first_head(bytes: &[u8]) -> Option<Of> {
    let bytes: &[u8; FIRST_HEAD_BYTES] = bytes.first_chunk()?;
    let whole = bytes[..4] == FIRST_MAGIC && crc32fast::hash(&bytes[8..]) == half(bytes, 4);
    whole.then(|| Of { run: word(bytes, 8), block_bytes: word(bytes, 16), size_bytes: word(bytes, 24) })
}

fn half(bytes: &[u8], at: usize) -> u32 {
    let mut half = [0; 4];
    half.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(half)
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}
