//! Times in which this program did not run, because it was stopped or its machine stood still: no latency of
//! such a time is the target's.
//!
//! The thread that waits for the workers wakes by the clock, whatever the target does. If it wakes far too
//! late, and the program used hardly any processor time meanwhile, the program did not run.

use std::time::Duration;

use ground::Clock;

/// The least delay that counts. Threads of a busy machine wait for processors for less.
const LEAST_NS: u64 = 500_000_000;
/// The part of a standstill that the program may have used of one processor.
const USED_PART: u64 = 10;

/// A time in which this program did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standstill {
    /// From the start of its run.
    pub from: Duration,
    /// Its length, up to the time between two looks too long.
    pub length: Duration,
}

/// Looks for standstills by a thread that wakes regularly.
#[derive(Debug)]
pub(crate) struct Looks<'clock> {
    clock: &'clock Clock,
    every_ns: u64,
    processors: u64,
    last: Look,
    /// Begin and end of each.
    pub(crate) found: Vec<(u64, u64)>,
}

#[derive(Clone, Copy, Debug)]
struct Look {
    at_ns: u64,
    /// Processor time of the program so far.
    cpu_ns: u64,
}

impl Look {
    fn now(clock: &Clock) -> Look {
        Look { at_ns: clock.now_ns(), cpu_ns: clock.cpu().process_ns }
    }
}

impl Looks<'_> {
    /// Looks of a thread that wakes after `every_ns` at the latest.
    pub(crate) fn new(clock: &Clock, every_ns: u64) -> Looks<'_> {
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
        Looks { clock, every_ns, processors, last: Look::now(clock), found: Vec::new() }
    }

    /// Looks once more.
    pub(crate) fn look(&mut self) {
        self.add(Look::now(self.clock));
    }

    fn add(&mut self, now: Look) {
        let last = std::mem::replace(&mut self.last, now);
        let gap_ns = now.at_ns.saturating_sub(last.at_ns);
        // Before it stopped, all processors may have been its own.
        let used_most_ns = self.every_ns * (self.processors + 1) + gap_ns / USED_PART;
        let is_still = gap_ns >= self.every_ns + LEAST_NS && now.cpu_ns - last.cpu_ns <= used_most_ns;
        // A virtual clock moves by whole waits.
        if is_still && !self.clock.is_virtual() {
            self.found.push((last.at_ns, now.at_ns));
        }
    }
}

/// Those that reach into the time from `begin_ns` to `end_ns`, counted from the start of the run.
pub(crate) fn within(
    found: &[(u64, u64)],
    started_ns: u64,
    (begin_ns, end_ns): (u64, u64),
) -> Vec<Standstill> {
    let inside = found.iter().filter(|(from_ns, to_ns)| *to_ns > begin_ns && *from_ns < end_ns);
    let standstill = |&(from_ns, to_ns): &(u64, u64)| Standstill {
        from: Duration::from_nanos(from_ns.saturating_sub(started_ns)),
        length: Duration::from_nanos(to_ns - from_ns),
    };
    inside.map(standstill).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn a_late_look_is_a_standstill_unless_the_program_worked() {
        let mut looks = Looks::new(&Clock::Wall, 50 * MS);
        (looks.processors, looks.last) = (2, Look { at_ns: 0, cpu_ns: 0 });
        for (at_ms, cpu_ms) in [(50, 100), (500, 100), (2550, 200), (4600, 4000), (4650, 4100)] {
            looks.add(Look { at_ns: at_ms * MS, cpu_ns: cpu_ms * MS });
        }
        assert_eq!(looks.found, [(500 * MS, 2550 * MS)], "it worked in the other");
        let of = |begin_ms: u64, end_ms: u64| within(&looks.found, 100 * MS, (begin_ms * MS, end_ms * MS));
        let expected = Standstill { from: Duration::from_millis(400), length: Duration::from_millis(2050) };
        assert_eq!((of(1000, 2000), of(2550, 9000), of(0, 500)), (vec![expected], vec![], vec![]));
    }
}
