//! Limits in front of a drive: token buckets, as cloud volumes and throttled disks have them.
//!
//! A bucket holds tokens and is refilled at a steady rate. An operation takes its tokens when it passes, and
//! waits at the host until they are there. The time of an operation is computed on submission by the generic
//! cell rate algorithm (ITU-T I.371), which is the bucket's continuous form and needs one number of state.

use crate::drive::Op;

/// Buckets keep their time in 1/256 ns: at a million operations per second a whole nanosecond would be an
/// error of a thousandth.
const FRACTION: f64 = 256.0;
const NS_PER_S: f64 = 1e9;
/// Longest slice.
pub(crate) const SLICE_MAX_NS: u64 = 10_000_000_000;

/// One token bucket in numbers.
///
/// The tokens of an operation are those of its direction: one price per operation and one per byte. An
/// operation that is free of charge passes at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// Tokens per second that flow in.
    pub tokens_per_s: f64,
    /// Tokens that the full bucket holds beyond those of the next operation. 0 for a limit without bursts.
    pub burst_tokens: f64,
    /// Tokens per read.
    pub read_tokens: f64,
    /// Tokens per write.
    pub write_tokens: f64,
    /// Tokens per byte read.
    pub read_byte_tokens: f64,
    /// Tokens per byte written.
    pub write_byte_tokens: f64,
    /// Bytes of one operation as the limit counts: a larger one counts as several. `u64::MAX`: never.
    pub operation_bytes: u64,
    /// Nanoseconds from one inflow of tokens to the next; 0 for a steady flow. Limiters that work in slices
    /// pass some operations at once and hold the others until the next slice.
    pub slice_ns: u64,
}

impl Bucket {
    /// A bucket that charges nothing yet.
    #[must_use]
    pub fn new(tokens_per_s: f64, burst_tokens: f64) -> Bucket {
        Bucket {
            tokens_per_s,
            burst_tokens,
            read_tokens: 0.0,
            write_tokens: 0.0,
            read_byte_tokens: 0.0,
            write_byte_tokens: 0.0,
            operation_bytes: u64::MAX,
            slice_ns: 0,
        }
    }

    fn charges_reads(&self) -> bool {
        self.read_tokens > 0.0 || self.read_byte_tokens > 0.0
    }

    fn charges_writes(&self) -> bool {
        self.write_tokens > 0.0 || self.write_byte_tokens > 0.0
    }
}

/// A bucket in use.
#[derive(Clone, Debug)]
struct Level {
    /// When the bucket is full again, in 1/256 ns.
    full_at: u64,
    /// Time in which an empty bucket fills, in 1/256 ns.
    burst: u64,
    /// Time that one token needs to flow in, in 1/256 ns.
    read: Price,
    write: Price,
    operation_bytes: u64,
    /// Time from one inflow to the next, in 1/256 ns; 0 for a steady flow.
    slice: u64,
}

#[derive(Clone, Copy, Debug)]
struct Price {
    operation: f64,
    byte: f64,
}

impl Level {
    /// The last inflow of tokens as of `now`, and when the next operation may pass: then, or earlier.
    #[inline]
    fn times(&self, now: u64) -> (u64, u64) {
        let from = self.full_at.saturating_sub(self.burst);
        if self.slice == 0 {
            return (now, from);
        }
        (now - now % self.slice, from.checked_next_multiple_of(self.slice).unwrap_or(u64::MAX))
    }
}

impl Price {
    fn is_free(self) -> bool {
        self.operation == 0.0 && self.byte == 0.0
    }
}

/// The limits of one drive in use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    levels: Box<[Level]>,
    /// Every bucket charges both directions, so operations pass in their order.
    is_one_line: bool,
}

impl Limits {
    /// Full buckets.
    pub(crate) fn new(buckets: &[Bucket]) -> Limits {
        let level = |bucket: &Bucket| {
            let token = NS_PER_S * FRACTION / bucket.tokens_per_s;
            let price =
                |operation: f64, byte: f64| Price { operation: operation * token, byte: byte * token };
            let slice = bucket.slice_ns.min(SLICE_MAX_NS) * FRACTION as u64;
            let burst = ((bucket.burst_tokens * token) as u64).min(u64::MAX >> 8);
            Level {
                full_at: 0,
                // An inflow brings the tokens of a whole slice.
                burst: burst + slice,
                slice,
                read: price(bucket.read_tokens, bucket.read_byte_tokens),
                write: price(bucket.write_tokens, bucket.write_byte_tokens),
                operation_bytes: bucket.operation_bytes.max(1),
            }
        };
        Limits {
            levels: buckets.iter().filter(|bucket| bucket.tokens_per_s < f64::INFINITY).map(level).collect(),
            is_one_line: buckets.iter().all(|bucket| bucket.charges_reads() && bucket.charges_writes()),
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// True if no operation overtakes another one: the drive then sees the operations as they pass. Otherwise
    /// reads may wait while writes go on, and the wait is added to the time of the drive.
    #[inline]
    pub(crate) fn is_one_line(&self) -> bool {
        self.is_one_line
    }

    /// Takes the tokens of an operation and returns how long it waits for them.
    #[inline]
    pub(crate) fn pass(&mut self, now_ns: u64, op: Op) -> u64 {
        let (is_read, len) = match op {
            Op::Read { len, .. } => (true, len),
            Op::Write { len, .. } => (false, len),
            Op::Flush => return 0,
        };
        let now = now_ns.saturating_mul(FRACTION as u64);
        let mut wait = 0;
        for level in &mut self.levels {
            let price = if is_read { level.read } else { level.write };
            if price.is_free() {
                continue;
            }
            let (inflow, from) = level.times(now);
            wait = wait.max(from.saturating_sub(now));
            let operations = if u64::from(len) <= level.operation_bytes {
                1.0
            } else {
                u64::from(len).div_ceil(level.operation_bytes) as f64
            };
            let cost = (operations * price.operation + f64::from(len) * price.byte) as u64;
            level.full_at = level.full_at.max(inflow).saturating_add(cost);
        }
        wait / FRACTION as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn read(len: u32) -> Op {
        Op::Read { offset: 0, len }
    }

    fn write(len: u32) -> Op {
        Op::Write { offset: 0, len }
    }

    /// Operations that pass until `end_ns` when one always waits.
    fn passed(limits: &mut Limits, op: Op, end_ns: u64) -> u64 {
        let (mut now_ns, mut count) = (0, 0);
        while now_ns < end_ns {
            now_ns += limits.pass(now_ns, op);
            count += 1;
        }
        count - 1
    }

    #[test]
    fn a_bucket_passes_its_burst_at_once_and_then_its_rate() {
        let bucket = Bucket { read_tokens: 1.0, write_tokens: 1.0, ..Bucket::new(3000.0, 900.0) };
        assert_eq!(passed(&mut Limits::new(&[bucket]), read(4096), 1), 901);
        assert_eq!(passed(&mut Limits::new(&[bucket]), write(4096), 10 * S), 30_901);
        // An idle second fills what it can.
        let mut limits = Limits::new(&[bucket]);
        passed(&mut limits, read(4096), S);
        assert_eq!(limits.pass(2 * S, read(4096)), 0);
    }

    #[test]
    fn bytes_and_large_operations_count_as_the_rule_says() {
        let bytes = Bucket { read_byte_tokens: 1.0, write_byte_tokens: 1.0, ..Bucket::new(1e6, 0.0) };
        assert_eq!(passed(&mut Limits::new(&[bytes]), read(100_000), S), 10);
        let split = Bucket { write_tokens: 1.0, operation_bytes: 256 << 10, ..Bucket::new(1000.0, 0.0) };
        assert_eq!(passed(&mut Limits::new(&[split]), write(1 << 20), S), 250);
        assert_eq!(Limits::new(&[split]).pass(0, read(1 << 20)), 0);
    }

    #[test]
    fn a_shared_budget_weighs_reads_and_written_bytes() {
        // eloqstore's fit of an Azure drive: reads/s + 513 x write MB/s <= 366 000.
        let shared = Bucket { read_tokens: 1.0, write_byte_tokens: 513e-6, ..Bucket::new(366e3, 0.0) };
        let mut limits = Limits::new(&[shared]);
        let (mut now_ns, mut reads, mut written) = (0, 0u64, 0u64);
        while now_ns < S {
            now_ns += limits.pass(now_ns, write(128 << 10));
            written += 128 << 10;
            for _ in 0..100 {
                now_ns += limits.pass(now_ns, read(4096));
                reads += 1;
            }
        }
        let used = reads as f64 + 513e-6 * written as f64;
        assert!((used / 366e3 - 1.0).abs() < 1e-3, "{used}");
    }

    #[test]
    fn slices_pass_some_operations_at_once_and_hold_the_others() {
        let slice_ns = 3_000_000;
        let bucket = Bucket { read_tokens: 1.0, slice_ns, ..Bucket::new(20_000.0, 0.0) };
        let mut limits = Limits::new(&[bucket]);
        // One always waits, and each takes 20 us beyond the limit.
        let (mut now_ns, mut waits) = (0, Vec::new());
        while now_ns < S {
            let wait_ns = limits.pass(now_ns, read(4096));
            waits.push(wait_ns);
            now_ns += wait_ns + 20_000;
        }
        let held = waits.iter().filter(|wait| **wait > 0).count();
        assert!((waits.len() as f64 / 20_000.0 - 1.0).abs() < 0.01, "{}", waits.len());
        assert!((300..400).contains(&held), "one of sixty is held: {held}");
        assert!(waits.iter().all(|wait| *wait == 0 || *wait > slice_ns / 2), "nothing between");
    }

    #[test]
    fn no_limit_costs_nothing_and_absurd_ones_stay_bounded() {
        let none = Bucket { read_tokens: 1.0, ..Bucket::new(f64::INFINITY, 0.0) };
        assert!(Limits::new(&[none]).is_empty());
        for rate in [f64::MIN_POSITIVE, 1e-9, 1e300, f64::NAN] {
            let bucket = Bucket { read_tokens: 1.0, read_byte_tokens: 1e9, ..Bucket::new(rate, 1e300) };
            let mut limits = Limits::new(&[bucket]);
            for now_ns in [0, 1, u64::MAX] {
                assert!(limits.pass(now_ns, read(u32::MAX)) <= u64::MAX >> 8);
            }
        }
    }
}
