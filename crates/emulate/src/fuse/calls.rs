//! FUSE's calls over `/dev/fuse`, each translated to one of ours.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use fuser::{
    BsdFileFlags, FileHandle, Filesystem, FopenFlags, Generation, INodeNo, KernelConfig, LockOwner,
    OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry,
    ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use rustix::io::Errno;

use super::charge::Requester;
use super::contents;
use super::front::{Front, TRUST};
use super::names::{Caller, Changes};
use super::node;

/// The file system as `fuser` drives it.
pub(super) struct Served(pub(super) Arc<Front>);

fn caller(request: &Request) -> Caller {
    Caller { uid: request.uid(), gid: request.gid() }
}

fn requester(request: &Request, ino: INodeNo) -> Requester {
    Requester { ino, thread: request.pid(), continues: false }
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
        self.0.agree(config);
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        answer!(reply, self.0.files.look_up(parent, name), attr => reply.entry(&TRUST, &attr, Generation(0)));
    }

    fn forget(&self, _: &Request, ino: INodeNo, count: u64) {
        self.0.files.nodes.forget(ino.0, count);
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        answer!(reply, self.0.files.attributes(ino), attr => reply.attr(&TRUST, &attr));
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
        ctime: Option<SystemTime>,
        handle: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let tells_ctime = ctime.is_some();
        let changes = Changes { mode, uid, gid, size, atime, mtime, tells_ctime, handle };
        answer!(reply, self.0.files.change(ino, &changes), attr => reply.attr(&TRUST, &attr));
    }

    fn readlink(&self, _: &Request, ino: INodeNo, reply: ReplyData) {
        answer!(reply, self.0.files.read_link(ino), target => reply.data(&target));
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
        let made = self.0.files.make_node(caller(request), (parent, name), mode, device);
        answer!(reply, made, attr => reply.entry(&TRUST, &attr, Generation(0)));
    }

    fn mkdir(&self, request: &Request, parent: INodeNo, name: &OsStr, mode: u32, _: u32, reply: ReplyEntry) {
        let made = self.0.files.make_folder(caller(request), (parent, name), mode);
        answer!(reply, made, attr => reply.entry(&TRUST, &attr, Generation(0)));
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer!(reply, self.0.files.remove(parent, name, false), () => reply.ok());
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer!(reply, self.0.files.remove(parent, name, true), () => reply.ok());
    }

    fn symlink(&self, request: &Request, parent: INodeNo, name: &OsStr, target: &Path, reply: ReplyEntry) {
        let made = self.0.files.symlink(caller(request), (parent, name), target);
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
        let renamed = self.0.files.rename((parent, name), (new_parent, new_name), flags.bits());
        answer!(reply, renamed, () => reply.ok());
    }

    fn link(&self, _: &Request, ino: INodeNo, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let linked = self.0.files.link(ino, parent, name);
        answer!(reply, linked, attr => reply.entry(&TRUST, &attr, Generation(0)));
    }

    fn open(&self, _: &Request, ino: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        let opened = self.0.files.open(ino, flags.0);
        answer!(reply, opened, handle => reply.opened(handle, self.0.open_flags(flags.0)));
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
        let created = self.0.files.create(caller(request), (parent, name), mode, flags);
        answer!(reply, created, (attr, handle) => {
            reply.created(&TRUST, &attr, Generation(0), handle, self.0.open_flags(flags));
        });
    }

    fn read(
        &self,
        request: &Request,
        ino: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let from = requester(request, ino);
        self.0.files.read(
            (from, handle),
            offset,
            size,
            |got| answer!(reply, got, bytes => reply.data(bytes)),
        );
    }

    fn write(
        &self,
        request: &Request,
        ino: INodeNo,
        handle: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        flags: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let syncs = self.0.syncs_writes(flags.0);
        let from = requester(request, ino);
        let written = self.0.files.write((from, handle), offset, data);
        let written = if syncs {
            let then = Requester { continues: true, ..from };
            written.and_then(|len| self.0.files.sync(then, handle, true).map(|()| len))
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

    fn fsync(&self, request: &Request, ino: INodeNo, handle: FileHandle, only_data: bool, reply: ReplyEmpty) {
        answer!(reply, self.0.files.sync(requester(request, ino), handle, only_data), () => reply.ok());
    }

    fn opendir(&self, _: &Request, ino: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        let opened = self.0.open_folder(ino);
        answer!(reply, opened, handle => reply.opened(handle, FopenFlags::empty()));
    }

    fn readdir(&self, _: &Request, ino: INodeNo, handle: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let entries = match self.0.entries(ino, handle, offset) {
            Ok(entries) => entries,
            Err(error) => return reply.error(fuse(error)),
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
        self.0.close_folder(handle);
        reply.ok();
    }

    fn fsyncdir(&self, request: &Request, ino: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        answer!(reply, self.0.files.sync_folder(requester(request, ino)), () => reply.ok());
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        answer!(reply, self.0.room(), of => reply.statfs(
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
        answer!(reply, self.0.files.allocate(ino, handle, (offset, length), mode), () => reply.ok());
    }
}
