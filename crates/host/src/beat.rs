//! The steady beat at which counters are read while a cell runs.

use std::time::Duration;

use ground::{Clock, Monitor, Stopwatch, nanoseconds};

/// Beats at the start + 1 interval, + 2 intervals, ..., until it is stopped.
///
/// The beat is tied to the start and does not drift: a call that was held up does not move the next, and a
/// beat that was slept through is left out, not caught up. It is the beat of the machine's clock, because
/// counters are the machine's.
#[derive(Debug)]
pub struct Beat {
    start: Stopwatch,
    interval_ns: u64,
    is_over: Monitor<bool>,
}

impl Beat {
    /// Starts now. Faster than every 10 ms, reading the counters would itself be the load.
    #[must_use]
    pub fn every(interval: Duration) -> Beat {
        let is_over = Monitor::new(&Clock::Wall, false);
        Beat { start: Clock::Wall.stopwatch(), interval_ns: nanoseconds(interval).max(1), is_over }
    }

    /// Calls `sample` at every beat, and a last time at the stop.
    pub fn each(&self, mut sample: impl FnMut()) {
        let mut beat = 1;
        loop {
            let due_ns = self.start.start_ns().saturating_add(self.interval_ns.saturating_mul(beat));
            let is_last = self.is_over.wait_until(due_ns, |is_over| is_over.then_some(())).is_some();
            sample();
            if is_last {
                return;
            }
            beat = next_beat(nanoseconds(self.start.elapsed()), self.interval_ns, beat);
        }
    }

    /// Ends the beat. Nobody waits for the next one.
    pub fn stop(&self) {
        self.is_over.change(|is_over| *is_over = true);
    }

    /// Seconds since the start.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.start.seconds()
    }
}

/// The first beat that still lies ahead.
fn next_beat(elapsed_ns: u64, interval_ns: u64, beat: u64) -> u64 {
    (elapsed_ns / interval_ns).max(beat).saturating_add(1)
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
    fn samples_come_at_every_beat_and_at_the_stop() {
        let (beat, mut samples) = (Beat::every(Duration::from_millis(20)), Vec::new());
        beat.each(|| {
            samples.push(beat.seconds());
            if samples.len() == 3 {
                beat.stop();
            }
        });
        assert!(samples.len() == 4 && samples.is_sorted() && samples[2] >= 0.06, "{samples:?}");
    }

    #[test]
    fn stopping_does_not_wait_for_the_beat() {
        let (beat, mut samples) = (Beat::every(Duration::from_secs(3_600)), 0);
        std::thread::scope(|scope| {
            scope.spawn(|| beat.each(|| samples += 1));
            beat.stop();
        });
        assert_eq!(samples, 1);
    }
}
