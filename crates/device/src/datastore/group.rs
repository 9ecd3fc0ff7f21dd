//! One disk group: its own work, one operation at a time, a cache drive and the capacity drives behind it.

use super::buffer::Buffer;
use super::spec::{CacheTier, DatastoreSpec, LinearCost};
use crate::drive::{Drive, Op};
use crate::streams::Streams;

/// One disk group in use.
#[derive(Clone, Debug)]
pub(super) struct Group {
    cache: Option<Drive>,
    capacity: Vec<Drive>,
    tier: CacheTier,
    buffer: Buffer,
    /// Bytes of objects in the group, of which the buffer holds a part.
    stored_bytes: f64,
    read_work: LinearCost,
    write_work: LinearCost,
    destage_work: f64,
    destage_batch_bytes: f64,
    write_byte_ns: [f64; 2],
    /// When the group has done all work that was given to it.
    free_ns: u64,
    /// The next offset of the buffer's log on the cache drive.
    log_offset: u64,
    /// The next offset of the log of its records, behind that.
    record_offset: u64,
    /// Bytes owed to the capacity drives.
    owed_bytes: f64,
    destaged_bytes: u64,
    /// Mean size of the writes, which is the size in which they are destaged.
    write_bytes: f64,
    /// Share of writes that go on with a stream, as the capacity drives will see them.
    streams: Streams,
    sequential: f64,
    turn: u64,
}

/// Most operations that one arrival makes the destager catch up with.
const CATCH_UP_MAX: u32 = 8;
/// Weight of the latest write in the means over writes.
const RECENT: f64 = 1.0 / 64.0;
/// The range of scattered data: it is spread over this many bytes of a drive.
const SPREAD_BYTES: u64 = 1 << 39;
/// Bytes of the record that the log of a buffer keeps of each write (vSAN: LLOG beside PLOG).
const RECORD_BYTES: u32 = 4096;

/// A page anywhere, another for each number.
fn scattered(number: u64) -> u64 {
    ground::spread(number) & (SPREAD_BYTES - 1) & !4095
}

impl Group {
    pub(super) fn new(spec: &DatastoreSpec, seed: u64) -> Group {
        let drive = |number: u64, of| Drive::new(of, seed.wrapping_add(number));
        let per_byte_ns = |rate_8k: f64, bandwidth: f64| [1e9 / (rate_8k * 8192.0), 1e9 / bandwidth];
        Group {
            cache: (spec.cache_tier != CacheTier::None).then(|| drive(0, &spec.cache)),
            capacity: (0..u64::from(spec.capacity_drives)).map(|n| drive(n + 1, &spec.capacity)).collect(),
            tier: spec.cache_tier,
            buffer: Buffer::new(spec),
            stored_bytes: 0.0,
            read_work: spec.group_read,
            write_work: spec.group_write,
            destage_work: spec.destage_work,
            destage_batch_bytes: spec.destage_batch_bytes as f64,
            write_byte_ns: per_byte_ns(
                spec.capacity.write_8k_per_s,
                spec.capacity.write_bandwidth_bytes_per_s,
            ),
            free_ns: 0,
            log_offset: 0,
            record_offset: 0,
            owed_bytes: 0.0,
            destaged_bytes: 0,
            write_bytes: 8192.0,
            streams: Streams::new(),
            sequential: 0.0,
            turn: 0,
        }
    }

    pub(super) fn fill(&mut self, bytes: u64) {
        self.stored_bytes += bytes as f64;
        self.buffer.fill(bytes);
    }

    pub(super) fn hasten(&mut self, factor: f64) {
        self.buffer.hasten(factor);
    }

    pub(super) fn destaged_bytes(&self) -> u64 {
        self.destaged_bytes
    }

    pub(super) fn buffer_fill(&self) -> f64 {
        self.buffer.level()
    }

    /// A read at `now_ns`; returns how long it takes. `draw` decides whether the buffer still has the data.
    pub(super) fn read(&mut self, now_ns: u64, drive: usize, offset: u64, len: u32, draw: u64) -> u64 {
        let work_ns = self.work(now_ns, self.read_work.of(len));
        let from_cache = match self.tier {
            CacheTier::None => 0.0,
            CacheTier::WriteBuffer => self.buffered_share(),
            CacheTier::Hybrid { read_hit_ratio } => read_hit_ratio,
        };
        let cached = (draw >> 11) as f64 / (1u64 << 53) as f64 <= from_cache && draw != u64::MAX;
        let source = match &mut self.cache {
            Some(cache) if cached => cache,
            _ => {
                let drive = drive % self.capacity.len();
                &mut self.capacity[drive]
            }
        };
        work_ns + source.submit(now_ns, Op::Read { offset, len }) - now_ns
    }

    /// A write at `now_ns`; returns how long it takes, and how much of that it was held back for a filling
    /// buffer.
    pub(super) fn write(&mut self, now_ns: u64, drive: usize, offset: u64, len: u32) -> (u64, u64) {
        let work_ns = self.work(now_ns, self.write_work.of(len));
        self.write_bytes += (f64::from(len) - self.write_bytes) * RECENT;
        let follows = if self.streams.continues(offset, len) { 1.0 } else { 0.0 };
        self.sequential += (follows - self.sequential) * RECENT;
        let drive = drive % self.capacity.len();
        let Some(cache) = &mut self.cache else {
            return (work_ns + self.capacity[drive].submit(now_ns, Op::Write { offset, len }) - now_ns, 0);
        };
        // The buffer is a log: whatever the guests write, the cache drive is written in sequence, with a
        // record of it in a second log.
        let (log_offset, record_offset) = (self.log_offset, self.record_offset);
        self.log_offset = (log_offset + u64::from(len)) & (SPREAD_BYTES - 1);
        self.record_offset = (record_offset + u64::from(RECORD_BYTES)) & (SPREAD_BYTES - 1);
        let record = Op::Write { offset: SPREAD_BYTES + record_offset, len: RECORD_BYTES };
        let drive_ns =
            cache.submit(now_ns, record).max(cache.submit(now_ns, Op::Write { offset: log_offset, len }))
                - now_ns;
        // Data still in the buffer is overwritten in place: only the rest fills the buffer, and has to leave
        // again.
        let fresh_share = 1.0 - self.buffered_share();
        let fresh_bytes = f64::from(len) * fresh_share;
        let urgency = self.buffer.urgency();
        let batch_ns = self.destage_batch_bytes * self.medium_byte_ns() * urgency.min(1.0) * fresh_share;
        let held_ns = self.buffer.take(fresh_bytes) + batch_ns as u64;
        self.owed_bytes += fresh_bytes * urgency;
        self.destage(now_ns, drive);
        (work_ns + drive_ns + held_ns, held_ns)
    }

    /// Share of the data in the group that the buffer holds: the chance to find any of it there.
    fn buffered_share(&self) -> f64 {
        if self.stored_bytes > 0.0 { (self.buffer.held_bytes() / self.stored_bytes).min(1.0) } else { 0.0 }
    }

    /// Moves the due data: read from the cache drive, written to a capacity drive, with the group's own work
    /// for both.
    fn destage(&mut self, now_ns: u64, drive: usize) {
        let len = self.write_bytes.clamp(4096.0, 1_048_576.0) as u32;
        for _ in 0..CATCH_UP_MAX {
            if self.owed_bytes < f64::from(len) || self.buffer.held_bytes() <= 0.0 {
                self.owed_bytes = self.owed_bytes.min(f64::from(len) * f64::from(CATCH_UP_MAX));
                return;
            }
            self.owed_bytes -= f64::from(len);
            self.turn += 1;
            let random = scattered(self.turn);
            let offset = if self.is_sequential() { self.destaged_bytes } else { random };
            if let Some(cache) = &mut self.cache {
                cache.submit(now_ns, Op::Read { offset: random, len });
            }
            self.capacity[drive].submit(now_ns, Op::Write { offset, len });
            let medium_ns = f64::from(len) * self.medium_byte_ns();
            self.work(now_ns, self.destage_work * medium_ns);
            self.buffer.give(len);
            self.destaged_bytes += u64::from(len);
        }
    }

    fn is_sequential(&self) -> bool {
        self.sequential > 0.5
    }

    /// Nanoseconds in which a capacity drive takes a byte of the present writes.
    fn medium_byte_ns(&self) -> f64 {
        self.write_byte_ns[usize::from(self.is_sequential())]
    }

    /// Gives the group work; returns how long until it is done.
    fn work(&mut self, now_ns: u64, work_ns: f64) -> u64 {
        self.free_ns = self.free_ns.max(now_ns) + work_ns as u64;
        self.free_ns - now_ns
    }
}
