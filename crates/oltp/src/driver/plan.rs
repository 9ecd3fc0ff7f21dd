//! How a run is driven: what the conductor, its workers and their connections all go by.

use std::time::Duration;

use super::pacing::Pacing;

/// How to drive.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) users: u32,
    /// Connections of the pool; without pacing every user has one, whatever this says.
    pub(crate) connections: u32,
    pub(crate) pacing: Pacing,
    pub(crate) ramp_up: Duration,
    pub(crate) measure: Duration,
    /// Seed of pauses and arrivals.
    pub(crate) seed: u64,
    /// How long a server may refuse connections before the run is given up.
    pub(crate) patience: Duration,
    /// So long after the measure phase answers are waited for; [`DRAIN_MAX`](super::due::DRAIN_MAX) outside
    /// of tests.
    pub(crate) drain_max: Duration,
    /// How long nothing at all may be answered before the run is given up; `None` for the usual.
    pub(crate) answer_max: Option<Duration>,
}
