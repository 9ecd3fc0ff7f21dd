//! A value that threads change and wait for (a monitor: Hoare, CACM 17(10), 1974), on any clock.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::clock::Clock;
use crate::virtual_time::{Event, NEVER_NS};

/// A value behind a lock, with a way to wait until it has changed.
#[derive(Debug)]
pub struct Monitor<T> {
    clock: Clock,
    value: Mutex<T>,
    changed: Condvar,
}

impl<T> Monitor<T> {
    /// Whoever waits does so by `clock`.
    pub fn new(clock: &Clock, value: T) -> Monitor<T> {
        Monitor { clock: clock.clone(), value: Mutex::new(value), changed: Condvar::new() }
    }

    /// Looks at the value.
    pub fn look<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        look(&self.lock())
    }

    /// Changes the value and wakes all who wait.
    pub fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let result = change(&mut self.lock());
        match &self.clock {
            Clock::Wall => self.changed.notify_all(),
            Clock::Virtual(clock) => clock.0.happened(self.event()),
        }
        result
    }

    /// Waits until `ready` succeeds.
    pub fn wait<R>(&self, mut ready: impl FnMut(&mut T) -> Option<R>) -> R {
        loop {
            if let Some(result) = self.wait_until(NEVER_NS, &mut ready) {
                return result;
            }
        }
    }

    /// Waits until `ready` succeeds, but not beyond a moment of the clock: then `None`.
    pub fn wait_until<R>(&self, until_ns: u64, mut ready: impl FnMut(&mut T) -> Option<R>) -> Option<R> {
        let mut value = self.lock();
        loop {
            let found = ready(&mut value);
            let now_ns = self.clock.now_ns();
            if found.is_some() || now_ns >= until_ns {
                return found;
            }
            value = match &self.clock {
                Clock::Wall => {
                    let left = Duration::from_nanos(until_ns - now_ns);
                    self.changed.wait_timeout(value, left).unwrap_or_else(PoisonError::into_inner).0
                }
                Clock::Virtual(clock) => {
                    drop(value);
                    clock.0.wait(until_ns, Some(self.event()));
                    self.lock()
                }
            };
        }
    }

    fn event(&self) -> Event {
        Event::Change(std::ptr::from_ref(self).addr())
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn a_waiter_wakes_by_a_change_or_by_the_clock() {
        for clock in [Clock::Wall, Clock::virtual_from(SystemTime::UNIX_EPOCH)] {
            let monitor = Monitor::new(&clock, 0);
            let is = |wanted| move |value: &mut i32| (*value == wanted).then_some(*value);
            clock.scope(|scope| {
                let waiting = scope.spawn(|| monitor.wait(is(2)));
                (1..=2).for_each(|_| monitor.change(|value| *value += 1));
                assert_eq!(waiting.join().unwrap(), 2);
            });
            let watch = clock.stopwatch();
            let until_ns = clock.now_ns() + 3_000_000;
            assert_eq!(monitor.wait_until(until_ns, is(3)), None);
            assert!(watch.elapsed() >= Duration::from_millis(3));
            assert_eq!(monitor.wait_until(0, is(2)), Some(2));
            assert_eq!(monitor.look(|value| *value), 2);
        }
    }
}
