//! The processor time of the threads that answer for a mount: it is taken from the programs that use the
//! mount, so it is told.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use parking_lot::Mutex;
use rustix::thread::Pid;

use super::scheduled::Scheduled;

/// The threads of one mount.
#[derive(Default)]
pub(super) struct Servants {
    known: Mutex<Vec<Servant>>,
    /// The time that does not count, ns: see [`Servants::forget`].
    before_ns: AtomicU64,
}

struct Servant {
    thread: Pid,
    /// Its time when it was last looked at, ns: all that is known once it has ended.
    cpu_ns: u64,
}

impl Servants {
    /// The calling thread answers for this mount. Told again, nothing happens.
    pub(super) fn enlist(&self) {
        // A thread answers for one mount all its life.
        thread_local!(static IS_KNOWN: Cell<bool> = const { Cell::new(false) });
        if !IS_KNOWN.replace(true) {
            self.known.lock().push(Servant { thread: rustix::thread::gettid(), cpu_ns: 0 });
        }
    }

    /// Forgets the time so far: the mount worked for itself.
    pub(super) fn forget(&self) {
        self.before_ns.fetch_add(self.cpu_ns(), Relaxed);
    }

    /// Keeps the time of all of them so far, before they end.
    pub(super) fn look(&self) {
        for servant in self.known.lock().iter_mut() {
            servant.cpu_ns = servant.cpu_ns.max(Scheduled::of(servant.thread).map_or(0, |of| of.ran_ns));
        }
    }

    /// Processor time of all of them so far, ns.
    pub(super) fn cpu_ns(&self) -> u64 {
        self.look();
        let all_ns: u64 = self.known.lock().iter().map(|servant| servant.cpu_ns).sum();
        all_ns.saturating_sub(self.before_ns.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn time_of_threads_is_counted_while_they_live_and_kept_after() {
        let servants = Servants::default();
        assert_eq!(servants.cpu_ns(), 0);
        let (tell, told) = channel();
        std::thread::scope(|scope| {
            let servants = &servants;
            let thread = scope.spawn(move || {
                servants.enlist();
                servants.enlist();
                let mut sum = 0_u64;
                while servants.cpu_ns() < 1_000_000 {
                    (0..10_000).for_each(|number| sum = std::hint::black_box(sum.wrapping_add(number)));
                }
                tell.send(servants.cpu_ns()).unwrap();
            });
            thread.join().unwrap();
        });
        let seen = told.recv().unwrap();
        assert!(servants.cpu_ns() >= seen);
        assert_eq!(servants.known.lock().len(), 1);
        servants.forget();
        assert_eq!(servants.cpu_ns(), 0, "of threads that have ended it is all forgotten");
    }
}
