//! A modelled drive in wall time: every I/O takes as long as the model says, and no byte moves.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use device::{Drive, DriveSpec, Op};

use super::{Completion, Engine, Wait};
use crate::clock;
use crate::error::BlockError;
use crate::generate::Io;

#[derive(Debug)]
pub(crate) struct Modelled {
    drive: Drive,
    /// Outstanding I/Os by modelled completion time, with slot and length.
    outstanding: BinaryHeap<Reverse<(u64, u32, u32)>>,
}

impl Modelled {
    pub(crate) fn new(spec: &DriveSpec, seed: u64, depth: u32) -> Modelled {
        Modelled { drive: Drive::new(spec, seed), outstanding: BinaryHeap::with_capacity(depth as usize + 1) }
    }
}

impl Engine for Modelled {
    fn queue(&mut self, slot: u32, io: &Io, now_ns: u64) {
        let op = if io.write {
            Op::Write { offset: io.offset, len: io.length }
        } else {
            Op::Read { offset: io.offset, len: io.length }
        };
        let done_ns = self.drive.submit(now_ns, op);
        self.outstanding.push(Reverse((done_ns, slot, io.length)));
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), BlockError> {
        let next_ns = self.outstanding.peek().map(|Reverse((done_ns, ..))| *done_ns);
        match (next_ns, wait) {
            (Some(next_ns), Wait::Until(deadline_ns)) => clock::wait_until(next_ns.min(deadline_ns)),
            (Some(next_ns), Wait::Completion) => clock::wait_until(next_ns),
            (None, Wait::Until(deadline_ns)) => clock::wait_until(deadline_ns),
            (None, Wait::Completion) => {}
        }
        let now_ns = clock::now_ns();
        while let Some(&Reverse((done_ns, slot, length))) = self.outstanding.peek()
            && done_ns <= now_ns
        {
            self.outstanding.pop();
            done.push(Completion { slot, result: length as i32 });
        }
        Ok(())
    }

    fn buffer(&mut self, _slot: u32) -> &mut [u8] {
        &mut []
    }
}
