//! The writes that a worker knows to be durable: its completed writes, once a flush that began after them is
//! acknowledged.

use std::collections::VecDeque;

use crate::generate::{Io, Op};
use crate::journal::{JournalSender, NOTHING};
use crate::ledger::Ledger;

/// The limit of written blocks that wait for a flush; further ones are left out.
const PENDING_MAX: usize = 1 << 16;

/// The books of one worker. Allocates at set-up only.
#[derive(Debug)]
pub(crate) struct Durable {
    journal: JournalSender,
    /// Completed writes that no acknowledged flush has followed yet, oldest first.
    pending: VecDeque<(u32, u32)>,
    /// Number of the oldest of them.
    first: u64,
    /// Of each slot, the number of the first write that its flush does not cover.
    covered: Vec<u64>,
    /// Writes for which there was no room, those of them that a flush was over for, and of each slot, those
    /// that its flush covers.
    forgotten: u64,
    settled: u64,
    forgotten_covered: Vec<u64>,
}

impl Durable {
    pub(crate) fn new(journal: JournalSender, depth: u32) -> Durable {
        let pending = VecDeque::with_capacity(PENDING_MAX);
        let none = || vec![0; depth as usize];
        Durable {
            journal,
            pending,
            first: 0,
            covered: none(),
            forgotten: 0,
            settled: 0,
            forgotten_covered: none(),
        }
    }

    /// A flush begins: it covers the writes that are complete.
    pub(crate) fn flush_started(&mut self, slot: u32) {
        self.covered[slot as usize] = self.first + self.pending.len() as u64;
        self.forgotten_covered[slot as usize] = self.forgotten;
    }

    /// A flush is complete: its writes are durable if it succeeded. If not, no later one makes them so,
    /// because the kernel may have dropped them.
    pub(crate) fn flushed(&mut self, slot: u32, succeeded: bool) {
        let forgotten = self.forgotten_covered[slot as usize].saturating_sub(self.settled);
        self.settled += forgotten;
        if succeeded && forgotten > 0 {
            self.journal.leave_out(forgotten);
        }
        while self.first < self.covered[slot as usize] {
            let Some((block, write)) = self.pending.pop_front() else { return };
            self.first += 1;
            if succeeded {
                self.journal.note(block, write);
            }
        }
    }

    /// A write is complete; the ledger records it.
    pub(crate) fn written(&mut self, ledger: &Ledger, io: &Io, whole: bool) {
        ledger.end(io.offset, io.length, whole, |block, claim| match claim {
            // Even the durable contents are not known any more.
            NOTHING => self.journal.note(block, NOTHING),
            _ if io.op == Op::WriteThrough => self.journal.note(block, claim),
            _ if self.pending.len() < PENDING_MAX => self.pending.push_back((block, claim)),
            _ => self.forgotten += 1,
        });
    }
}
