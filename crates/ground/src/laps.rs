//! A stopwatch for what is told at most so often.

use std::time::Duration;

use crate::clock::{Clock, Stopwatch};

/// A stopwatch of laps: one ends at the first look after its least time, and the next begins there.
#[derive(Clone, Debug)]
pub struct Laps {
    clock: Clock,
    least: Duration,
    lap: Stopwatch,
}

impl Laps {
    /// The first lap begins now.
    #[must_use]
    pub fn of(clock: &Clock, least: Duration) -> Laps {
        Laps { clock: clock.clone(), least, lap: clock.stopwatch() }
    }

    /// The time of the lap if it ends at this look.
    pub fn ended(&mut self) -> Option<Duration> {
        let now = self.clock.stopwatch();
        let time = Duration::from_nanos(now.start_ns().saturating_sub(self.lap.start_ns()));
        (time >= self.least).then(|| {
            self.lap = now;
            time
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lap_ends_at_the_first_look_after_its_least_time() {
        let clock = Clock::virtual_from(std::time::SystemTime::UNIX_EPOCH);
        let mut laps = Laps::of(&clock, Duration::from_secs(1));
        let mut after_ms = |ms| {
            clock.sleep(Duration::from_millis(ms));
            laps.ended().map(|time| time.as_millis())
        };
        assert_eq!(after_ms(999), None);
        assert_eq!(after_ms(201), Some(1_200));
        assert_eq!(after_ms(800), None, "the next one began at the look");
        assert_eq!(after_ms(200), Some(1_000));
    }
}
