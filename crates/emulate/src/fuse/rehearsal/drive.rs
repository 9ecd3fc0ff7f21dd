//! The drive's own times of what is rehearsed, without any clock.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use device::{Drive, DriveSpec, Op};

use crate::recorder::IoKind;

/// Operations of each caller.
const EACH: u64 = 24;
/// The part of the drive on which they fall, bytes.
const PART: u64 = 1 << 32;

/// Mean time of an operation of this kind and size where so many callers keep one under way each, ns.
pub(super) fn mean_ns(spec: &DriveSpec, (kind, size_bytes): (IoKind, u64), callers: u32) -> u64 {
    let mut drive = Drive::new(spec, 1);
    let mut flying: BinaryHeap<Reverse<u64>> = (0..callers).map(|_| Reverse(0)).collect();
    let (count, mut total_ns) = (EACH * u64::from(callers), 0);
    for number in 1..=count {
        let Some(Reverse(now_ns)) = flying.pop() else { break };
        // Places that are spread and do not follow each other.
        let (offset, len) = (ground::spread(number) % (PART / size_bytes) * size_bytes, size_bytes as u32);
        let op = match kind {
            IoKind::Read => Op::Read { offset, len },
            IoKind::Write => Op::Write { offset, len },
            IoKind::Sync => Op::Flush,
        };
        let done_ns = drive.submit(now_ns, op).max(now_ns);
        total_ns += done_ns - now_ns;
        flying.push(Reverse(done_ns));
    }
    total_ns / count
}

#[cfg(test)]
mod tests {
    use super::*;
    use device::ReadLatency;

    #[test]
    fn one_caller_sees_the_latency_and_many_the_queue() {
        let spec = DriveSpec {
            read_latency: vec![ReadLatency { size_bytes: 4096, latency_ns: 80_000 }],
            flush_ns: 5_000,
            ..DriveSpec::free()
        };
        let one = mean_ns(&spec, (IoKind::Read, 4096), 1);
        assert!((70_000..90_000).contains(&one), "{one}");
        assert_eq!(mean_ns(&spec, (IoKind::Sync, 4096), 1), 5_000);
        assert_eq!(mean_ns(&DriveSpec::free(), (IoKind::Write, 4096), 16), 0);
    }
}
