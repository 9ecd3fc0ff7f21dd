//! Several runs that begin at one moment: nobody starts before all are ready or have given up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ground::Clock;
use parking_lot::{Condvar, Mutex, MutexGuard};

/// Asked when all are ready: the moment of `CLOCK_MONOTONIC` (ns) at which they begin, or `None` for at once.
type AtStart = Box<dyn Fn() -> Option<u64> + Send + Sync>;

/// The start line of runs on several instances of one bed: none works while another still connects.
pub struct StartLine {
    line: Mutex<Line>,
    changed: Condvar,
    at_start: AtStart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// So many runs are awaited.
    Awaits(usize),
    /// All are there, and one of them asks for the moment of the start.
    Opens,
    /// The start is at this moment, or at once.
    Open(Option<u64>),
}

impl std::fmt::Debug for StartLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StartLine").field("line", &self.line).finish_non_exhaustive()
    }
}

impl StartLine {
    /// A line for `runs` runs, and the place of each; hand one to each run's
    /// [`Control`](super::control::Control).
    #[must_use]
    pub fn places(runs: usize) -> Vec<StartPlace> {
        Self::places_then(runs, Box::new(|| None))
    }

    /// As [`places`](StartLine::places); when all are ready one of them asks `at_start` for the moment at
    /// which all begin, ns of `CLOCK_MONOTONIC`, and each waits for it by itself.
    #[must_use]
    pub fn places_then(runs: usize, at_start: AtStart) -> Vec<StartPlace> {
        let line = Arc::new(Self { line: Mutex::new(Line::Awaits(runs)), changed: Condvar::new(), at_start });
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
    /// Says that this run is ready, and waits until all are ready or have left, and for the moment that they
    /// agree on, which is returned.
    pub(crate) fn wait(&self) -> Option<u64> {
        let due_ns = self.moment();
        if let Some(due_ns) = due_ns {
            Clock::Wall.sleep_until(due_ns);
        }
        due_ns
    }

    fn moment(&self) -> Option<u64> {
        self.leave();
        let mut line = self.line.line.lock();
        loop {
            match *line {
                Line::Open(due_ns) => return due_ns,
                Line::Awaits(0) => {
                    *line = Line::Opens;
                    let due_ns = MutexGuard::unlocked(&mut line, || (self.line.at_start)());
                    *line = Line::Open(due_ns);
                    self.line.changed.notify_all();
                }
                Line::Awaits(_) | Line::Opens => self.line.changed.wait(&mut line),
            }
        }
    }

    /// Says that nobody needs to wait for this run. Only the first word of a place counts.
    pub(crate) fn leave(&self) {
        if !self.is_taken.swap(true, Ordering::AcqRel) {
            if let Line::Awaits(runs) = &mut *self.line.line.lock() {
                *runs = runs.saturating_sub(1);
            }
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
    fn one_asks_for_the_moment_and_all_wait_for_it() {
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked);
        let at_start = move || {
            counted.fetch_add(1, Ordering::SeqCst);
            Some(Clock::Wall.now_ns() + 5_000_000)
        };
        let places = StartLine::places_then(3, Box::new(at_start));
        places[2].leave();
        std::thread::scope(|scope| {
            for place in &places[..2] {
                scope.spawn(|| {
                    let due_ns = place.wait().expect("a moment");
                    assert!(Clock::Wall.now_ns() >= due_ns);
                    assert_eq!(asked.load(Ordering::SeqCst), 1);
                });
            }
        });
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
