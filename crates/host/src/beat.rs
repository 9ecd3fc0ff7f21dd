//! A thread that reads the counters at a steady beat while a cell runs.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use ground::{Clock, Monitor, nanoseconds};

use crate::counters::Counters;

/// Faster than this, reading the counters would itself be the load.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);

/// Takes [`Counters`] at the start, then at start + 1 interval, + 2 intervals, ..., and at the stop.
///
/// The beat is tied to the start and does not drift: a sample that was held up does not move the next, and a
/// beat that was slept through is left out, not caught up. Dropping the sampler ends its thread.
#[derive(Debug)]
pub struct Sampler {
    state: Arc<Monitor<State>>,
    thread: Option<JoinHandle<()>>,
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
        let state = Arc::new(Monitor::new(&Clock::Wall, State::default()));
        sample(&state);
        let (start_ns, sampled) = (Clock::Wall.now_ns(), Arc::clone(&state));
        let interval = interval.max(SHORTEST_INTERVAL);
        let thread = std::thread::Builder::new()
            .name("sampler".to_owned())
            .spawn(move || run(&sampled, start_ns, nanoseconds(interval)))
            .ok();
        Sampler { state, thread }
    }

    /// Takes a last sample, ends the thread and gives all samples in their order.
    pub fn stop(mut self) -> Vec<Counters> {
        self.end();
        sample(&self.state);
        self.state.change(|state| std::mem::take(&mut state.samples))
    }

    fn end(&mut self) {
        self.state.change(|state| state.stop = true);
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

/// A sample that cannot be read is left out: its neighbours still bracket the time.
fn sample(state: &Monitor<State>) {
    if let Ok(counters) = Counters::read() {
        state.change(|state| state.samples.push(counters));
    }
}

fn run(state: &Monitor<State>, start_ns: u64, interval_ns: u64) {
    let mut beat = 1;
    loop {
        let due_ns = start_ns.saturating_add(interval_ns.saturating_mul(beat));
        if state.wait_until(due_ns, |state| state.stop.then_some(())).is_some() {
            return;
        }
        sample(state);
        beat = next_beat(Clock::Wall.now_ns() - start_ns, interval_ns, beat);
    }
}

/// The first beat that still lies ahead.
fn next_beat(elapsed_ns: u64, interval_ns: u64, beat: u64) -> u64 {
    (elapsed_ns / interval_ns.max(1)).max(beat).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beats_are_tied_to_the_start() {
        assert_eq!(next_beat(1_001, 1_000, 1), 2);
        assert_eq!(next_beat(1_900, 1_000, 1), 2, "a late sample does not move the next");
        assert_eq!(next_beat(5_300, 1_000, 1), 6, "beats slept through are left out");
        assert_eq!(next_beat(999, 1_000, 1), 2, "a beat is never repeated");
    }

    #[test]
    fn samples_come_in_order_and_bracket_the_time() {
        let sampler = Sampler::start(Duration::from_millis(20));
        sampler.state.wait(|state| (state.samples.len() >= 4).then_some(()));
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
