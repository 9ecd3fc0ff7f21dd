//! Properties of every drive under every sequence of operations.

use device::{Bucket, CollectionBurst, Drive, DriveSpec, Duplex, Op, ReadLatency, ReadMap};
use proptest::prelude::*;

fn operations() -> impl Strategy<Value = Vec<(u64, Op)>> {
    let offset = prop_oneof![0u64..1 << 24, Just(u64::MAX), any::<u64>()];
    let len = prop_oneof![Just(0u32), Just(4096), 1u32..1 << 20, Just(u32::MAX)];
    let op = (0u8..10, offset, len).prop_map(|(kind, offset, len)| match kind {
        0 => Op::Flush,
        1..=5 => Op::Read { offset, len },
        _ => Op::Write { offset, len },
    });
    let gap_ns = prop_oneof![Just(0u64), 0u64..100_000, 0u64..10_000_000_000];
    prop::collection::vec((gap_ns, op), 1..200)
}

/// Any float, mostly of the size that fields have.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => 0.0f64..10.0,
        6 => 1.0f64..1e12,
        1 => any::<f64>(),
        1 => prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(-1.0), Just(f64::MIN_POSITIVE), Just(f64::MAX)],
    ]
}

/// Numbers that may make no drive at all.
fn any_spec() -> impl Strategy<Value = DriveSpec> {
    let points = prop::collection::vec((any::<u64>(), any::<u64>()), 0..4).prop_map(|points| {
        points
            .into_iter()
            .map(|(size_bytes, latency_ns)| ReadLatency { size_bytes, latency_ns })
            .collect::<Vec<_>>()
    });
    let floats = prop::collection::vec(number(), 21);
    let counts = (0u32..100_000, any::<u32>(), any::<bool>(), any::<bool>());
    let times = (any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>());
    let bursts = prop::option::of((any::<u64>(), any::<u64>()));
    (points, floats, counts, times, bursts).prop_map(|(read_latency, floats, counts, times, bursts)| {
        DriveSpec {
            read_latency,
            read_tail_ratio: floats[0],
            read_units: counts.0,
            read_4k_per_s: floats[1],
            read_8k_per_s: counts.2.then_some(floats[2]),
            read_piece_bytes: times.4,
            read_bandwidth_bytes_per_s: floats[3],
            write_bandwidth_bytes_per_s: floats[4],
            duplex: if counts.3 { Duplex::Half } else { Duplex::Full },
            queue_limit: counts.1,
            write_ack_ns: times.0,
            write_tail_ratio: floats[17],
            write_4k_per_s: floats[5],
            write_8k_per_s: floats[6],
            write_buffer_bytes: times.1,
            interference_ns: times.2,
            interference_exponent: floats[7],
            queued_write_share: floats[8],
            turnaround_ns: counts.2.then_some(times.2),
            collection_burst: bursts
                .map(|(every_bytes, length_ns)| CollectionBurst { every_bytes, length_ns }),
            power_loss_protection: counts.2,
            flush_ns: times.3,
            flush_tail_ratio: floats[18],
            flush_write_back: floats[19],
            flush_held_writes: floats[20],
            sequential_read_ns: counts.3.then_some(times.3),
            read_slowdown_by_writes: floats[9],
            limits: counts.3.then(|| bucket(&floats[10..], times.4)).into_iter().collect(),
            read_map: counts.2.then(|| map(&floats)),
        }
    })
}

/// Any numbers as a map; most of them are none.
fn map(floats: &[f64]) -> ReadMap {
    ReadMap {
        reads_per_s: vec![0.0, floats[0]],
        write_bytes_per_s: vec![floats[1]],
        p50_ns: floats[2..4].to_vec(),
        p95_ns: floats[4..6].to_vec(),
    }
}

fn bucket(floats: &[f64], operation_bytes: u64) -> Bucket {
    Bucket {
        tokens_per_s: floats[0],
        burst_tokens: floats[1],
        read_tokens: floats[2],
        write_tokens: floats[3],
        read_byte_tokens: floats[4],
        write_byte_tokens: floats[5],
        operation_bytes,
        slice_ns: operation_bytes,
    }
}

/// Numbers that make a drive, up to the ends of the allowed ranges.
fn valid_spec() -> impl Strategy<Value = DriveSpec> {
    let latency_ns = prop_oneof![1u64..1_000_000, Just(60_000_000_000)];
    let units = prop_oneof![1u32..64, Just(65_536)];
    let bandwidth = prop_oneof![1e8f64..1e11, Just(f64::INFINITY)];
    let shares = (1.0f64..100.0, 0.05f64..4.0, 0.0f64..=1.0, 0.0f64..=1.0);
    let rest = (1u32..=65_536, 0u64..1 << 40, 0u64..60_000_000_000, any::<bool>(), any::<bool>());
    (latency_ns, units, bandwidth, shares, rest).prop_map(|(latency_ns, units, bandwidth, shares, rest)| {
        let latency_ns = latency_ns.max((4096.0 / bandwidth * 1e9).ceil() as u64);
        // The units alone take the given share of the latency.
        let read_4k_per_s = (f64::from(units) / (latency_ns as f64 * shares.3.max(0.01)) * 1e9).max(1.0);
        let write_4k_per_s = (bandwidth / 8192.0).min(1e9) * shares.3.max(0.001);
        DriveSpec {
            read_latency: vec![ReadLatency { size_bytes: 4096, latency_ns }],
            read_tail_ratio: shares.0,
            read_units: units,
            read_4k_per_s,
            read_bandwidth_bytes_per_s: bandwidth,
            write_bandwidth_bytes_per_s: bandwidth,
            duplex: if rest.3 { Duplex::Half } else { Duplex::Full },
            queue_limit: rest.0,
            write_ack_ns: latency_ns,
            write_tail_ratio: shares.0,
            write_4k_per_s,
            write_8k_per_s: write_4k_per_s / 2.0,
            write_buffer_bytes: rest.1,
            interference_ns: rest.2,
            interference_exponent: shares.1,
            queued_write_share: shares.2,
            turnaround_ns: rest.3.then_some(rest.2),
            power_loss_protection: rest.4,
            flush_ns: rest.2,
            flush_tail_ratio: shares.0,
            flush_write_back: if rest.4 { 0.0 } else { shares.1 },
            flush_held_writes: shares.2,
            ..DriveSpec::free()
        }
    })
}

fn completions(spec: &DriveSpec, seed: u64, start_ns: u64, operations: &[(u64, Op)]) -> Vec<u64> {
    let mut drive = Drive::new(spec, seed);
    let mut now_ns = start_ns;
    let submit = |&(gap_ns, op): &(u64, Op)| {
        now_ns = now_ns.saturating_add(gap_ns);
        let end_ns = drive.submit(now_ns, op);
        assert!(end_ns >= now_ns, "{op:?} at {now_ns} completes at {end_ns}");
        end_ns
    };
    operations.iter().map(submit).collect()
}

proptest! {
    #[test]
    fn no_numbers_and_no_operations_break_the_model(spec in any_spec(), seed: u64, start: u64, operations in operations()) {
        let _ = spec.validate();
        prop_assert_eq!(completions(&spec, seed, start, &operations).len(), operations.len());
    }

    #[test]
    fn the_same_seed_gives_the_same_times(spec in valid_spec(), seed: u64, operations in operations()) {
        prop_assert_eq!(spec.validate(), Ok(()));
        prop_assert_eq!(completions(&spec, seed, 0, &operations), completions(&spec, seed, 0, &operations));
    }

    #[test]
    fn only_differences_of_time_matter(spec in valid_spec(), seed: u64, start in 0u64..1 << 60, operations in operations()) {
        let from_zero = completions(&spec, seed, 0, &operations);
        let later = completions(&spec, seed, start, &operations);
        prop_assert!(from_zero.iter().zip(&later).all(|(early, late)| early + start == *late));
    }

    #[test]
    fn a_clock_that_goes_back_is_taken_for_the_same_instant(spec in valid_spec(), seed: u64, back in 0u64..1_000_000) {
        let mut drive = Drive::new(&spec, seed);
        let now_ns = 1 << 40;
        drive.submit(now_ns, Op::Write { offset: 0, len: 4096 });
        let mut other = drive.clone();
        let read = Op::Read { offset: 1 << 20, len: 4096 };
        prop_assert_eq!(drive.submit(now_ns - back, read), other.submit(now_ns, read));
    }

    #[test]
    fn a_flush_ends_after_the_writes_before_it_without_protection(spec in valid_spec(), writes in 1u64..50) {
        let spec = DriveSpec { power_loss_protection: false, ..spec };
        let mut drive = Drive::new(&spec, 1);
        for page in 0..writes {
            drive.submit(0, Op::Write { offset: page << 20, len: 4096 });
        }
        let medium_ns = (writes as f64 / spec.write_4k_per_s * 1e9 * 0.99) as u64;
        // Sub-nanosecond costs are rounded to nanoseconds.
        prop_assert!(drive.submit(0, Op::Flush) + writes >= medium_ns);
    }

    #[test]
    fn a_longer_queue_never_makes_the_first_read_quicker(spec in valid_spec(), seed: u64, others in 0u64..64) {
        let idle = completions(&spec, seed, 0, &[(0, Op::Read { offset: 0, len: 4096 })])[0];
        let mut busy = Drive::new(&spec, seed);
        for page in 0..others {
            // Writes draw nothing at random, so the read's own draws stay the same.
            busy.submit(0, Op::Write { offset: page << 20, len: 4096 });
        }
        let read = Op::Read { offset: 0, len: 4096 };
        prop_assert!(busy.submit(0, read) >= idle);
    }
}

#[test]
fn different_seeds_give_different_times() {
    let spec = DriveSpec {
        read_latency: vec![ReadLatency { size_bytes: 4096, latency_ns: 90_000 }],
        read_tail_ratio: 1.5,
        read_4k_per_s: 1e5,
        ..DriveSpec::free()
    };
    let operations: Vec<(u64, Op)> =
        (0..20).map(|page| (1_000, Op::Read { offset: page << 12, len: 4096 })).collect();
    assert_ne!(completions(&spec, 1, 0, &operations), completions(&spec, 2, 0, &operations));
}
