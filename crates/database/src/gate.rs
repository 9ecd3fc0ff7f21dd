//! The queue of writers before an engine that admits one writer at a time.
//!
//! SQLite answers a second writer with `SQLITE_BUSY` and lets it poll, so the order is a lottery and the wait
//! is invisible. Here writers queue in the order in which they arrive, the lock is handed to the next in
//! line, and everyone learns how long they waited.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};

use ground::Clock;
use parking_lot::Mutex;

/// A lock with a strict first-come, first-served queue.
#[derive(Debug, Default)]
pub struct WriteGate {
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    held: bool,
    waiting: VecDeque<Arc<Waiter>>,
}

/// One thread's waiter in the queue.
#[derive(Debug)]
struct Waiter {
    called: AtomicBool,
    thread: Thread,
}

/// The right to write; given back on drop.
#[derive(Debug)]
pub struct WriteTurn<'a> {
    gate: &'a WriteGate,
    waited_ns: u64,
}

impl WriteGate {
    /// A gate that nobody holds.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The permit if it is to be had at once: nobody holds it and nobody waits.
    pub fn try_enter(&self) -> Option<WriteTurn<'_>> {
        let mut queue = self.queue.lock();
        if queue.held {
            return None;
        }
        queue.held = true;
        Some(WriteTurn { gate: self, waited_ns: 0 })
    }

    /// Waits for this thread's turn. Nobody who comes later is served earlier.
    pub fn enter(&self) -> WriteTurn<'_> {
        let waiter = {
            let mut queue = self.queue.lock();
            if !queue.held {
                queue.held = true;
                return WriteTurn { gate: self, waited_ns: 0 };
            }
            let waiter = Arc::new(Waiter { called: AtomicBool::new(false), thread: thread::current() });
            queue.waiting.push_back(Arc::clone(&waiter));
            waiter
        };
        let start = Clock::Wall.stopwatch();
        while !waiter.called.load(Ordering::Acquire) {
            thread::park();
        }
        let waited_ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        WriteTurn { gate: self, waited_ns }
    }

    /// Writers that wait at this moment, the one that writes not among them.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.queue.lock().waiting.len()
    }

    fn leave(&self) {
        let next = {
            let mut queue = self.queue.lock();
            let next = queue.waiting.pop_front();
            // With someone waiting the gate stays held: it is theirs from now on and a newcomer cannot slip
            // in.
            queue.held = next.is_some();
            next
        };
        if let Some(waiter) = next {
            waiter.called.store(true, Ordering::Release);
            waiter.thread.unpark();
        }
    }
}

impl WriteTurn<'_> {
    /// Time spent in the queue, ns; 0 when the gate was free.
    #[must_use]
    pub fn waited_ns(&self) -> u64 {
        self.waited_ns
    }
}

impl Drop for WriteTurn<'_> {
    fn drop(&mut self) {
        self.gate.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn one_at_a_time() {
        let gate = WriteGate::new();
        let inside = AtomicU64::new(0);
        let total = AtomicU64::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let _permit = gate.enter();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two writers inside");
                        total.fetch_add(1, Ordering::Relaxed);
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(total.into_inner(), 4000);
        assert_eq!(gate.waiting(), 0);
    }

    #[test]
    fn served_in_order_of_arrival() {
        let gate = WriteGate::new();
        let served = Mutex::new(Vec::new());
        let first = gate.try_enter().unwrap();
        assert_eq!(first.waited_ns(), 0);
        assert!(gate.try_enter().is_none(), "it is held");
        thread::scope(|scope| {
            for number in 0..6 {
                let (gate, served) = (&gate, &served);
                scope.spawn(move || {
                    let permit = gate.enter();
                    assert!(permit.waited_ns() > 0);
                    served.lock().push(number);
                });
                // The next one is started only when this one is in the queue.
                while gate.waiting() != number + 1 {
                    thread::yield_now();
                }
            }
            drop(first);
        });
        assert_eq!(*served.lock(), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_writer_that_panics_lets_the_next_one_in() {
        let gate = WriteGate::new();
        let outcome = thread::scope(|scope| {
            scope
                .spawn(|| {
                    let _permit = gate.enter();
                    panic!("a writer fails");
                })
                .join()
        });
        assert!(outcome.is_err());
        assert_eq!(gate.enter().waited_ns(), 0);
    }
}
