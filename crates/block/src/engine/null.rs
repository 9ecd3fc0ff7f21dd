//! Completes everything at once and moves nothing: the cost of a run with it is the cost of the generator
//! itself.

use ground::Clock;

use super::{Completion, Engine, Wait};
use crate::clock;
use crate::error::BlockError;
use crate::generate::Io;

#[derive(Debug)]
pub(crate) struct Null {
    queued: Vec<Completion>,
}

impl Null {
    pub(crate) fn new(depth: u32) -> Null {
        Null { queued: Vec::with_capacity(depth as usize) }
    }
}

impl Engine for Null {
    #[inline]
    fn queue(&mut self, slot: u32, io: &Io, _now_ns: u64) {
        self.queued.push(Completion { slot, result: io.length as i32 });
    }

    #[inline]
    fn reap(&mut self, clock: &Clock, wait: Wait, done: &mut Vec<Completion>) -> Result<(), BlockError> {
        match wait {
            Wait::Until(deadline_ns) if self.queued.is_empty() => clock::wait_until(clock, deadline_ns),
            _ => clock::pass(clock),
        }
        done.append(&mut self.queued);
        Ok(())
    }

    #[inline]
    fn buffer(&mut self, _slot: u32) -> &mut [u8] {
        &mut []
    }
}
