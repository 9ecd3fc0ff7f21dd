//! Faults on command, to test everything above a failing drive.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

/// A fault of the drives of a mount. It stays until [`crate::Mount::clear_faults`]: a broken drive does not
/// heal by being asked again. Reads that the page cache answers do not reach the drive and do not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Every read fails once `after` more reads of a drive have succeeded.
    ReadError {
        /// Reads that still succeed.
        after: u64,
    },
    /// Every write fails once `after` more writes by SQLite have succeeded.
    WriteError {
        /// Writes that still succeed.
        after: u64,
    },
    /// Every read of a drive returns half of the requested bytes, which is an error inside a file.
    ShortRead,
    /// Every sync fails, and nothing becomes durable.
    SyncError,
    /// Every write fails as on a full file system.
    NoSpace,
}

/// The fault of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadFault {
    Fails,
    IsShort,
}

/// The fault of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteFault {
    Fails,
    NoSpace,
}

/// The faults of one mount.
#[derive(Default)]
pub(crate) struct Faults {
    any: AtomicBool,
    armed: Mutex<Vec<Fault>>,
}

impl Faults {
    pub(crate) fn inject(&self, fault: Fault) {
        self.armed.lock().push(fault);
        self.any.store(true, Ordering::Release);
    }

    pub(crate) fn clear(&self) {
        self.any.store(false, Ordering::Release);
        self.armed.lock().clear();
    }

    pub(crate) fn on_read(&self) -> Option<ReadFault> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        self.armed.lock().iter_mut().fold(None, |worst, fault| match fault {
            Fault::ReadError { after } => count_down(after).then_some(ReadFault::Fails).or(worst),
            Fault::ShortRead => worst.or(Some(ReadFault::IsShort)),
            _ => worst,
        })
    }

    pub(crate) fn on_write(&self) -> Option<WriteFault> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        self.armed.lock().iter_mut().fold(None, |worst, fault| match fault {
            Fault::WriteError { after } => count_down(after).then_some(WriteFault::Fails).or(worst),
            Fault::NoSpace => worst.or(Some(WriteFault::NoSpace)),
            _ => worst,
        })
    }

    pub(crate) fn on_sync(&self) -> bool {
        self.any.load(Ordering::Acquire) && self.armed.lock().contains(&Fault::SyncError)
    }
}

/// True when none is left.
fn count_down(left: &mut u64) -> bool {
    if *left == 0 {
        return true;
    }
    *left -= 1;
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_comes_after_its_count_and_stays_until_cleared() {
        let faults = Faults::default();
        assert_eq!(faults.on_read(), None);
        faults.inject(Fault::ReadError { after: 2 });
        assert_eq!([faults.on_read(), faults.on_read()], [None, None]);
        assert_eq!([faults.on_read(), faults.on_read()], [Some(ReadFault::Fails); 2]);
        assert_eq!(faults.on_write(), None, "only reads fail");
        faults.clear();
        assert_eq!(faults.on_read(), None);
    }

    #[test]
    fn faults_of_several_kinds_stand_side_by_side() {
        let faults = Faults::default();
        faults.inject(Fault::ShortRead);
        faults.inject(Fault::NoSpace);
        faults.inject(Fault::WriteError { after: 1 });
        assert_eq!(faults.on_read(), Some(ReadFault::IsShort));
        assert_eq!(faults.on_write(), Some(WriteFault::NoSpace));
        assert_eq!(faults.on_write(), Some(WriteFault::Fails), "an error outweighs a full disk");
        assert!(!faults.on_sync());
        faults.inject(Fault::SyncError);
        assert!(faults.on_sync());
    }
}
