//! Whole journals in memory, for tests and for `fuzz/`.

use std::collections::BTreeMap;

use super::format::{Head, Of, Record, State};
use super::{Journal, JournalReport, NOTHING};

/// The bytes of a journal of these records (block and write), of which the first `durable` are known to be.
pub(super) fn image(blocks: u32, records: &[(u32, u32)], durable: usize, closed: bool) -> Vec<u8> {
    let of = Of { run: 0x5eed_0001, block_bytes: 4096, size_bytes: u64::from(blocks) * 4096 };
    let encode = |(index, &(block, write)): (usize, &(u32, u32))| {
        Record { block, write }.encode(of.run, index as u64 + 1)
    };
    let encoded: Vec<u8> = records.iter().enumerate().flat_map(encode).collect();
    let head = |number: u64, records: usize, state: State| {
        let bytes = &encoded[..records * super::format::RECORD_BYTES];
        let checksum = crc32fast::hash(bytes);
        Head { of, number, records: records as u64, checksum, state, left_out: 0, failed_left_out: 0 }
            .encode()
    };
    let end = if closed { head(3, records.len(), State::Closed) } else { head(3, durable, State::Open) };
    [&head(2, durable, State::Open)[..], &end, &encoded].concat()
}

/// The readable part of a journal in memory, and the write that it claims for each block; `None` if it is no
/// journal.
pub(super) fn read(bytes: &[u8]) -> Option<(JournalReport, BTreeMap<usize, u32>)> {
    let journal = Journal::read(bytes).ok().flatten()?;
    let of = |block| (block, journal.claims.of(block));
    let claims = (0..journal.claims.end()).map(of).filter(|(_, write)| *write != NOTHING).collect();
    Some((journal.report, claims))
}
