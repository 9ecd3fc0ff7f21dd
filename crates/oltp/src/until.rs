//! When long work ends before it is done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ground::Clock;

/// When work ends before it is done, with [`crate::error::OltpError::Stopped`]: when the user says so, or
/// when its answer comes too late to matter.
#[derive(Clone, Debug, Default)]
pub struct Until {
    /// Becomes true when the user stops.
    pub stop: Arc<AtomicBool>,
    /// The moment of the clock after which the answer does not matter, ns.
    pub deadline_ns: Option<u64>,
}

impl Until {
    /// Until the user says so.
    #[must_use]
    pub fn stopped(stop: Arc<AtomicBool>) -> Self {
        Self { stop, deadline_ns: None }
    }

    /// True when it is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Acquire)
            || self.deadline_ns.is_some_and(|deadline_ns| Clock::Wall.now_ns() >= deadline_ns)
    }
}
