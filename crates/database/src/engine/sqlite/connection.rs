//! Connections that the instance can count.

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::OpenFlags;

use super::log_length::LogLength;
use crate::error::DatabaseError;

/// One connection: rusqlite's, counted so that the files are never touched below it.
#[derive(Debug)]
pub struct Connection {
    // Closed before the count goes down: fields drop in this order.
    inner: rusqlite::Connection,
    _open: Open,
}

/// The number of open connections.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenCount(Arc<AtomicUsize>);

/// One open connection's share of the count.
#[derive(Debug)]
struct Open(Arc<AtomicUsize>);

impl OpenCount {
    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Instructions of SQLite's virtual machine between two looks: about a hundred rows, which a disk reads in
/// half a second.
const INSTRUCTIONS_PER_LOOK: std::ffi::c_int = 1_000;

impl Connection {
    /// Opens the file at `path` through the mount, without settings.
    pub(crate) fn open(path: &Path, count: &OpenCount) -> Result<Self, DatabaseError> {
        let inner = open_file(path)?;
        count.0.fetch_add(1, Ordering::AcqRel);
        Ok(Self { inner, _open: Open(Arc::clone(&count.0)) })
    }

    /// Tells `log` after every commit how long the log has become.
    pub(crate) fn report_log_length(&mut self, log: &Arc<LogLength>) -> Result<(), DatabaseError> {
        let log = Arc::clone(log);
        let hook = move |_: &'_ mut rusqlite::hooks::Wal, pages: std::ffi::c_int| {
            log.report(u32::try_from(pages).unwrap_or(0));
            Ok(())
        };
        self.inner.wal_hook(Some(hook)).map_err(DatabaseError::sqlite("watching the log"))
    }

    /// Ends every statement of this connection soon after `is_over` has become true; it fails with
    /// `SQLITE_INTERRUPT`. For single statements that read or write a whole table, between which nobody could
    /// look.
    ///
    /// # Errors
    /// When SQLite refuses.
    pub fn interrupt_when(
        &mut self,
        is_over: impl FnMut() -> bool + Send + 'static,
    ) -> Result<(), DatabaseError> {
        self.inner
            .progress_handler(INSTRUCTIONS_PER_LOOK, Some(is_over))
            .map_err(DatabaseError::sqlite("listening for a stop"))
    }
}

impl Deref for Connection {
    type Target = rusqlite::Connection;

    fn deref(&self) -> &Self::Target {
        &self.inner
    }
}

impl DerefMut for Connection {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.inner
    }
}

/// Opens the file at `path` through the mount. Each connection belongs to one thread at a time, so SQLite's
/// own lock around it is off.
pub(crate) fn open_file(path: &Path) -> Result<rusqlite::Connection, DatabaseError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    rusqlite::Connection::open_with_flags_and_vfs(path, flags, emulate::VFS_NAME)
        .map_err(DatabaseError::sqlite("opening the database"))
}
