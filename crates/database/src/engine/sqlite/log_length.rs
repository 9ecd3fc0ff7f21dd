//! The length of the write-ahead log: the connections report it at each commit, and the thread that writes
//! the log back waits for it.

use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

/// The length of the log, and the signal that wakes the checkpointer.
#[derive(Debug)]
pub(crate) struct LogLength {
    pub(super) limit_pages: u32,
    state: Mutex<State>,
    bell: Condvar,
}

#[derive(Debug, Default)]
struct State {
    due: bool,
    stop: bool,
    /// Readers that need the log as it is; each is a [`Hold`].
    held: u32,
}

/// Keeps the log from being written back: a long reader would be in the way of its return to the start, with
/// all writers waiting.
#[derive(Debug)]
pub(crate) struct Hold(Arc<LogLength>);

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.state.lock().held -= 1;
        self.0.bell.notify_one();
    }
}

impl LogLength {
    /// A log that is due at `limit_pages`.
    pub(crate) fn new(limit_pages: u32) -> Self {
        Self { limit_pages, state: Mutex::default(), bell: Condvar::new() }
    }

    /// Called after each commit with the pages in the log.
    pub(crate) fn report(&self, pages: u32) {
        if pages >= self.limit_pages {
            let mut state = self.state.lock();
            if !state.due {
                state.due = true;
                self.bell.notify_one();
            }
        }
    }

    /// No write-back until the hold is dropped; the log grows meanwhile.
    pub(crate) fn hold(self: &Arc<Self>) -> Hold {
        self.state.lock().held += 1;
        Hold(Arc::clone(self))
    }

    pub(super) fn stop(&self) {
        self.state.lock().stop = true;
        self.bell.notify_one();
    }

    /// Waits for work; `false` when it is time to stop.
    pub(super) fn wait(&self) -> bool {
        let mut state = self.state.lock();
        while (!state.due || state.held > 0) && !state.stop {
            self.bell.wait(&mut state);
        }
        !state.stop
    }

    pub(super) fn done(&self) {
        self.state.lock().due = false;
    }

    /// True if the log is long and not yet written back.
    #[cfg(test)]
    pub(super) fn is_due(&self) -> bool {
        self.state.lock().due
    }
}
