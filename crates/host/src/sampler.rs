//! The counters once a second, for all who follow a cell.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ground::{Clock, Monitor, Stopwatch};

use crate::beat::Beat;
use crate::counters::Counters;
use crate::source::CounterSource;

/// Reads the counters at every second for all who follow: the first that wakes reads, and the others take its
/// reading. Clones are one sampler.
#[derive(Clone, Debug)]
pub struct Sampler(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    source: CounterSource,
    clock: Clock,
    interval: Duration,
    state: Monitor<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The moment that the beat is tied to.
    start_ns: u64,
    /// The latest beat that was read.
    read: Option<(Beat, Counters)>,
}

impl Sampler {
    /// A sampler of `source` by `clock`, once every `interval`. Faster than every 10 ms, reading the counters
    /// would itself be the load.
    #[must_use]
    pub fn new(source: CounterSource, clock: &Clock, interval: Duration) -> Sampler {
        let state = Monitor::new(clock, State::default());
        Sampler(Arc::new(Inner { source, clock: clock.clone(), interval, state }))
    }

    /// Follows from now on, with a first reading. The beat of all who follow begins anew here, so that the
    /// seconds of a load are counted from its start.
    #[must_use]
    pub fn follow(&self) -> Follower {
        let start = self.0.clock.stopwatch();
        let first = self.0.source.read();
        self.0.state.change(|state| state.start_ns = start.start_ns());
        Follower { sampler: self.clone(), start, first, is_over: AtomicBool::new(false) }
    }

    /// The counters at a beat, read once for all who ask.
    fn at(&self, beat: Beat) -> Option<Counters> {
        self.0.state.change(|state| {
            if let Some((_, counters)) = state.read.as_ref().filter(|(of, _)| *of == beat) {
                return Some(counters.clone());
            }
            let counters = self.0.source.read()?;
            state.read = Some((beat, counters.clone()));
            Some(counters)
        })
    }
}

/// One who follows the counters.
#[derive(Debug)]
pub struct Follower {
    sampler: Sampler,
    start: Stopwatch,
    first: Option<Counters>,
    is_over: AtomicBool,
}

impl Follower {
    /// The counters at the start; `None` where there are none.
    #[must_use]
    pub fn first(&self) -> Option<&Counters> {
        self.first.as_ref()
    }

    /// Calls `sample` at every beat, and a last time at the stop. Returns at once where there are no
    /// counters.
    pub fn each(&self, mut sample: impl FnMut(Counters)) {
        if self.first.is_none() {
            return;
        }
        let Inner { source, clock, interval, state } = &*self.sampler.0;
        let mut beat = Beat::after(self.start.start_ns(), *interval);
        loop {
            let moved = state.wait_until(beat.due_ns(), |state| {
                (self.is_over() || state.start_ns != beat.start_ns()).then_some(state.start_ns)
            });
            if self.is_over() {
                return source.read().into_iter().for_each(sample);
            }
            match moved {
                Some(start_ns) => beat = Beat::after(start_ns, *interval),
                None => {
                    self.sampler.at(beat).into_iter().for_each(&mut sample);
                    beat.advance(clock.now_ns());
                }
            }
        }
    }

    /// Ends [`each`](Follower::each). Nobody waits for the next beat.
    pub fn stop(&self) {
        self.is_over.store(true, Ordering::Release);
        // Wakes whoever waits; the beat of the others stays.
        self.sampler.0.state.change(|_| {});
    }

    /// Seconds since the start.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.start.seconds()
    }

    /// The present by the sampler's clock, to which the moments of the counters belong.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.sampler.0.clock.now_ns()
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Follower {
        /// Seconds from the start to a moment of the clock.
        fn since_start(&self, at_ns: u64) -> f64 {
            Duration::from_nanos(at_ns.saturating_sub(self.start.start_ns())).as_secs_f64()
        }
    }

    fn every(interval: Duration) -> Sampler {
        Sampler::new(CounterSource::Machine, &Clock::Wall, interval)
    }

    #[test]
    fn samples_come_at_every_beat_and_at_the_stop() {
        let (follower, mut samples) = (every(Duration::from_millis(20)).follow(), Vec::new());
        follower.each(|counters| {
            samples.push(follower.since_start(counters.at_ns));
            if samples.len() == 3 {
                follower.stop();
            }
        });
        assert!(samples.len() == 4 && samples.is_sorted() && samples[2] >= 0.06, "{samples:?}");
    }

    #[test]
    fn stopping_does_not_wait_for_the_beat() {
        let (follower, mut samples) = (every(Duration::from_secs(3_600)).follow(), 0);
        std::thread::scope(|scope| {
            scope.spawn(|| follower.each(|_| samples += 1));
            follower.stop();
        });
        assert_eq!(samples, 1);
    }

    #[test]
    fn all_who_follow_have_the_readings_of_one_beat_which_the_last_one_began() {
        let sampler = every(Duration::from_millis(200));
        let early = sampler.follow();
        Clock::Wall.sleep(Duration::from_millis(10));
        let late = sampler.follow();
        let read = |follower: &Follower| {
            let mut read_ns = Vec::new();
            follower.each(|counters| {
                read_ns.push(counters.at_ns);
                if read_ns.len() == 2 {
                    follower.stop();
                }
            });
            read_ns.truncate(2);
            read_ns
        };
        let (of_early, of_late) = std::thread::scope(|scope| {
            let reads = [scope.spawn(|| read(&early)), scope.spawn(|| read(&late))];
            let mut reads = reads.into_iter().map(|thread| thread.join().unwrap());
            (reads.next().unwrap(), reads.next().unwrap())
        });
        assert_eq!(of_early, of_late, "each beat is read once");
        assert!(late.since_start(of_late[0]) >= 0.2, "{of_late:?}");
    }

    #[test]
    fn without_counters_nobody_waits() {
        let clock = Clock::virtual_from(std::time::SystemTime::UNIX_EPOCH);
        let sampler = Sampler::new(CounterSource::of(&clock), &clock, Duration::from_secs(1));
        let follower = sampler.follow();
        follower.each(|_| panic!("there is no counter"));
        assert_eq!(follower.first(), None);
    }
}
