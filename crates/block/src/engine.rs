//! The engines that carry out I/Os: a small contract, one file per engine.
//!
//! An engine owns the memory of its slots. A worker queues I/Os into free slots and calls [`Engine::reap`],
//! which starts what is queued, waits as asked and hands back what is done. Nothing here allocates after
//! set-up.

mod modelled;
mod null;
mod psync;
mod uring;

#[cfg(test)]
mod faulty;

pub(crate) use modelled::Modelled;
pub(crate) use null::Null;
pub(crate) use psync::Psync;
pub(crate) use uring::{Uring, open_ring};

#[cfg(test)]
pub(crate) use faulty::{Faulty, Handling, Plan};

use ground::Clock;

use crate::error::BlockError;
use crate::generate::Io;

/// One I/O that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    pub(crate) slot: u32,
    /// Bytes moved, or a negated errno.
    pub(crate) result: i32,
}

/// The longest wait of [`Engine::reap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Until an I/O is done.
    Completion,
    /// Until an I/O is done or this moment of the clock has come.
    Until(u64),
}

/// An engine with as many slots as its worker's depth.
pub(crate) trait Engine {
    /// Takes an I/O into a free slot; `now_ns` is its start. It is under way after the next `reap` at the
    /// latest.
    fn queue(&mut self, slot: u32, io: &Io, now_ns: u64);

    /// Starts the queued I/Os, waits by the clock, and appends the completed ones to `done`. May return with
    /// nothing: at the latest every 100 ms while the target can be waited for with a limit, so that a stop
    /// flag is seen.
    fn reap(&mut self, clock: &Clock, wait: Wait, done: &mut Vec<Completion>) -> Result<(), BlockError>;

    /// The bytes of a free slot, for writes to be prepared; empty when the engine moves none.
    fn buffer(&mut self, slot: u32) -> &mut [u8];

    /// The features it uses on this machine, for the record.
    fn features(&self) -> Vec<&'static str> {
        Vec::new()
    }
}
