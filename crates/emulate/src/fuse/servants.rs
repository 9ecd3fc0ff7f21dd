//! The processor time of the threads that answer for a mount: it is taken from the programs that use the
//! mount, so it is told.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use parking_lot::Mutex;
use rustix::thread::Pid;

use super::scheduled::Scheduled;

/// The threads of one mount.
#[derive(Default)]
pub(super) struct Servants {
    known: Arc<Known>,
    /// The time that does not count, ns: see [`Servants::forget`].
    before_ns: AtomicU64,
}

type Known = Mutex<Vec<Servant>>;

struct Servant {
    /// `None` once it has ended.
    thread: Option<Pid>,
    /// Its time when it was last looked at, and after its end all of it, ns.
    cpu_ns: u64,
}

/// Looks at the time of the calling thread a last time when the thread ends: a mount may end without a word
/// before.
struct Leaving {
    known: Arc<Known>,
    place: usize,
}

impl Servants {
    /// The calling thread answers for this mount. Told again, nothing happens.
    pub(super) fn enlist(&self) {
        // A thread answers for one mount all its life.
        thread_local!(static LEAVING: RefCell<Option<Leaving>> = const { RefCell::new(None) });
        LEAVING.with_borrow_mut(|leaving| {
            if leaving.is_none() {
                let mut known = self.known.lock();
                *leaving = Some(Leaving { known: self.known.clone(), place: known.len() });
                known.push(Servant { thread: Some(rustix::thread::gettid()), cpu_ns: 0 });
            }
        });
    }

    /// Forgets the time so far: the mount worked for itself.
    pub(super) fn forget(&self) {
        self.before_ns.fetch_add(self.cpu_ns(), Relaxed);
    }

    /// Processor time of all of them so far, ns.
    pub(super) fn cpu_ns(&self) -> u64 {
        let mut known = self.known.lock();
        known.iter_mut().for_each(Servant::look);
        let all_ns: u64 = known.iter().map(|servant| servant.cpu_ns).sum();
        all_ns.saturating_sub(self.before_ns.load(Relaxed))
    }
}

impl Servant {
    fn look(&mut self) {
        let times = self.thread.and_then(Scheduled::of);
        self.cpu_ns = self.cpu_ns.max(times.map_or(0, |times| times.ran_ns));
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        let servant = &mut self.known.lock()[self.place];
        servant.look();
        servant.thread = None;
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
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                servants.enlist();
                let own = || Scheduled::of(rustix::thread::gettid()).unwrap().ran_ns;
                let mut sum = 0_u64;
                while own() < 1_000_000 {
                    (0..10_000).for_each(|number| sum = std::hint::black_box(sum.wrapping_add(number)));
                }
            });
            thread.join().unwrap();
        });
        assert!(servants.cpu_ns() >= seen + 1_000_000, "nobody looked at the second while it lived");
        assert_eq!(servants.known.lock().len(), 2);
        servants.forget();
        assert_eq!(servants.cpu_ns(), 0, "of threads that have ended it is all forgotten");
    }
}
