//! Virtual users as tasks: many users, few threads, one clock.
//!
//! A [`Work`] says what users ask, a [`Connect`] opens [`Session`]s that answer, and [`drive`] brings them
//! together: each worker thread has a runtime of its own, a share of the connections and a share of the
//! users, and counts for itself; nothing is shared between workers but the clock, the stop flag and the live
//! figures. Users without think time hold a connection each; paced users and arrivals are multiplexed over a
//! pool, as a transaction monitor does, and cost a few bytes each.
//!
//! Invariant: latency runs from the *intended* start, so a stalled server never makes arrivals vanish; the
//! wait for a connection is part of it and also counted apart. What counts where is said in `due`. A server
//! that is gone ends the run after a bounded time. An embedded engine waits in its calls, so that each of its
//! connections has a worker of its own ([`Connect::BLOCKS`]).

mod alarm;
mod clock;
mod control;
mod drive;
mod due;
mod first_due;
mod losses;
mod pacing;
mod plan;
mod pool;
mod record;
mod roster;
mod session;
mod silence;
mod start_line;
mod work;
mod worker;

#[cfg(test)]
mod tests;

pub use control::{Control, Live, Phase};
pub use due::Requests;
pub use pacing::Pacing;
pub use plan::Asking;
pub use silence::Standstill;
pub use start_line::{StartLine, StartPlace};

pub(crate) use drive::{Boundary, Driven, drive};
pub(crate) use due::{Counts, DRAIN_MAX};
pub(crate) use pacing::Pause;
pub(crate) use plan::{Plan, processors_of};
pub(crate) use record::ClassRecord;
pub(crate) use work::{Connect, Ending, Failure, Session, Work};
