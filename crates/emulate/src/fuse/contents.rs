//! Contents of files: open, read, write, sync, truncate, allocate.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::File;
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use device::Op;
use fuser::{FileHandle, INodeNo};
use parking_lot::RwLockReadGuard;
use rustix::fs::{FallocateFlags, Mode, OFlags};
use rustix::io::{Errno, IoSliceMut, ReadWriteFlags};

use super::charge::{Charging, Requester};
use super::node::{Node, Nodes, base_of, is_witness};
use super::volatile::{Syncing, Volatile};
use crate::fault::{ReadFault, WriteFault};

/// One mounted directory: the object of all calls.
pub(super) struct Files {
    pub(super) nodes: Nodes,
    pub(super) charging: Arc<Charging>,
    /// Present when power cuts are to be possible; costs a copy of all data that writes replace.
    pub(super) volatile: Option<Volatile>,
    /// True if a sync also syncs the backing file.
    pub(super) syncs_backing: bool,
    /// The backing files lie in a file system in memory, which keeps no reader waiting.
    pub(super) is_in_memory: bool,
    /// The kernel writes buffered pages back on its own schedule, so it may have to read before it writes.
    pub(super) write_back: AtomicBool,
}

/// Flags of an open that concern the caller's descriptor and not the backing file's: the kernel has seen to
/// them.
const OF_THE_CALLER: OFlags = OFlags::APPEND
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::TRUNC)
    .union(OFlags::NOCTTY)
    .union(OFlags::DIRECT)
    .union(OFlags::SYNC)
    .union(OFlags::DSYNC)
    .union(OFlags::NOFOLLOW);

impl Files {
    /// The right to do something, which no power cut comes between.
    pub(super) fn hold(&self) -> Result<Option<RwLockReadGuard<'_, ()>>, Errno> {
        self.volatile.as_ref().map(Volatile::hold).transpose()
    }

    /// The flags for opening a backing file on behalf of a caller who opens with `flags`.
    pub(super) fn backing_flags(&self, flags: i32) -> OFlags {
        let asked = OFlags::from_bits_retain(flags as u32) - OF_THE_CALLER;
        let access = asked & OFlags::RWMODE;
        if access == OFlags::WRONLY && self.write_back.load(Ordering::Relaxed) {
            (asked - OFlags::RWMODE) | OFlags::RDWR
        } else {
            asked
        }
    }

    /// Opens a file. The handle is the number of its descriptor, so that reads and writes look nothing up.
    pub(super) fn open(&self, ino: INodeNo, flags: i32) -> Result<FileHandle, Errno> {
        let _power = self.hold()?;
        let node = self.nodes.get(ino)?;
        let ours = self.backing_flags(flags);
        // Without the rights of root a file may be open for writing and not for reading.
        let file = node.open(ours).or_else(|error| match error {
            Errno::ACCESS => node.open((ours - OFlags::RWMODE) | OFlags::WRONLY),
            other => Err(other),
        })?;
        node.opened(flags);
        Ok(handle_of(file))
    }

    /// Reads up to `size` bytes and gives them to `give`, after the time that the drive takes.
    pub(super) fn read<T>(
        &self,
        (requester, handle): (Requester, FileHandle),
        offset: u64,
        size: u32,
        give: impl FnOnce(Result<&[u8], Errno>) -> T,
    ) -> T {
        thread_local!(static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
        let ino = requester.ino;
        let started = self.charging.begin(requester, read_op(ino, offset, size));
        BUFFER.with_borrow_mut(|buffer| {
            if buffer.len() < size as usize {
                buffer.resize(size as usize, 0);
            }
            let got = self.read_backing((ino, handle), &mut buffer[..size as usize], offset);
            self.charging.end(started);
            give(got.map(|len| &buffer[..len]))
        })
    }

    fn read_backing(
        &self,
        (ino, handle): (INodeNo, FileHandle),
        buffer: &mut [u8],
        offset: u64,
    ) -> Result<usize, Errno> {
        let (_power, is_short) = self.begin_read(ino)?;
        let done = Self::read_all(handle, buffer, offset).map_err(|error| self.failed(error, "read"))?;
        Ok(if is_short { done / 2 } else { done })
    }

    /// Reads into all of `buffer`, or to the end of the backing file. Gives the length.
    ///
    /// # Errors
    /// Those of pread(2).
    pub(super) fn read_all(handle: FileHandle, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
        let file = of_handle(handle);
        let mut done = 0;
        while done < buffer.len() {
            match rustix::io::pread(&*file, &mut buffer[done..], offset + done as u64) {
                Ok(0) => break,
                Ok(got) => done += got,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    /// The right to read, and whether a fault on order makes the read short.
    ///
    /// # Errors
    /// The power is off, or a fault on order fails the read.
    pub(super) fn begin_read(&self, ino: INodeNo) -> Result<(Option<RwLockReadGuard<'_, ()>>, bool), Errno> {
        let power = self.hold()?;
        if is_witness(ino) {
            return Ok((power, false));
        }
        match self.charging.faults.on_read() {
            Some(ReadFault::Fails) => Err(self.failed(Errno::IO, "read")),
            fault => Ok((power, fault == Some(ReadFault::IsShort))),
        }
    }

    /// Reads what this machine's memory has of it, without waiting for storage; `None` if it does not have
    /// all.
    ///
    /// # Errors
    /// `EOPNOTSUPP`: the file system does not tell.
    pub(super) fn read_from_memory(
        handle: FileHandle,
        buffer: &mut [u8],
        offset: u64,
    ) -> Result<Option<usize>, Errno> {
        let file = of_handle(handle);
        let mut done = 0;
        while done < buffer.len() {
            let rest = &mut [IoSliceMut::new(&mut buffer[done..])];
            match rustix::io::preadv2(&*file, rest, offset + done as u64, ReadWriteFlags::NOWAIT) {
                Ok(0) => break,
                Ok(got) => done += got,
                Err(Errno::AGAIN) => return Ok(None),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Some(done))
    }

    /// Writes all of `bytes`, in the time that the drive takes.
    pub(super) fn write(
        &self,
        (requester, handle): (Requester, FileHandle),
        offset: u64,
        bytes: &[u8],
    ) -> Result<u32, Errno> {
        let ino = requester.ino;
        let started = self.charging.begin(requester, write_op(ino, offset, bytes.len()));
        let written = self.write_backing(ino, handle, offset, bytes);
        self.charging.end(started);
        written.map(|()| bytes.len() as u32)
    }

    /// Writes all of `bytes`, in no time of the drive.
    pub(super) fn write_backing(
        &self,
        ino: INodeNo,
        handle: FileHandle,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), Errno> {
        let _power = self.hold()?;
        let is_witness = is_witness(ino);
        if !is_witness {
            self.may_write("write")?;
        }
        let file = of_handle(handle);
        let all = || {
            let mut done = 0;
            while done < bytes.len() {
                match rustix::io::pwrite(&*file, &bytes[done..], offset + done as u64) {
                    Ok(0) => return Err(Errno::NOSPC),
                    Ok(put) => done += put,
                    Err(Errno::INTR) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        };
        if is_witness {
            return all();
        }
        self.changing(ino, &file, (offset, bytes.len() as u64), all)
            .map_err(|error| self.failed(error, "write"))
    }

    /// Does `work`, which changes a range of a file; the replaced data is kept where power cuts are possible.
    fn changing<T>(
        &self,
        ino: INodeNo,
        file: &File,
        range: (u64, u64),
        work: impl FnOnce() -> rustix::io::Result<T>,
    ) -> rustix::io::Result<T> {
        match &self.volatile {
            None => work(),
            Some(volatile) => {
                let node = self.nodes.get(ino)?;
                let readable;
                // Old contents are read, which the caller's descriptor may not allow.
                let file = if rustix::fs::fcntl_getfl(file)? & OFlags::RWMODE == OFlags::WRONLY {
                    readable = node.open(OFlags::RDONLY)?;
                    &readable
                } else {
                    file
                };
                volatile.change(&node, file, range, work)
            }
        }
    }

    /// Flushes the drive; afterwards everything written to the file before is durable.
    pub(super) fn sync(
        &self,
        requester: Requester,
        handle: FileHandle,
        only_data: bool,
    ) -> Result<(), Errno> {
        let started = self.charging.begin(requester, Op::Flush);
        let begun = self.begin_sync(requester.ino, only_data);
        let synced = begun.and_then(|syncing| self.sync_file(handle, only_data).map(|()| syncing));
        self.charging.end(started);
        synced
            .and_then(|syncing| self.end_sync(requester.ino, syncing))
            .map_err(|error| self.failed(error, "sync"))
    }

    /// The beginning of a sync: what was written until now is to be durable at its end; the file's times as
    /// well, unless `only_data`.
    pub(super) fn begin_sync(&self, ino: INodeNo, only_data: bool) -> Result<Option<Syncing>, Errno> {
        let _power = self.hold()?;
        if is_witness(ino) {
            return Ok(None);
        }
        let node = self.nodes.get(ino)?;
        if !only_data {
            node.settle()?;
        }
        Ok(self.volatile.as_ref().map(|volatile| volatile.begin_sync(&node)))
    }

    /// The sync of the backing file, where one was asked for.
    pub(super) fn sync_file(&self, handle: FileHandle, only_data: bool) -> Result<(), Errno> {
        if !self.syncs_backing {
            return Ok(());
        }
        let file = of_handle(handle);
        if only_data { rustix::fs::fdatasync(&*file) } else { rustix::fs::fsync(&*file) }
    }

    /// The end of a sync, after the time that the drive takes.
    pub(super) fn end_sync(&self, ino: INodeNo, syncing: Option<Syncing>) -> Result<(), Errno> {
        let _power = self.hold()?;
        if !is_witness(ino) && self.charging.faults.on_sync() {
            return Err(Errno::IO);
        }
        if let (Some(volatile), Some(syncing)) = (&self.volatile, syncing) {
            volatile.end_sync(syncing);
        }
        Ok(())
    }

    /// Flushes the drive for a directory: earlier creations, removals and renames are durable.
    pub(super) fn sync_folder(&self, requester: Requester) -> Result<(), Errno> {
        let folder = handle_of(self.open_folder(requester.ino)?);
        let synced = self.sync(requester, folder, false);
        close(folder);
        synced
    }

    pub(super) fn truncate(&self, ino: INodeNo, handle: Option<FileHandle>, size: u64) -> Result<(), Errno> {
        self.may_write("truncate")?;
        let opened;
        let given;
        let file: &File = match handle {
            Some(handle) => {
                given = of_handle(handle);
                &given
            }
            None => {
                opened = self.nodes.get(ino)?.open(OFlags::RDWR)?;
                &opened
            }
        };
        let now = rustix::fs::fstat(file)?.st_size as u64;
        let range = (size.min(now), now.saturating_sub(size));
        self.changing(ino, file, range, || rustix::fs::ftruncate(file, size))
    }

    pub(super) fn allocate(
        &self,
        ino: INodeNo,
        handle: FileHandle,
        (offset, length): (u64, u64),
        mode: i32,
    ) -> Result<(), Errno> {
        let _power = self.hold()?;
        self.may_write("fallocate")?;
        let mode = FallocateFlags::from_bits(mode as u32).ok_or(Errno::OPNOTSUPP)?;
        let file = of_handle(handle);
        let shifts = FallocateFlags::COLLAPSE_RANGE | FallocateFlags::INSERT_RANGE;
        let range = match mode {
            // Only the length grows.
            mode if (mode - FallocateFlags::KEEP_SIZE).is_empty() => (offset, 0),
            mode if mode.intersects(shifts) => (offset, u64::MAX - offset),
            _ => (offset, length),
        };
        self.changing(ino, &file, range, || rustix::fs::fallocate(&*file, mode, offset, length))
    }

    /// Fails when a fault on order says so.
    pub(super) fn may_write(&self, what: &str) -> Result<(), Errno> {
        match self.charging.faults.on_write() {
            None => Ok(()),
            Some(WriteFault::Fails) => Err(self.failed(Errno::IO, what)),
            Some(WriteFault::NoSpace) => Err(self.failed(Errno::NOSPC, what)),
        }
    }

    /// Counts a failure from below the caller.
    pub(super) fn failed(&self, error: Errno, what: &str) -> Errno {
        let path = std::path::Path::new(OsStr::new("the mount"));
        self.charging.recorder.fail(error.raw_os_error(), what, path, std::io::Error::from(error));
        error
    }

    pub(super) fn node(&self, ino: INodeNo) -> Result<Arc<Node>, Errno> {
        self.nodes.get(ino)
    }

    /// A new descriptor of the backing root, for a folder's handle.
    pub(super) fn open_folder(&self, ino: INodeNo) -> Result<OwnedFd, Errno> {
        let node = self.nodes.get(ino)?;
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        rustix::fs::openat(node.fd.as_fd(), ".", flags, Mode::empty())
    }
}

/// The read of these bytes of a file as its drive has it.
pub(super) fn read_op(ino: INodeNo, offset: u64, size: u32) -> Op {
    Op::Read { offset: base_of(ino.0) + offset, len: size }
}

/// The write of these bytes of a file as its drive has it.
pub(super) fn write_op(ino: INodeNo, offset: u64, len: usize) -> Op {
    Op::Write { offset: base_of(ino.0) + offset, len: len as u32 }
}

/// The handle of an open file, which owns it from now on.
pub(super) fn handle_of(file: impl Into<OwnedFd>) -> FileHandle {
    FileHandle(file.into().into_raw_fd() as u64)
}

/// The file of a handle, which stays open.
#[allow(unsafe_code)] // The kernel gives back the numbers that it was given.
pub(super) fn of_handle(handle: FileHandle) -> ManuallyDrop<File> {
    // SAFETY: the number comes from `handle_of`; the kernel uses it until its one call of release, which
    // comes after all others. It is never closed through this value.
    ManuallyDrop::new(unsafe { File::from_raw_fd(handle.0 as RawFd) })
}

/// Closes the file of a handle.
#[allow(unsafe_code)] // See `of_handle`.
pub(super) fn close(handle: FileHandle) {
    // SAFETY: as in `of_handle`; release is the last call with this number.
    drop(unsafe { File::from_raw_fd(handle.0 as RawFd) });
}
