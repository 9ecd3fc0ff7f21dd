//! One connection's hold on one file: the state behind SQLite's `sqlite3_file`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use rusqlite::ffi;

use super::file::SharedFile;
use super::locks::{self, Level, WRITE_SLOT, WalIndexUse};
use super::state::{Request, State};
use crate::recorder::{Failed, Role};

pub(crate) struct Handle {
    state: Arc<State>,
    file: Arc<SharedFile>,
    /// The start of the power supply that it belongs to.
    start: u64,
    level: Level,
    index: WalIndexUse,
    delete_on_close: bool,
    /// Flags that SQLite sets and asks back (`SQLITE_FCNTL_PERSIST_WAL`, `SQLITE_FCNTL_POWERSAFE_OVERWRITE`).
    pub(crate) persist_wal: bool,
    pub(crate) powersafe_overwrite: bool,
}

impl Handle {
    /// Opens the file that SQLite names.
    pub(crate) fn open(state: &Arc<State>, name: &Path, request: Request) -> Result<Handle, Failed> {
        let (file, start) = state.open(name, request)?;
        Ok(Handle {
            state: Arc::clone(state),
            file,
            start,
            level: Level::None,
            index: WalIndexUse::default(),
            delete_on_close: request.delete_on_close,
            persist_wal: false,
            powersafe_overwrite: true,
        })
    }

    pub(crate) fn is_writable(&self) -> bool {
        self.file.store.is_writable()
    }

    pub(crate) fn read(&self, out: &mut [u8], offset: u64) -> Result<bool, Failed> {
        self.file.read(&self.state.common, self.start, out, offset)
    }

    pub(crate) fn write(&self, bytes: &[u8], offset: u64) -> Result<(), Failed> {
        if self.file.role == Role::Data && !self.file.is_emulated() {
            self.state.settle_logs(self.start)?;
        }
        self.file.write(&self.state.common, self.start, bytes, offset)
    }

    pub(crate) fn truncate(&self, size: u64) -> Result<(), Failed> {
        self.file.truncate(&self.state.common, self.start, size)
    }

    pub(crate) fn sync(&self) -> Result<(), Failed> {
        self.file.sync(&self.state.common, self.start)?;
        self.state.commit_deletions()
    }

    pub(crate) fn size(&self) -> Result<u64, Failed> {
        self.state.common.power.check(self.start)?;
        Ok(self.file.size())
    }

    pub(crate) fn level(&self) -> Level {
        self.level
    }

    pub(crate) fn lock(&mut self, wanted: Level) -> Result<(), Failed> {
        self.state.common.power.check(self.start)?;
        self.file.locks.lock().raise(&mut self.level, wanted).map_err(|_| Failed(ffi::SQLITE_BUSY))
    }

    pub(crate) fn unlock(&mut self, wanted: Level) {
        self.file.locks.lock().lower(&mut self.level, wanted);
    }

    pub(crate) fn is_reserved(&self) -> Result<bool, Failed> {
        self.state.common.power.check(self.start)?;
        Ok(self.file.locks.lock().is_reserved())
    }

    /// Address of a region of the WAL index; `None` when it does not exist and is not to be made.
    pub(crate) fn index_region(
        &mut self,
        region: usize,
        size_bytes: usize,
        extend: bool,
    ) -> Result<Option<*const AtomicU64>, Failed> {
        self.state.common.power.check(self.start)?;
        Ok(self.file.index.lock().region(&mut self.index, region, size_bytes, extend))
    }

    pub(crate) fn index_lock(
        &mut self,
        slots: std::ops::Range<usize>,
        exclusive: bool,
    ) -> Result<(), Failed> {
        self.state.common.power.check(self.start)?;
        let mut index = self.file.index.lock();
        index.lock(&mut self.index, slots, exclusive).map_err(|_| Failed(ffi::SQLITE_BUSY))
    }

    pub(crate) fn index_unlock(&mut self, slots: std::ops::Range<usize>) -> Result<(), Failed> {
        // A writer that gives up the WAL has committed: without a sync, its appends reach the drive now.
        let settled = if slots.contains(&WRITE_SLOT) && self.index.is_writer() {
            self.state.settle_logs(self.start)
        } else {
            Ok(())
        };
        self.file.index.lock().unlock(&mut self.index, slots);
        settled
    }

    pub(crate) fn index_barrier(&self) {
        locks::barrier();
    }

    pub(crate) fn index_leave(&mut self) {
        self.file.index.lock().leave(&mut self.index);
    }

    /// Gives back every lock and the file.
    pub(crate) fn close(mut self) -> Result<(), Failed> {
        self.release();
        let closed = self.state.close(&self.file, self.start);
        if self.delete_on_close {
            self.state.delete(self.file.path(), false)?;
        }
        closed
    }

    fn release(&mut self) {
        self.index_leave();
        self.unlock(Level::None);
    }
}
