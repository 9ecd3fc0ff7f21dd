//! CLOCK_MONOTONIC, and waiting for a moment of it.

use rustix::thread::ClockId as SleepClock;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// Waits shorter than this are spun: a sleeping thread wakes up tens of microseconds late on common machines.
pub(crate) const SPIN_BELOW_NS: u64 = 60_000;
/// No single sleep is longer, so that a stop flag is noticed.
pub(crate) const SLEEP_MAX_NS: u64 = 100_000_000;

/// Nanoseconds of CLOCK_MONOTONIC.
#[inline]
pub(crate) fn now_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Waits until `deadline_ns` or for 100 ms, whichever is sooner; sleeps the long part and spins the last 60
/// us.
pub(crate) fn wait_until(deadline_ns: u64) {
    let mut now = now_ns();
    let deadline_ns = deadline_ns.min(now + SLEEP_MAX_NS);
    if deadline_ns > now + SPIN_BELOW_NS {
        let wake_ns = deadline_ns - SPIN_BELOW_NS;
        let wake =
            Timespec { tv_sec: (wake_ns / 1_000_000_000) as i64, tv_nsec: (wake_ns % 1_000_000_000) as i64 };
        // An interrupted sleep only spins a little longer.
        let _ = rustix::thread::clock_nanosleep_absolute(SleepClock::Monotonic, &wake);
        now = now_ns();
    }
    while now < deadline_ns {
        std::hint::spin_loop();
        now = now_ns();
    }
}

/// Asks the kernel to wake this thread on time (its default is to round sleeps up by 50 us). Best effort.
pub(crate) fn sleep_precisely() {
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_returns_before_the_deadline_within_its_limit() {
        for wait_ns in [0, 1_000, 200_000] {
            let deadline = now_ns() + wait_ns;
            wait_until(deadline);
            assert!(now_ns() >= deadline);
        }
        wait_until(0);
    }
}
