//! When long work ends before it is done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// When work ends before it is done, with [`crate::error::OltpError::Stopped`]: when the user says so, or
/// when its answer comes too late to matter.
#[derive(Clone, Debug, Default)]
pub struct Until {
    /// Becomes true when the user stops.
    pub stop: Arc<AtomicBool>,
    /// The moment after which the answer does not matter.
    pub deadline: Option<Instant>,
}

impl Until {
    /// Until the user says so.
    #[must_use]
    pub fn stopped(stop: Arc<AtomicBool>) -> Self {
        Self { stop, deadline: None }
    }

    /// True when it is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Acquire) || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
