//! A thread that reads the counters at a steady beat while a cell runs.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::counters::Counters;

/// Faster than this, reading the counters would itself be the load.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);

/// Takes [`Counters`] at the start, then at start + 1 interval, + 2 intervals, ..., and at the stop.
///
/// The beat is tied to the start and does not drift: a sample that was held up does not move the next, and a
/// beat that was slept through is left out, not caught up. Dropping the sampler ends its thread.
#[derive(Debug)]
pub struct Sampler {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    stopped: Condvar,
}

#[derive(Debug, Default)]
struct State {
    stop: bool,
    samples: Vec<Counters>,
}

impl Sampler {
    /// Starts sampling: one second is the step of all series. Intervals below 10 ms are taken as 10 ms.
    ///
    /// If no thread can be started, the only samples are those of start and stop.
    pub fn start(interval: Duration) -> Sampler {
        let shared = Arc::new(Shared::default());
        shared.sample();
        let start = Instant::now();
        let worker = Arc::clone(&shared);
        let interval = interval.max(SHORTEST_INTERVAL);
        let thread = std::thread::Builder::new()
            .name("sampler".to_owned())
            .spawn(move || worker.run(start, interval))
            .ok();
        Sampler { shared, thread }
    }

    /// Takes a last sample, ends the thread and gives all samples in their order.
    pub fn stop(mut self) -> Vec<Counters> {
        self.end();
        self.shared.sample();
        std::mem::take(&mut self.shared.lock().samples)
    }

    fn end(&mut self) {
        self.shared.lock().stop = true;
        self.shared.stopped.notify_all();
        if let Some(thread) = self.thread.take() {
            // The thread only reads files; if it has panicked, the samples so far are still valid.
            let _ = thread.join();
        }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A sample that cannot be read is left out: its neighbours still bracket the time.
    fn sample(&self) {
        if let Ok(counters) = Counters::read() {
            self.lock().samples.push(counters);
        }
    }

    fn run(&self, start: Instant, interval: Duration) {
        let mut beat = 1_u32;
        loop {
            let due = start + interval.saturating_mul(beat);
            if self.wait_until(due) {
                return;
            }
            self.sample();
            beat = next_beat(start.elapsed(), interval, beat);
        }
    }

    /// Waits; true when the sampler was stopped meanwhile.
    fn wait_until(&self, due: Instant) -> bool {
        let mut state = self.lock();
        loop {
            let left = due.saturating_duration_since(Instant::now());
            if state.stop || left.is_zero() {
                return state.stop;
            }
            state = self.stopped.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The first beat that still lies ahead.
fn next_beat(elapsed: Duration, interval: Duration, beat: u32) -> u32 {
    let passed = elapsed.as_nanos() / interval.as_nanos().max(1);
    u32::try_from(passed).unwrap_or(u32::MAX).max(beat).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beats_are_tied_to_the_start() {
        let second = Duration::from_secs(1);
        assert_eq!(next_beat(Duration::from_millis(1_001), second, 1), 2);
        assert_eq!(
            next_beat(Duration::from_millis(1_900), second, 1),
            2,
            "a late sample does not move the next"
        );
        assert_eq!(next_beat(Duration::from_millis(5_300), second, 1), 6, "beats slept through are left out");
        assert_eq!(next_beat(Duration::from_millis(999), second, 1), 2, "a beat is never repeated");
    }

    #[test]
    fn samples_come_in_order_and_bracket_the_time() {
        let sampler = Sampler::start(Duration::from_millis(20));
        while sampler.shared.lock().samples.len() < 4 {
            std::thread::sleep(Duration::from_millis(5));
        }
        let samples = sampler.stop();
        assert!(samples.len() >= 5, "the last one is taken at the stop: {}", samples.len());
        assert!(samples.windows(2).all(|pair| pair[0].at_ns <= pair[1].at_ns));
        let usage = samples[samples.len() - 1].since(&samples[0]);
        assert!(usage.elapsed_ns >= 60_000_000, "three beats of 20 ms lie between: {}", usage.elapsed_ns);
    }

    #[test]
    fn stopping_does_not_wait_for_the_beat() {
        let sampler = Sampler::start(Duration::from_secs(3_600));
        assert_eq!(sampler.stop().len(), 2);
        drop(Sampler::start(Duration::ZERO));
    }
}
