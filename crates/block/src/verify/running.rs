//! Verification while the load runs: a read without concurrent writes must find the contents of the ledger.

use crate::generate::Io;
use crate::ledger::{Expected, Ledger};
use crate::stamp::SECTOR_BYTES;

use super::judge;
use crate::fault::{BlockFault, FaultKind};

/// The state of the blocks under each outstanding read at its start. Allocates at set-up only.
#[derive(Debug)]
pub(crate) struct Running {
    words: Vec<u64>,
    per_slot: usize,
}

impl Running {
    /// For `slots` reads of at most `io_bytes` from files whose ledgers have no smaller blocks than
    /// `block_bytes`.
    pub(crate) fn new(block_bytes: u64, slots: u32, io_bytes: u32) -> Running {
        let per_slot = (u64::from(io_bytes) / block_bytes) as usize + 1;
        Running { words: vec![0; per_slot * slots as usize], per_slot }
    }

    /// Notes the blocks that a read covers whole.
    pub(crate) fn started(&mut self, ledger: &Ledger, slot: u32, io: &Io) {
        let words = &mut self.words[slot as usize * self.per_slot..][..self.per_slot];
        for (word, block) in words.iter_mut().zip(whole_blocks(ledger, io)) {
            *word = ledger.word(block);
        }
    }

    /// Judges the blocks that nobody wrote to meanwhile, and tells the faults to the ledger.
    pub(crate) fn finished(&self, ledger: &Ledger, slot: u32, io: &Io, bytes: &[u8]) {
        let words = &self.words[slot as usize * self.per_slot..][..self.per_slot];
        let mut judged = 0;
        for (word, block) in words.iter().zip(whole_blocks(ledger, io)) {
            let Expected::Generations { first, last } = ledger.expected(block) else { continue };
            if *word != ledger.word(block) {
                continue;
            }
            let offset_bytes = block as u64 * ledger.block_bytes();
            let at = (offset_bytes - io.offset) as usize;
            let Some(bytes) = bytes.get(at..at + ledger.block_bytes() as usize) else { continue };
            judged += 1;
            if let Err((kind, detail)) =
                judge(&ledger.stamper, bytes, offset_bytes, (first, last), FaultKind::Stale)
            {
                fault(ledger, offset_bytes, kind, detail);
            }
        }
        ledger.count_judged(judged);
    }
}

#[cold]
fn fault(ledger: &Ledger, offset_bytes: u64, kind: FaultKind, detail: String) {
    ledger.tell(BlockFault { offset_bytes, kind, detail: format!("while running: {detail}") });
}

/// Blocks of the ledger that lie within an I/O.
fn whole_blocks(ledger: &Ledger, io: &Io) -> std::ops::Range<usize> {
    let block_bytes = ledger.block_bytes().max(SECTOR_BYTES as u64);
    let first = io.offset.div_ceil(block_bytes) as usize;
    let end = ((io.offset + u64::from(io.length)) / block_bytes) as usize;
    first..end.min(ledger.blocks()).max(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    fn ledger() -> Ledger {
        Ledger::new(4096, 1 << 20, 7).unwrap()
    }

    fn read(offset: u64) -> Io {
        Io { offset, length: 8192, ..Io::default() }
    }

    #[test]
    fn a_read_between_writes_is_judged_and_one_beside_a_write_is_not() {
        let ledger = ledger();
        let mut running = Running::new(4096, 2, 8192);
        let mut bytes = vec![0; 8192];
        ledger.begin(0, &mut bytes);
        ledger.end(0, 8192, true, |_, _| ());
        running.started(&ledger, 0, &read(0));
        running.finished(&ledger, 0, &read(0), &bytes);
        assert_eq!((ledger.judged(), ledger.told().len()), (2, 0));
        bytes[5000] ^= 1;
        running.finished(&ledger, 0, &read(0), &bytes);
        let told = ledger.told();
        assert_eq!((told.len(), told[0].kind, told[0].offset_bytes), (1, FaultKind::Flipped, 4096));
        assert!(told[0].detail.starts_with("while running: "), "{}", told[0].detail);
        // Whoever writes meanwhile makes old and new both right.
        running.started(&ledger, 1, &read(0));
        ledger.begin(0, &mut vec![0; 8192]);
        ledger.end(0, 8192, true, |_, _| ());
        running.finished(&ledger, 1, &read(0), &bytes);
        assert_eq!((ledger.judged(), ledger.told().len()), (4, 1));
    }

    #[test]
    fn an_older_write_in_the_place_of_the_last_is_stale() {
        let ledger = ledger();
        let mut running = Running::new(4096, 1, 8192);
        let mut old = vec![0; 8192];
        ledger.begin(8192, &mut old);
        ledger.end(8192, 8192, true, |_, _| ());
        ledger.begin(8192, &mut vec![0; 8192]);
        ledger.end(8192, 8192, true, |_, _| ());
        running.started(&ledger, 0, &read(8192));
        running.finished(&ledger, 0, &read(8192), &old);
        assert!(ledger.told().iter().all(|fault| fault.kind == FaultKind::Stale) && ledger.told().len() == 2);
    }
}
