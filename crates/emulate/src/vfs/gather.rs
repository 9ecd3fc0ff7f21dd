//! Appends to a log that wait to become one operation of the drive.

use super::pool::BLOCK;

/// Appends to a log that are not an operation of the drive yet.
#[derive(Debug, Default)]
pub(crate) struct Gather {
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// The bytes themselves, on real storage past the page cache; in an emulated file they are written at
    /// once.
    pub(crate) bytes: Vec<u8>,
    /// The bytes of the block before `from` that `bytes` begins with.
    pub(crate) lead: usize,
    /// The unfinished last block of the previous operation, so that it need not be read to go on with it.
    tail: Vec<u8>,
    tail_to: u64,
    /// End of the data written since the log began anew: beyond it a WAL holds nothing of value.
    pub(crate) high: u64,
}

impl Gather {
    pub(crate) fn is_open(&self) -> bool {
        self.to > self.from
    }

    /// The file was cut: the kept part of its last block may be gone.
    pub(crate) fn forget_tail(&mut self) {
        self.tail.clear();
        self.tail_to = 0;
        self.high = 0;
    }

    pub(crate) fn open(&mut self, offset: u64) {
        (self.from, self.to, self.lead) = (offset, offset, 0);
        self.bytes.clear();
        let lead = (offset % BLOCK as u64) as usize;
        if lead > 0 && self.tail_to == offset && self.tail.len() == lead {
            self.bytes.extend_from_slice(&self.tail);
            self.lead = lead;
        }
    }

    /// Ends the bytes at a block, when nothing of value lies beyond, and keeps the last block for the next
    /// operation.
    pub(crate) fn close(&mut self, beyond_is_dead: bool) {
        let partial = (self.to % BLOCK as u64) as usize;
        self.tail.clear();
        if partial > 0 && self.bytes.len() >= partial {
            self.tail.extend_from_slice(&self.bytes[self.bytes.len() - partial..]);
            if beyond_is_dead && self.to >= self.high {
                self.bytes.resize(self.bytes.len() + BLOCK - partial, 0);
            }
        }
        self.tail_to = self.to;
        self.from = self.to;
    }
}
