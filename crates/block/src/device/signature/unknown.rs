//! Bytes that bear no signature.
//!
//! The rule: the first and the last 16 MiB are read, and 256 pieces of 64 KiB at even distances between them.
//! A sector there that is not all zeros, and that no load of this tool has written, is data that nobody
//! knows.

use std::io;

use super::Part;
use crate::mark;

const END_BYTES: u64 = 16 << 20;
const PIECES: u64 = 256;
const PIECE_BYTES: u64 = 64 << 10;
/// Key of the marks that loads leave on devices, which have no marker to keep one of their own.
const KEYS: [u64; 1] = [0];

/// True if the part holds such bytes.
pub(super) fn holds_any(part: &Part<'_>) -> io::Result<bool> {
    let mut buffer = vec![0; PIECE_BYTES as usize];
    for offset in offsets(part.size_bytes()) {
        let length = PIECE_BYTES.min(part.size_bytes() - offset) as usize;
        let piece = &mut buffer[..length];
        if !part.read(offset, piece)? {
            continue;
        }
        let whole = piece.len() - piece.len() % 512;
        let borne = mark::look_on_device(&KEYS, &piece[..whole], part.range.start + offset);
        if borne.foreign_at.is_some() || piece[whole..].iter().any(|byte| *byte != 0) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The starts of the pieces.
fn offsets(size_bytes: u64) -> impl Iterator<Item = u64> {
    let until = END_BYTES.min(size_bytes);
    let from = size_bytes.saturating_sub(END_BYTES).max(until);
    let between = from - until;
    let step = (between / PIECES).max(PIECE_BYTES);
    // In whole sectors of any device.
    let aligned = |offset: u64| offset - offset % 4096;
    let ends = (0..until).step_by(PIECE_BYTES as usize);
    let middle = (0..PIECES).map(move |number| until + number * step).take_while(move |at| *at < from);
    let last = (aligned(from)..size_bytes).step_by(PIECE_BYTES as usize);
    ends.chain(middle.map(aligned)).chain(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_parts_are_read_whole_and_large_ones_at_both_ends_and_between() {
        for size_bytes in [512, 65536, 1 << 20, (32 << 20) + 512, 40 << 20] {
            let mut covered = 0;
            for offset in offsets(size_bytes) {
                assert!(offset <= covered, "{size_bytes}: a gap before {offset}");
                covered = covered.max(offset + PIECE_BYTES);
            }
            assert!(covered >= size_bytes);
        }
        let large: Vec<u64> = offsets(1 << 40).collect();
        assert_eq!(large.len(), 256 + 256 + 256);
        assert!(large.last().unwrap() + PIECE_BYTES >= 1 << 40);
        assert!(large.windows(2).all(|pair| pair[1] - pair[0] <= 4 << 30));
    }
}
