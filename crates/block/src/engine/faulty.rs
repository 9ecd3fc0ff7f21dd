//! For tests: an engine that fails, cuts short, delays or swallows chosen I/Os of another engine.

use ground::Clock;

use super::{Completion, Engine, Wait};
use crate::clock;
use crate::error::BlockError;
use crate::generate::Io;

/// The handling of the n-th completion (from 0).
pub(crate) type Plan = fn(u64) -> Handling;

/// The handling of one I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handling {
    Passes,
    Fails(i32),
    Short,
    /// The whole target stops for this long before the I/O completes.
    StallsNs(u64),
    NeverReturns,
}

#[derive(Debug)]
pub(crate) struct Faulty<E> {
    inner: E,
    plan: Plan,
    completed: u64,
}

impl<E: Engine> Faulty<E> {
    pub(crate) fn new(inner: E, plan: Plan) -> Faulty<E> {
        Faulty { inner, plan, completed: 0 }
    }
}

impl<E: Engine> Engine for Faulty<E> {
    fn queue(&mut self, slot: u32, io: &Io, now_ns: u64) {
        self.inner.queue(slot, io, now_ns);
    }

    fn reap(&mut self, clock: &Clock, wait: Wait, done: &mut Vec<Completion>) -> Result<(), BlockError> {
        let mut reaped = Vec::new();
        self.inner.reap(clock, wait, &mut reaped)?;
        for mut completion in reaped {
            let handling = (self.plan)(self.completed);
            self.completed += 1;
            match handling {
                Handling::Passes => {}
                Handling::Fails(errno) => completion.result = -errno,
                Handling::Short => completion.result /= 2,
                Handling::StallsNs(wait_ns) => clock.sleep_until(clock.now_ns() + wait_ns),
                Handling::NeverReturns => {
                    clock::wait_until(clock, clock.now_ns() + 1_000_000);
                    continue;
                }
            }
            done.push(completion);
        }
        Ok(())
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.inner.buffer(slot)
    }
}
