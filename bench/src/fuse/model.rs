//! The model alone under fio's load: a constant number of outstanding operations, in virtual time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use device::{Drive, DriveSpec, Op};
use ground::SplitMix64;

/// The expectation of a caller of the model.
pub(super) struct Expected {
    pub(super) iops: f64,
    latency_ns: f64,
}

impl Expected {
    pub(super) fn mean_us(&self) -> f64 {
        self.latency_ns / 1e3
    }
}

/// Keeps `depth` operations of 4 KiB under way for `seconds`, `reads` percent of them reads.
pub(super) fn closed_loop(spec: &DriveSpec, reads: u8, depth: u32, seconds: f64) -> Expected {
    let mut drive = Drive::new(spec, 1);
    let end_ns = (seconds * 1e9) as u64;
    let mut flying: BinaryHeap<Reverse<u64>> = (0..depth).map(|_| Reverse(0)).collect();
    let (mut operations, mut total_ns, mut random) = (0_u64, 0_u64, SplitMix64::stream(1, 0));
    while let Some(Reverse(now_ns)) = flying.pop()
        && now_ns < end_ns
    {
        let drawn = random.next_u64();
        let offset = (drawn >> 20) % (1 << 18) * 4096;
        let is_read = drawn % 100 < u64::from(reads);
        let op = if is_read { Op::Read { offset, len: 4096 } } else { Op::Write { offset, len: 4096 } };
        let done_ns = drive.submit(now_ns, op);
        operations += 1;
        total_ns += done_ns - now_ns;
        flying.push(Reverse(done_ns));
    }
    let count = operations.max(1) as f64;
    Expected { iops: count / seconds, latency_ns: total_ns as f64 / count }
}
