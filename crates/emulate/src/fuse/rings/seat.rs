//! The processor on which the thread of a ring runs: that of its queue as a rule.
//!
//! A program that waits for each operation leaves its processor to the ring meanwhile, and finds its answer
//! in the caches. A program that keeps several operations under way goes on with the next one instead; a ring
//! on the same processor would stop it for each. So while such programs use the queue, its thread runs on the
//! other processors, and both work at the same time.

use rustix::thread::CpuSet;

/// A count goes up with each such operation and down with every other one, to this at most. Above the one
/// bound the thread leaves, below the other it comes back.
const MOST: u32 = 128;
const LEAVES: u32 = MOST * 3 / 4;
const RETURNS: u32 = MOST / 4;

/// Where the calling thread runs.
pub(super) struct Seat {
    /// Its own processor, and the others; `None` where there is no choice.
    choice: Option<[CpuSet; 2]>,
    is_away: bool,
    /// See [`MOST`].
    several: u32,
}

impl Seat {
    /// Keeps the calling thread on the processor of its queue, unless that one is not ours to use.
    pub(super) fn of(queue: usize) -> Seat {
        let ours = rustix::thread::sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
        let mut seat = Seat { choice: None, is_away: false, several: 0 };
        if queue < CpuSet::MAX_CPU && ours.is_set(queue) {
            let (mut own, mut others) = (CpuSet::new(), ours);
            own.set(queue);
            others.unset(queue);
            sit(&own);
            seat.choice = (others.count() > 0).then_some([own, others]);
        }
        seat
    }

    /// An operation came in; `goes_on`: its thread works on meanwhile.
    pub(super) fn follow(&mut self, goes_on: bool) {
        self.several = match goes_on {
            true => (self.several + 1).min(MOST),
            false => self.several.saturating_sub(1),
        };
        let Some([own, others]) = &self.choice else { return };
        if !self.is_away && self.several > LEAVES {
            sit(others);
            self.is_away = true;
        } else if self.is_away && self.several < RETURNS {
            sit(own);
            self.is_away = false;
        }
    }
}

/// Lets the calling thread run on these processors only.
fn sit(on: &CpuSet) {
    let _ = rustix::thread::sched_setaffinity(None, on); // Elsewhere it only answers later.
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_leaves_for_those_who_go_on_and_comes_back_for_those_who_wait() {
        std::thread::spawn(|| {
            let all = rustix::thread::sched_getaffinity(None).unwrap();
            let own = (0..CpuSet::MAX_CPU).find(|processor| all.is_set(*processor)).unwrap();
            let mut seat = Seat::of(own);
            let is_here = || rustix::thread::sched_getaffinity(None).unwrap().is_set(own);
            assert!(is_here());
            (0..LEAVES).for_each(|_| seat.follow(true));
            assert!(is_here(), "not at once");
            (0..MOST).for_each(|_| seat.follow(true));
            assert_eq!(is_here(), all.count() == 1);
            (0..MOST).for_each(|_| seat.follow(false));
            assert!(is_here());
        })
        .join()
        .unwrap();
    }
}
