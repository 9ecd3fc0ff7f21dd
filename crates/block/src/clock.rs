//! Waiting for a moment as exactly as a load needs it.

use std::cell::Cell;
use std::num::NonZeroU64;

use ground::Clock;

/// Waits shorter than this are spun: a sleeping thread wakes up tens of microseconds late on common machines.
pub(crate) const SPIN_BELOW_NS: u64 = 60_000;
/// No single sleep is longer, so that a stop flag is noticed.
pub(crate) const SLEEP_MAX_NS: u64 = 100_000_000;
/// An I/O that is done at once lasts this long on a virtual clock, whose time would else stand still.
const LEAST_NS: u64 = 1_000;

thread_local! {
    static SPUN_NS: Cell<u64> = const { Cell::new(0) };
}

/// The time that this thread has spun in waits so far, ns: processor time that no I/O needed.
pub(crate) fn spun_ns() -> u64 {
    SPUN_NS.get()
}

/// Waits until `deadline_ns` or for 100 ms, whichever is sooner; sleeps the long part and spins the last 60
/// us.
pub(crate) fn wait_until(clock: &Clock, deadline_ns: u64) {
    let mut now = clock.now_ns();
    let deadline_ns = deadline_ns.min(now + SLEEP_MAX_NS);
    if clock.is_virtual() {
        return clock.sleep_until(deadline_ns);
    }
    if deadline_ns > now + SPIN_BELOW_NS {
        clock.sleep_until(deadline_ns - SPIN_BELOW_NS);
        now = clock.now_ns();
    }
    let spins_from_ns = now;
    while now < deadline_ns {
        std::hint::spin_loop();
        now = clock.now_ns();
    }
    SPUN_NS.set(SPUN_NS.get() + (now - spins_from_ns));
}

/// Lets time pass for an I/O that is done at once, where that has to be said.
#[inline]
pub(crate) fn pass(clock: &Clock) {
    if clock.is_virtual() {
        clock.sleep_until(clock.now_ns() + LEAST_NS);
    }
}

/// Asks the kernel to wake this thread on time (its default is to round sleeps up by 50 us). Best effort.
pub(crate) fn sleep_precisely() {
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_returns_before_the_deadline_within_its_limit() {
        for clock in [Clock::Wall, Clock::virtual_from(std::time::SystemTime::UNIX_EPOCH)] {
            for wait_ns in [0, 1_000, 200_000] {
                let deadline = clock.now_ns() + wait_ns;
                wait_until(&clock, deadline);
                assert!(clock.now_ns() >= deadline);
            }
            wait_until(&clock, 0);
        }
    }

    #[test]
    fn the_time_of_a_spun_wait_is_counted() {
        let before_ns = spun_ns();
        // A thread that loses its processor may find the moment past.
        (0..100).for_each(|_| wait_until(&Clock::Wall, Clock::Wall.now_ns() + SPIN_BELOW_NS / 2));
        let short_ns = spun_ns() - before_ns;
        assert!(short_ns > 0);
        let clock = Clock::virtual_from(std::time::SystemTime::UNIX_EPOCH);
        wait_until(&clock, clock.now_ns() + 30_000);
        assert_eq!(spun_ns() - before_ns, short_ns, "virtual time costs no processor");
    }
}
