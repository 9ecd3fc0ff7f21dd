//! A view of a running backup, to watch and stop it from outside.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The handle by which a backup or restore is stopped and watched.
#[derive(Debug, Default)]
pub struct BackupWatch {
    stop: AtomicBool,
    bytes: AtomicU64,
}

impl BackupWatch {
    /// Nothing written yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the running work as soon as possible; it fails with [`super::BackupError::Cancelled`].
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// True after it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Bytes written so far by the running backup.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn wrote(&self, bytes: u64) {
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn add(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}
