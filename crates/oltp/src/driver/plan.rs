//! The plan of a run, for the conductor, its workers and their connections.

use std::thread;
use std::time::Duration;

use super::pacing::Pacing;
use super::session::Asking;

/// The plan of a run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) users: u32,
    /// Connections of the pool; without pacing every user has one, whatever this says.
    pub(crate) connections: u32,
    pub(crate) pacing: Pacing,
    /// The manner of asking.
    pub(crate) asking: Asking,
    pub(crate) ramp_up: Duration,
    pub(crate) measure: Duration,
    /// Seed of pauses and arrivals.
    pub(crate) seed: u64,
    /// So long after the measure phase answers are waited for; [`DRAIN_MAX`](super::due::DRAIN_MAX) outside
    /// of tests.
    pub(crate) drain_max: Duration,
    /// The longest time without any answer before the run is given up; `None` for the default.
    pub(crate) answer_max: Option<Duration>,
}

/// The processors that a load takes: as many as it was given, or all of the machine.
pub(crate) fn processors_of(given: Option<u32>) -> u32 {
    given.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from) as u32).max(1)
}
