//! The write buffer that empties at the steady rate, and how much of the time the medium is being written.

use crate::bounds::{PAGE_BYTES, TIME_MAX_NS};
use crate::spec::DriveSpec;
use crate::table::{SizeTable, bytes_ns};

const NS_PER_S: f64 = 1e9;
/// Work of the medium that waits for a flush, at most: Linux writes back by itself what is older
/// (vm.dirty_expire_centisecs = 3000).
const WAITING_MAX_NS: u64 = 30_000_000_000;
/// Levels of the table of rho^e.
const LEVELS: usize = 1024;

/// The backlog of the medium, as time: a token bucket counted in nanoseconds of writing.
#[derive(Clone, Debug)]
pub(crate) struct Writes {
    /// When everything acknowledged so far will be on the medium.
    drained_ns: u64,
    /// Time the medium needs for a full buffer.
    buffer_ns: u64,
    random_cost: SizeTable,
    /// Share of the work since the last flush that the next one has to do, in 1/65536; 0 for none.
    write_back_share: u64,
    /// The medium's work for the writes since the last flush, where it waits for one.
    waiting_ns: u64,
    /// A sequential stream costs the medium no more than its bytes at the interface's rate.
    sequential_byte_ns: f64,
    /// Share of the recent past, 0 to 1, in which the medium was written (rho), as of `seen_ns`.
    writing: f64,
    seen_ns: u64,
    /// 1 / (16 x the time over which `writing` forgets).
    forgetting: f64,
    /// rho^e by level of rho, as a chance out of 65536.
    meeting: Box<[u32; LEVELS + 1]>,
    burst_every_bytes: u64,
    burst_left_bytes: u64,
    burst_length_ns: u64,
    burst_until_ns: u64,
}

impl Writes {
    pub(crate) fn new(spec: &DriveSpec) -> Writes {
        let page_ns = NS_PER_S / spec.write_4k_per_s;
        let byte_ns = NS_PER_S / spec.write_bandwidth_bytes_per_s;
        let random_cost = SizeTable::new(|bytes| spec.write_cost_ns(bytes));
        // A unit that writes one page is busy for the time in which all units together write one page each,
        // so that is how far back "being written" reaches.
        let window_ns = page_ns * f64::from(spec.read_units.max(1));
        let exponent = spec.interference_exponent;
        let mut meeting = Box::new([0; LEVELS + 1]);
        for (level, chance) in meeting.iter_mut().enumerate() {
            *chance = ((level as f64 / LEVELS as f64).powf(exponent) * 65_536.0).round() as u32;
        }
        let (burst_every_bytes, burst_length_ns) =
            spec.collection_burst.map_or((u64::MAX, 0), |burst| (burst.every_bytes.max(1), burst.length_ns));
        Writes {
            drained_ns: 0,
            buffer_ns: ((spec.write_buffer_bytes as f64 / PAGE_BYTES as f64 * page_ns) as u64)
                .min(TIME_MAX_NS),
            random_cost,
            write_back_share: (spec.flush_write_back.clamp(0.0, 10.0) * 65_536.0) as u64,
            waiting_ns: 0,
            sequential_byte_ns: byte_ns,
            writing: 0.0,
            seen_ns: 0,
            forgetting: if window_ns > 0.0 { 1.0 / (16.0 * window_ns) } else { f64::INFINITY },
            meeting,
            burst_every_bytes,
            burst_left_bytes: burst_every_bytes,
            burst_length_ns: burst_length_ns.min(TIME_MAX_NS),
            burst_until_ns: 0,
        }
    }

    /// Brings the share of writing time up to `now_ns`: the medium was busy until it had drained, then idle.
    #[inline]
    pub(crate) fn advance(&mut self, now_ns: u64) {
        let elapsed_ns = now_ns.saturating_sub(self.seen_ns);
        if elapsed_ns == 0 {
            return;
        }
        let busy_ns = self.drained_ns.saturating_sub(self.seen_ns).min(elapsed_ns);
        if busy_ns > 0 {
            self.writing = 1.0 - (1.0 - self.writing) * self.kept(busy_ns);
        }
        if busy_ns < elapsed_ns {
            self.writing *= self.kept(elapsed_ns - busy_ns);
        }
        self.seen_ns = now_ns;
    }

    /// About exp(-x) for x = `passed_ns` / window: (1 - x/16)^16, without a call to the mathematics library.
    #[inline]
    fn kept(&self, passed_ns: u64) -> f64 {
        let left = (1.0 - passed_ns as f64 * self.forgetting).max(0.0);
        let left_2 = left * left;
        let left_4 = left_2 * left_2;
        let left_8 = left_4 * left_4;
        left_8 * left_8
    }

    /// The time that the medium needs for a write, ns.
    #[inline]
    pub(crate) fn cost_ns(&self, len: u32, sequential: bool) -> u64 {
        if sequential { bytes_ns(len, self.sequential_byte_ns) } else { self.random_cost.get(len) }
    }

    /// Takes a write of this cost in and returns how long it waits for room in the buffer.
    #[inline]
    pub(crate) fn take(&mut self, now_ns: u64, len: u32, cost_ns: u64) -> u64 {
        self.drained_ns = self.drained_ns.max(now_ns).saturating_add(cost_ns);
        if self.write_back_share > 0 {
            self.waiting_ns = (self.waiting_ns + cost_ns.min(WAITING_MAX_NS)).min(WAITING_MAX_NS);
        }
        if self.burst_length_ns > 0 {
            self.count_towards_burst(now_ns, u64::from(len));
        }
        self.queue_ns(now_ns)
    }

    /// The wait of the write at the end of the queue, at `now_ns`; 0 while the buffer has space.
    #[inline]
    pub(crate) fn queue_ns(&self, now_ns: u64) -> u64 {
        let full_until_ns = self.drained_ns.saturating_sub(self.buffer_ns);
        full_until_ns.max(self.burst_until_ns).saturating_sub(now_ns)
    }

    fn count_towards_burst(&mut self, now_ns: u64, len: u64) {
        if len < self.burst_left_bytes {
            self.burst_left_bytes -= len;
            return;
        }
        self.burst_left_bytes = self.burst_every_bytes;
        // At saturation collection is already part of the steady rate.
        if self.queue_ns(now_ns) == 0 {
            self.burst_until_ns = now_ns.saturating_add(self.burst_length_ns);
        }
    }

    /// A flush gives the medium the work that waited for one.
    pub(crate) fn write_back(&mut self, now_ns: u64) {
        if self.waiting_ns > 0 {
            let work_ns = (std::mem::take(&mut self.waiting_ns) * self.write_back_share) >> 16;
            self.drained_ns = self.drained_ns.max(now_ns).saturating_add(work_ns);
        }
    }

    /// When everything taken in so far is on the medium.
    pub(crate) fn drained_ns(&self) -> u64 {
        self.drained_ns
    }

    /// Share of the recent past in which the medium was written, 0 to 1.
    #[inline]
    pub(crate) fn writing(&self) -> f64 {
        self.writing
    }

    /// Chance that a read meets a write, out of 65536.
    #[inline]
    pub(crate) fn meeting_chance(&self) -> u32 {
        self.meeting[((self.writing * LEVELS as f64 + 0.5) as usize).min(LEVELS)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(writes_per_s: f64, buffer_bytes: u64) -> Writes {
        let spec = DriveSpec {
            read_units: 32,
            write_4k_per_s: writes_per_s,
            write_8k_per_s: writes_per_s / 2.0,
            write_buffer_bytes: buffer_bytes,
            ..DriveSpec::free()
        };
        Writes::new(&spec)
    }

    #[test]
    fn the_buffer_takes_its_bytes_at_once_and_the_rest_at_the_steady_rate() {
        let mut writes = drive(10_000.0, 10 * 4096);
        let waits: Vec<u64> = (0..13).map(|_| writes.take(0, 4096, writes.cost_ns(4096, false))).collect();
        assert_eq!(waits[..10], [0; 10]);
        assert_eq!(waits[10..], [100_000, 200_000, 300_000]);
        assert_eq!(writes.drained_ns(), 1_300_000);
        assert_eq!(writes.queue_ns(300_000), 0);
    }

    #[test]
    fn writing_follows_the_load() {
        for load in [0.05, 0.2, 0.5, 0.8, 0.95] {
            let mut writes = drive(10_000.0, 1 << 20);
            let (gap_ns, mut sum, mut samples) = ((100_000.0 / load) as u64, 0.0, 0);
            for step in 1..20_000u64 {
                // Looked at between the writes too, as a read would.
                for part in 1..=10 {
                    writes.advance(step * gap_ns + gap_ns * part / 10);
                    sum += writes.writing();
                    samples += 1;
                }
                writes.take((step + 1) * gap_ns, 4096, writes.cost_ns(4096, false));
            }
            let mean = sum / f64::from(samples);
            assert!((mean - load).abs() < 0.02, "load {load}: mean share {mean}");
        }
    }

    #[test]
    fn bursts_stop_writes_only_below_saturation() {
        let burst = crate::CollectionBurst { every_bytes: 10 * 4096, length_ns: 5_000_000 };
        let spec = DriveSpec {
            write_4k_per_s: 10_000.0,
            write_8k_per_s: 5_000.0,
            write_buffer_bytes: 4096,
            collection_burst: Some(burst),
            ..DriveSpec::free()
        };
        let mut idle = Writes::new(&spec);
        let stopped = (1..=100u64)
            .filter(|step| idle.take(step * 200_000, 4096, idle.cost_ns(4096, false)) > 4_000_000)
            .count();
        assert!((5..=60).contains(&stopped), "{stopped}");
        let mut full = Writes::new(&spec);
        let waits: Vec<u64> = (0..100).map(|_| full.take(0, 4096, full.cost_ns(4096, false))).collect();
        assert_eq!(waits[99], 99 * 100_000);
    }
}
