//! The end of the time, for a question that a server has not answered by then.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use database::HangUp;
use ground::Clock;

use super::LOOK_INTERVAL;
use crate::interrupt::Interrupt;

/// The time for the first answers, in which the server says what it is: as for a connection.
pub(super) const FIRST_ANSWERS: Duration = Duration::from_secs(10);

/// A thread that ends the wait for an answer: after a request to stop, the second one once something was
/// seen, and from a moment on.
pub(super) struct Limit {
    over: Arc<AtomicBool>,
    at_ns: Arc<AtomicU64>,
    /// True as long as nothing was seen that the first request to stop would keep.
    is_new: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Limit {
    /// For the first answers.
    pub(super) fn new(clock: &Clock, interrupt: &Interrupt) -> Limit {
        let until_ns = clock.now_ns().saturating_add(ground::nanoseconds(FIRST_ANSWERS));
        let (over, at_ns) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(until_ns)));
        let is_new = Arc::new(AtomicBool::new(true));
        let thread = std::thread::spawn({
            let (clock, interrupt) = (clock.clone(), interrupt.clone());
            let (over, at_ns) = (Arc::clone(&over), Arc::clone(&at_ns));
            let is_new = Arc::clone(&is_new);
            move || {
                while !over.load(Ordering::SeqCst) {
                    let first_ends = is_new.load(Ordering::SeqCst) && interrupt.requested();
                    if first_ends || interrupt.at_once() || clock.now_ns() >= at_ns.load(Ordering::SeqCst) {
                        over.store(true, Ordering::SeqCst);
                    }
                    clock.sleep(LOOK_INTERVAL);
                }
            }
        });
        Limit { over, at_ns, is_new, thread: Some(thread) }
    }

    /// Whoever waits with it hears when waiting is over.
    pub(super) fn hang_up(&self) -> HangUp {
        HangUp::when(Arc::clone(&self.over))
    }

    /// True once waiting is over.
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    /// Something was seen: all waits end `after` the moment `from_ns` of the clock.
    pub(super) fn set(&self, from_ns: u64, after: Duration) {
        self.is_new.store(false, Ordering::SeqCst);
        self.at_ns.store(from_ns.saturating_add(ground::nanoseconds(after)), Ordering::SeqCst);
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_end_at_the_moment_and_after_a_second_request() {
        let (clock, interrupt) = (Clock::Wall, Interrupt::new());
        let limit = Limit::new(&clock, &interrupt);
        limit.set(clock.now_ns(), Duration::from_secs(600));
        let hang_up = limit.hang_up();
        interrupt.request();
        clock.sleep(LOOK_INTERVAL * 3);
        assert!(!hang_up.is_asked(), "the first request lets an answer come");
        limit.set(clock.now_ns(), Duration::ZERO);
        while !hang_up.is_asked() {
            clock.sleep(LOOK_INTERVAL);
        }

        let other = Limit::new(&clock, &interrupt);
        other.set(clock.now_ns(), Duration::from_secs(600));
        interrupt.request();
        while !other.hang_up().is_asked() {
            clock.sleep(LOOK_INTERVAL);
        }
    }

    #[test]
    fn before_anything_is_seen_the_first_request_ends_the_wait() {
        let (clock, interrupt) = (Clock::Wall, Interrupt::new());
        let limit = Limit::new(&clock, &interrupt);
        interrupt.request();
        while !limit.hang_up().is_asked() {
            clock.sleep(LOOK_INTERVAL);
        }
    }
}
