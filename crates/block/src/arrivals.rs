//! When I/Os are meant to start in an open loop.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ground::{Clock, Random};

use crate::generate::{Generator, Io};
use crate::job::{Arrivals, Shape};

/// Random stream number of arrivals: the same schedule for every worker of a job.
const ARRIVALS_STREAM: u64 = u64::MAX;
/// Most arrivals that are looked at one by one when an open loop is given up; more are counted in bundles.
const ARRIVALS_LISTED_MAX: u64 = 1 << 20;

/// The next arrival of an open loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// It is due at this moment.
    At(u64),
    /// It is not known yet; the source answers again at this moment.
    AskAt(u64),
    /// None is left.
    End,
}

/// The source of an open loop's arrivals.
pub(crate) trait Source {
    /// The next arrival: the same until it is taken. A source that reads the clock sets `now_ns`. It may wait
    /// when the loop `is_idle`, for 100 ms at most.
    fn next(&mut self, clock: &Clock, now_ns: &mut u64, is_idle: bool) -> Next;

    /// The I/O of the next arrival, which is gone then.
    fn take(&mut self, generator: &mut Generator) -> Io;

    /// Tells the arrivals before `end_ns` that nobody took: the moment and the number of each bundle.
    fn give_up(&mut self, end_ns: u64, never_started: impl FnMut(u64, u64));
}

/// Arrivals by a schedule, shared by the workers of a job: the next free worker takes the next number.
#[derive(Debug)]
pub(crate) struct Arriving<'job> {
    schedule: Schedule,
    next_number: &'job AtomicU64,
    /// The arrival that this worker has taken a number for.
    next_ns: Option<u64>,
}

impl<'job> Arriving<'job> {
    pub(crate) fn new(schedule: Schedule, next_number: &'job AtomicU64) -> Arriving<'job> {
        Arriving { schedule, next_number, next_ns: None }
    }

    /// The time of the next arrival that no other worker has taken.
    #[inline]
    fn next_ns(&mut self) -> u64 {
        let Arriving { schedule, next_number, next_ns } = self;
        *next_ns.get_or_insert_with(|| schedule.at(next_number.fetch_add(1, Relaxed)))
    }
}

impl Source for Arriving<'_> {
    #[inline]
    fn next(&mut self, _: &Clock, _: &mut u64, _: bool) -> Next {
        Next::At(self.next_ns())
    }

    #[inline]
    fn take(&mut self, generator: &mut Generator) -> Io {
        self.next_ns = None;
        generator.next()
    }

    fn give_up(&mut self, end_ns: u64, mut never_started: impl FnMut(u64, u64)) {
        for _ in 0..ARRIVALS_LISTED_MAX {
            let next_ns = self.next_ns();
            if next_ns >= end_ns {
                return;
            }
            never_started(next_ns, 1);
            self.next_ns = None;
        }
        // Too many to look at one by one: evenly spaced bundles, at the mean rate.
        let (next_ns, gap_ns) = (self.next_ns(), self.schedule.gap_ns);
        let due = |from_ns: u64| (end_ns.saturating_sub(from_ns) as f64 / gap_ns) as u64;
        let first = self.next_number.fetch_add(due(next_ns), Relaxed);
        // Another worker may have taken them already: then the first number left lies beyond the end.
        let count = due(self.schedule.mean_at(first));
        let bundle = count.div_ceil(ARRIVALS_LISTED_MAX).max(1);
        for number in (first..first + count).step_by(bundle as usize) {
            let in_bundle = bundle.min(first + count - number);
            let middle_ns = self.schedule.mean_at(number + in_bundle / 2).min(end_ns - 1);
            never_started(middle_ns, in_bundle);
        }
    }
}

/// The spacing of intended starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spacing {
    Even,
    Poisson,
    /// So many at each beat of the gap's clock, from the first beat on.
    Bursts(u64),
}

/// The sequence of intended start times. Every worker of a job holds a copy that gives the same times, so
/// that workers share out arrivals by number alone.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    spacing: Spacing,
    start_ns: u64,
    gap_ns: f64,
    random: Random,
    /// Number of the arrival that `offset_ns` speaks of (Poisson only).
    number: u64,
    offset_ns: f64,
}

impl Schedule {
    /// The arrivals of a shape from `start_ns` on; `None` for a closed loop.
    pub(crate) fn of(shape: &Shape, start_ns: u64, seed: u64) -> Option<Schedule> {
        match *shape {
            Shape::ClosedLoop { .. } => None,
            Shape::OpenLoop { rate, arrivals, .. } => Some(Schedule::new(arrivals, rate, start_ns, seed)),
            Shape::Bursts { ios, every, .. } => {
                let every_ns = every.as_nanos() as f64;
                let mut schedule =
                    Schedule::new(Arrivals::Fixed, f64::from(ios) / every_ns * 1e9, start_ns, seed);
                schedule.spacing = Spacing::Bursts(u64::from(ios));
                Some(schedule)
            }
        }
    }

    /// Arrivals at `rate` per second from `start_ns` on.
    pub(crate) fn new(arrivals: Arrivals, rate: f64, start_ns: u64, seed: u64) -> Schedule {
        let mut random = Random::stream(seed, ARRIVALS_STREAM);
        let gap_ns = 1e9 / rate;
        let offset_ns = gap_ns * random.exponential();
        let spacing = match arrivals {
            Arrivals::Fixed => Spacing::Even,
            Arrivals::Poisson => Spacing::Poisson,
        };
        Schedule { spacing, start_ns, gap_ns, random, number: 0, offset_ns }
    }

    /// Time of the `number`-th arrival, from 0. Numbers must not go back.
    #[inline]
    pub(crate) fn at(&mut self, number: u64) -> u64 {
        match self.spacing {
            Spacing::Even => self.mean_at(number),
            Spacing::Bursts(ios) => self.mean_at((number / ios + 1) * ios),
            Spacing::Poisson => {
                while self.number < number {
                    self.number += 1;
                    self.offset_ns += self.gap_ns * self.random.exponential();
                }
                self.start_ns.saturating_add(self.offset_ns as u64)
            }
        }
    }

    /// Mean time of the `number`-th arrival. Computed from the number, so that rounding errors do not add up.
    #[inline]
    pub(crate) fn mean_at(&self, number: u64) -> u64 {
        self.start_ns.saturating_add((number as f64 * self.gap_ns) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_arrivals_are_evenly_spaced_and_do_not_drift() {
        let mut schedule = Schedule::new(Arrivals::Fixed, 3.0, 1000, 1);
        assert_eq!(schedule.at(0), 1000);
        assert_eq!(schedule.at(1), 1000 + 333_333_333);
        assert_eq!(schedule.at(3_000_000_000), 1000 + 1_000_000_000 * 1_000_000_000);
    }

    #[test]
    fn poisson_gaps_are_exponential_with_the_asked_mean() {
        let mut schedule = Schedule::new(Arrivals::Poisson, 1e6, 0, 1);
        let times: Vec<u64> = (0..100_000).map(|number| schedule.at(number)).collect();
        let mean = times[99_999] as f64 / 1e5;
        assert!((mean / 1000.0 - 1.0).abs() < 0.02, "mean gap {mean} ns");
        let short = times.windows(2).filter(|pair| pair[1] - pair[0] < 693).count() as f64 / 1e5;
        assert!((short - 0.5).abs() < 0.01, "half of the gaps are below ln 2 of the mean, not {short}");
    }

    #[test]
    fn bursts_fall_due_on_the_clock() {
        let every = std::time::Duration::from_millis(500);
        let shape = Shape::Bursts { ios: 3, every, depth_max: 8 };
        let mut schedule = Schedule::of(&shape, 1_000, 1).unwrap();
        let times: Vec<u64> = (0..7).map(|number| schedule.at(number)).collect();
        let beat = |number: u64| 1_000 + number * 500_000_000;
        assert_eq!(times, [beat(1), beat(1), beat(1), beat(2), beat(2), beat(2), beat(3)]);
        assert_eq!(Schedule::of(&Shape::ClosedLoop { depth: 1 }, 0, 1).map(|s| s.gap_ns), None);
    }

    #[test]
    fn copies_that_skip_agree_with_copies_that_do_not() {
        let mut every = Schedule::new(Arrivals::Poisson, 1e4, 5, 77);
        let mut some = every.clone();
        let times: Vec<u64> = (0..1000).map(|number| every.at(number)).collect();
        for number in (0..1000).step_by(37) {
            assert_eq!(some.at(number), times[number as usize]);
        }
    }
}
