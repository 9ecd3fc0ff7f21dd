//! The contents of written bytes: random, and compressible or repeated to a given share, with a mark in each
//! sector that says whose they are.

use ground::{Random, mix};

use crate::mark::{self, MARK_BYTES};
use crate::stamp::SECTOR_BYTES;

/// Unit of duplicates and of compression, as of filesystems and drives that look for them.
pub(crate) const PAGE_BYTES: usize = 4096;
/// Random stream of the pages that are repeated, apart from those of choices and buffers.
const POOL_STREAM: u64 = 1 << 33;
/// Different pages among the repeated ones; few, so that hardly any of them is a first copy.
const POOL_PAGES: u64 = 16;

/// The contents of data that is not verified.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Content {
    /// Part of each 4 KiB that compression takes away, from 0 and below 1: its end is zeros.
    pub compressible: f64,
    /// Part of the 4 KiB pages that repeat another page, from 0 and below 1.
    pub duplicates: f64,
}

impl Content {
    /// Random bytes in each page up to its compressible end, with marks of this key.
    pub(crate) fn fill(&self, random: &mut Random, key: u64, bytes: &mut [u8]) {
        for page in bytes.chunks_mut(PAGE_BYTES) {
            let solid = self.solid_bytes(page.len());
            random.fill(&mut page[..solid]);
            page[solid..].fill(0);
        }
        mark::lay(key, bytes);
    }

    /// Bytes of a page of this length that compression cannot take away; a mark at least, and none that is
    /// cut off.
    fn solid_bytes(&self, page_bytes: usize) -> usize {
        let solid = (page_bytes as f64 * (1.0 - self.compressible)).round() as usize;
        let in_last_sector = solid % SECTOR_BYTES;
        let whole = if in_last_sector < MARK_BYTES { solid - in_last_sector } else { solid };
        whole.max(MARK_BYTES).min(page_bytes)
    }
}

/// Makes the bytes of a worker's writes.
#[derive(Debug)]
pub(crate) struct Writer {
    /// Upper end of the duplicates' share of a u64 draw; 0 for none.
    duplicate_below: u64,
    pool: Vec<u8>,
    draw: u64,
    /// Of the marks.
    key: u64,
    /// True if a slot may hold data read from another file, without marks of this key.
    mixes: bool,
    /// True if writes begin or end inside sectors.
    is_odd: bool,
}

impl Writer {
    /// The writer of the `worker`-th worker of a job with this seed and this key of its marks. All workers
    /// repeat the same pages.
    pub(crate) fn new(content: Content, seed: u64, key: u64, worker: u64) -> Writer {
        let mut pool = Vec::new();
        if content.duplicates > 0.0 {
            pool = vec![0; POOL_PAGES as usize * PAGE_BYTES];
            content.fill(&mut Random::stream(seed, POOL_STREAM), key, &mut pool);
        }
        let duplicate_below = (content.duplicates * 2f64.powi(64)) as u64;
        Writer { duplicate_below, pool, draw: mix(seed ^ mix(worker)), key, mixes: false, is_odd: false }
    }

    /// The same for a job that reads from other files than it writes to: each write is marked whole.
    pub(crate) fn mixing(self, mixes: bool) -> Writer {
        Writer { mixes, ..self }
    }

    /// The same for a job in which some writes begin or end inside sectors: sectors shared by several writes
    /// are marked all the same.
    pub(crate) fn odd(self, is_odd: bool) -> Writer {
        Writer { is_odd, ..self }
    }

    /// Prepares the bytes of a write to `offset`: a slot that [`Content::fill`] filled, or that this wrote
    /// before.
    ///
    /// One fresh word makes a page unlike every other; the rest of it may have been written before.
    pub(crate) fn prepare(&mut self, bytes: &mut [u8], offset: u64) {
        if self.mixes {
            mark::lay(self.key, bytes);
        }
        for page in bytes.chunks_mut(PAGE_BYTES) {
            self.draw = self.draw.wrapping_add(1);
            let drawn = mix(self.draw ^ offset.rotate_left(32));
            if drawn < self.duplicate_below && page.len() == PAGE_BYTES {
                let start = (mix(drawn) % POOL_PAGES) as usize * PAGE_BYTES;
                page.copy_from_slice(&self.pool[start..start + PAGE_BYTES]);
            } else if self.is_odd {
                set_between_marks(page, drawn ^ page_place(offset), offset);
            } else {
                mark::set(self.key, drawn ^ page_place(offset), page);
            }
        }
        if self.is_odd {
            mark::lay_in_place(self.key, bytes, offset);
        }
    }
}

/// Puts the fresh word where no mark of a sector lies; pages are whole sectors apart from each other.
fn set_between_marks(page: &mut [u8], word: u64, offset: u64) {
    let sector = SECTOR_BYTES as u64;
    let first = (sector - offset % sector) % sector;
    let at = ((first + MARK_BYTES as u64) % sector) as usize;
    if let Some(place) = page.get_mut(at..at + 8) {
        place.copy_from_slice(&word.to_le_bytes());
    }
}

fn page_place(offset: u64) -> u64 {
    mix(offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const KEY: u64 = 0xfeed;

    fn written(content: Content, pages: usize) -> Vec<u8> {
        let mut slot = vec![0; 8 * PAGE_BYTES];
        content.fill(&mut Random::stream(1, 0), KEY, &mut slot);
        let mut writer = Writer::new(content, 1, KEY, 0);
        let mut all = Vec::new();
        for write in 0..pages / 8 {
            writer.prepare(&mut slot, (write * 8 * PAGE_BYTES) as u64);
            all.extend_from_slice(&slot);
        }
        all
    }

    /// Share of pages that repeat another page, first copies not counted.
    fn duplicates(bytes: &[u8]) -> f64 {
        let mut seen: HashMap<&[u8], usize> = HashMap::new();
        bytes.chunks(PAGE_BYTES).for_each(|page| *seen.entry(page).or_default() += 1);
        let pages = bytes.len() / PAGE_BYTES;
        (pages - seen.len()) as f64 / pages as f64
    }

    /// Share of zero bytes beyond the 1/256 that random bytes have.
    fn zeros(bytes: &[u8]) -> f64 {
        let zero = bytes.iter().filter(|byte| **byte == 0).count() as f64 / bytes.len() as f64;
        (zero - 1.0 / 256.0) / (1.0 - 1.0 / 256.0)
    }

    #[test]
    fn plain_content_neither_compresses_nor_repeats() {
        let bytes = written(Content::default(), 4000);
        assert_eq!(duplicates(&bytes), 0.0);
        assert!(zeros(&bytes).abs() < 0.01, "{}", zeros(&bytes));
    }

    #[test]
    fn shares_come_out_as_asked() {
        for (compressible, duplicate) in [(0.5, 0.0), (0.0, 0.3), (0.25, 0.5), (0.9, 0.9)] {
            let content = Content { compressible, duplicates: duplicate };
            let bytes = written(content, 8000);
            assert!((zeros(&bytes) - compressible).abs() < 0.01, "{content:?}: {}", zeros(&bytes));
            assert!((duplicates(&bytes) - duplicate).abs() < 0.02, "{content:?}: {}", duplicates(&bytes));
        }
    }

    /// Writes of any length at any place, as of logs that know no sectors: one after the other, over each
    /// other, and over whole sectors.
    #[test]
    fn sectors_that_several_writes_share_bear_the_mark() {
        let mut file = vec![0; 64 * PAGE_BYTES];
        Random::stream(3, 0).fill(&mut file);
        mark::lay_in_place(KEY, &mut file, 0);
        for content in [Content::default(), Content { compressible: 0.9, duplicates: 0.5 }] {
            let mut slot = vec![0; 2 * PAGE_BYTES];
            content.fill(&mut Random::stream(1, 0), KEY, &mut slot);
            let mut writer = Writer::new(content, 1, KEY, 0).odd(true);
            let (mut place, mut before) = (0, Vec::new());
            for write in 0..1_500_u64 {
                let length = [2_300, 1, 4_096, 17, 511, 5_000][(mix(write) % 6) as usize];
                let offset = if write < 100 { place } else { (mix(!write) as usize) % (file.len() - 8_192) };
                writer.prepare(&mut slot[..length], offset as u64);
                file[offset..offset + length].copy_from_slice(&slot[..length]);
                place += length;
                let borne = mark::look(&[KEY], &file, 0);
                assert_eq!(borne.foreign_at, None, "write {write} of {length} bytes at {offset}");
                if length == 2_300 {
                    assert_ne!(slot, before, "no two writes are alike");
                    before.clone_from(&slot);
                }
            }
        }
        file[12_345] ^= 1;
        assert_eq!(mark::look(&[KEY], &file, 0).foreign_at, None, "only the marks speak");
        file[12_288..12_304].fill(7);
        assert_eq!(mark::look(&[KEY], &file, 0).foreign_at, Some(12_288));
    }

    #[test]
    fn every_sector_bears_the_mark_or_is_zero() {
        for compressible in [0.0, 0.001, 0.12, 0.125, 0.25, 0.5, 0.877, 0.99, 0.9999] {
            for duplicates in [0.0, 0.5] {
                let bytes = written(Content { compressible, duplicates }, 64);
                let borne = mark::look(&[KEY], &bytes, 0);
                assert_eq!(borne.foreign_at, None, "{compressible}");
                assert!(borne.marked >= 64, "{compressible}");
                assert_eq!(mark::look(&[1], &bytes, 0).foreign_at, Some(0));
            }
        }
    }
}
