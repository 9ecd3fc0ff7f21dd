//! Writing to a file of a mount: straight through for data, gathered for logs.
//!
//! SQLite writes a WAL frame as 24 bytes and a page, one frame after the other, and counts on the operating
//! system to make one large write of it when it syncs; a database log on a raw drive does the same by itself.
//! So appends to a log become one operation of the drive when they are synced, when the writer gives up the
//! WAL (a commit without sync), when something else is written, or when they are 128 KiB long. Pages of the
//! database are charged one by one, as SQLite writes them.

use std::sync::atomic::Ordering;

use device::Op;
use rusqlite::ffi;

use super::common::Common;
use super::file::{SharedFile, Started};
use super::gather::Gather;
use super::pool::BLOCK;
use crate::fault::WriteFault;
use crate::recorder::{Failed, IoKind, Role};
use crate::undo::{SECTOR, Undo};

/// Appends become an operation at this length: the largest that drives take in one piece without splitting
/// it.
const GATHER_BYTES: u64 = 128 << 10;

/// A write of this length at offset 0 begins a WAL anew: no frame that lies there counts any more.
const WAL_HEADER_BYTES: usize = 32;

impl SharedFile {
    /// Writes all of `bytes`.
    pub(crate) fn write(&self, common: &Common, start: u64, bytes: &[u8], offset: u64) -> Result<(), Failed> {
        match common.faults.on_write() {
            Some(WriteFault::Fails) => {
                let error = std::io::Error::from_raw_os_error(libc::EIO);
                return Err(self.failed(common, ffi::SQLITE_IOERR_WRITE, "write to", &error));
            }
            Some(WriteFault::NoSpace) => {
                let error = std::io::Error::from_raw_os_error(libc::ENOSPC);
                return Err(self.failed(common, ffi::SQLITE_FULL, "write to", &error));
            }
            None => {}
        }
        match self.role {
            Role::Log if self.is_emulated() || self.store.is_direct() => {
                self.append(common, start, bytes, offset)
            }
            _ => {
                let started = self.start_write(offset, bytes.len() as u64);
                let result = self.apply(common, start, bytes, offset);
                self.finish(common, started, IoKind::Write, sectors_bytes(offset, bytes.len() as u64));
                result?;
                common.power.check(start)
            }
        }
    }

    /// Adds to the gathered appends, or settles them first when this is not their continuation.
    fn append(&self, common: &Common, start: u64, bytes: &[u8], offset: u64) -> Result<(), Failed> {
        let mut gather = self.gather.lock();
        if gather.is_open() && gather.to != offset {
            self.settle_gathered(common, start, &mut gather)?;
        }
        if self.is_emulated() {
            self.apply(common, start, bytes, offset)?;
        } else {
            common.power.check(start)?;
        }
        if !gather.is_open() {
            gather.open(offset);
            common.open_gathers.fetch_add(1, Ordering::AcqRel);
        }
        gather.to += bytes.len() as u64;
        let begins_anew = offset == 0 && bytes.len() == WAL_HEADER_BYTES;
        gather.high = if begins_anew { gather.to } else { gather.high.max(gather.to) };
        if !self.is_emulated() {
            gather.bytes.extend_from_slice(bytes);
            self.note_written(common, bytes, offset);
        }
        if gather.to - gather.from >= GATHER_BYTES {
            self.settle_gathered(common, start, &mut gather)?;
        }
        Ok(())
    }

    /// Makes a drive operation of the gathered appends.
    pub(crate) fn settle(&self, common: &Common, start: u64) -> Result<(), Failed> {
        if self.role == Role::Data || common.open_gathers.load(Ordering::Acquire) == 0 {
            return Ok(());
        }
        let mut gather = self.gather.lock();
        if gather.is_open() { self.settle_gathered(common, start, &mut gather) } else { Ok(()) }
    }

    /// A read of real storage must find data still in memory.
    pub(crate) fn settle_for_read(&self, common: &Common, start: u64) -> Result<(), Failed> {
        if self.is_emulated() { Ok(()) } else { self.settle(common, start) }
    }

    fn settle_gathered(&self, common: &Common, start: u64, gather: &mut Gather) -> Result<(), Failed> {
        let (from, len) = (gather.from, gather.to - gather.from);
        common.open_gathers.fetch_sub(1, Ordering::AcqRel);
        gather.close(self.path.as_os_str().as_encoded_bytes().ends_with(b"-wal"));
        let started = self.start_write(from, len);
        let result = if self.is_emulated() {
            Ok(())
        } else {
            let _power = common.power.hold(start)?;
            self.store.write_at(&gather.bytes, from - gather.lead as u64)
        };
        self.finish(common, started, IoKind::Write, sectors_bytes(from, len));
        result.map_err(|error| self.failed(common, ffi::SQLITE_IOERR_WRITE, "write to", &error))?;
        common.power.check(start)
    }

    /// Puts bytes into the file and the cache, having saved the data that a power cut would bring back.
    fn apply(&self, common: &Common, start: u64, bytes: &[u8], offset: u64) -> Result<(), Failed> {
        let _power = common.power.hold(start)?;
        let result = if self.is_emulated() {
            self.change_undo(common, |undo| {
                for sector in sectors(offset, bytes.len() as u64) {
                    self.save(undo, sector)?;
                }
                undo.bound(self.size());
                self.store.write_at(bytes, offset)
            })
        } else {
            self.store.write_at(bytes, offset)
        };
        result.map_err(|error| self.failed(common, ffi::SQLITE_IOERR_WRITE, "write to", &error))?;
        self.note_written(common, bytes, offset);
        Ok(())
    }

    /// Takes bytes that the file has, or soon will, into its size and the cache.
    fn note_written(&self, common: &Common, bytes: &[u8], offset: u64) {
        self.size.fetch_max(offset + bytes.len() as u64, Ordering::AcqRel);
        let mut done = 0;
        while done < bytes.len() {
            let (key, from) = self.place(offset + done as u64);
            let end = bytes.len().min(done + BLOCK - from);
            common.pool.write(key, from, &bytes[done..end]);
            done = end;
        }
    }

    /// Saves a sector's contents, unless it was saved since the last sync.
    pub(crate) fn save(&self, undo: &mut Undo, sector: u64) -> std::io::Result<()> {
        if !undo.wants(sector) {
            return Ok(());
        }
        let mut contents = [0; SECTOR as usize];
        let at = sector * SECTOR;
        let got = if at < self.size() { self.store.read_at(&mut contents, at)? } else { 0 };
        undo.save(sector, &contents[..got]);
        Ok(())
    }

    fn start_write(&self, offset: u64, len: u64) -> Started {
        let first = offset - offset % SECTOR;
        self.start(Op::Write { offset: self.base + first, len: sectors_bytes(offset, len) as u32 })
    }
}

/// The sectors that a range touches.
fn sectors(offset: u64, len: u64) -> std::ops::Range<u64> {
    offset / SECTOR..(offset + len).div_ceil(SECTOR)
}

/// Bytes of these sectors, for the drive to write.
fn sectors_bytes(offset: u64, len: u64) -> u64 {
    let sectors = sectors(offset, len);
    (sectors.end - sectors.start) * SECTOR
}
