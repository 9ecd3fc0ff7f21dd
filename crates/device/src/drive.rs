//! The model of one drive: when does this operation complete.

use ground::Random;

use crate::bounds::{PAGE_BYTES, TIME_MAX_NS};
use crate::draw::{DRAW_BITS, Multiplier};
use crate::limit::Limits;
use crate::line::Line;
use crate::map::Loaded;
use crate::slots::Slots;
use crate::spec::{DriveSpec, Duplex};
use crate::streams::Streams;
use crate::table::{SizeTable, bytes_ns};
use crate::units::Units;
use crate::writes::Writes;

const NS_PER_S: f64 = 1e9;

/// One operation on a drive. Offsets and lengths are bytes; they need not be aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Reads `len` bytes.
    Read {
        /// First byte.
        offset: u64,
        /// Bytes.
        len: u32,
    },
    /// Writes `len` bytes.
    Write {
        /// First byte.
        offset: u64,
        /// Bytes.
        len: u32,
    },
    /// Makes everything acknowledged so far survive a loss of power.
    Flush,
}

/// A drive in use: the state behind a [`DriveSpec`].
///
/// The completion time of an operation is computed when it is submitted, so a caller may wait for it in real
/// time, in virtual time or not at all. Operations are taken in the order of submission.
#[derive(Clone, Debug)]
pub struct Drive {
    spec: DriveSpec,
    free: bool,
    limits: Limits,
    map: Option<Box<Loaded>>,
    clock_ns: u64,
    slots: Slots,
    /// When each direction of the interface is free again; a half-duplex one uses only the first.
    link_free_ns: [u64; 2],
    write_link: usize,
    read_byte_ns: f64,
    write_byte_ns: f64,
    /// Read latency without the transfer, which the link charges.
    read_base: SizeTable,
    units: Units,
    /// Where reads and writes are served by turns.
    line: Option<Line>,
    writes: Writes,
    write_streams: Streams,
    read_streams: Option<(Streams, u64)>,
    /// Write acknowledgement without the transfer of a page, which the link charges.
    write_base_ns: u64,
    tail: Multiplier,
    /// `None` where each acknowledgement takes the same time, and so for flushes: no draw is made then.
    ack_tail: Option<Multiplier>,
    flush_tail: Option<Multiplier>,
    /// Share of the writes that wait for the end of a flush, in 1/65536, and when the latest flush ends.
    held_share: u64,
    flush_until_ns: u64,
    meeting: Multiplier,
    interference_ns: u64,
    /// Share of the writes' queue that a read waits, in 1/65536.
    queue_share: u64,
    random: Random,
    /// Draws of acknowledgements and flushes: those of reads do not depend on how much was written.
    write_random: Random,
}

impl Drive {
    /// A drive with these numbers, idle and empty, whose random draws all come from `seed` (xoshiro256++).
    ///
    /// The specification should pass [`DriveSpec::validate`]. With one that does not, times are bounded but
    /// meaningless.
    #[must_use]
    pub fn new(spec: &DriveSpec, seed: u64) -> Drive {
        let mut random = Random::new(seed);
        let read_byte_ns = NS_PER_S / spec.read_bandwidth_bytes_per_s;
        let write_byte_ns = NS_PER_S / spec.write_bandwidth_bytes_per_s;
        let salt = random.next_u64();
        let spread = |ratio: f64| (ratio > 1.0).then(|| Multiplier::lognormal(ratio));
        Drive {
            free: spec.is_free(),
            limits: Limits::new(&spec.limits),
            map: spec.read_map.as_ref().filter(|map| map.is_sound()).map(|map| Box::new(Loaded::new(map))),
            clock_ns: 0,
            slots: Slots::new(spec.queue_limit),
            link_free_ns: [0; 2],
            write_link: if spec.duplex == Duplex::Half { 0 } else { 1 },
            read_byte_ns,
            write_byte_ns,
            read_base: SizeTable::new(|bytes| {
                (spec.read_latency_ns(bytes) - bytes as f64 * read_byte_ns).max(0.0)
            }),
            units: Units::new(spec, salt),
            line: Line::of(spec),
            writes: Writes::new(spec),
            write_streams: Streams::new(),
            read_streams: spec.sequential_read_ns.map(|ns| (Streams::new(), ns.min(TIME_MAX_NS))),
            write_base_ns: spec
                .write_ack_ns
                .min(TIME_MAX_NS)
                .saturating_sub(bytes_ns(PAGE_BYTES as u32, write_byte_ns)),
            tail: Multiplier::lognormal(spec.read_tail_ratio),
            ack_tail: spread(spec.write_tail_ratio),
            flush_tail: spread(spec.flush_tail_ratio),
            held_share: (spec.flush_held_writes.clamp(0.0, 1.0) * 65_536.0) as u64,
            flush_until_ns: 0,
            meeting: Multiplier::erlang2(),
            interference_ns: spec.interference_ns.min(TIME_MAX_NS),
            queue_share: (spec.queued_write_share.clamp(0.0, 1.0) * 65_536.0) as u64,
            random,
            write_random: Random::new(!seed),
            spec: spec.clone(),
        }
    }

    /// The numbers this drive was made from.
    #[must_use]
    pub fn spec(&self) -> &DriveSpec {
        &self.spec
    }

    /// Submits an operation at `now_ns` and returns when it completes, never before `now_ns`.
    ///
    /// The origin of time is the caller's. A `now_ns` before that of an earlier submission counts as the same
    /// instant, so threads whose clock readings overtake each other do no harm.
    #[inline]
    pub fn submit(&mut self, now_ns: u64, op: Op) -> u64 {
        if self.free {
            return now_ns;
        }
        if self.limits.is_empty() {
            return self.serve(now_ns, op);
        }
        let wait_ns = self.limits.pass(now_ns, op);
        if self.limits.is_one_line() {
            return self.serve(now_ns.saturating_add(wait_ns), op);
        }
        // Reads that wait must not hold up writes that need not, so the drive sees both at their arrival.
        self.serve(now_ns, op).saturating_add(wait_ns)
    }

    /// Completion of an operation that the limits let pass at `now_ns`.
    #[inline]
    fn serve(&mut self, now_ns: u64, op: Op) -> u64 {
        match op {
            Op::Read { offset, len } => {
                let start_ns = self.admit(now_ns);
                let done_ns = start_ns.saturating_add(self.read(start_ns, offset, len));
                self.slots.occupy(done_ns);
                done_ns
            }
            Op::Write { offset, len } => {
                let start_ns = self.admit(now_ns);
                let done_ns = start_ns.saturating_add(self.write(start_ns, offset, len));
                self.slots.occupy(done_ns);
                done_ns
            }
            Op::Flush => self.flush(now_ns),
        }
    }

    /// Lets an operation in: in order of time, and only when the drive has a free slot.
    #[inline]
    fn admit(&mut self, now_ns: u64) -> u64 {
        self.clock_ns = self.slots.admit(now_ns.max(self.clock_ns));
        self.writes.advance(self.clock_ns);
        self.clock_ns
    }

    /// Nanoseconds of a read that the drive takes in now.
    #[inline]
    fn read(&mut self, now_ns: u64, offset: u64, len: u32) -> u64 {
        let random = self.random.next_u64();
        let link_ns = self.cross(0, now_ns, len, self.read_byte_ns);
        if let Some((streams, sequential_ns)) = &mut self.read_streams
            && streams.continues(offset, len)
        {
            let cost_ns = bytes_ns(len, self.read_byte_ns);
            let turn_ns = self.line.as_mut().map_or(0, |line| line.book(now_ns, cost_ns, false));
            return link_ns.saturating_add(turn_ns).saturating_add(*sequential_ns);
        }
        if let Some(map) = &mut self.map {
            // The map is that of the smallest reads; larger ones take the longer time of their size.
            let size_ns = self.read_base.get(len).saturating_sub(self.read_base.get(1));
            return link_ns.saturating_add(map.read(now_ns, random)).saturating_add(size_ns);
        }
        let unit_ns = self.units.reserve(now_ns, offset, len, self.writes.writing());
        // A read waits in the line while its unit is busy.
        let turn_ns = |line: &mut Line| line.book(now_ns, line.read_cost_ns(len), false);
        let unit_ns = unit_ns.max(self.line.as_mut().map_or(0, turn_ns));
        let base_ns = self.tail.apply(self.read_base.get(len), random);
        let chance = (random >> (2 * DRAW_BITS)) as u32 & 0xFFFF;
        let met_ns = if chance < self.writes.meeting_chance() {
            self.meeting.apply(self.interference_ns, random >> DRAW_BITS)
        } else {
            0
        };
        let queue_ns = (self.writes.queue_ns(now_ns).min(TIME_MAX_NS) * self.queue_share) >> 16;
        link_ns.saturating_add(unit_ns).saturating_add(base_ns + met_ns + queue_ns)
    }

    /// Nanoseconds until a write that the drive takes in now is acknowledged.
    #[inline]
    fn write(&mut self, now_ns: u64, offset: u64, len: u32) -> u64 {
        let link_ns = self.cross(self.write_link, now_ns, len, self.write_byte_ns);
        if let Some(map) = &mut self.map {
            map.write(now_ns, len);
        }
        let sequential = self.write_streams.continues(offset, len);
        let cost_ns = self.writes.cost_ns(len, sequential);
        let room_ns = self.writes.take(now_ns, len, cost_ns);
        let turn_ns = self.line.as_mut().map_or(0, |line| line.book(now_ns, cost_ns, true));
        let base_ns = self
            .ack_tail
            .as_ref()
            .map_or(self.write_base_ns, |tail| tail.apply(self.write_base_ns, self.write_random.next_u64()));
        let way_ns = link_ns.saturating_add(turn_ns).saturating_add(base_ns);
        way_ns.max(room_ns).saturating_add(self.held_ns(now_ns))
    }

    /// The wait of a write for the end of a flush under way.
    #[inline]
    fn held_ns(&mut self, now_ns: u64) -> u64 {
        if self.held_share == 0 || self.flush_until_ns <= now_ns {
            return 0;
        }
        let is_held = self.write_random.next_u64() & 0xFFFF < self.held_share;
        if is_held { self.flush_until_ns - now_ns } else { 0 }
    }

    fn flush(&mut self, now_ns: u64) -> u64 {
        let done_ns = self.flush_done_ns(now_ns);
        self.flush_until_ns = self.flush_until_ns.max(done_ns);
        done_ns
    }

    fn flush_done_ns(&mut self, now_ns: u64) -> u64 {
        let flush_ns = self.spec.flush_ns.min(TIME_MAX_NS);
        let flush_ns = match &self.flush_tail {
            Some(tail) => tail.apply(flush_ns, self.write_random.next_u64()),
            None => flush_ns,
        };
        if self.spec.power_loss_protection {
            return now_ns.saturating_add(flush_ns);
        }
        let now_ns = now_ns.max(self.clock_ns);
        self.writes.write_back(now_ns);
        now_ns.max(self.writes.drained_ns()).saturating_add(flush_ns)
    }

    /// Books the interface for `len` bytes; returns the time until they are across.
    #[inline]
    fn cross(&mut self, link: usize, now_ns: u64, len: u32, byte_ns: f64) -> u64 {
        let free_ns = self.link_free_ns[link].max(now_ns).saturating_add(bytes_ns(len, byte_ns));
        self.link_free_ns[link] = free_ns;
        free_ns - now_ns
    }
}
