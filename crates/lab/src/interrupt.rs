//! The path of a person's Ctrl-C to the cell that runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use database::HangUp;

/// Counts requests to stop: the first ends the phase and keeps the measurements, the second stops at once.
/// Cheap to clone; all clones share one count, so that a signal handler can hold one.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    count: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    at_once: Arc<AtomicBool>,
    after_cell: Arc<AtomicBool>,
}

impl Interrupt {
    /// Nothing asked for yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for a stop once more. Safe to call from a signal handler's thread.
    pub fn request(&self) {
        self.stop.store(true, Ordering::SeqCst);
        if self.count.fetch_add(1, Ordering::SeqCst) > 0 {
            self.at_once.store(true, Ordering::SeqCst);
        }
    }

    /// Asks for a stop once the cell that runs is complete.
    pub fn request_after_cell(&self) {
        self.after_cell.store(true, Ordering::SeqCst);
    }

    /// True if no further cell is to begin.
    pub fn ends_after_cell(&self) -> bool {
        self.requested() || self.after_cell.load(Ordering::SeqCst)
    }

    /// True if the run is to end after the current phase.
    pub fn requested(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// The first request as a flag, for work that looks at one.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// True if the run is to stop at once, without checks.
    pub fn at_once(&self) -> bool {
        self.at_once.load(Ordering::SeqCst)
    }

    /// The second request, for everybody who waits for a server.
    pub(crate) fn hang_up(&self) -> HangUp {
        HangUp::when(self.flag_at_once())
    }

    /// The second request as a flag: for checks, which the first leaves to their end.
    pub(crate) fn flag_at_once(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.at_once)
    }
}
