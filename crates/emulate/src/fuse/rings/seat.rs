//! The processor on which the thread of a ring runs, and its priority.
//!
//! A program that waits for each operation leaves its processor to the ring meanwhile, and finds its answer
//! in the caches: the ring runs on the processor of its queue, before all ordinary programs, as a drive needs
//! no processor of the load's. A program that keeps several operations under way goes on with the next one
//! instead. A ring on the same processor would stop it for each, and so would one that comes first, for which
//! the scheduler moves programs out of the way. So while such programs use the queue, its thread runs on the
//! other processors as an ordinary one: both work at the same time, and one wake-up serves many requests
//! (DC1500M at depth 32: 190 000 operations a second before, 235 000 so). If other programs keep those
//! processors busy, it comes first there as well.

use rustix::thread::CpuSet;

use crate::drive::realtime;
use crate::fuse::scheduled::{Own, Scheduled};

/// A count goes up with each such operation and down with every other one, to this at most. Above the one
/// bound the thread leaves, below the other it comes back.
const MOST: u32 = 128;
const LEAVES: u32 = MOST * 3 / 4;
const RETURNS: u32 = MOST / 4;

/// Time between two looks at the waits of an ordinary thread for its processor, ns.
const LOOK_NS: u64 = 20_000_000;
/// The part of that time in which it may wait; for so long it comes first after more than that, ns.
const WAITS_PART: u64 = 20;
const FIRST_FOR_NS: u64 = 1_000_000_000;

/// The place and priority of the calling thread.
pub(super) struct Seat {
    /// Its own processor, and the others; `None` where there is no choice.
    choice: Option<[CpuSet; 2]>,
    is_away: bool,
    /// True if it could go there.
    is_apart: bool,
    /// See [`MOST`].
    several: u32,
    /// The waits of this thread, if its drive takes time.
    waits: Option<(Own, Waits)>,
}

/// The looks at the waits of an ordinary thread.
#[derive(Default)]
struct Waits {
    /// At the last look.
    seen: Scheduled,
    looked_ns: u64,
    /// The thread comes first until then, ns.
    first_until_ns: u64,
}

impl Seat {
    /// Keeps the calling thread on the processor of its queue, unless that one is not ours to use.
    /// `takes_time`: of its drive, whose answers do not wait for a processor then.
    pub(super) fn of(queue: usize, takes_time: bool) -> Seat {
        let ours = rustix::thread::sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
        let own_times = takes_time.then(Own::open).and_then(Result::ok);
        let waits = own_times.map(|own| (own, Waits::default()));
        let mut seat = Seat { choice: None, is_away: false, is_apart: false, several: 0, waits };
        if queue < CpuSet::MAX_CPU && ours.is_set(queue) {
            let (mut own, mut others) = (CpuSet::new(), ours);
            own.set(queue);
            others.unset(queue);
            sit(&own);
            seat.choice = (others.count() > 0).then_some([own, others]);
        }
        if takes_time {
            realtime::come_first();
        }
        seat
    }

    /// True while it serves its callers from another processor.
    pub(super) fn is_apart(&self) -> bool {
        self.is_apart
    }

    /// An operation came in at this moment; `goes_on`: its thread works on meanwhile.
    pub(super) fn follow(&mut self, goes_on: bool, now_ns: u64) {
        self.several = match goes_on {
            true => (self.several + 1).min(MOST),
            false => self.several.saturating_sub(1),
        };
        if !self.is_away && self.several > LEAVES {
            self.is_away = true;
            self.is_apart = self.choice.iter().any(|[_, others]| sit(others));
            if let Some((own, waits)) = &mut self.waits {
                realtime::step_back();
                waits.begin(own.now(), now_ns);
            }
        } else if self.is_away && self.several < RETURNS {
            (self.is_away, self.is_apart) = (false, false);
            self.choice.iter().for_each(|[own, _]| {
                sit(own);
            });
            if self.waits.is_some() {
                realtime::come_first();
            }
        } else if self.is_away
            && let Some((own, waits)) = &mut self.waits
        {
            match waits.comes_first(|| own.now(), now_ns) {
                None => {}
                Some(true) => drop(realtime::come_first()),
                Some(false) => realtime::step_back(),
            }
        }
    }
}

impl Waits {
    /// The thread is an ordinary one from now on.
    fn begin(&mut self, now: Scheduled, now_ns: u64) {
        *self = Waits { seen: now, looked_ns: now_ns, first_until_ns: 0 };
    }

    /// True if the thread is to come first from now on, false if no longer; `None`: as before.
    fn comes_first(&mut self, now: impl FnOnce() -> Scheduled, now_ns: u64) -> Option<bool> {
        let elapsed_ns = now_ns.saturating_sub(self.looked_ns);
        if self.first_until_ns > 0 {
            (now_ns >= self.first_until_ns).then(|| {
                self.begin(now(), now_ns);
                false
            })
        } else if elapsed_ns < LOOK_NS {
            None
        } else {
            let now = now();
            let is_crowded = now.since(self.seen).waited_ns > elapsed_ns / WAITS_PART;
            (self.seen, self.looked_ns) = (now, now_ns);
            self.first_until_ns = if is_crowded { now_ns + FIRST_FOR_NS } else { 0 };
            is_crowded.then_some(true)
        }
    }
}

/// Lets the calling thread run on these processors only; false if it may not. Elsewhere it only answers
/// later.
fn sit(on: &CpuSet) -> bool {
    rustix::thread::sched_setaffinity(None, on).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_leaves_for_those_who_go_on_and_comes_back_for_those_who_wait() {
        std::thread::spawn(|| {
            let all = rustix::thread::sched_getaffinity(None).unwrap();
            let own = (0..CpuSet::MAX_CPU).find(|processor| all.is_set(*processor)).unwrap();
            let mut seat = Seat::of(own, true);
            let may_come_first = realtime::comes_first();
            let is_here = || rustix::thread::sched_getaffinity(None).unwrap().is_set(own);
            assert!(is_here());
            (0..LEAVES).for_each(|_| seat.follow(true, 0));
            assert!(is_here(), "not at once");
            (0..MOST).for_each(|_| seat.follow(true, 0));
            assert_eq!((is_here(), realtime::comes_first()), (all.count() == 1, false));
            assert_eq!(seat.is_apart(), all.count() > 1);
            (0..MOST).for_each(|_| seat.follow(false, 0));
            assert_eq!((is_here(), realtime::comes_first()), (true, may_come_first));
            assert!(!seat.is_apart());
            let free = std::thread::spawn(move || {
                Seat::of(own, false);
                realtime::comes_first()
            });
            assert!(!free.join().unwrap(), "no answer of a free drive is due");
        })
        .join()
        .unwrap();
    }

    #[test]
    fn it_comes_first_for_a_while_where_it_waits_too_long() {
        let mut waits = Waits::default();
        let waited = |waited_ns| move || Scheduled { ran_ns: 0, waited_ns };
        waits.begin(waited(7)(), 1_000);
        let (most_ns, first_ns) = (LOOK_NS / WAITS_PART, 1_000 + LOOK_NS);
        assert_eq!(waits.comes_first(waited(u64::MAX), first_ns - 1), None, "too early to tell");
        assert_eq!(waits.comes_first(waited(7 + most_ns), first_ns), None, "not too long");
        let second_ns = first_ns + LOOK_NS;
        assert_eq!(waits.comes_first(waited(8 + 2 * most_ns), second_ns), Some(true));
        assert_eq!(waits.comes_first(waited(u64::MAX), second_ns + FIRST_FOR_NS - 1), None);
        assert_eq!(waits.comes_first(waited(9 + 2 * most_ns), second_ns + FIRST_FOR_NS), Some(false));
        let third_ns = second_ns + FIRST_FOR_NS + LOOK_NS;
        assert_eq!(waits.comes_first(waited(9 + 2 * most_ns), third_ns), None, "it waited no more");
    }
}
