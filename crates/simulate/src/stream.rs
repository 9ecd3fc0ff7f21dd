//! Backups and restores: a few buffers of one MiB, each read from one disk and written to another in turn.

use device::Op;
use device::datastore::DatastoreError;
use measure::Histogram;

use crate::load::Load;
use crate::store::{Disk, Store};

/// Bytes of one transfer, as SQL Server makes them by default.
pub(crate) const TRANSFER_BYTES: u32 = 1 << 20;
/// Buffers of a backup and of a restore under way, by N = bandwidth x latency of the printed numbers (0.87 MB and 3.7 MB).
pub(crate) const BACKUP_BUFFERS: u32 = 2;
pub(crate) const RESTORE_BUFFERS: u32 = 7;

/// A copy from one disk to another, once or several times.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    host: u32,
    from: Disk,
    to: Disk,
    /// Bytes of one copy.
    bytes: u64,
    cycles_left: u32,
    pause_ns: u64,
    offset: u64,
    /// Where each buffer is in its turn.
    buffers: Vec<Turn>,
    parked: u32,
    resume_ns: u64,
    measured_bytes: u64,
    pub(crate) latency: Histogram,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Ready to read the next piece.
    Idle,
    /// Read; this piece is to be written.
    Holds(u64),
    /// Waits until the next copy begins.
    Parked,
}

impl Stream {
    pub(crate) fn new(host: u32, from: Disk, to: Disk, bytes: u64, buffers: u32) -> Stream {
        Stream {
            host,
            from,
            to,
            bytes,
            cycles_left: 1,
            pause_ns: 0,
            offset: 0,
            buffers: vec![Turn::Idle; buffers as usize],
            parked: 0,
            resume_ns: 0,
            measured_bytes: 0,
            latency: Histogram::new(),
        }
    }

    /// The backups of one machine besides the load, in the hastened time of its window.
    pub(crate) fn backups(
        store: &mut Store,
        load: &Load,
        host: u32,
        machine: u32,
    ) -> Result<Stream, DatastoreError> {
        let bytes = load.database_bytes();
        let (from, to) = (store.disk(machine, 0, bytes)?, store.disk(machine, bytes, bytes)?);
        let haste = load.window.haste();
        let mut stream = Stream::new(host, from, to, (bytes as f64 / haste) as u64, BACKUP_BUFFERS);
        stream.cycles_left = load.backup_cycles;
        stream.pause_ns = (load.backup_pause_ns as f64 / haste) as u64;
        Ok(stream)
    }

    pub(crate) fn buffers(&self) -> u32 {
        self.buffers.len() as u32
    }

    pub(crate) fn measured_bytes(&self) -> u64 {
        self.measured_bytes
    }

    /// One step of a buffer at `now_ns`; returns when its next one is due, `None` at the end.
    pub(crate) fn advance(
        &mut self,
        store: &mut Store,
        now_ns: u64,
        buffer: u32,
        cost_ns_per_mib: f64,
        is_measuring: bool,
    ) -> Result<Option<u64>, DatastoreError> {
        let turn = &mut self.buffers[buffer as usize];
        if *turn == Turn::Parked {
            *turn = Turn::Idle;
            self.parked -= 1;
        }
        if let Turn::Holds(offset) = *turn {
            *turn = Turn::Idle;
            let op = Op::Write { offset, len: TRANSFER_BYTES };
            let done_ns = store.submit(now_ns, self.host, self.to, op)?;
            if is_measuring {
                self.measured_bytes += u64::from(TRANSFER_BYTES);
                self.latency.record(done_ns - now_ns);
            }
            return Ok(Some(done_ns));
        }
        if self.offset >= self.bytes {
            return Ok(self.park(buffer, now_ns));
        }
        let offset = self.offset;
        self.offset += u64::from(TRANSFER_BYTES);
        self.buffers[buffer as usize] = Turn::Holds(offset);
        let done_ns = store.submit(now_ns, self.host, self.from, Op::Read { offset, len: TRANSFER_BYTES })?;
        if is_measuring {
            self.latency.record(done_ns - now_ns);
        }
        Ok(Some(done_ns + cost_ns_per_mib as u64))
    }

    /// The copy is over for this buffer: it waits for the next one, if there is one.
    fn park(&mut self, buffer: u32, now_ns: u64) -> Option<u64> {
        if self.parked == 0 {
            self.cycles_left = self.cycles_left.saturating_sub(1);
            self.resume_ns = now_ns + self.pause_ns;
        }
        if self.cycles_left == 0 {
            return None;
        }
        self.parked += 1;
        self.buffers[buffer as usize] = Turn::Parked;
        if self.parked == self.buffers.len() as u32 {
            self.offset = 0;
        }
        Some(self.resume_ns.max(now_ns + 1))
    }
}
