//! The numbers that make one drive differ from another, and the closed forms that follow from them.

use crate::bounds::PAGE_BYTES;
use crate::limit::Bucket;
use crate::map::ReadMap;

const NS_PER_S: f64 = 1e9;

/// Mean latency of one read of a given size on an idle drive (queue depth 1, no writes going on).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadLatency {
    /// Bytes transferred.
    pub size_bytes: u64,
    /// Nanoseconds from submission to completion, the transfer over the interface included.
    pub latency_ns: u64,
}

/// The ability of an interface to carry reads and writes at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplex {
    /// One direction at a time (SATA): reads and writes share one link.
    Half,
    /// Both directions at once (PCIe, SAS): each direction has its own link.
    Full,
}

/// Background collection that stops writes now and then at moderate load, seen on some drives only.
///
/// At saturation the collection is part of the sustained write rate, so no burst is added there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollectionBurst {
    /// Bytes written between two bursts.
    pub every_bytes: u64,
    /// Nanoseconds for which no write is acknowledged.
    pub length_ns: u64,
}

/// One drive in numbers: the input of [`crate::Drive`].
///
/// Times are nanoseconds, sizes bytes, rates per second. `f64::INFINITY` means "no limit" where a field is a
/// rate. Where the numbers of a real drive come from is said in its catalogue entry.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveSpec {
    /// Read latency by size at queue depth 1, ascending in size. Between two sizes it is interpolated; above
    /// the largest the rest crosses at `read_bandwidth_bytes_per_s`; below the smallest it is that of the
    /// smallest.
    pub read_latency: Vec<ReadLatency>,
    /// p99 over p50 of a read on the idle drive, 1 or more. The mean stays `read_latency`.
    pub read_tail_ratio: f64,
    /// Units that serve reads side by side: flash dies or planes, or spindles.
    pub read_units: u32,
    /// 4 KiB random reads per second with every unit always busy, so the limit at unbounded depth. A unit is
    /// busy with one read for `read_units / read_4k_per_s` seconds.
    pub read_4k_per_s: f64,
    /// The same for 8 KiB reads and larger pieces, for drives that need longer for them than for 4 KiB;
    /// `None` when a unit delivers a whole piece in the time of 4 KiB.
    pub read_8k_per_s: Option<f64>,
    /// Bytes that one unit delivers in one go: a flash page, or the stripe of an array. Larger reads keep
    /// several units busy.
    pub read_piece_bytes: u64,
    /// Bytes per second from the drive.
    pub read_bandwidth_bytes_per_s: f64,
    /// Bytes per second to the drive; also the limit of a sequential write stream.
    pub write_bandwidth_bytes_per_s: f64,
    /// Half duplex if the two directions share one link.
    pub duplex: Duplex,
    /// Commands the drive takes at once (SATA NCQ: 32); more wait at the host.
    pub queue_limit: u32,
    /// Nanoseconds until a 4 KiB write is acknowledged while the write buffer has room.
    pub write_ack_ns: u64,
    /// p99 over p50 of such an acknowledgement without its transfer, 1 or more; the mean is `write_ack_ns`.
    pub write_tail_ratio: f64,
    /// 4 KiB random writes per second in the steady state, at which the write buffer empties.
    pub write_4k_per_s: f64,
    /// 8 KiB random writes per second in the steady state. The line through the costs of 4 and 8 KiB gives
    /// that of larger random writes, but none goes faster than `write_bandwidth_bytes_per_s`.
    pub write_8k_per_s: f64,
    /// Bytes that can be acknowledged before they reach the medium.
    pub write_buffer_bytes: u64,
    /// Mean nanoseconds that a read loses when it meets a write on its way (`c` in c * rho^e).
    pub interference_ns: u64,
    /// Exponent of the share of writing time in the chance of that meeting (`e` in c * rho^e), 0 < e <= 4.
    pub interference_exponent: f64,
    /// Share of the writes' queueing time that a read waits too once the buffer is full, 0 to 1 (beta).
    pub queued_write_share: f64,
    /// Nanoseconds that the drive takes to change between reads and writes, where it serves both in one line:
    /// each operation then takes its turn, for as long as it costs at the highest rate of its kind. `None`
    /// where reads and writes have ways of their own.
    pub turnaround_ns: Option<u64>,
    /// Collection bursts, where the drive shows them.
    pub collection_burst: Option<CollectionBurst>,
    /// True if acknowledged writes survive a loss of power, so that a flush waits for nothing.
    pub power_loss_protection: bool,
    /// Nanoseconds of a flush itself. Without power-loss protection it comes after the buffer has emptied.
    pub flush_ns: u64,
    /// p99 over p50 of that time, 1 or more. The mean stays `flush_ns`.
    pub flush_tail_ratio: f64,
    /// Share of the medium's time for everything written since the last flush that a flush takes. 0: the
    /// drive writes back on its own. 1: acknowledged writes wait in a cache for the flush, as on virtual
    /// disks with a cache of the host. Needs a drive without power-loss protection.
    pub flush_write_back: f64,
    /// Share of the writes arriving during a flush that begin only at its end, 0 to 1.
    pub flush_held_writes: f64,
    /// Nanoseconds of a read that goes on where a recent one ended (no seek, or read ahead); `None` when such
    /// a read costs as much as any other.
    pub sequential_read_ns: Option<u64>,
    /// The relative increase of a unit's read time during continuous writes: 0.85 means 1.85 times as long.
    /// For drives whose reads and writes share spindles or dies; 0 for none.
    pub read_slowdown_by_writes: f64,
    /// Token buckets in front of the drive: an operation waits at the host until every one lets it pass.
    pub limits: Vec<Bucket>,
    /// Read latency over the load, where it was measured. It takes the place of the units, of the tail and of
    /// the interference; latencies by size beyond the first, the interface and the limits stay.
    pub read_map: Option<ReadMap>,
}

impl DriveSpec {
    /// The drive that costs nothing: every operation completes when it is submitted. It measures the floor of
    /// whatever is built around the model.
    #[must_use]
    pub fn free() -> DriveSpec {
        DriveSpec {
            read_latency: vec![ReadLatency { size_bytes: PAGE_BYTES, latency_ns: 0 }],
            read_tail_ratio: 1.0,
            read_units: 1,
            read_4k_per_s: f64::INFINITY,
            read_8k_per_s: None,
            read_piece_bytes: 16_384,
            read_bandwidth_bytes_per_s: f64::INFINITY,
            write_bandwidth_bytes_per_s: f64::INFINITY,
            duplex: Duplex::Full,
            queue_limit: 65_536,
            write_ack_ns: 0,
            write_tail_ratio: 1.0,
            write_4k_per_s: f64::INFINITY,
            write_8k_per_s: f64::INFINITY,
            write_buffer_bytes: 0,
            interference_ns: 0,
            interference_exponent: 1.0,
            queued_write_share: 0.0,
            turnaround_ns: None,
            collection_burst: None,
            power_loss_protection: true,
            flush_ns: 0,
            flush_tail_ratio: 1.0,
            flush_write_back: 0.0,
            flush_held_writes: 0.0,
            sequential_read_ns: None,
            read_slowdown_by_writes: 0.0,
            limits: Vec::new(),
            read_map: None,
        }
    }

    /// True if no operation can ever take time on this drive.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.read_latency.iter().all(|point| point.latency_ns == 0)
            && self.read_4k_per_s == f64::INFINITY
            && self.read_8k_per_s.is_none_or(|rate| rate == f64::INFINITY)
            && self.read_bandwidth_bytes_per_s == f64::INFINITY
            && self.write_bandwidth_bytes_per_s == f64::INFINITY
            && self.write_4k_per_s == f64::INFINITY
            && self.write_8k_per_s == f64::INFINITY
            && self.write_ack_ns == 0
            && self.interference_ns == 0
            && self.turnaround_ns.is_none_or(|ns| ns == 0)
            && self.collection_burst.is_none()
            && self.read_map.is_none()
            && self.flush_ns == 0
            && self.sequential_read_ns.is_none_or(|ns| ns == 0)
            && self.limits.iter().all(|bucket| bucket.tokens_per_s == f64::INFINITY)
    }

    /// Nanoseconds for which one 4 KiB read keeps a unit busy: units / (4 KiB reads per second).
    #[must_use]
    pub fn unit_read_ns(&self) -> f64 {
        f64::from(self.read_units) / self.read_4k_per_s * NS_PER_S
    }

    /// Mean nanoseconds of one read of `size_bytes` on the idle drive, by the rule of
    /// [`DriveSpec::read_latency`].
    #[must_use]
    pub fn read_latency_ns(&self, size_bytes: u64) -> f64 {
        let points = &self.read_latency;
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return 0.0 };
        if size_bytes <= first.size_bytes {
            return first.latency_ns as f64;
        }
        if size_bytes >= last.size_bytes {
            let rest_bytes = (size_bytes - last.size_bytes) as f64;
            return last.latency_ns as f64 + rest_bytes / self.read_bandwidth_bytes_per_s * NS_PER_S;
        }
        let above = points.partition_point(|point| point.size_bytes < size_bytes).clamp(1, points.len() - 1);
        let (low, high) = (points[above - 1], points[above]);
        let span_bytes = high.size_bytes.saturating_sub(low.size_bytes).max(1) as f64;
        let share = (size_bytes - low.size_bytes) as f64 / span_bytes;
        low.latency_ns as f64 + share * (high.latency_ns as f64 - low.latency_ns as f64)
    }

    /// Nanoseconds for which one random write of `size_bytes` keeps the medium busy in the steady state: the
    /// line through the costs of 4 and 8 KiB, and never less than its bytes at the interface's rate.
    #[must_use]
    pub fn write_cost_ns(&self, size_bytes: u64) -> f64 {
        let (page_ns, pair_ns) = (NS_PER_S / self.write_4k_per_s, NS_PER_S / self.write_8k_per_s);
        let pages_beyond_one = (size_bytes.max(PAGE_BYTES) / PAGE_BYTES - 1) as f64;
        let medium_ns = page_ns + pages_beyond_one * (pair_ns - page_ns).max(0.0);
        medium_ns.max(size_bytes as f64 / self.write_bandwidth_bytes_per_s * NS_PER_S)
    }

    /// Nanoseconds for which one random read of `size_bytes` keeps a drive busy that does nothing else, all
    /// units together: by the rates of 4 and 8 KiB up to a piece, and by its pieces beyond.
    #[must_use]
    pub fn read_cost_ns(&self, size_bytes: u64) -> f64 {
        let pieces = size_bytes.div_ceil(self.read_piece_bytes.max(PAGE_BYTES)).max(1) as f64;
        let per_s = self.read_8k_per_s.filter(|_| size_bytes > PAGE_BYTES).unwrap_or(self.read_4k_per_s);
        pieces * NS_PER_S / per_s
    }

    /// 4 KiB random reads per second that `depth` readers get from the otherwise idle drive: the units by
    /// [`reads_per_s_at`], bounded by the interface.
    #[must_use]
    pub fn expected_reads_per_s(&self, depth: u32) -> f64 {
        let depth = depth.min(self.queue_limit);
        let latency_ns = self.read_latency_ns(PAGE_BYTES);
        reads_per_s_at(depth, self.read_units, self.read_4k_per_s, latency_ns)
            .min(self.read_bandwidth_bytes_per_s / PAGE_BYTES as f64)
    }
}

/// Reads per second of `depth` readers on `units` units that together can do `limit_per_s`, when one read
/// takes `latency_ns` on the idle drive.
///
/// Mean value analysis of a closed network: each read spends a fixed time L outside the units and S in one of
/// D units chosen at random. For n = 1 .. N readers: R = S (1 + Q - U/2), X = n / (L + R), Q = X R / D, U = X
/// S / D, where -U/2 is the residual of a constant service time (Reiser 1979). Without that term and with L =
/// 0 it is X(N) = N / (S (N + D - 1) / D); that simpler form with L added counts readers outside the units as
/// queueing and is up to a quarter too low at depths near D.
#[must_use]
pub fn reads_per_s_at(depth: u32, units: u32, limit_per_s: f64, latency_ns: f64) -> f64 {
    reads_per_s_by_depth(depth, units, limit_per_s, latency_ns).last().copied().unwrap_or(0.0)
}

/// [`reads_per_s_at`] for each number of readers from 1 to `depth_max`.
#[must_use]
pub fn reads_per_s_by_depth(depth_max: u32, units: u32, limit_per_s: f64, latency_ns: f64) -> Vec<f64> {
    let units = f64::from(units);
    let unit_ns = units / limit_per_s * NS_PER_S;
    let fixed_ns = (latency_ns - unit_ns).max(0.0);
    if fixed_ns + unit_ns == 0.0 {
        return vec![f64::INFINITY; depth_max as usize];
    }
    let (mut queued, mut busy) = (0.0, 0.0);
    let mut by_depth = Vec::with_capacity(depth_max as usize);
    for readers in 1..=depth_max {
        let in_unit_ns = unit_ns * (1.0 + queued - busy / 2.0);
        let per_ns = f64::from(readers) / (fixed_ns + in_unit_ns);
        queued = per_ns * in_unit_ns / units;
        busy = per_ns * unit_ns / units;
        by_depth.push(per_ns * NS_PER_S);
    }
    by_depth
}

/// The limit at unbounded depth of units that reach `reads_per_s` at `depth` and take `latency_ns` when idle:
/// [`reads_per_s_at`] solved for its limit. Datasheets print a rate at a depth; [`DriveSpec::read_4k_per_s`]
/// is the limit.
///
/// `None` when no limit does it: either the rate needs reads faster than `latency_ns` even without queueing,
/// or so few and slow units that one read alone takes longer than `latency_ns`.
#[must_use]
pub fn read_limit_from(reads_per_s: f64, depth: u32, units: u32, latency_ns: f64) -> Option<f64> {
    let at = |limit_per_s: f64| reads_per_s_at(depth, units, limit_per_s, latency_ns);
    // Below this limit the time in a unit alone exceeds the latency.
    let mut low = f64::from(units) / latency_ns * NS_PER_S;
    let mut high = low.max(reads_per_s) * 1e6;
    let solvable = reads_per_s > 0.0 && low.is_finite() && at(low) <= reads_per_s && at(high) >= reads_per_s;
    if !solvable {
        return None;
    }
    for _ in 0..100 {
        let middle = (low * high).sqrt();
        if at(middle) < reads_per_s {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high)
}
