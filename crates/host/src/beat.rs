//! The moments of a steady beat.

use std::time::Duration;

use ground::nanoseconds;

/// The moments at a start + 1 interval, + 2 intervals, ..., by the clock of the start.
///
/// The beat is tied to the start and does not drift: a call that was held up does not move the next, and a
/// beat that was slept through is left out, not caught up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    start_ns: u64,
    interval_ns: u64,
    number: u64,
}

impl Beat {
    /// The first beat after `start_ns`.
    #[must_use]
    pub fn after(start_ns: u64, interval: Duration) -> Beat {
        Beat { start_ns, interval_ns: nanoseconds(interval).max(1), number: 1 }
    }

    /// The moment of the beat.
    #[must_use]
    pub fn due_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.interval_ns.saturating_mul(self.number))
    }

    /// The moment that the beat is tied to.
    #[must_use]
    pub fn start_ns(&self) -> u64 {
        self.start_ns
    }

    /// Goes on to the next beat that lies ahead of `now_ns`.
    pub fn advance(&mut self, now_ns: u64) {
        let passed = now_ns.saturating_sub(self.start_ns) / self.interval_ns;
        self.number = passed.max(self.number).saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beats_are_tied_to_the_start() {
        let mut beat = Beat::after(5_000, Duration::from_nanos(1_000));
        assert_eq!(beat.due_ns(), 6_000);
        let mut due_after = |now_ns| {
            beat.advance(now_ns);
            beat.due_ns()
        };
        assert_eq!(due_after(6_001), 7_000);
        assert_eq!(due_after(7_900), 8_000, "a late sample does not move the next");
        assert_eq!(due_after(11_300), 12_000, "beats slept through are left out");
        assert_eq!(due_after(11_999), 13_000, "a beat is never repeated");
    }
}
