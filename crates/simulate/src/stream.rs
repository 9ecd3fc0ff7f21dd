//! Backups and restores: a few buffers of one MiB, each read from one disk and written to another in turn.

use device::Op;
use device::datastore::DatastoreError;
use measure::{Histogram, Timeline};

use crate::load::Load;
use crate::outcome::Backups;
use crate::store::{Disk, Store};

/// Bytes of one transfer, as SQL Server makes them by default.
pub(crate) const TRANSFER_BYTES: u32 = 1 << 20;
/// Buffers of a backup and of a restore under way, by N = bandwidth x latency of the printed numbers (0.87 MB
/// and 3.7 MB).
pub(crate) const BACKUP_BUFFERS: u32 = 2;
pub(crate) const RESTORE_BUFFERS: u32 = 7;

/// The interval at which a buffer that waits for the others checks them.
const LOOK_AGAIN_NS: u64 = 1_000_000;

/// A copy from one disk to another, once or several times.
#[derive(Clone, Debug)]
pub(crate) struct CopyStream {
    host: u32,
    from: Disk,
    to: Disk,
    /// Bytes of one copy.
    bytes: u64,
    cycles_left: u32,
    pause_ns: u64,
    offset: u64,
    /// The state of each buffer in its turn.
    buffers: Vec<Turn>,
    parked: u32,
    resume_ns: u64,
    /// From the start of one copy to that of the next, at least.
    every_ns: u64,
    /// Least time between two transfers, for a copy that is held to a rate.
    spacing_ns: u64,
    /// When the next transfer may begin by that rate.
    free_ns: u64,
    began_ns: u64,
    done_ns: Vec<(u64, u64)>,
    haste: f64,
    measured_bytes: u64,
    /// Time of all its buffers in reads and in writes, ns.
    pub(crate) read_ns: u64,
    pub(crate) write_ns: u64,
    /// Latencies of its reads.
    pub(crate) reads: Histogram,
    /// Latencies of its writes.
    pub(crate) writes: Histogram,
    /// Bytes written second by second.
    pub(crate) timeline: Timeline,
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

impl CopyStream {
    pub(crate) fn new(host: u32, from: Disk, to: Disk, bytes: u64, buffers: u32) -> CopyStream {
        CopyStream {
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
            every_ns: 0,
            spacing_ns: 0,
            free_ns: 0,
            began_ns: 0,
            done_ns: Vec::new(),
            haste: 1.0,
            measured_bytes: 0,
            read_ns: 0,
            write_ns: 0,
            reads: Histogram::new(),
            writes: Histogram::new(),
            timeline: Timeline::new(0),
        }
    }

    /// The same, with no more than this many bytes a second.
    pub(crate) fn held_to(mut self, bytes_per_s: Option<u64>) -> CopyStream {
        self.spacing_ns =
            bytes_per_s.map_or(0, |rate| (f64::from(TRANSFER_BYTES) / rate.max(1) as f64 * 1e9) as u64);
        self
    }

    /// The backups of one machine besides the load, in the hastened time of its window.
    pub(crate) fn beside(
        store: &mut Store,
        load: &Load,
        host: u32,
        machine: u32,
    ) -> Result<CopyStream, DatastoreError> {
        let bytes = load.database_bytes();
        let (from, to) = (store.disk(machine, 0, bytes)?, store.disk(machine, bytes, bytes)?);
        let haste = load.window.haste();
        let mut stream = CopyStream::new(host, from, to, (bytes as f64 / haste) as u64, BACKUP_BUFFERS);
        stream.cycles_left = load.backup_cycles;
        stream.pause_ns = (load.backup_pause_ns as f64 / haste) as u64;
        stream.every_ns = (load.backup_every_ns as f64 / haste) as u64;
        stream.haste = haste;
        Ok(stream.held_to(load.backup_limit_bytes_per_s))
    }

    /// The total of its copies.
    pub(crate) fn backups(&self) -> Backups {
        let seconds = |&(from, to): &(u64, u64)| (from as f64 / 1e9, to as f64 / 1e9);
        Backups {
            done: self.done_ns.iter().map(seconds).collect(),
            haste: self.haste,
            bytes: self.measured_bytes,
        }
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
        if self.buffers[buffer as usize] == Turn::Parked {
            let all_parked = self.parked as usize == self.buffers.len();
            if all_parked && now_ns < self.resume_ns {
                return Ok(Some(self.resume_ns));
            }
            // Some other buffer still has a piece of the last copy under way.
            if self.offset >= self.bytes {
                return Ok(Some(now_ns + LOOK_AGAIN_NS));
            }
            self.buffers[buffer as usize] = Turn::Idle;
            self.parked -= 1;
        }
        let turn = &mut self.buffers[buffer as usize];
        if let Turn::Holds(offset) = *turn {
            *turn = Turn::Idle;
            let op = Op::Write { offset, len: TRANSFER_BYTES };
            let done_ns = store.submit(now_ns, self.host, self.to, op)?;
            self.write_ns += done_ns - now_ns;
            if is_measuring {
                self.measured_bytes += u64::from(TRANSFER_BYTES);
                self.writes.record(done_ns - now_ns);
            }
            self.timeline.record(done_ns, done_ns - now_ns, u64::from(TRANSFER_BYTES));
            return Ok(Some(done_ns));
        }
        if now_ns < self.free_ns {
            return Ok(Some(self.free_ns));
        }
        if self.offset >= self.bytes {
            return Ok(self.park(buffer, now_ns));
        }
        let offset = self.offset;
        self.free_ns = now_ns.max(self.free_ns) + self.spacing_ns;
        self.offset += u64::from(TRANSFER_BYTES);
        self.buffers[buffer as usize] = Turn::Holds(offset);
        let done_ns = store.submit(now_ns, self.host, self.from, Op::Read { offset, len: TRANSFER_BYTES })?;
        self.read_ns += done_ns - now_ns;
        if is_measuring {
            self.reads.record(done_ns - now_ns);
        }
        Ok(Some(done_ns + cost_ns_per_mib as u64))
    }

    /// The copy is over for this buffer: it waits for the next one, if there is one, which begins when all
    /// buffers are back.
    fn park(&mut self, buffer: u32, now_ns: u64) -> Option<u64> {
        self.parked += 1;
        self.buffers[buffer as usize] = Turn::Parked;
        if (self.parked as usize) < self.buffers.len() {
            return (self.cycles_left > 1).then_some(now_ns + LOOK_AGAIN_NS);
        }
        self.done_ns.push((self.began_ns, now_ns));
        self.cycles_left = self.cycles_left.saturating_sub(1);
        self.resume_ns = (now_ns + self.pause_ns).max(self.began_ns + self.every_ns).max(now_ns + 1);
        self.began_ns = self.resume_ns;
        self.offset = 0;
        (self.cycles_left > 0).then_some(self.resume_ns)
    }
}
