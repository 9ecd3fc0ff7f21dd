//! Threads that take part in a clock.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder, JoinHandle, ScopedJoinHandle};

use crate::clock::Clock;
use crate::virtual_time::Participant;

/// A thread that takes part in a clock; `H` is the handle of the standard library.
#[derive(Debug)]
pub struct Thread<H> {
    clock: Clock,
    seat: Option<u32>,
    handle: H,
}

impl<T> Thread<JoinHandle<T>> {
    /// Waits for the end of the thread. Its result, or the value of its panic.
    ///
    /// # Errors
    /// When the thread panicked.
    pub fn join(self) -> thread::Result<T> {
        self.clock.await_end(self.seat);
        self.handle.join()
    }
}

impl<T> Thread<ScopedJoinHandle<'_, T>> {
    /// Waits for the end of the thread. Its result, or the value of its panic.
    ///
    /// # Errors
    /// When the thread panicked.
    pub fn join(self) -> thread::Result<T> {
        self.clock.await_end(self.seat);
        self.handle.join()
    }
}

/// Threads that end before [`Clock::scope`] does, and may borrow what outlives it.
#[derive(Debug)]
pub struct Scope<'scope, 'env> {
    clock: Clock,
    inner: &'scope thread::Scope<'scope, 'env>,
    seats: Mutex<Vec<u32>>,
}

impl<'scope> Scope<'scope, '_> {
    /// Starts a thread.
    ///
    /// # Panics
    /// When the machine gives no thread.
    pub fn spawn<T: Send + 'scope>(
        &self,
        work: impl FnOnce() -> T + Send + 'scope,
    ) -> Thread<ScopedJoinHandle<'scope, T>> {
        let place = self.clock.place();
        let seat = place.as_ref().map(|place| place.seat);
        self.seats.lock().unwrap_or_else(PoisonError::into_inner).extend(seat);
        let handle = self.inner.spawn(taking_part(place, work));
        Thread { clock: self.clock.clone(), seat, handle }
    }
}

impl Drop for Scope<'_, '_> {
    /// The scope of the standard library waits for its threads by no clock.
    fn drop(&mut self) {
        let seats = std::mem::take(self.seats.get_mut().unwrap_or_else(PoisonError::into_inner));
        seats.into_iter().for_each(|seat| self.clock.await_end(Some(seat)));
    }
}

impl Clock {
    /// Runs `body`, which may start threads that borrow; all have ended when this returns.
    pub fn scope<'env, T>(&self, body: impl for<'scope> FnOnce(&Scope<'scope, 'env>) -> T) -> T {
        thread::scope(|inner| body(&Scope { clock: self.clone(), inner, seats: Mutex::default() }))
    }

    /// Starts a thread that takes part in this clock.
    ///
    /// # Errors
    /// When the machine gives no thread.
    pub fn spawn<T: Send + 'static>(
        &self,
        builder: Builder,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<Thread<JoinHandle<T>>> {
        let place = self.place();
        let seat = place.as_ref().map(|place| place.seat);
        let handle = builder.spawn(taking_part(place, work))?;
        Ok(Thread { clock: self.clone(), seat, handle })
    }

    fn place(&self) -> Option<Participant> {
        match self {
            Clock::Wall => None,
            Clock::Virtual(clock) => Some(Participant::new(&clock.0)),
        }
    }

    fn await_end(&self, seat: Option<u32>) {
        if let (Clock::Virtual(clock), Some(seat)) = (self, seat) {
            clock.0.await_end(seat);
        }
    }
}

/// The work of a thread that first waits for its turn and at the end leaves its place.
fn taking_part<T>(place: Option<Participant>, work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    move || {
        if let Some(place) = &place {
            place.sit_down();
        }
        let result = work();
        drop(place);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use std::time::{Duration, SystemTime};

    fn virtual_clock() -> Clock {
        Clock::virtual_from(SystemTime::UNIX_EPOCH)
    }

    #[test]
    fn an_hour_passes_at_once_and_the_date_with_it() {
        let clock = virtual_clock();
        let (watch, hour) = (clock.stopwatch(), Duration::from_secs(3600));
        clock.sleep(hour);
        assert_eq!((watch.elapsed(), clock.unix_ms()), (hour, 3_600_000));
        clock.sleep_until(0);
        assert_eq!(watch.elapsed(), hour);
        assert_eq!((clock.thread_cpu_ns(), clock.cpu()), (0, crate::CpuTimes::default()));
    }

    /// Three threads that sleep for multiples of their number note who woke when.
    fn wakes() -> Vec<(u32, u64)> {
        let clock = virtual_clock();
        let (start_ns, log) = (clock.now_ns(), Mutex::new(Vec::new()));
        clock.scope(|scope| {
            for number in 1..=3 {
                let (clock, log) = (&clock, &log);
                scope.spawn(move || {
                    for _ in 0..4 {
                        clock.sleep(Duration::from_nanos(u64::from(number)));
                        log.lock().unwrap().push((number, clock.now_ns() - start_ns));
                    }
                });
            }
        });
        log.into_inner().unwrap()
    }

    #[test]
    fn threads_wake_in_the_order_of_their_moments_at_each_run() {
        let first = wakes();
        assert!(first.iter().map(|(_, at_ns)| *at_ns).is_sorted() && first.len() == 12, "{first:?}");
        assert!(first.ends_with(&[(3, 9), (3, 12)]));
        (0..50).for_each(|_| assert_eq!(wakes(), first));
    }

    #[test]
    fn only_one_thread_runs_at_a_time() {
        let (clock, running) = (virtual_clock(), AtomicU32::new(0));
        clock.scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        assert_eq!(running.fetch_add(1, Relaxed), 0);
                        std::thread::yield_now();
                        running.fetch_sub(1, Relaxed);
                        clock.sleep(Duration::ZERO);
                    }
                });
            }
        });
        assert_eq!(clock.now_ns(), virtual_clock().now_ns(), "nobody waited for a later moment");
    }

    #[test]
    fn a_join_takes_as_long_as_the_thread_and_tells_its_panic() {
        for clock in [virtual_clock(), Clock::Wall] {
            let (watch, inside) = (clock.stopwatch(), clock.clone());
            let thread = clock
                .spawn(Builder::new(), move || {
                    inside.sleep(Duration::from_millis(5));
                    7
                })
                .unwrap();
            assert_eq!(thread.join().unwrap(), 7);
            assert!(watch.elapsed() >= Duration::from_millis(5));
            let panics = clock.spawn(Builder::new(), || std::panic::panic_any(8)).unwrap();
            assert_eq!(panics.join().unwrap_err().downcast_ref(), Some(&8));
        }
    }

    #[test]
    fn a_wait_that_nobody_can_end_is_told() {
        let clock = virtual_clock();
        let monitor = crate::Monitor::new(&clock, ());
        let stuck = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| monitor.wait(|()| None::<()>)));
        let text = *stuck.unwrap_err().downcast::<&str>().unwrap();
        assert!(text.contains("all participants wait"), "{text}");
    }

    #[test]
    fn a_stranger_is_told_to_take_part() {
        let clock = virtual_clock();
        let stranger = std::thread::spawn(move || clock.sleep(Duration::from_secs(1)));
        let text = *stranger.join().unwrap_err().downcast::<&str>().unwrap();
        assert!(text.contains("spawn it by the clock"), "{text}");
    }
}
