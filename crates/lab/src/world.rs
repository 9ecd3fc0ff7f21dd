//! The surroundings of a run.

use std::path::PathBuf;
use std::sync::Arc;

use ground::Clock;
use host::CounterSource;

use crate::membership::Membership;
use crate::servers::{OfMachine, Servers};

/// The clock of other processes: a run waits for them, and the ranks of a fleet meet, by the machine's, also
/// where the time of the run is virtual.
pub(crate) const CLOCK_OF_OTHERS: Clock = Clock::Wall;

/// The surroundings of a run besides its experiment; the default is this machine with its clock. None of it
/// is stored: `resume` needs it again. Files have no part in it: each call that changes one passes the points
/// of failure of `disk`.
#[derive(Clone, Debug)]
pub struct World {
    /// The clock. With a virtual one, of which the calling thread is a participant, the machine is no part of
    /// the world: no counters and no processor time of it enter a result. Block I/O runs there, on modelled
    /// drives and on none, and the same seed gives the same results.
    pub clock: Clock,
    /// The source of the counters of processors, drives and this process.
    pub counters: CounterSource,
    /// The databases that beds run on.
    pub servers: Arc<dyn Servers>,
    /// Devices that may be overwritten.
    pub destroy: Vec<block::DestroyOrder>,
    /// A directory for a trace of each cell of block I/O.
    pub record: Option<PathBuf>,
    /// The place in a fleet; by default there is none.
    pub membership: Membership,
}

impl World {
    /// The world of a clock: the machine with its counters, or virtual time without any.
    #[must_use]
    pub fn of(clock: Clock) -> World {
        World {
            counters: CounterSource::of(&clock),
            clock,
            servers: Arc::new(OfMachine),
            destroy: Vec::new(),
            record: None,
            membership: Membership::default(),
        }
    }

    /// True if the machine is part of it: its counters, its state, its costs.
    pub(crate) fn has_machine(&self) -> bool {
        !self.clock.is_virtual()
    }
}

impl Default for World {
    fn default() -> World {
        World::of(Clock::Wall)
    }
}
