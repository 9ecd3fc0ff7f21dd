//! The least time of a piece of work that is done again and again.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// The least processor time of a call of `work` in this thread, ns, of all calls in `seconds`.
pub(crate) fn ns(seconds: f64, mut work: impl FnMut()) -> f64 {
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    let mut least = f64::INFINITY;
    while Instant::now() < until {
        let begun = thread_ns();
        work();
        least = least.min(thread_ns() - begun);
    }
    least
}

fn thread_ns() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}
