//! Keeps idle processors from sleeping while a modelled drive exists, where that is permitted.
//!
//! A processor that sleeps, a virtual one above all, is woken up to 60 us after the instant a waiting thread
//! asked for: as long as a fast drive takes for a whole read. The kernel offers a promise against it that
//! anyone allowed to open its file can ask for and that ends with the file, so also when the process is
//! killed: `Documentation/power/pm_qos_interface.rst`. Time in that shallow idleness still counts as idle.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::aside::Aside;

/// Latency of waking that the kernel is asked for, us.
const WAKING_US: i32 = 0;

/// The kernel's promise, for as long as this lives; nothing where the process may not ask for it.
pub(crate) struct Awake {
    // The last user of a drive drops it, which may be a thread that serves a mount.
    promise: Option<Aside<File>>,
}

impl Awake {
    /// Asks for the promise, once for all drives of the process.
    pub(crate) fn shared() -> Arc<Awake> {
        static SHARED: Mutex<Weak<Awake>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock();
        shared.upgrade().unwrap_or_else(|| {
            let awake = Arc::new(Awake { promise: promise() });
            *shared = Arc::downgrade(&awake);
            awake
        })
    }
}

/// True if idle processors stay awake while this process has a modelled drive; by default only root may ask
/// for it.
pub fn idle_processors_stay_awake() -> bool {
    Awake::shared().promise.is_some()
}

fn promise() -> Option<Aside<File>> {
    Aside::start(|| {
        let mut file = OpenOptions::new().write(true).open("/dev/cpu_dma_latency")?;
        file.write_all(&WAKING_US.to_ne_bytes())?;
        Ok(file)
    })
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_may_be_given_back_by_any_thread() {
        let awake = Arc::new(Awake { promise: promise() });
        let aside = Aside::start(move || Ok(awake)).unwrap();
        drop(aside); // In a table of open files where the number of the promise means nothing or something else.
    }

    #[test]
    fn drives_share_one_promise_and_the_last_gives_it_back() {
        let first = Awake::shared();
        let second = Awake::shared();
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(first.promise.is_some(), idle_processors_stay_awake());
    }
}
