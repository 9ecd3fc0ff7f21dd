//! One file of a mount, shared by all who have it open: reads through the cache, sizes, syncs. Writing is in
//! [`crate::write`].

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use device::Op;
use parking_lot::Mutex;
use rusqlite::ffi;

use super::common::Common;
use super::gather::Gather;
use super::locks::{FileLocks, WalIndex};
use super::pool::{BLOCK, Key, Load, Lookup};
use super::store::{Store, with_aligned};
use ground::Clock;

use crate::drive::Backing;
use crate::fault::ReadFault;
use crate::recorder::{Done, Failed, IoKind, Role};
use crate::undo::{SECTOR, Undo};

pub(crate) struct SharedFile {
    /// Never used twice in a mount: the cache's key for a file.
    pub(crate) id: u32,
    /// The path of the bytes.
    pub(crate) path: PathBuf,
    pub(crate) role: Role,
    pub(crate) backing: Backing,
    pub(crate) store: Store,
    /// The start of the file on its drive.
    pub(crate) base: u64,
    pub(crate) size: AtomicU64,
    pub(crate) undo: Mutex<Undo>,
    pub(crate) gather: Mutex<Gather>,
    pub(crate) locks: Mutex<FileLocks>,
    pub(crate) index: Mutex<WalIndex>,
}

/// When an operation began, and when it ends by the model.
#[derive(Clone, Copy)]
pub(crate) struct Started {
    pub(crate) at_ns: u64,
    pub(crate) deadline_ns: Option<u64>,
}

impl SharedFile {
    pub(crate) fn size(&self) -> u64 {
        self.size.load(Ordering::Acquire)
    }

    pub(crate) fn is_emulated(&self) -> bool {
        matches!(self.backing, Backing::Emulated(_))
    }

    /// Fills `out`, with zeros beyond the end of the file. False when the end was inside.
    pub(crate) fn read(
        &self,
        common: &Common,
        start: u64,
        out: &mut [u8],
        offset: u64,
    ) -> Result<bool, Failed> {
        common.power.check(start)?;
        let known = self.size().saturating_sub(offset).min(out.len() as u64) as usize;
        let (inside, beyond) = out.split_at_mut(known);
        beyond.fill(0);
        if !inside.is_empty() {
            let hit = self.read_inside(common, start, inside, offset)?;
            common.recorder.looked_up(self.role, hit);
        }
        Ok(beyond.is_empty())
    }

    fn read_inside(&self, common: &Common, start: u64, out: &mut [u8], offset: u64) -> Result<bool, Failed> {
        let (mut done, mut hit) = (0, true);
        while done < out.len() {
            let at = offset + done as u64;
            let (key, from) = self.place(at);
            let end = out.len().min(done + BLOCK - from);
            match common.pool.get(key, from, &mut out[done..end]) {
                None => done = end,
                Some(load) => {
                    hit = false;
                    done += self.load(common, start, load, &mut out[done..], at)?;
                }
            }
        }
        Ok(hit)
    }

    /// Reads the block owed, and those after it that are wanted and missing too, in one drive operation.
    /// Gives the bytes of `out` that are filled now.
    fn load<'pool>(
        &self,
        common: &'pool Common,
        start: u64,
        first: Load<'pool>,
        out: &mut [u8],
        offset: u64,
    ) -> Result<usize, Failed> {
        let from = (offset % BLOCK as u64) as usize;
        let mut covered = out.len().min(BLOCK - from);
        let first_byte = first.block() * BLOCK as u64;
        let mut loads = vec![first];
        while covered < out.len() {
            let (key, _) = self.place(offset + covered as u64);
            let end = out.len().min(covered + BLOCK);
            let Lookup::Miss(load) = common.pool.try_get(key, 0, &mut out[covered..end]) else { break };
            loads.push(load);
            covered = end;
        }
        let wanted = from + covered;
        with_aligned(first_byte, loads.len() * BLOCK, |_, buffer| {
            let got = self.read_from_drive(common, start, buffer, first_byte)?;
            if got < wanted {
                let why = format!("{got} of {wanted} bytes at {first_byte}, inside the file");
                return Err(common.recorder.fail(ffi::SQLITE_IOERR_READ, "short read of", &self.path, why));
            }
            out[..covered].copy_from_slice(&buffer[from..wanted]);
            for (load, block) in loads.into_iter().zip(buffer[..got].chunks(BLOCK)) {
                load.finish(block);
            }
            Ok(covered)
        })
    }

    fn read_from_drive(
        &self,
        common: &Common,
        start: u64,
        buffer: &mut [u8],
        offset: u64,
    ) -> Result<usize, Failed> {
        let fault = common.faults.on_read();
        self.settle_for_read(common, start)?;
        let started = self.start(Op::Read { offset: self.base + offset, len: buffer.len() as u32 });
        let result = if fault == Some(ReadFault::Fails) {
            Err(std::io::Error::from_raw_os_error(libc::EIO))
        } else {
            self.store.read_at(buffer, offset)
        };
        self.finish(common, started, IoKind::Read, buffer.len() as u64);
        common.power.check(start)?;
        let got = result.map_err(|error| self.failed(common, ffi::SQLITE_IOERR_READ, "read of", &error))?;
        Ok(if fault == Some(ReadFault::IsShort) { got / 2 } else { got })
    }

    /// Makes everything written so far durable.
    pub(crate) fn sync(&self, common: &Common, start: u64) -> Result<(), Failed> {
        self.settle(common, start)?;
        common.power.check(start)?;
        let sync = self.undo.lock().begin_sync(self.size());
        let started = self.start(Op::Flush);
        let result = if common.faults.on_sync() {
            Err(std::io::Error::from_raw_os_error(libc::EIO))
        } else if self.is_emulated() {
            Ok(()) // Written bytes survive this process as they are; more is promised by the model only.
        } else {
            self.store.sync()
        };
        self.finish(common, started, IoKind::Sync, 0);
        result.map_err(|error| self.failed(common, ffi::SQLITE_IOERR_FSYNC, "sync of", &error))?;
        let _power = common.power.hold(start)?;
        if !common.flush_lies.load(Ordering::Relaxed) {
            self.change_undo(common, |undo| undo.end_sync(sync));
        }
        Ok(())
    }

    /// Cuts the file, or extends it with zeros. Costs the drive nothing: only later writes of the file system
    /// change.
    pub(crate) fn truncate(&self, common: &Common, start: u64, size: u64) -> Result<(), Failed> {
        self.settle(common, start)?;
        // Taken before the power, as everywhere.
        let mut gather = self.gather.lock();
        let _power = common.power.hold(start)?;
        let old_size = self.size();
        let result = if self.is_emulated() {
            self.change_undo(common, |undo| {
                for sector in size / SECTOR..old_size.div_ceil(SECTOR) {
                    self.save(undo, sector)?;
                    undo.bound(size);
                }
                self.store.set_size(size)
            })
        } else {
            gather.forget_tail();
            self.store.set_size(size)
        };
        result.map_err(|error| self.failed(common, ffi::SQLITE_IOERR_TRUNCATE, "truncation of", &error))?;
        self.size.store(size, Ordering::Release);
        common.pool.forget(self.id, size.min(old_size) / BLOCK as u64);
        Ok(())
    }

    /// The block of the cache that holds a byte, and the place in it.
    pub(crate) fn place(&self, offset: u64) -> (Key, usize) {
        (Key { file: self.id, block: offset / BLOCK as u64 }, (offset % BLOCK as u64) as usize)
    }

    /// Submits an operation to the model, if there is one, and notes the time.
    pub(crate) fn start(&self, op: Op) -> Started {
        let at_ns = Clock::Wall.now_ns();
        let deadline_ns = match &self.backing {
            Backing::Emulated(drive) => Some(drive.submit(op, at_ns)),
            Backing::Real => None,
        };
        Started { at_ns, deadline_ns }
    }

    /// Waits for the modelled end of an operation whose real work is done, and counts it.
    pub(crate) fn finish(&self, common: &Common, started: Started, kind: IoKind, bytes: u64) {
        let worked_ns = Clock::Wall.now_ns();
        let (completes_ns, ended_ns) = match (&self.backing, started.deadline_ns) {
            (Backing::Emulated(drive), Some(deadline_ns)) => {
                let (completes_ns, ended_ns) = drive.await_completion(deadline_ns);
                (Some(completes_ns), ended_ns)
            }
            _ => (None, worked_ns),
        };
        common.recorder.done(Done {
            role: self.role,
            kind,
            bytes,
            actual_ns: ended_ns.saturating_sub(started.at_ns),
            model_ns: completes_ns.map(|completes_ns| completes_ns - started.at_ns),
            work_ns: worked_ns.saturating_sub(started.at_ns),
        });
    }

    /// Counts a failure of the host.
    pub(crate) fn failed(&self, common: &Common, code: i32, what: &str, error: &std::io::Error) -> Failed {
        let code = if error.raw_os_error() == Some(libc::ENOSPC) { ffi::SQLITE_FULL } else { code };
        common.recorder.fail(code, what, &self.path, error)
    }

    /// Changes the undo information and the count of its memory.
    pub(crate) fn change_undo<T>(&self, common: &Common, change: impl FnOnce(&mut Undo) -> T) -> T {
        let mut undo = self.undo.lock();
        let before = (undo.bytes(), undo.forced());
        let result = change(&mut undo);
        common.recorder.undo_changed(before, (undo.bytes(), undo.forced()));
        result
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
