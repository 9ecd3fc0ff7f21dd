//! The common start of jobs that run together: all their workers begin at one moment, or none does.

use std::sync::{Arc, OnceLock};

use ground::{Clock, Monitor};

use crate::bursts::BurstClock;
use crate::control::AtStart;

/// Shared by the crews of all jobs of a run.
#[derive(Debug)]
pub(crate) struct Start {
    clock: Clock,
    gate: Monitor<Gate>,
    at_start: Option<AtStart>,
    started_ns: OnceLock<u64>,
    /// There when any of the jobs comes in bursts.
    pub(crate) bursts: Option<Arc<BurstClock>>,
}

#[derive(Debug)]
struct Gate {
    missing: u32,
    is_open: bool,
    given_up: bool,
}

impl Start {
    /// The common start of this many workers. The last that is ready does `at_start` before any begins.
    pub(crate) fn new(clock: &Clock, workers: u32, bursts: bool, at_start: Option<AtStart>) -> Start {
        let gate = Monitor::new(clock, Gate { missing: workers, is_open: false, given_up: false });
        let bursts = bursts.then(Arc::default);
        Start { clock: clock.clone(), gate, at_start, started_ns: OnceLock::new(), bursts }
    }

    /// Waits for all workers, each of which comes here once. False when one of them could not be set up.
    pub(crate) fn wait(&self) -> bool {
        let is_last = self.gate.change(|gate| {
            gate.missing = gate.missing.saturating_sub(1);
            gate.is_open = gate.missing == 0 && self.at_start.is_none();
            gate.missing == 0 && !gate.given_up
        });
        if let (true, Some(at_start)) = (is_last, &self.at_start) {
            (at_start.0)();
            self.gate.change(|gate| gate.is_open = true);
        }
        self.gate.wait(|gate| (gate.is_open || gate.given_up).then_some(!gate.given_up))
    }

    /// Lets go of all who wait: a worker is missing for good.
    pub(crate) fn give_up(&self) {
        self.gate.change(|gate| gate.given_up = true);
    }

    /// The moment of the start: the first who asks makes it.
    pub(crate) fn started_ns(&self) -> u64 {
        *self.started_ns.get_or_init(|| self.clock.now_ns())
    }

    /// The moment of the start, if it has come.
    pub(crate) fn since(&self) -> Option<u64> {
        self.started_ns.get().copied()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn all_start_together_or_none_does() {
        for give_up in [false, true] {
            let start = Start::new(&Clock::Wall, if give_up { 3 } else { 2 }, false, None);
            std::thread::scope(|scope| {
                let waiting: Vec<_> = (0..2).map(|_| scope.spawn(|| start.wait())).collect();
                if give_up {
                    start.give_up();
                }
                assert!(waiting.into_iter().all(|thread| thread.join().unwrap() != give_up));
            });
        }
        let start = Start::new(&Clock::Wall, 1, false, None);
        assert_eq!(start.since(), None);
        assert_eq!(Some(start.started_ns()), start.since());
    }

    #[test]
    fn nobody_begins_before_the_last_has_done_what_comes_first() {
        for clock in [Clock::Wall, Clock::virtual_from(Clock::Wall.date())] {
            let came = Arc::new(AtomicU32::new(0));
            let counted = Arc::clone(&came);
            let at_start = AtStart(Arc::new(move || {
                Clock::Wall.sleep(Duration::from_millis(5));
                counted.fetch_add(1, Ordering::SeqCst);
            }));
            let start = Start::new(&clock, 3, false, Some(at_start));
            clock.scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        assert!(start.wait());
                        assert_eq!(came.load(Ordering::SeqCst), 1);
                    });
                }
            });
        }
    }
}
