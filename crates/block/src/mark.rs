//! The mark that distinguishes the bytes of this tool from any others: in every 512-byte sector of a target
//! file that is not all zeros, a random word and its digest under a key that only the file's marker holds.
//!
//! Layout, little-endian: word (8 bytes), digest (8), then any bytes. Sectors of verified writes carry a
//! stamp instead, whose run shares the key's upper half. A foreign sector passes with a probability of 2^-64.

use ground::mix;

use crate::stamp::{SECTOR_BYTES, run_of};

/// Bytes of a mark.
pub(crate) const MARK_BYTES: usize = 16;

/// Marks each sector by the word that it begins with. Sectors of zeros stay as they are.
pub(crate) fn lay(key: u64, bytes: &mut [u8]) {
    for sector in bytes.chunks_mut(SECTOR_BYTES) {
        if sector.iter().any(|byte| *byte != 0) {
            let word = word(sector, 0);
            set(key, word, sector);
        }
    }
}

/// Marks each sector of the file that begins or ends in `bytes`, which lie at `offset`, by a word that is
/// always the same in its place: writes that end in the middle of a mark and writes that begin there make one
/// mark together.
pub(crate) fn lay_in_place(key: u64, bytes: &mut [u8], offset: u64) {
    let sector = SECTOR_BYTES as u64;
    let end = offset + bytes.len() as u64;
    let mut at = offset - offset % sector;
    while at < end {
        let mut mark = [0; MARK_BYTES];
        set(key, mix(key ^ mix(at)), &mut mark);
        let (from, to) = (at.max(offset), (at + MARK_BYTES as u64).min(end));
        if from < to {
            let (part, place) =
                ((from - at) as usize..(to - at) as usize, (from - offset) as usize..(to - offset) as usize);
            bytes[place].copy_from_slice(&mark[part]);
        }
        at += sector;
    }
}

/// Begins a sector with this word and its digest.
#[inline]
pub(crate) fn set(key: u64, word: u64, sector: &mut [u8]) {
    if let Some(mark) = sector.first_chunk_mut::<MARK_BYTES>() {
        mark[..8].copy_from_slice(&word.to_le_bytes());
        mark[8..].copy_from_slice(&digest(key, word).to_le_bytes());
    }
}

#[inline]
fn digest(key: u64, word: u64) -> u64 {
    mix(word ^ key)
}

/// The marks in a part of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Borne {
    /// Sectors with a mark or a stamp.
    pub(crate) marked: u64,
    /// The start of the first sector that is not of this tool: in bytes from the start of the file.
    pub(crate) foreign_at: Option<u64>,
}

/// Looks at the sectors of a file from `offset` on.
pub(crate) fn look(keys: &[u64], bytes: &[u8], offset: u64) -> Borne {
    sort(bytes, offset, |sector, at| is_ours(keys, sector, at))
}

/// The same for a device, where stamps of all runs are ours.
pub(crate) fn look_on_device(keys: &[u64], bytes: &[u8], offset: u64) -> Borne {
    sort(bytes, offset, |sector, at| is_ours(keys, sector, at) || run_of(sector, at).is_some())
}

fn sort(bytes: &[u8], offset: u64, is_ours: impl Fn(&[u8], u64) -> bool) -> Borne {
    let mut borne = Borne::default();
    for (number, sector) in bytes.chunks(SECTOR_BYTES).enumerate() {
        let at = offset + (number * SECTOR_BYTES) as u64;
        if sector.len() < SECTOR_BYTES {
            borne.foreign_at.get_or_insert(at);
        } else if is_ours(sector, at) {
            borne.marked += 1;
        } else if sector.iter().any(|byte| *byte != 0) {
            borne.foreign_at.get_or_insert(at);
        }
    }
    borne
}

fn is_ours(keys: &[u64], sector: &[u8], at: u64) -> bool {
    let first = word(sector, 0);
    let is_marked = keys.iter().any(|key| word(sector, 8) == digest(*key, first));
    is_marked || run_of(sector, at).is_some_and(|run| keys.iter().any(|key| run >> 32 == key >> 32))
}

/// The run number of a verified load: of this key, and like no other run with it.
pub(crate) fn run(key: u64, drawn: u64) -> u64 {
    (key >> 32) << 32 | (drawn & 0x7fff_ffff)
}

fn word(sector: &[u8], at: usize) -> u64 {
    sector.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stamp::Stamper;
    use ground::Random;

    const KEYS: [u64; 2] = [0x0123_4567_89ab_cdef, 77];

    fn marked(key: u64) -> Vec<u8> {
        let mut bytes = vec![0; 4 * SECTOR_BYTES];
        Random::stream(1, 0).fill(&mut bytes);
        lay(key, &mut bytes);
        bytes
    }

    #[test]
    fn sectors_with_a_mark_of_any_key_and_sectors_of_zeros_are_ours() {
        for key in KEYS {
            assert_eq!(look(&KEYS, &marked(key), 4096), Borne { marked: 4, foreign_at: None });
        }
        assert_eq!(look(&KEYS, &marked(78), 4096), Borne { marked: 0, foreign_at: Some(4096) });
        let mut bytes = marked(77);
        bytes[SECTOR_BYTES..2 * SECTOR_BYTES].fill(0);
        assert_eq!(look(&KEYS, &bytes, 0), Borne { marked: 3, foreign_at: None });
        lay(77, &mut bytes);
        assert!(bytes[SECTOR_BYTES..2 * SECTOR_BYTES].iter().all(|byte| *byte == 0));
    }

    #[test]
    fn a_foreign_piece_is_found_where_it_begins() {
        let mut bytes = marked(77);
        bytes[2 * SECTOR_BYTES + 3] ^= 1;
        assert_eq!(look(&KEYS, &bytes, 512).foreign_at, Some(512 + 2 * 512));
        let cut = &marked(77)[..SECTOR_BYTES + 100];
        assert_eq!(look(&KEYS, cut, 0).foreign_at, Some(512));
    }

    #[test]
    fn stamps_of_a_run_of_the_key_are_ours_in_their_place() {
        let stamper = Stamper::new(run(KEYS[0], u64::MAX));
        let mut sector = [0; SECTOR_BYTES];
        stamper.write(&mut sector, 8192, 3);
        assert_eq!(look(&KEYS, &sector, 8192), Borne { marked: 1, foreign_at: None });
        assert_eq!(look(&KEYS, &sector, 4096).foreign_at, Some(4096));
        Stamper::new(run(78 << 40, 1)).write(&mut sector, 8192, 3);
        assert_eq!(look(&KEYS, &sector, 8192).foreign_at, Some(8192));
    }
}
