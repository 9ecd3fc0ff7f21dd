//! A measured load: one mix of reads and writes held on a target for a while, and its results.

use measure::{Histogram, mean_interval};

use super::shape::LoadShape;

/// One load on a target and what it gave.
#[derive(Clone, Debug)]
pub struct Load {
    /// Name for people, such as "random 4 KiB reads, depth 8".
    pub name: String,
    /// Share of reads among the operations, 0 to 1.
    pub read_share: f64,
    /// Bytes of each operation.
    pub block_bytes: u64,
    /// True if operations follow each other on the target; false for random places.
    pub is_sequential: bool,
    /// Outstanding operations: the fixed number of a closed loop, the highest of an open one.
    pub depth: u32,
    /// Operations per second that were asked for; `None` for a closed loop.
    pub offered_per_s: Option<f64>,
    /// Writes after which a flush follows; `None` without flushes.
    pub flush_every: Option<u32>,
    /// True if nothing happened on the target for a while before.
    pub is_from_rest: bool,
    /// Bytes that had been written to the target by this profile before this load.
    pub written_before_bytes: u64,
    /// Measured time, seconds.
    pub measured_s: f64,
    /// Reads, if there were any.
    pub reads: Option<Direction>,
    /// Writes, if there were any.
    pub writes: Option<Direction>,
    /// Flushes, if there were any.
    pub flushes: Option<Direction>,
    /// Operations of both directions completed in each interval, in order, from the first operation on.
    pub counts: Vec<f64>,
    /// Length of an interval of `counts`, seconds.
    pub interval_s: f64,
}

/// The operations of one direction of a load.
#[derive(Clone, Debug)]
pub struct Direction {
    /// Completed operations per second.
    pub per_s: f64,
    /// Their latencies, ns.
    pub latency: Histogram,
}

/// Parts of the measured time whose rates tell how even the load was.
const BATCHES: usize = 10;
/// The 95 % interval of a rate whose load was counted in fewer than five intervals, as a share of it: nothing
/// is known of its evenness.
const UNKNOWN_NOISE: f64 = 0.1;
/// The least: latencies are recorded to a thousandth.
const LEAST_NOISE: f64 = 0.001;

impl Load {
    /// Seconds from the first operation to the last.
    #[must_use]
    pub fn whole_s(&self) -> f64 {
        (self.counts.len() as f64 * self.interval_s).max(self.measured_s)
    }

    /// Reads and writes completed per second of the measured time.
    #[must_use]
    pub fn per_s(&self) -> f64 {
        let of = |direction: &Option<Direction>| direction.as_ref().map_or(0.0, |direction| direction.per_s);
        of(&self.reads) + of(&self.writes)
    }

    pub(super) fn bytes_per_s(&self) -> f64 {
        self.per_s() * self.block_bytes as f64
    }

    pub(super) fn is_closed(&self) -> bool {
        self.offered_per_s.is_none()
    }

    pub(super) fn only_reads(&self) -> bool {
        self.read_share >= 1.0 && self.reads.is_some()
    }

    /// Writes without reads and flushes.
    pub(super) fn only_writes(&self) -> bool {
        self.read_share <= 0.0 && self.writes.is_some() && self.flush_every.is_none()
    }

    /// Reads alone, at random places, as many at once as asked for.
    pub(super) fn is_random_reads(&self) -> bool {
        self.only_reads() && self.is_closed() && !self.is_sequential
    }

    /// The same of writes.
    pub(super) fn is_random_writes(&self) -> bool {
        self.only_writes() && self.is_closed() && !self.is_sequential
    }

    /// Reads and writes without flushes.
    pub(super) fn is_mix(&self) -> bool {
        self.reads.is_some() && self.writes.is_some() && self.flush_every.is_none()
    }

    /// Half the 95 % interval of the rate, as a share of it: by the means of ten parts of the measured time,
    /// because neighbouring operations depend on each other.
    pub(super) fn noise(&self) -> f64 {
        let measured = (self.measured_s / self.interval_s).round() as usize;
        let counts = &self.counts[self.counts.len().saturating_sub(measured)..];
        if counts.len() < BATCHES / 2 {
            return UNKNOWN_NOISE;
        }
        let batch = counts.len().div_ceil(BATCHES);
        let batches: Vec<f64> = counts.chunks_exact(batch).map(|some| some.iter().sum()).collect();
        let interval = mean_interval(&batches).filter(|interval| interval.value > 0.0);
        let share = interval.map(|interval| (interval.high - interval.low) / 2.0 / interval.value);
        share.unwrap_or(UNKNOWN_NOISE).clamp(LEAST_NOISE, 1.0)
    }

    /// Its demand.
    #[must_use]
    pub fn shape(&self) -> LoadShape {
        LoadShape {
            read_share: self.read_share,
            block_bytes: self.block_bytes,
            is_sequential: self.is_sequential,
            depth: self.depth,
            offered_per_s: self.offered_per_s,
            flush_every: self.flush_every,
            is_from_rest: self.is_from_rest,
        }
    }

    /// True if the other load asks for the same.
    pub(super) fn asks_the_same(&self, other: &Load) -> bool {
        self.shape().asks_the_same(&other.shape())
    }
}
