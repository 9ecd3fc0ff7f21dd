//! The shared state of a mount's files: memory, counters, commanded faults, and the power.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use rusqlite::ffi;

use super::pool::Pool;
use crate::fault::Faults;
use crate::recorder::{Failed, Recorder};

pub(crate) struct Common {
    pub(crate) pool: Pool,
    pub(crate) recorder: Recorder,
    pub(crate) faults: Faults,
    pub(crate) power: Power,
    /// True if a sync reports success and does nothing.
    pub(crate) flush_lies: AtomicBool,
    /// Log files with appends that no drive operation has been made of yet.
    pub(crate) open_gathers: AtomicUsize,
}

impl Common {
    pub(crate) fn new(memory_bytes: u64) -> Common {
        Common {
            pool: Pool::new(memory_bytes),
            recorder: Recorder::default(),
            faults: Faults::default(),
            power: Power::default(),
            flush_lies: AtomicBool::new(false),
            open_gathers: AtomicUsize::new(0),
        }
    }
}

/// The state of the power, and the start it belongs to. A file opened before a cut belongs to an earlier
/// start and stays dead when the power is back, like the handles of a process that died with its machine.
#[derive(Default)]
pub(crate) struct Power {
    off: AtomicBool,
    starts: AtomicU64,
    /// Held shared by every change of files, exclusively by the cut. Never taken twice by one thread.
    change: RwLock<()>,
}

impl Power {
    /// The present start, for a file that is being opened.
    pub(crate) fn start(&self) -> Result<u64, Failed> {
        if self.off.load(Ordering::Acquire) {
            return Err(Failed(ffi::SQLITE_IOERR));
        }
        Ok(self.starts.load(Ordering::Acquire))
    }

    /// Fails when the power went since `start`.
    #[inline]
    pub(crate) fn check(&self, start: u64) -> Result<(), Failed> {
        if self.starts.load(Ordering::Acquire) == start { Ok(()) } else { Err(Failed(ffi::SQLITE_IOERR)) }
    }

    /// The right to change files, which no power cut comes between.
    pub(crate) fn hold(&self, start: u64) -> Result<RwLockReadGuard<'_, ()>, Failed> {
        let guard = self.change.read();
        self.check(start)?;
        Ok(guard)
    }

    /// Like [`Power::hold`], for calls that belong to no open file.
    pub(crate) fn hold_now(&self) -> Result<(RwLockReadGuard<'_, ()>, u64), Failed> {
        let guard = self.change.read();
        let start = self.start()?;
        Ok((guard, start))
    }

    /// Ends all starts so far. Nobody changes files while the guard lives. `None` when there was no power.
    pub(crate) fn cut(&self) -> Option<RwLockWriteGuard<'_, ()>> {
        let guard = self.change.write();
        if self.off.swap(true, Ordering::AcqRel) {
            return None;
        }
        self.starts.fetch_add(1, Ordering::AcqRel);
        Some(guard)
    }

    pub(crate) fn restore(&self) {
        self.off.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_open_at_a_cut_stays_dead() {
        let power = Power::default();
        let start = power.start().unwrap();
        assert!(power.hold(start).is_ok());
        drop(power.cut());
        assert!(power.start().is_err() && power.hold(start).is_err() && power.hold_now().is_err());
        assert!(power.cut().is_none(), "there is no power to cut");
        power.restore();
        assert!(power.check(start).is_err());
        assert!(power.check(power.start().unwrap()).is_ok());
    }
}
