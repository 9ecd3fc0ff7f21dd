use device::{Bucket, DriveSpec, catalogue};

use super::super::virtual_load::run_load;
use super::super::written::{Circumstances, Described, write_loads};
use super::super::{LatencyMap, map_of};
use super::*;

mod any;

/// A load that nobody has measured yet.
pub(super) fn asked(read_share: f64, block_bytes: u64, depth: u32) -> Load {
    Load {
        name: format!("{read_share} reads of {block_bytes}, depth {depth}"),
        read_share,
        block_bytes,
        is_sequential: false,
        depth,
        offered_per_s: None,
        flush_every: None,
        is_from_rest: false,
        written_before_bytes: 0,
        measured_s: 1.0,
        reads: None,
        writes: None,
        flushes: None,
        counts: Vec::new(),
        interval_s: 1.0,
    }
}

fn sequential(load: Load) -> Load {
    Load { is_sequential: true, name: format!("{} in order", load.name), ..load }
}

/// The load for about so many operations on the drive, counted in a hundred intervals.
pub(super) fn measured(spec: &DriveSpec, load: Load, operations: f64, seed: u64) -> Load {
    let size = load.block_bytes as f64;
    let depth = f64::from(load.depth);
    let mean_ns = load.read_share * spec.read_latency_ns(load.block_bytes)
        + (1.0 - load.read_share)
            * (spec.write_ack_ns as f64 + size / spec.write_bandwidth_bytes_per_s * 1e9);
    let units = spec.expected_reads_per_s(load.depth).min(spec.read_bandwidth_bytes_per_s / size);
    let medium = (1.0 / spec.write_cost_ns(load.block_bytes) * 1e9).max(1.0);
    let by_depth = depth / mean_ns * 1e9;
    let by_drive = 1.0 / (load.read_share / units + (1.0 - load.read_share) / medium);
    let mut seconds = operations / by_depth.min(by_drive);
    if load.only_writing() {
        // Until the buffer has been full for a while.
        let fresh = by_depth.min(spec.write_bandwidth_bytes_per_s / size);
        let filled_s = spec.write_buffer_bytes as f64 / 4096.0 * 1e9 / spec.write_4k_per_s / 1e9;
        let fill_s = filled_s / (fresh / medium - 1.0);
        if fill_s > 0.0 && fill_s < 60.0 {
            seconds = seconds.max(3.0 * fill_s);
        }
    }
    let load =
        Load { measured_s: seconds * 0.98, interval_s: seconds / 100.0, counts: vec![0.0; 100], ..load };
    run_load(spec, &load, seed)
}

impl Load {
    fn only_writing(&self) -> bool {
        self.read_share <= 0.0 && !self.is_sequential && self.flush_every.is_none()
    }
}

/// The loads of a profile.
fn profile(spec: &DriveSpec, seed: u64) -> Vec<Load> {
    let mut plan: Vec<(Load, f64)> = Vec::new();
    plan.extend((0..9).map(|power| (asked(1.0, 4096 << power, 1), if power == 0 { 20e3 } else { 2e3 })));
    plan.extend([2, 4, 8, 16].map(|depth| (asked(1.0, 4096, depth), 12e3)));
    plan.extend([32, 64, 128, 256].map(|depth| (asked(1.0, 4096, depth), 50e3)));
    plan.extend([16, 64].map(|depth| (asked(1.0, 8192, depth), 8e3)));
    plan.extend([1, 2, 4, 8, 16, 64].map(|depth| (asked(1.0, 16_384, depth), 6e3)));
    plan.extend([16, 32].map(|depth| (asked(1.0, 1 << 20, depth), 2e3)));
    plan.push((sequential(asked(1.0, 4096, 1)), 2e3));
    plan.extend([8, 32].map(|depth| (sequential(asked(1.0, 131_072, depth)), 3e3)));
    plan.extend([4, 16, 32].map(|depth| (sequential(asked(0.0, 131_072, depth)), 3e3)));
    plan.push((sequential(asked(0.5, 131_072, 32)), 5e3));
    plan.extend([1, 2, 4, 8, 16, 32, 64].map(|depth| (asked(0.0, 4096, depth), 8e3)));
    plan.extend([8, 32].map(|depth| (asked(0.0, 8192, depth), 6e3)));
    plan.extend([1, 8, 64].map(|every| {
        let load = asked(0.0, 4096, 1);
        (Load { flush_every: Some(every), name: format!("{}, flush after {every}", load.name), ..load }, 3e3)
    }));
    for read_share in [0.95, 0.8, 0.5] {
        plan.extend([1, 4, 16, 64].map(|depth| (asked(read_share, 4096, depth), 20e3)));
    }
    let beside = Load { flush_every: Some(16), ..asked(0.0, 4096, 4) };
    plan.push((Load { name: format!("{}, flush after 16", beside.name), ..beside }, 6e3));
    let loads = plan.into_iter().enumerate();
    loads.map(|(number, (load, operations))| measured(spec, load, operations, seed + number as u64)).collect()
}

fn spec(name: &str) -> DriveSpec {
    catalogue::find(name).expect("in the catalogue").spec.clone()
}

/// The quick profile has one deep load of small writes beside a lone one.
#[test]
fn one_deep_load_of_writes_fills_the_medium() {
    let spec = spec("kingston-dc1500m-960g");
    let mut loads = profile(&spec, 5);
    loads.retain(|load| !load.only_writing() || [1, 32].contains(&load.depth));
    loads.push(measured(&spec, asked(0.0, 8192, 1), 8e3, 5));
    let fitted = fit_loads(&loads).unwrap();
    for (key, truth) in
        [("write.rate_4k_per_s", spec.write_4k_per_s), ("write.rate_8k_per_s", spec.write_8k_per_s)]
    {
        let number = fitted.number(key).unwrap();
        assert!(number.interval.is_some(), "{number:?}");
        assert!((number.value / truth - 1.0).abs() < 0.05, "{number:?} of {truth}");
    }
}

/// A pause of the host during one mix makes its mean a hundred times as long.
#[test]
fn one_mix_that_stood_still_does_not_decide_on_the_interference() {
    let spec = spec("micron-5200-eco-1920g");
    let mut loads = profile(&spec, 4);
    let own = fit_loads(&loads).expect("a drive").spec.interference_ns as f64;
    let mix = loads.iter_mut().rfind(|load| load.is_mix() && load.depth == 4).expect("a mix");
    let reads = mix.reads.as_mut().expect("a mix has reads");
    reads.latency.record_n(850_000_000, reads.latency.len() / 10);
    let troubled = fit_loads(&loads).expect("a drive").spec.interference_ns as f64;
    assert!((troubled / own - 1.0).abs() < 0.15, "{troubled} in place of {own}");
}

/// One stalled read of 32 KiB is not the time of all larger ones.
#[test]
fn a_stalled_read_does_not_make_larger_ones_slow() {
    let spec = spec("micron-5200-eco-1920g");
    let mut loads = profile(&spec, 4);
    let of_32k = |load: &&mut Load| load.is_random_reads() && load.depth == 1 && load.block_bytes == 32_768;
    let stalled = loads.iter_mut().find(of_32k).expect("reads of 32 KiB");
    stalled.reads.as_mut().expect("reads").latency.record_n(60_000_000_000, 1);
    let fitted = fit_loads(&loads).expect("a drive").spec;
    for size_bytes in [32_768, 65_536, 1 << 20] {
        let share = fitted.read_latency_ns(size_bytes) / spec.read_latency_ns(size_bytes);
        assert!((share - 1.0).abs() < 0.05, "{size_bytes}: {share}");
    }
    // A whole load that was slow is no measurement of the larger ones.
    let stalled = loads.iter_mut().find(of_32k).expect("reads of 32 KiB");
    let count = stalled.reads.as_ref().expect("reads").latency.len();
    stalled.reads.as_mut().expect("reads").latency.record_n(30_000_000, 100 * count);
    let fitted = fit_loads(&loads).expect("a drive");
    assert!(fitted.number("read.latency_64k_us").is_some_and(|number| number.interval.is_none()));
}

/// A writer that waits for each answer is slower than a medium that takes many writes at once.
#[test]
fn a_lone_writer_that_does_not_fill_the_medium_tells_the_acknowledgement() {
    let slow = DriveSpec {
        write_ack_ns: 60_000,
        write_tail_ratio: 2.5,
        power_loss_protection: false,
        flush_ns: 200_000,
        flush_tail_ratio: 4.0,
        ..spec("kingston-dc1500m-960g")
    };
    let fitted = fit_loads(&profile(&slow, 6)).expect("a drive");
    for (key, own, bar) in
        [("write.ack_us", 60.0, 0.05), ("write.tail_ratio", 2.5, 0.15), ("flush.tail_ratio", 4.0, 0.15)]
    {
        let found = fitted.number(key).expect("a number");
        assert!(found.interval.is_some() && (found.value / own - 1.0).abs() < bar, "{found:?}");
    }
}

/// Numbers of a target that is 20 % faster some minutes later are known to no less than that.
#[test]
fn a_target_that_drifts_has_wider_intervals() {
    let spec = spec("kingston-dc1500m-960g");
    let mut loads = profile(&spec, 8);
    let width = |loads: &[Load], key: &str| {
        let fitted = fit_loads(loads).expect("a drive");
        let number = fitted.number(key).expect("a number").clone();
        let (low, high) = number.interval.expect("the loads tell it");
        (high - low) / number.value
    };
    let steady = width(&loads, "write.ack_us");
    assert!(steady < 0.05, "{steady}");
    let mut later = loads[0].clone();
    later.reads.as_mut().expect("a load of reads").per_s *= 1.2;
    loads.push(later);
    assert!(width(&loads, "write.ack_us") > 0.2);
    assert!(width(&loads, "read.latency_1m_us") > 0.2);
}

/// A limit below the rate of one reader or writer holds every load back: those that pass show the drive.
#[test]
fn a_drive_behind_a_low_limit_in_slices_shows_itself() {
    let own = spec("kingston-dc1500m-960g");
    let bucket = |bucket: Bucket| Bucket { slice_ns: 100_000_000, ..bucket };
    let limits = vec![
        bucket(Bucket { read_tokens: 1.0, ..Bucket::new(2000.0, 0.0) }),
        bucket(Bucket { write_tokens: 1.0, ..Bucket::new(1000.0, 0.0) }),
    ];
    let fitted = fit_loads(&limited(&DriveSpec { limits, ..own.clone() }, 6.0, 3)).expect("a drive");
    for (key, own, bar) in [
        ("limit.read_operations_per_s", 2000.0, 0.03),
        ("limit.write_operations_per_s", 1000.0, 0.03),
        ("limit.slice_ms", 100.0, 0.1),
        ("read.latency_4k_us", own.read_latency_ns(4096) / 1e3, 0.05),
        ("read.tail_ratio", own.read_tail_ratio, 0.15),
        ("write.ack_us", own.write_ack_ns as f64 / 1e3, 0.05),
    ] {
        let found = fitted.number(key).unwrap_or_else(|| panic!("no {key}: {:?}", fitted.numbers));
        let is_near = (found.value / own - 1.0).abs() < bar;
        assert!(found.interval.is_some() && is_near, "{own}: {found:?}");
    }
}

/// The drives whose every number is a number: those with a map are fitted to maps.
fn drives() -> impl Iterator<Item = (&'static str, &'static DriveSpec)> {
    let is_one = |spec: &DriveSpec| spec.read_map.is_none() && !spec.is_free() && spec.limits.is_empty();
    catalogue::all().filter(move |entry| is_one(&entry.spec)).map(|entry| (entry.name.as_str(), &entry.spec))
}

/// Units that writes slow down and reads that meet writes lengthen reads in almost the same way: on a drive
/// with both, each is known to this share, and its map to the second.
const BOTH: (&str, f64, f64) = ("fusionio-iodrive-80", 0.25, 0.08);

/// Numbers that every one of these drives must give back.
const ALWAYS: [&str; 9] = [
    "read.latency_4k_us",
    "read.latency_1m_us",
    "read.tail_ratio",
    "read.rate_4k_per_s",
    "read.units",
    "link.read_bandwidth_mb_per_s",
    "link.write_bandwidth_mb_per_s",
    "write.rate_4k_per_s",
    "write.buffer_bytes",
];

#[test]
fn every_drive_of_the_catalogue_gives_its_numbers_back() {
    assert_eq!(drives().count(), 7);
    let (mut faults, mut missed, mut known) = (Vec::new(), Vec::new(), 0);
    for (name, spec) in drives() {
        let fitted = fit_loads(&profile(spec, 1)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(fitted.spec.validate(), Ok(()), "{name}");
        for key in ALWAYS {
            if fitted.number(key).is_none_or(|number| number.interval.is_none()) {
                faults.push(format!("{name}: {key} is not identified: {:?}", fitted.number(key)));
            }
        }
        for number in fitted.numbers.iter().filter(|number| number.interval.is_some()) {
            let Some(own) = sheet::of_drive(spec, number.key) else {
                faults.push(format!("{name}: {} is a number of no drive", number.key));
                continue;
            };
            let (low, high) = number.interval.expect("filtered");
            known += 1;
            if !(low..=high).contains(&own) {
                missed.push(format!("{name}: {} is {own}, outside of {low} to {high}", number.key));
            }
            let is_loose = number.key.ends_with(".tail_ratio")
                || number.key.starts_with("interference.")
                || number.key == "read.slowdown_by_writes";
            let bar = match is_loose {
                true if name == BOTH.0 => BOTH.1,
                true => 0.15,
                false => 0.05,
            };
            // A number of 0 has no share: a hundredth of the idle read, or a twentieth of a share, is as
            // good.
            let least = match number.key {
                "interference.delay_us" => 0.05 * spec.read_latency_ns(4096) / 1e3,
                "interference.queued_write_share" | "read.slowdown_by_writes" => 0.05,
                "flush.cost_us" => 0.1,
                _ => 0.0,
            };
            if (number.value - own).abs() > (bar * own).max(least) {
                faults.push(format!("{name}: {} is {own} and was found as {number:?}", number.key));
            }
        }
        let duplex = fitted.words.iter().find(|word| word.key == "link.duplex").expect("a word");
        if !duplex.is_identified || fitted.spec.duplex != spec.duplex {
            faults.push(format!("{name}: {duplex:?}"));
        }
        if !fitted.spec.limits.is_empty() {
            faults.push(format!("{name}: {:?}", fitted.spec.limits));
        }
        let error = map_error(spec, &fitted.spec);
        if error > if name == BOTH.0 { BOTH.2 } else { 0.03 } {
            faults.push(format!("{name}: the error of its map is {error}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // Intervals of 95 %: one in ten may miss at most.
    assert!(10 * missed.len() <= known, "{} of {known} intervals:\n{}", missed.len(), missed.join("\n"));
}

/// Median error of the percentiles of the fitted drive's map against the drive's own.
fn map_error(spec: &DriveSpec, fitted: &DriveSpec) -> f64 {
    let axis = |most: f64| (0..4).map(|step| most * f64::from(step) / 5.0).collect::<Vec<f64>>();
    let (reads, writes) = (axis(spec.read_4k_per_s), axis(spec.write_bandwidth_bytes_per_s));
    let map = |spec: &DriveSpec| map_of(spec, &reads, &writes, &mut |_| true).expect("not stopped");
    let (own, again): (LatencyMap, LatencyMap) = (map(spec), map(fitted));
    let mut errors: Vec<f64> = Vec::new();
    for row in 0..own.rows() {
        for column in 0..own.columns() {
            let (Some(own), Some(again)) = (own.values(row, column), again.values(row, column)) else {
                continue;
            };
            errors.extend([again.p50_ns / own.p50_ns - 1.0, again.p95_ns / own.p95_ns - 1.0].map(f64::abs));
        }
    }
    errors.sort_by(f64::total_cmp);
    errors[errors.len() / 2]
}

fn operations(per_s: f64, burst: f64) -> Bucket {
    Bucket { read_tokens: 1.0, write_tokens: 1.0, ..Bucket::new(per_s, burst) }
}

fn bytes(per_s: f64, burst: f64) -> Bucket {
    Bucket { read_byte_tokens: 1.0, write_byte_tokens: 1.0, ..Bucket::new(per_s, burst) }
}

/// Loads that tell a limit: ladders of two sizes in both directions, deep ones for as long as the bucket
/// holds.
fn limited(spec: &DriveSpec, seconds: f64, seed: u64) -> Vec<Load> {
    let mut loads = Vec::new();
    for (read_share, size_bytes) in [(1.0, 4096), (1.0, 16_384), (0.0, 4096), (0.0, 16_384), (0.5, 4096)] {
        for depth in [1, 2, 4, 6, 8, 12, 16, 24, 32, 64] {
            let seconds = if depth == 64 { seconds } else { seconds / 10.0 };
            let load = Load {
                measured_s: seconds * 0.8,
                interval_s: seconds / 60.0,
                counts: vec![0.0; 60],
                ..asked(read_share, size_bytes, depth)
            };
            loads.push(run_load(spec, &load, seed + loads.len() as u64));
        }
    }
    loads
}

/// As the kernel's `blkio.throttle` works.
fn sliced(bucket: Bucket) -> Bucket {
    Bucket { slice_ns: 100_000_000, ..bucket }
}

#[test]
fn a_drive_behind_a_bucket_gives_rate_and_burst_back() {
    let (nvme, sata) = ("kingston-dc1500m-960g", "kingston-dc500m-1920g");
    for seed in 0..2 {
        for (drive, bucket, seconds, key) in [
            (nvme, operations(3000.0, 3000.0), 3.0, "limit.operations"),
            (nvme, operations(30_000.0, 0.0), 0.4, "limit.operations"),
            (nvme, bytes(20e6, 40e6), 6.0, "limit.bandwidth"),
            (sata, operations(1600.0, 2000.0), 3.0, "limit.operations"),
            (sata, operations(25_000.0, 0.0), 0.4, "limit.operations"),
            (nvme, Bucket { read_tokens: 1.0, ..Bucket::new(5000.0, 4000.0) }, 3.0, "limit.read_operations"),
            (
                nvme,
                sliced(Bucket { read_tokens: 1.0, ..Bucket::new(3000.0, 0.0) }),
                6.0,
                "limit.read_operations",
            ),
            (
                nvme,
                sliced(Bucket { write_tokens: 1.0, ..Bucket::new(2000.0, 0.0) }),
                6.0,
                "limit.write_operations",
            ),
            (
                sata,
                sliced(Bucket { write_byte_tokens: 1.0, ..Bucket::new(40e6, 0.0) }),
                6.0,
                "limit.write_bandwidth",
            ),
            (
                sata,
                sliced(Bucket { read_byte_tokens: 1.0, ..Bucket::new(60e6, 0.0) }),
                6.0,
                "limit.read_bandwidth",
            ),
        ] {
            let behind = DriveSpec { limits: vec![bucket], ..spec(drive) };
            let fitted = fit_loads(&limited(&behind, seconds, seed)).expect("a drive");
            let told = format!("seed {seed}, {drive}, {bucket:?}: {:?}", fitted.numbers);
            assert_eq!(fitted.spec.limits.len(), 1, "{told}");
            let unit = if key.ends_with("bandwidth") { 1e6 } else { 1.0 };
            let per_s_key = if unit == 1.0 { format!("{key}_per_s") } else { format!("{key}_mb_per_s") };
            let per_s = fitted.number(&per_s_key).unwrap_or_else(|| panic!("no {per_s_key}; {told}"));
            assert!((per_s.value * unit / bucket.tokens_per_s - 1.0).abs() < 0.03, "{told}");
            let burst_key = if unit == 1.0 { format!("{key}_burst") } else { format!("{key}_burst_mb") };
            let burst = fitted.number(&burst_key).unwrap_or_else(|| panic!("no {burst_key}; {told}"));
            let burst_error = burst.value * unit - bucket.burst_tokens;
            assert!(burst_error.abs() <= 0.1 * bucket.burst_tokens, "{told}");
            let slice_ms = fitted.number("limit.slice_ms").map_or(0.0, |slice| slice.value);
            assert!((slice_ms - bucket.slice_ns as f64 / 1e6).abs() <= 0.1 * slice_ms, "{told}");
            assert_eq!(fitted.spec.validate(), Ok(()), "{told}");
        }
    }
}

#[test]
fn a_drive_without_a_bucket_never_reports_one() {
    for (name, spec) in drives() {
        let seconds = 3000.0 / spec.read_4k_per_s;
        for seed in 0..20 {
            let loads = limited(spec, seconds, 1000 * seed);
            let all: Vec<&Load> = loads.iter().collect();
            let fitted = fit(&all, Pains::Draft).expect("a drive");
            assert_eq!(fitted.spec.limits, [], "{name}, seed {seed}");
        }
    }
}

#[test]
fn a_drive_without_protection_shows_it_by_its_flushes() {
    let slow = DriveSpec {
        power_loss_protection: false,
        flush_ns: 400_000,
        write_4k_per_s: 20_000.0,
        write_8k_per_s: 11_000.0,
        ..spec("kingston-dc1500m-960g")
    };
    let fitted = fit_loads(&profile(&slow, 5)).expect("a drive");
    assert!(!fitted.spec.power_loss_protection);
    let cost_us = fitted.number("flush.cost_us").expect("a cost").value;
    assert!((cost_us / 400.0 - 1.0).abs() < 0.05, "{cost_us}");
    let protected = DriveSpec { power_loss_protection: true, flush_ns: 8000, ..slow };
    let fitted = fit_loads(&profile(&protected, 5)).expect("a drive");
    assert!(fitted.spec.power_loss_protection);
    assert!((fitted.spec.flush_ns as f64 / 8000.0 - 1.0).abs() < 0.05);
}

/// A virtual disk: its mixes reach less than reads and writes alone promise together.
#[test]
fn a_drive_that_serves_reads_and_writes_by_turns_tells_the_turnaround() {
    for turnaround_us in [4.0, 12.0] {
        let own = DriveSpec {
            write_4k_per_s: 80_000.0,
            write_8k_per_s: 60_000.0,
            write_ack_ns: 50_000,
            read_units: 4,
            read_4k_per_s: 45_000.0,
            read_8k_per_s: None,
            interference_ns: 10_000,
            queued_write_share: 0.0,
            turnaround_ns: Some((turnaround_us * 1e3) as u64),
            ..spec("kingston-dc1500m-960g")
        };
        let fitted = fit_loads(&profile(&own, 5)).expect("a drive");
        let found = fitted.number("interference.turnaround_us").expect("a line");
        let (low, high) = found.interval.expect("an interval");
        assert!((found.value / turnaround_us - 1.0).abs() < 0.15, "{found:?} of {turnaround_us}");
        assert!(low <= turnaround_us && turnaround_us <= high, "{found:?} of {turnaround_us}");
    }
}

/// A virtual disk whose host keeps writes until a flush; the medium itself is faster than the lone writer.
#[test]
fn a_drive_that_writes_back_at_a_flush_tells_its_share() {
    for share in [0.8, 1.7] {
        let cached = DriveSpec {
            power_loss_protection: false,
            flush_ns: 90_000,
            flush_write_back: share,
            flush_held_writes: share / 2.0,
            ..spec("kingston-dc1500m-960g")
        };
        let loads = profile(&cached, 5);
        let fitted = fit_loads(&loads).expect("a drive");
        assert!(!fitted.spec.power_loss_protection);
        let numbers = [
            ("flush.cost_us", 90.0, 0.05),
            ("flush.write_back", share, 0.05),
            ("flush.held_writes", share / 2.0, 0.1),
        ];
        for (key, own, bar) in numbers {
            let found = fitted.number(key).expect("a number");
            assert!((found.value / own - 1.0).abs() < bar, "{found:?} of {own}");
            let (low, high) = found.interval.expect("an interval");
            assert!(low <= own && own <= high, "{found:?} of {own}");
        }
    }
    for share in [0.0, 0.2] {
        let own = DriveSpec {
            power_loss_protection: false,
            flush_ns: 400_000,
            flush_write_back: share,
            write_4k_per_s: 20_000.0,
            write_8k_per_s: 11_000.0,
            ..spec("kingston-dc1500m-960g")
        };
        let fitted = fit_loads(&profile(&own, 5)).expect("a drive");
        assert!(fitted.number("flush.write_back").is_none(), "the medium writes back on its own");
    }
}

#[test]
fn loads_left_out_are_predicted_and_the_file_says_how_well() {
    let spec = spec("skhynix-se4011");
    let loads = profile(&spec, 9);
    let judgement = judge_loads(&loads, &mut |_, _| true).expect("a drive").expect("not stopped");
    let told = format!("{:?} {:?} {:?}", judgement.mean, judgement.p50, judgement.p95);
    assert!(judgement.mean.median < 0.03 && judgement.mean.nine_in_ten < 0.10, "{told}");
    assert!(judgement.p50.median < 0.03 && judgement.p95.median < 0.05, "{told}");
    assert_eq!(judgement.systematic, [], "the model's own form fits");
    assert!(!judgement.alone.is_empty() && judgement.alone.len() < 8, "{:?}", judgement.alone);
    let fitted = fit_loads(&loads).expect("a drive");
    assert_eq!(fit_loads(&loads).expect("a drive"), fitted, "the same loads give the same drive");
    let described = Described {
        name: "fitted".to_owned(),
        title: "A fitted drive".to_owned(),
        maker: "nobody".to_owned(),
        interface: "SATA".to_owned(),
        capacity: None,
        from: "loads in virtual time".to_owned(),
    };
    let circumstances = Circumstances {
        date: Some("2026-11-26".to_owned()),
        machine: Some("none, \"virtual\" time".to_owned()),
        ..Circumstances::default()
    };
    let text = write_loads(&described, &circumstances, &fitted, &judgement);
    let entry = catalogue::parse(&text, "fitted.toml").unwrap_or_else(|faults| panic!("{faults}\n{text}"));
    let accuracy = entry.accuracy.as_ref().expect("an error");
    assert_eq!(accuracy.points as usize, judgement.points.len());
    assert_eq!(accuracy.rows().len(), 4);
    assert!(accuracy.circumstances.contains(&("date", "2026-11-26".to_owned())));
    assert!(judgement.worst().is_empty(), "{:?}", judgement.worst());
    assert!(accuracy.circumstances.iter().all(|(key, _)| *key != "worst"), "{:?}", accuracy.circumstances);
    assert!(entry.facts.iter().all(|fact| !fact.guess), "{:?}", entry.facts);
    let same = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-3;
    assert!(same(entry.spec.read_4k_per_s, fitted.spec.read_4k_per_s), "{text}");
    assert_eq!(entry.spec.read_units, fitted.spec.read_units);
    assert_eq!(judge_loads(&loads, &mut |_, _| false), Ok(None), "stopped");
}

#[test]
fn a_model_of_the_wrong_form_is_named() {
    // Twice the time of a write that the model knows one time for.
    let spec = spec("kingston-dc500m-1920g");
    let is_needed = |load: &Load| load.depth == 1 || load.read_share <= 0.0;
    let mut loads: Vec<Load> = profile(&spec, 3).into_iter().filter(is_needed).collect();
    for load in &mut loads {
        if let Some(writes) = load.writes.as_mut() {
            let mut spread = measure::Histogram::new();
            for (ns, count) in writes.latency.recorded() {
                spread.record_n(ns * 3 / 4, count - count / 10);
                spread.record_n(ns * 4, count / 10);
            }
            writes.latency = spread;
        }
    }
    let judgement = judge_loads(&loads, &mut |_, _| true).expect("a drive").expect("not stopped");
    let named = judgement
        .systematic
        .iter()
        .any(|found| found.form == Form::Acknowledgement && found.figure == "p95" && found.lean < -0.3);
    assert!(named, "{:?}", judgement.systematic);
    let worst = judgement.worst();
    assert!((1..=3).contains(&worst.len()), "{worst:?}");
}
