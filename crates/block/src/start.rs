//! The common start of jobs that run together: all their workers begin at one moment, or none does.

use std::sync::{Arc, OnceLock};

use ground::{Clock, Monitor};

use crate::bursts::BurstClock;
use crate::clock;
use crate::control::{Begin, Control};

/// Shared by the crews of all jobs of a run.
#[derive(Debug)]
pub(crate) struct Start {
    clock: Clock,
    gate: Monitor<Gate>,
    beginning: Option<Begin>,
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
    /// The common start of this many workers. The last that is ready asks `beginning` when.
    pub(crate) fn new(clock: &Clock, workers: u32, bursts: bool, beginning: Option<Begin>) -> Start {
        let gate = Monitor::new(clock, Gate { missing: workers, is_open: false, given_up: false });
        let bursts = bursts.then(Arc::default);
        Start { clock: clock.clone(), gate, beginning, started_ns: OnceLock::new(), bursts }
    }

    /// Waits until all workers are ready, each of which comes here once, and the moment of the start is
    /// known. False when one of them could not be set up.
    pub(crate) fn wait(&self) -> bool {
        let is_last = self.gate.change(|gate| {
            gate.missing = gate.missing.saturating_sub(1);
            gate.is_open = gate.missing == 0 && self.beginning.is_none();
            gate.missing == 0 && !gate.given_up
        });
        if let (true, Some(Begin(beginning))) = (is_last, &self.beginning) {
            match beginning.ready() {
                // A virtual clock stands still while this thread, whose turn it is, waits for the machine's.
                Some(due_ns) if self.clock.is_virtual() => Clock::Wall.sleep_until(due_ns),
                Some(due_ns) => {
                    self.started_ns.get_or_init(|| due_ns);
                }
                None => {}
            }
            self.gate.change(|gate| gate.is_open = true);
        }
        self.gate.wait(|gate| (gate.is_open || gate.given_up).then_some(!gate.given_up))
    }

    /// Waits for the moment of the start. Each worker does so itself, with everything of its own in memory:
    /// whoever waits for another's word is a thread's wake-up later.
    pub(crate) fn begin(&self, control: &Control) {
        let started_ns = self.started_ns();
        while self.clock.now_ns() < started_ns && !control.is_stopped() {
            clock::wait_until(&self.clock, started_ns);
        }
        if let Some(Begin(beginning)) = &self.beginning {
            beginning.begins();
        }
    }

    /// Lets go of all who wait: a worker is missing for good.
    pub(crate) fn give_up(&self) {
        self.gate.change(|gate| gate.given_up = true);
    }

    /// The moment of the start, which may be still to come: the first who asks makes it where none is agreed.
    pub(crate) fn started_ns(&self) -> u64 {
        *self.started_ns.get_or_init(|| self.clock.now_ns())
    }

    /// The moment of the start, if it is known.
    pub(crate) fn since(&self) -> Option<u64> {
        self.started_ns.get().copied()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::Beginning;

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

    /// Agrees on a moment 20 ms from now, and counts.
    #[derive(Default)]
    struct Soon {
        due_ns: OnceLock<u64>,
        begun: AtomicU32,
    }

    impl Beginning for Soon {
        fn ready(&self) -> Option<u64> {
            self.due_ns.set(Clock::Wall.now_ns() + 20_000_000).expect("asked once");
            self.due_ns.get().copied()
        }

        fn begins(&self) {
            assert!(Clock::Wall.now_ns() >= *self.due_ns.get().expect("asked before"));
            self.begun.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn nobody_begins_before_the_agreed_moment_from_which_the_phases_count() {
        for clock in [Clock::Wall, Clock::virtual_from(Clock::Wall.date())] {
            let soon = Arc::new(Soon::default());
            let start = Start::new(&clock, 3, false, Some(Begin(Arc::clone(&soon) as Arc<dyn Beginning>)));
            let control = Control::on(&clock);
            clock.scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        assert!(start.wait());
                        start.begin(&control);
                    });
                }
            });
            assert_eq!(soon.begun.load(Ordering::SeqCst), 3);
            assert_eq!(start.since() == soon.due_ns.get().copied(), !clock.is_virtual());
        }
    }
}
