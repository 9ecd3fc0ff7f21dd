//! FUSE's calls, each translated to one of ours.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use fuser::{
    BsdFileFlags, FileHandle, Filesystem, FopenFlags, Generation, INodeNo, InitFlags, KernelConfig,
    LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty,
    ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use parking_lot::Mutex;
use rustix::io::Errno;

use super::contents::{self, Files};
use super::names::{Changes, Entry};
use super::node;

/// The time for which the kernel may trust a name or attributes: for ever, as nobody else uses the backing
/// directory.
const TRUST: Duration = Duration::from_secs(86_400);
/// Largest write in one call, bytes: the kernel's limit (256 pages).
const WRITE_MOST: u32 = 1 << 20;
/// Requests that the kernel sends without waiting (asynchronous and written-back I/O): more than any drive's
/// queue in use.
const BACKGROUND: u16 = 1024;
/// Most bytes the kernel reads ahead: its default for drives.
const READ_AHEAD: u32 = 128 << 10;

/// The file system as `fuser` drives it.
pub(super) struct Served {
    files: Arc<Files>,
    page_cache: bool,
    folders: Mutex<HashMap<u64, Arc<Vec<Entry>>>>,
    next_folder: AtomicU64,
}

impl Served {
    pub(super) fn new(files: Arc<Files>, page_cache: bool) -> Served {
        Served { files, page_cache, folders: Mutex::default(), next_folder: AtomicU64::new(1) }
    }

    fn open_flags(&self, flags: i32) -> FopenFlags {
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
}

fn fuse(error: Errno) -> fuser::Errno {
    fuser::Errno::from_i32(error.raw_os_error())
}

/// Sends the reply.
macro_rules! answer {
    ($reply:ident, $result:expr, $value:pat => $send:expr) => {
        match $result {
            Ok($value) => $send,
            Err(error) => $reply.error(fuse(error)),
        }
    };
}

impl Filesystem for Served {
    fn init(&mut self, _request: &Request, config: &mut KernelConfig) -> std::io::Result<()> {
        let mut wanted = InitFlags::FUSE_ASYNC_DIO
            | InitFlags::FUSE_PARALLEL_DIROPS
            | InitFlags::FUSE_DIRECT_IO_ALLOW_MMAP
            | InitFlags::FUSE_CACHE_SYMLINKS;
        if self.page_cache {
            wanted |= InitFlags::FUSE_WRITEBACK_CACHE;
        }
        let had = wanted & config.capabilities();
        // Features that this kernel lacks are not used.
        let _ = config.add_capabilities(had);
        self.files.write_back.store(had.contains(InitFlags::FUSE_WRITEBACK_CACHE), Ordering::Relaxed);
        let _ = config.set_max_write(WRITE_MOST);
        let _ = config.set_max_readahead(READ_AHEAD);
        let _ = config.set_max_background(BACKGROUND);
        let _ = config.set_congestion_threshold(BACKGROUND);
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        answer!(reply, self.files.look_up(parent, name), attr => reply.entry(&TRUST, &attr, Generation(0)));
    }

    fn forget(&self, _: &Request, ino: INodeNo, count: u64) {
        self.files.nodes.forget(ino.0, count);
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        answer!(reply, self.files.attributes(ino), attr => reply.attr(&TRUST, &attr));
    }

    fn setattr(
        &self,
        _: &Request,
        ino: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        atime: Option<TimeOrNow>,
        mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        handle: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let changes = Changes { mode, uid, gid, size, atime, mtime, handle };
        answer!(reply, self.files.change(ino, &changes), attr => reply.attr(&TRUST, &attr));
    }

    fn readlink(&self, _: &Request, ino: INodeNo, reply: ReplyData) {
        answer!(reply, self.files.read_link(ino), target => reply.data(&target));
    }

    fn mknod(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        device: u32,
        reply: ReplyEntry,
    ) {
        let made = self.files.make_node(request, (parent, name), mode, device);
        answer!(reply, made, attr => reply.entry(&TRUST, &attr, Generation(0)));
    }

    fn mkdir(&self, request: &Request, parent: INodeNo, name: &OsStr, mode: u32, _: u32, reply: ReplyEntry) {
        let made = self.files.make_folder(request, (parent, name), mode);
        answer!(reply, made, attr => reply.entry(&TRUST, &attr, Generation(0)));
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer!(reply, self.files.remove(parent, name, false), () => reply.ok());
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer!(reply, self.files.remove(parent, name, true), () => reply.ok());
    }

    fn symlink(&self, request: &Request, parent: INodeNo, name: &OsStr, target: &Path, reply: ReplyEntry) {
        let made = self.files.symlink(request, (parent, name), target);
        answer!(reply, made, attr => reply.entry(&TRUST, &attr, Generation(0)));
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let renamed = self.files.rename((parent, name), (new_parent, new_name), flags.bits());
        answer!(reply, renamed, () => reply.ok());
    }

    fn link(&self, _: &Request, ino: INodeNo, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let linked = self.files.link(ino, parent, name);
        answer!(reply, linked, attr => reply.entry(&TRUST, &attr, Generation(0)));
    }

    fn open(&self, _: &Request, ino: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        let opened = self.files.open(ino, flags.0);
        answer!(reply, opened, handle => reply.opened(handle, self.open_flags(flags.0)));
    }

    fn create(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        flags: i32,
        reply: ReplyCreate,
    ) {
        let created = self.files.create(request, (parent, name), mode, flags);
        answer!(reply, created, (attr, handle) => {
            reply.created(&TRUST, &attr, Generation(0), handle, self.open_flags(flags));
        });
    }

    fn read(
        &self,
        _: &Request,
        ino: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        self.files.read((ino, handle), offset, size, |got| answer!(reply, got, bytes => reply.data(bytes)));
    }

    fn write(
        &self,
        _: &Request,
        ino: INodeNo,
        handle: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        flags: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        // Past its page cache the kernel leaves the sync of such a write to us.
        let syncs = self.is_direct(flags.0) && flags.0 & libc::O_DSYNC != 0;
        let written = self.files.write((ino, handle), offset, data);
        let written = if syncs {
            written.and_then(|len| self.files.sync(ino, handle, true).map(|()| len))
        } else {
            written
        };
        answer!(reply, written, len => reply.written(len));
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        // Closing has nothing to do here; told once, the kernel does not ask again.
        reply.error(fuser::Errno::ENOSYS);
    }

    fn release(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        contents::close(handle);
        reply.ok();
    }

    fn fsync(&self, _: &Request, ino: INodeNo, handle: FileHandle, only_data: bool, reply: ReplyEmpty) {
        answer!(reply, self.files.sync(ino, handle, only_data), () => reply.ok());
    }

    fn opendir(&self, _: &Request, ino: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        let opened = self.files.attributes(ino);
        let handle = FileHandle(self.next_folder.fetch_add(1, Ordering::Relaxed));
        answer!(reply, opened, _ => reply.opened(handle, FopenFlags::empty()));
    }

    fn readdir(&self, _: &Request, ino: INodeNo, handle: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        // From the start it is read anew: so rewinding shows changes.
        let known = if offset == 0 { None } else { self.folders.lock().get(&handle.0).cloned() };
        let entries = match known {
            Some(entries) => entries,
            None => match self.files.entries(ino) {
                Ok(entries) => {
                    let entries = Arc::new(entries);
                    self.folders.lock().insert(handle.0, entries.clone());
                    entries
                }
                Err(error) => return reply.error(fuse(error)),
            },
        };
        for (position, entry) in entries.iter().enumerate().skip(offset as usize) {
            let (number, kind) = (INodeNo(entry.number), node::kind(entry.kind));
            if reply.add(number, position as u64 + 1, kind, &entry.name) {
                break;
            }
        }
        reply.ok();
    }

    fn releasedir(&self, _: &Request, _: INodeNo, handle: FileHandle, _: OpenFlags, reply: ReplyEmpty) {
        self.folders.lock().remove(&handle.0);
        reply.ok();
    }

    fn fsyncdir(&self, _: &Request, ino: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        answer!(reply, self.files.sync_folder(ino), () => reply.ok());
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        answer!(reply, rustix::fs::fstatvfs(&self.files.nodes.root().fd), of => reply.statfs(
            of.f_blocks,
            of.f_bfree,
            of.f_bavail,
            of.f_files,
            of.f_ffree,
            of.f_bsize as u32,
            of.f_namemax as u32,
            of.f_frsize as u32,
        ));
    }

    fn fallocate(
        &self,
        _: &Request,
        ino: INodeNo,
        handle: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        answer!(reply, self.files.allocate(ino, handle, (offset, length), mode), () => reply.ok());
    }
}
