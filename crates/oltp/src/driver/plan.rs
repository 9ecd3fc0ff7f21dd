//! The plan of a run, for the conductor, its workers and their connections.

use std::thread;
use std::time::Duration;

use super::pacing::Pacing;

/// The manner in which a load asks, whatever it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asking {
    /// The longest time of refused connections before the run is given up as fatal.
    pub patience: Duration,
    /// The number of retries of one transaction that conflicts with another.
    pub retries_max: u32,
    /// Processors of the machine for the load's threads, one each; `None` for all. Processes that share a
    /// machine share them: every further thread is one more that the server's sessions wait for.
    pub processors: Option<u32>,
}

impl Default for Asking {
    fn default() -> Self {
        Self { patience: Duration::from_secs(30), retries_max: 10, processors: None }
    }
}

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
