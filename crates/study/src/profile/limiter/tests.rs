use std::cmp::Reverse;
use std::collections::BinaryHeap;

use device::{Bucket, Drive, DriveSpec, Op, catalogue};
use ground::Random;

use super::*;

/// A closed loop on a modelled drive in virtual time.
fn load(spec: &DriveSpec, block_bytes: u32, depth: u32, seconds: f64, seed: u64) -> Completed {
    let intervals = 60;
    let interval_s = seconds / f64::from(intervals);
    let (counts, latency) = closed(spec, (block_bytes, depth), seconds, intervals as usize, seed);
    // The ladder runs long after the rest: the bucket is empty.
    let spent = DriveSpec {
        limits: spec.limits.iter().map(|bucket| Bucket { burst_tokens: 0.0, ..*bucket }).collect(),
        ..spec.clone()
    };
    let short_s = seconds / 10.0;
    let per_s = |depth| {
        // The first completions of a run come late.
        let thirds = closed(&spent, (block_bytes, depth), short_s, 3, seed).0;
        (thirds[1] + thirds[2]) / (short_s * 2.0 / 3.0)
    };
    let depths = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128];
    Completed {
        block_bytes,
        depth,
        is_read: true,
        interval_s,
        counts,
        latency,
        ladder: depths.into_iter().map(|depth| (depth, per_s(depth))).collect(),
    }
}

fn closed(
    spec: &DriveSpec,
    (block_bytes, depth): (u32, u32),
    seconds: f64,
    intervals: usize,
    seed: u64,
) -> (Vec<f64>, Histogram) {
    let mut drive = Drive::new(spec, seed);
    let mut random = Random::new(seed ^ 7);
    let mut pending: BinaryHeap<Reverse<(u64, u64)>> =
        (0..u64::from(depth)).map(|n| Reverse((n, n))).collect();
    let (mut counts, mut latency) = (vec![0.0; intervals], Histogram::new());
    let end_ns = seconds * 1e9;
    let span = (200u64 << 30) / u64::from(block_bytes);
    while let Some(Reverse((now_ns, _))) = pending.pop() {
        if now_ns as f64 >= end_ns {
            break;
        }
        let offset = random.next_u64() % span * u64::from(block_bytes);
        let done_ns = drive.submit(now_ns, Op::Read { offset, len: block_bytes });
        let share = done_ns as f64 / end_ns;
        if let Some(count) = counts.get_mut((share * intervals as f64) as usize) {
            *count += 1.0;
        }
        if (2.0 / 3.0..1.0).contains(&share) {
            latency.record(done_ns - now_ns);
        }
        pending.push(Reverse((done_ns, random.next_u64())));
    }
    (counts, latency)
}

fn spec(name: &str) -> DriveSpec {
    catalogue::find(name).expect("in the catalogue").spec.clone()
}

/// The limit that a drive behind a bucket seems to have.
fn found(drive: &str, bucket: Bucket, seconds: f64, seed: u64) -> Option<FittedLimit> {
    let spec = DriveSpec { limits: vec![bucket], ..spec(drive) };
    find_limit(&load(&spec, 4096, 64, seconds, seed), &load(&spec, 16_384, 64, seconds, seed))
}

fn operations(per_s: f64, burst: f64) -> Bucket {
    Bucket { read_tokens: 1.0, write_tokens: 1.0, ..Bucket::new(per_s, burst) }
}

fn bytes(per_s: f64, burst: f64) -> Bucket {
    Bucket { read_byte_tokens: 1.0, write_byte_tokens: 1.0, ..Bucket::new(per_s, burst) }
}

#[test]
fn a_drive_behind_a_bucket_gives_rate_and_burst_back() {
    let (nvme, sata) = ("kingston-dc1500m-960g", "kingston-dc500m-1920g");
    let sliced = Bucket { slice_ns: 20_000_000, ..operations(30_000.0, 0.0) };
    for seed in 0..20 {
        for (drive, bucket, seconds, shape) in [
            (nvme, operations(3000.0, 3000.0), 3.0, Shape::Operations),
            (nvme, operations(60_000.0, 0.0), 0.2, Shape::Operations),
            (nvme, bytes(20e6, 40e6), 6.0, Shape::Bytes),
            (sata, operations(1600.0, 2000.0), 3.0, Shape::Operations),
            (sata, operations(25_000.0, 0.0), 0.3, Shape::Operations),
            (nvme, sliced, 0.6, Shape::Operations),
        ] {
            let limit = found(drive, bucket, seconds, seed);
            let limit = limit.unwrap_or_else(|| panic!("seed {seed}, {drive}, {bucket:?}: no limit"));
            assert_eq!(limit.counts, shape, "seed {seed}, {drive}, {bucket:?}");
            let rate_error = limit.per_s / bucket.tokens_per_s - 1.0;
            assert!(rate_error.abs() < 0.03, "seed {seed}, {drive}, {bucket:?}: {limit:?}");
            if bucket.burst_tokens > 0.0 {
                let burst_error = limit.burst / bucket.burst_tokens - 1.0;
                assert!(burst_error.abs() < 0.1, "seed {seed}, {drive}, {bucket:?}: {limit:?}");
            }
            if bucket.slice_ns > 0 {
                let (slice_s, ..) = limit.slice_s().unwrap_or_else(|| panic!("seed {seed}: {limit:?}"));
                assert!((slice_s / 0.02 - 1.0).abs() < 0.1, "seed {seed}: {limit:?}");
                assert!(limit.is_sliced(), "seed {seed}: {limit:?}");
            }
        }
    }
}

/// A ladder of powers of 2 has one depth in the window beyond the knee, wherever the knee is.
#[test]
fn powers_of_2_show_the_knee_of_any_limit() {
    let powers = |mut load: Completed| {
        load.ladder.retain(|(depth, _)| depth.is_power_of_two());
        load
    };
    for per_s in [30_000.0, 35_000.0, 42_000.0, 50_000.0, 60_000.0] {
        let spec = DriveSpec { limits: vec![operations(per_s, 0.0)], ..spec("kingston-dc1500m-960g") };
        let of = |block_bytes| powers(load(&spec, block_bytes, 64, 12_000.0 / per_s, 1));
        let (small, mut large) = (of(4096), of(16_384));
        // A profile has one lone and one deep load of the larger size.
        large.ladder.retain(|(depth, _)| [1, 64].contains(depth));
        let limit = find_limit(&small, &large).unwrap_or_else(|| panic!("{per_s}: no limit"));
        assert!((limit.per_s / per_s - 1.0).abs() < 0.03, "{per_s}: {limit:?}");
    }
}

#[test]
fn a_drive_without_a_bucket_never_reports_one() {
    let is_plain = |spec: &DriveSpec| spec.limits.is_empty() && !spec.is_free();
    for entry in catalogue::all().filter(|entry| is_plain(&entry.spec)) {
        // As many operations on each, whatever its speed.
        let seconds = 6000.0 / entry.spec.read_4k_per_s;
        for seed in 0..20 {
            let of = |block_bytes| load(&entry.spec, block_bytes, 64, seconds, seed);
            let small = of(4096);
            for large in [16_384, 65_536] {
                let mut large = of(large);
                assert_eq!(find_limit(&small, &large), None, "{}, seed {seed}", entry.name);
                // A profile has one lone and one deep load of the larger size.
                large.ladder.retain(|(depth, _)| [1, 64].contains(depth));
                assert_eq!(find_limit(&small, &large), None, "{}, seed {seed}", entry.name);
            }
        }
    }
}

#[test]
fn a_shared_budget_is_a_line_through_its_mixes() {
    let mixes = [(366_000.0, 0.0), (263_400.0, 200.0), (160_800.0, 400.0), (58_200.0, 600.0)];
    let (weight, budget) = shared_budget(&mixes).expect("a line");
    assert!((weight / 513.0 - 1.0).abs() < 1e-6 && (budget / 366e3 - 1.0).abs() < 1e-6, "{weight} {budget}");
    // Separate limits bend.
    assert_eq!(shared_budget(&[(100e3, 0.0), (100e3, 300.0), (50e3, 500.0), (0.0, 500.0)]), None);
    assert_eq!(shared_budget(&mixes[..2]), None);
}
