//! A measured load: one mix of reads and writes held on a target for a while, and its results.

use measure::Histogram;

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
