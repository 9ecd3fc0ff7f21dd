//! Several runs that begin at one moment: nobody starts before all are ready or have given up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Condvar, Mutex};

/// The start line of runs on several instances of one bed: none works while another still connects.
#[derive(Debug)]
pub struct StartLine {
    awaited: Mutex<usize>,
    changed: Condvar,
}

impl StartLine {
    /// A line for `runs` runs, and the place of each; hand one to each run's
    /// [`Control`](super::control::Control).
    #[must_use]
    pub fn places(runs: usize) -> Vec<StartPlace> {
        let line = Arc::new(Self { awaited: Mutex::new(runs), changed: Condvar::new() });
        (0..runs).map(|_| StartPlace { line: Arc::clone(&line), is_taken: AtomicBool::new(false) }).collect()
    }
}

/// One run's place on a [`StartLine`]. A run that ends without having been ready, and a place that is
/// dropped, keeps nobody waiting.
#[derive(Debug)]
pub struct StartPlace {
    line: Arc<StartLine>,
    is_taken: AtomicBool,
}

impl StartPlace {
    /// Says that this run is ready, and waits until all are ready or have left.
    pub(crate) fn wait(&self) {
        self.leave();
        let mut awaited = self.line.awaited.lock();
        while *awaited > 0 {
            self.line.changed.wait(&mut awaited);
        }
    }

    /// Says that nobody needs to wait for this run. Only the first word of a place counts.
    pub(crate) fn leave(&self) {
        if !self.is_taken.swap(true, Ordering::AcqRel) {
            *self.line.awaited.lock() -= 1;
            self.line.changed.notify_all();
        }
    }
}

impl Drop for StartPlace {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn nobody_starts_before_the_last_is_ready() {
        let (ready, started) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let places = StartLine::places(4);
        std::thread::scope(|scope| {
            for place in &places {
                scope.spawn(|| {
                    ready.fetch_add(1, Ordering::SeqCst);
                    place.wait();
                    assert_eq!(ready.load(Ordering::SeqCst), 4);
                    started.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(started.into_inner(), 4);
    }

    #[test]
    fn a_run_that_gives_up_keeps_nobody_waiting() {
        let mut places = StartLine::places(3);
        drop(places.pop());
        places[1].leave();
        places[1].leave();
        places[0].wait();
    }
}
