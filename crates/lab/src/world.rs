//! The surroundings of a run.

use std::path::PathBuf;

use ground::Clock;

use crate::membership::Membership;

/// The surroundings of a run besides its experiment; the default is this machine with its clock. None of it
/// is stored: `resume` needs it again.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// The clock. With a virtual one, of which the calling thread is a participant, the machine is no part of
    /// the world: no counters and no processor time of it enter a result. Block I/O runs there, on modelled
    /// drives and on none, and the same seed gives the same results.
    pub clock: Clock,
    /// Devices that may be overwritten.
    pub destroy: Vec<block::DestroyOrder>,
    /// A directory for a trace of each cell of block I/O.
    pub record: Option<PathBuf>,
    /// The place in a fleet; by default there is none.
    pub membership: Membership,
}

impl World {
    /// True if the machine is part of it: its counters, its state, its costs.
    pub(crate) fn has_machine(&self) -> bool {
        !self.clock.is_virtual()
    }
}
