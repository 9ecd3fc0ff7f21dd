//! The common part of both transports above the files: how files are opened, folders that are being read, and
//! the agreement with the kernel.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use fuser::{FileHandle, FopenFlags, INodeNo, InitFlags, KernelConfig};
use parking_lot::Mutex;
use rustix::fs::StatVfs;
use rustix::io::Errno;

use super::contents::Files;
use super::names::Entry;

/// The time for which the kernel may trust a name or attributes: for ever, as nobody else uses the backing
/// directory.
pub(super) const TRUST: Duration = Duration::from_secs(86_400);
/// Largest read or write in one call, bytes: the kernel's limit (256 pages).
pub(super) const REQUEST_MOST: u32 = 1 << 20;
/// Requests that the kernel sends without waiting (asynchronous and written-back I/O): more than any drive's
/// queue in use.
const BACKGROUND: u16 = 1024;
/// Most bytes the kernel reads ahead: its default for drives.
const READ_AHEAD: u32 = 128 << 10;

/// One mounted directory as the transports see it.
pub(super) struct Front {
    pub(super) files: Arc<Files>,
    page_cache: bool,
    wants_rings: bool,
    has_rings: AtomicBool,
    folders: Mutex<HashMap<u64, Arc<Vec<Entry>>>>,
    next_folder: AtomicU64,
}

impl Front {
    /// `wants_rings`: the kernel is asked to send its requests over io_uring.
    pub(super) fn new(files: Arc<Files>, page_cache: bool, wants_rings: bool) -> Front {
        Front {
            files,
            page_cache,
            wants_rings,
            has_rings: AtomicBool::new(false),
            folders: Mutex::default(),
            next_folder: AtomicU64::new(1),
        }
    }

    /// Agrees with the kernel on features and sizes.
    pub(super) fn agree(&self, config: &mut KernelConfig) {
        let mut wanted = InitFlags::FUSE_ASYNC_DIO
            | InitFlags::FUSE_PARALLEL_DIROPS
            | InitFlags::FUSE_DIRECT_IO_ALLOW_MMAP
            | InitFlags::FUSE_CACHE_SYMLINKS;
        if self.page_cache {
            wanted |= InitFlags::FUSE_WRITEBACK_CACHE;
        }
        if self.wants_rings {
            wanted |= InitFlags::FUSE_OVER_IO_URING;
        }
        let had = wanted & config.capabilities();
        // Features that this kernel lacks are not used.
        let _ = config.add_capabilities(had);
        self.files.write_back.store(had.contains(InitFlags::FUSE_WRITEBACK_CACHE), Ordering::Relaxed);
        self.has_rings.store(had.contains(InitFlags::FUSE_OVER_IO_URING), Ordering::Relaxed);
        let _ = config.set_max_write(REQUEST_MOST);
        let _ = config.set_max_readahead(READ_AHEAD);
        let _ = config.set_max_background(BACKGROUND);
        let _ = config.set_congestion_threshold(BACKGROUND);
    }

    /// True if the kernel waits for rings now, which is known after [`Front::agree`].
    pub(super) fn has_rings(&self) -> bool {
        self.has_rings.load(Ordering::Relaxed)
    }

    /// The kernel's handling of a file that a program opens with `flags`.
    pub(super) fn open_flags(&self, flags: i32) -> FopenFlags {
        if self.is_direct(flags) {
            // Writers of one file side by side; the kernel falls back to one by one where others use its page
            // cache.
            FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES
        } else {
            FopenFlags::FOPEN_KEEP_CACHE
        }
    }

    fn is_direct(&self, flags: i32) -> bool {
        !self.page_cache || flags & libc::O_DIRECT != 0
    }

    /// True if a write by a program that opened the file with `flags` ends with a sync. Past its page cache
    /// the kernel leaves that sync to us.
    pub(super) fn syncs_writes(&self, flags: i32) -> bool {
        self.is_direct(flags) && flags & libc::O_DSYNC != 0
    }

    /// Opens a folder for reading.
    pub(super) fn open_folder(&self, ino: INodeNo) -> Result<FileHandle, Errno> {
        self.files.attributes(ino)?;
        Ok(FileHandle(self.next_folder.fetch_add(1, Ordering::Relaxed)))
    }

    /// The entries of an open folder. From the start it is read anew, so that rewinding shows changes.
    pub(super) fn entries(
        &self,
        ino: INodeNo,
        handle: FileHandle,
        offset: u64,
    ) -> Result<Arc<Vec<Entry>>, Errno> {
        let known = if offset == 0 { None } else { self.folders.lock().get(&handle.0).cloned() };
        if let Some(entries) = known {
            return Ok(entries);
        }
        let entries = Arc::new(self.files.entries(ino)?);
        self.folders.lock().insert(handle.0, entries.clone());
        Ok(entries)
    }

    pub(super) fn close_folder(&self, handle: FileHandle) {
        self.folders.lock().remove(&handle.0);
    }

    /// Size and room of the backing file system.
    pub(super) fn room(&self) -> Result<StatVfs, Errno> {
        rustix::fs::fstatvfs(&self.files.nodes.root().fd)
    }
}
