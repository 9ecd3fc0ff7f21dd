//! The least time of a piece of work that is done again and again.

use ground::Clock;

/// The least processor time of a call of `work` in this thread, ns, of all calls in `seconds`.
pub(crate) fn ns(seconds: f64, mut work: impl FnMut()) -> f64 {
    let watch = Clock::Wall.stopwatch();
    let mut least = f64::INFINITY;
    while watch.seconds() < seconds {
        let begun_ns = Clock::Wall.thread_cpu_ns();
        work();
        least = least.min((Clock::Wall.thread_cpu_ns() - begun_ns) as f64);
    }
    least
}
