//! The end of the time, for a question that a server has not answered by then.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use database::HangUp;
use ground::Clock;

use super::LOOK_INTERVAL;
use crate::interrupt::Interrupt;

/// A thread that ends the wait for an answer: after a second request to stop, and from a moment on.
pub(super) struct Limit {
    over: Arc<AtomicBool>,
    at_ns: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Limit {
    /// Without a moment so far.
    pub(super) fn new(clock: &Clock, interrupt: &Interrupt) -> Limit {
        let (over, at_ns) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(u64::MAX)));
        let thread = std::thread::spawn({
            let (clock, interrupt) = (clock.clone(), interrupt.clone());
            let (over, at_ns) = (Arc::clone(&over), Arc::clone(&at_ns));
            move || {
                while !over.load(Ordering::SeqCst) {
                    if interrupt.at_once() || clock.now_ns() >= at_ns.load(Ordering::SeqCst) {
                        over.store(true, Ordering::SeqCst);
                    }
                    clock.sleep(LOOK_INTERVAL);
                }
            }
        });
        Limit { over, at_ns, thread: Some(thread) }
    }

    /// Whoever waits with it hears when waiting is over.
    pub(super) fn hang_up(&self) -> HangUp {
        HangUp::when(Arc::clone(&self.over))
    }

    /// Ends all waits `after` the moment `from_ns` of the clock.
    pub(super) fn set(&self, from_ns: u64, after: Duration) {
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
        let hang_up = limit.hang_up();
        interrupt.request();
        clock.sleep(LOOK_INTERVAL * 3);
        assert!(!hang_up.is_asked(), "the first request lets an answer come");
        limit.set(clock.now_ns(), Duration::ZERO);
        while !hang_up.is_asked() {
            clock.sleep(LOOK_INTERVAL);
        }

        let other = Limit::new(&clock, &interrupt);
        interrupt.request();
        while !other.hang_up().is_asked() {
            clock.sleep(LOOK_INTERVAL);
        }
    }
}
