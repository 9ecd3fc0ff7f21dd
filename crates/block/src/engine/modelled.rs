//! A modelled drive: every I/O takes as long as the model says, and no byte moves.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use device::Op as DriveOp;
use ground::Clock;

use super::{Completion, Engine, Wait};
use crate::clock;
use crate::error::BlockError;
use crate::generate::{Io, Op};
use crate::job::{Answers, ModelledDrive};

#[derive(Debug)]
pub(crate) struct Modelled {
    drive: ModelledDrive,
    /// The start of each target on the drive.
    starts: Vec<u64>,
    /// Outstanding I/Os by modelled completion time, with slot and length.
    outstanding: BinaryHeap<Reverse<(u64, u32, u32)>>,
}

impl Modelled {
    /// An engine on a drive that other workers and jobs may use at the same time; the targets lie on it one
    /// after the other.
    pub(crate) fn new(drive: ModelledDrive, target_sizes: &[u64], depth: u32) -> Modelled {
        let mut starts = Vec::with_capacity(target_sizes.len());
        let mut start = 0u64;
        for size in target_sizes {
            starts.push(start);
            start = start.saturating_add(*size);
        }
        Modelled { drive, starts, outstanding: BinaryHeap::with_capacity(depth as usize + 1) }
    }
}

impl Engine for Modelled {
    fn queue(&mut self, slot: u32, io: &Io, now_ns: u64) {
        let offset = self.starts[usize::from(io.target)].saturating_add(io.offset);
        let len = io.length;
        let done_ns = match io.op {
            Op::Read => self.drive.submit(now_ns, &[DriveOp::Read { offset, len }]),
            Op::Write => self.drive.submit(now_ns, &[DriveOp::Write { offset, len }]),
            Op::WriteThrough => self.drive.submit(now_ns, &[DriveOp::Write { offset, len }, DriveOp::Flush]),
            // The model knows no discards: such jobs are refused.
            Op::Discard | Op::Fsync | Op::Fdatasync => self.drive.submit(now_ns, &[DriveOp::Flush]),
        };
        self.outstanding.push(Reverse((done_ns, slot, io.length)));
    }

    fn reap(&mut self, clock: &Clock, wait: Wait, done: &mut Vec<Completion>) -> Result<(), BlockError> {
        let next_ns = self.outstanding.peek().map(|Reverse((done_ns, ..))| *done_ns);
        match (next_ns, wait) {
            (Some(next_ns), _) if next_ns <= clock.now_ns() => clock::pass(clock),
            (Some(next_ns), Wait::Until(deadline_ns)) => clock::wait_until(clock, next_ns.min(deadline_ns)),
            (Some(next_ns), Wait::Completion) => clock::wait_until(clock, next_ns),
            (None, Wait::Until(deadline_ns)) => clock::wait_until(clock, deadline_ns),
            (None, Wait::Completion) => {}
        }
        let now_ns = clock.now_ns();
        let mut now = Answers::default();
        while let Some(&Reverse((done_ns, slot, length))) = self.outstanding.peek()
            && done_ns <= now_ns
        {
            self.outstanding.pop();
            done.push(Completion { slot, result: length as i32 });
            let late_ns = now_ns - done_ns;
            now.all += 1;
            if late_ns > ModelledDrive::LATE_NS {
                now.late += 1;
                now.late_ns += late_ns;
            }
            now.latest_ns = now.latest_ns.max(late_ns);
        }
        if now.all > 0 {
            self.drive.answered(now);
        }
        Ok(())
    }

    fn buffer(&mut self, _slot: u32) -> &mut [u8] {
        &mut []
    }
}
