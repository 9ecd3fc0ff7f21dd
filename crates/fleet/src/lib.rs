//! Several machines as one load generator: ranks that agree on a plan, start at one moment and hand in their
//! results.
//!
//! A fleet has a lead, which the user started, and ranks, each a process that runs its share of the load. The
//! lead and a rank exchange messages over a pair of pipes: of a process of this machine, of `ssh`, or of
//! whatever program starts the rank; with the feature `mpi` also by MPI. There is no daemon, and no port but
//! those of `ssh` and MPI.
//!
//! Invariants: ranks meet at named [`Meeting`]s and nowhere else, so nothing is waited for inside a phase of
//! a load; every wait has a limit, and the error of one that ends names the rank.

mod error;
mod meeting;
mod bytes;
mod frame;
mod live;
mod message;
mod offset;
mod hosts;

mod member;
mod connection;
mod coordinator;
mod process;
#[cfg(feature = "mpi")]
pub mod mpi;

pub use bytes::Bytes;
pub use connection::{Connections, Pipes};
pub use coordinator::{Coordinator, Limits, Wait, Watch};
pub use error::FleetError;
pub use frame::{FRAME_BYTES_MAX, HELLO_BYTES_MAX, decode, encode, read_frame, write_frame};
pub use hosts::{Host, Hosts};
pub use live::Live;
pub use meeting::Meeting;
pub use member::{Callbacks, Member};
pub use message::{Done, Down, Hello, Up};
pub use offset::{Offset, Sample};
pub use process::{Launch, start_ranks};

use std::fmt;

/// The place of a process in a fleet.
///
/// The calls are made in this order: [`agree`](Fleet::agree) on the plan and before each cell, and in each
/// cell [`start`](Fleet::start), [`done`](Fleet::done), [`gather`](Fleet::gather). An error says that the
/// lead is gone; the run cannot go on then.
pub trait Fleet: fmt::Debug + Send + Sync {
    /// The number of this rank, from 0.
    fn rank(&self) -> u32;

    /// The number of ranks.
    fn size(&self) -> u32;

    /// Says `word` at a meeting, waits until every rank has said its own, and returns the answer of the lead.
    ///
    /// # Errors
    /// [`FleetError`] when the lead is gone or silent.
    fn agree(&self, at: Meeting, word: &[u8]) -> Result<Vec<u8>, FleetError>;

    /// Says that this rank is ready, or with `fault` that it cannot start, and returns as soon as the moment
    /// is known at which all ranks start. The caller waits for it: with the threads that have the work, so
    /// that none of them is woken by another afterwards.
    ///
    /// # Errors
    /// As [`agree`](Fleet::agree).
    fn start(&self, fault: Option<&str>) -> Result<Start, FleetError>;

    /// Says that the load of this rank is over, and waits for the others.
    ///
    /// # Errors
    /// As [`agree`](Fleet::agree).
    fn done(&self, done: Done) -> Result<(), FleetError>;

    /// Hands a result to the lead.
    ///
    /// # Errors
    /// As [`agree`](Fleet::agree).
    fn gather(&self, result: &[u8]) -> Result<(), FleetError>;
}

/// The start of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// At once: the process is alone.
    Now,
    /// All ranks start at a moment that is still to come.
    At {
        /// The agreed moment on the clock of this rank, ns.
        due_ns: u64,
    },
    /// None starts: a rank cannot.
    Off {
        /// The rank, and its reason.
        why: String,
    },
}

/// A fleet of one: the plain run. Every meeting is over at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Fleet for Alone {
    fn rank(&self) -> u32 {
        0
    }

    fn size(&self) -> u32 {
        1
    }

    fn agree(&self, _: Meeting, _: &[u8]) -> Result<Vec<u8>, FleetError> {
        Ok(Vec::new())
    }

    fn start(&self, fault: Option<&str>) -> Result<Start, FleetError> {
        Ok(fault.map_or(Start::Now, |why| Start::Off { why: why.to_owned() }))
    }

    fn done(&self, _: Done) -> Result<(), FleetError> {
        Ok(())
    }

    fn gather(&self, _: &[u8]) -> Result<(), FleetError> {
        Ok(())
    }
}

/// The part of `total` that falls to `rank` of `size` ranks: even, the first ranks take one more each of the
/// remainder. The first item of the part, and its length.
///
/// # Panics
/// If `size` is 0.
#[must_use]
pub fn share(total: u32, rank: u32, size: u32) -> (u32, u32) {
    let (each, more) = (total / size, total % size);
    (rank * each + rank.min(more), each + u32::from(rank < more))
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod shares {
    use super::*;

    #[test]
    fn shares_are_even_and_lose_nothing() {
        for (total, size) in [(10, 4), (3, 4), (240_000, 4), (7, 1), (0, 3)] {
            let parts: Vec<_> = (0..size).map(|rank| share(total, rank, size)).collect();
            let mut next = 0;
            for (first, length) in &parts {
                assert_eq!(*first, next);
                next += length;
            }
            assert_eq!(next, total);
            let lengths = parts.iter().map(|part| part.1);
            assert!(lengths.clone().max().unwrap() - lengths.min().unwrap() <= 1);
        }
    }
}
