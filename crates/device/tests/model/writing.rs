//! Writes: the buffer, saturation, the shared link, flushes, and their effect on reads.

use device::{CollectionBurst, Drive, DriveSpec, Duplex, Op, ReadLatency};

use crate::load::{DriveLoad, S, mean_us, quantile_us, run};

fn sata() -> DriveSpec {
    DriveSpec {
        read_latency: vec![
            ReadLatency { size_bytes: 4096, latency_ns: 120_000 },
            ReadLatency { size_bytes: 131_072, latency_ns: 400_000 },
        ],
        read_units: 16,
        read_4k_per_s: 200e3,
        read_bandwidth_bytes_per_s: 550e6,
        write_bandwidth_bytes_per_s: 500e6,
        duplex: Duplex::Half,
        queue_limit: 1024,
        write_ack_ns: 40_000,
        write_4k_per_s: 25e3,
        write_8k_per_s: 14e3,
        write_buffer_bytes: 1 << 20,
        ..DriveSpec::free()
    }
}

fn close(got: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (got / expected - 1.0).abs() <= tolerance,
        "{what}: {got:.1}, expected {expected:.1} +- {tolerance}"
    );
}

#[test]
fn writes_are_acknowledged_at_once_below_the_steady_rate_and_take_n_over_x_above() {
    for share in [0.1, 0.5, 0.9] {
        let load = DriveLoad { paced_writers: 7, paced_writes_per_s: 25e3 * share, ..DriveLoad::default() };
        let outcome = run(&sata(), &load);
        close(mean_us(&outcome.write_ns), 40.0, 0.05, &format!("acknowledgement at {share}"));
    }
    for depth in [32, 256, 1024] {
        let outcome = run(&sata(), &DriveLoad { writers: depth, ..DriveLoad::default() });
        close(outcome.writes_per_s(), 25e3, 0.01, "steady rate");
        close(mean_us(&outcome.write_ns), f64::from(depth) / 25e3 * 1e6, 0.01, "N / X");
    }
}

#[test]
fn larger_random_writes_follow_the_line_and_sequential_ones_the_interface() {
    let rate = |block_bytes: u32, sequential: bool| {
        let load =
            DriveLoad { writers: 64, block_bytes, sequential, warm_up_ns: 2 * S, ..DriveLoad::default() };
        run(&sata(), &load).writes_per_s()
    };
    close(rate(8192, false), 14e3, 0.01, "8 KiB");
    // 1/25000 + 3 (1/14000 - 1/25000) seconds each.
    close(rate(16_384, false), 1e6 / (40.0 + 3.0 * (1e6 / 14e3 - 40.0)), 0.01, "16 KiB");
    for block_bytes in [4096, 131_072] {
        close(rate(block_bytes, true) * f64::from(block_bytes), 500e6, 0.01, "sequential bytes/s");
    }
}

#[test]
fn a_burst_fits_into_the_buffer() {
    let mut drive = Drive::new(&sata(), 1);
    let latencies: Vec<u64> =
        (0..600).map(|page| drive.submit(S, Op::Write { offset: page * 8192, len: 4096 }) - S).collect();
    // The link passes 4 KiB in 8.192 us; 256 pages fit, 25 000 a second leave.
    assert_eq!(latencies[255], 256 * 8192 + 40_000 - 8192);
    assert_eq!(latencies[599], (600 - 256) * 40_000);
}

#[test]
fn reads_and_writes_share_a_half_duplex_link_and_not_a_full_one() {
    let load =
        DriveLoad { readers: 8, writers: 8, block_bytes: 131_072, sequential: true, ..DriveLoad::default() };
    let shares = |spec: &DriveSpec| {
        let outcome = run(spec, &load);
        let share = |per_s: f64, bandwidth: f64| per_s * 131_072.0 / bandwidth;
        (
            share(outcome.reads_per_s(), spec.read_bandwidth_bytes_per_s),
            share(outcome.writes_per_s(), spec.write_bandwidth_bytes_per_s),
        )
    };
    let (read, write) = shares(&sata());
    close(read + write, 1.0, 0.01, "half duplex: both together fill the link");
    assert!(read > 0.3 && write > 0.3, "{read} {write}");
    let (read, write) = shares(&DriveSpec { duplex: Duplex::Full, ..sata() });
    close(read, 1.0, 0.01, "full duplex: reads");
    close(write, 1.0, 0.01, "full duplex: writes");
}

#[test]
fn a_flush_costs_nothing_with_protection_and_drains_the_buffer_without() {
    let lossy = DriveSpec { power_loss_protection: false, flush_ns: 500_000, ..sata() };
    for (spec, expected_ns) in [(sata(), 0), (lossy, 100 * 40_000 + 500_000)] {
        let mut drive = Drive::new(&spec, 1);
        for page in 0..100 {
            drive.submit(S, Op::Write { offset: page * 8192, len: 4096 });
        }
        assert_eq!(drive.submit(S, Op::Flush) - S, expected_ns);
    }
}

/// A medium of 25,000 writes a second needs 40 us for each, and has been idle long before the flush.
#[test]
fn a_flush_writes_back_the_writes_since_the_last_one() {
    for share in [0.0, 1.0, 1.7] {
        let spec =
            DriveSpec { power_loss_protection: false, flush_ns: 500_000, flush_write_back: share, ..sata() };
        let mut drive = Drive::new(&spec, 1);
        for page in 0..100 {
            drive.submit(page * S / 1000, Op::Write { offset: page * 8192, len: 4096 });
        }
        let flush_us = |drive: &mut Drive, at_ns: u64| (drive.submit(at_ns, Op::Flush) - at_ns) as f64 / 1e3;
        close(flush_us(&mut drive, S), 500.0 + share * 100.0 * 40.0, 0.001, &format!("share {share}"));
        close(flush_us(&mut drive, 2 * S), 500.0, 0.001, "nothing was written since");
    }
}

#[test]
fn writes_wait_for_a_flush_under_way() {
    let spec = DriveSpec { flush_ns: 1_000_000, flush_held_writes: 0.3, ..sata() };
    let mut drive = Drive::new(&spec, 3);
    let (mut held, mut free) = (0, 0);
    for step in 1..10_000u64 {
        let at_ns = step * 10_000_000;
        drive.submit(at_ns, Op::Flush);
        let latency_ns = drive.submit(at_ns + 400_000, Op::Write { offset: step << 20, len: 4096 }) - at_ns;
        match latency_ns {
            1_000_000.. => held += 1,
            _ => free += 1,
        }
        let later_ns = at_ns + 1_000_000;
        let latency_ns = drive.submit(later_ns, Op::Write { offset: step << 21, len: 4096 }) - later_ns;
        assert!(latency_ns < 100_000, "{latency_ns}");
    }
    close(f64::from(held) / f64::from(held + free), 0.3, 0.05, "the share of writes that waited");
}

/// Of n operations a share x reads, and 2 x (1 - x) n change from one kind to the other.
#[test]
fn reads_and_writes_in_one_line_take_turns() {
    let alone = DriveSpec {
        read_units: 4,
        read_4k_per_s: 40e3,
        duplex: Duplex::Full,
        write_4k_per_s: 50e3,
        write_8k_per_s: 25e3,
        ..sata()
    };
    let by_turns = |us: u64| DriveSpec { turnaround_ns: Some(us * 1000), ..alone.clone() };
    for (read_share, us) in [(0.3, 0), (0.5, 8), (0.7, 8), (0.7, 20)] {
        let load = DriveLoad { mixed: 64, read_share, warm_up_ns: 2 * S, ..DriveLoad::default() };
        let outcome = run(&by_turns(us), &load);
        let writes = 1.0 - read_share;
        let each_us = read_share * 25.0 + writes * 20.0 + 2.0 * read_share * writes * us as f64;
        close(outcome.reads_per_s() + outcome.writes_per_s(), 1e6 / each_us, 0.02, &format!("{read_share}"));
    }
    for load in [
        DriveLoad { readers: 64, ..DriveLoad::default() },
        DriveLoad { readers: 1, ..DriveLoad::default() },
        DriveLoad { writers: 64, ..DriveLoad::default() },
    ] {
        let rate = |spec: &DriveSpec| {
            let outcome = run(spec, &load);
            outcome.reads_per_s() + outcome.writes_per_s()
        };
        close(rate(&by_turns(8)), rate(&alone), 0.02, "one kind alone");
    }
}

#[test]
fn a_read_waits_its_share_of_the_writes_queue() {
    for share in [0.0, 0.24, 0.96] {
        let spec = DriveSpec { queued_write_share: share, duplex: Duplex::Full, ..sata() };
        let outcome = run(&spec, &DriveLoad { readers: 1, writers: 250, ..DriveLoad::default() });
        close(mean_us(&outcome.read_ns), 120.0 + share * 250.0 / 25e3 * 1e6, 0.02, &format!("share {share}"));
    }
}

#[test]
fn a_read_meets_writes_in_proportion_to_the_load() {
    for (exponent, load_share) in [(1.0, 0.2), (1.0, 0.8), (0.5, 0.25), (2.0, 0.7)] {
        let spec = DriveSpec { interference_ns: 300_000, interference_exponent: exponent, ..sata() };
        let load = DriveLoad {
            readers: 1,
            paced_writers: 7,
            paced_writes_per_s: 25e3 * load_share,
            measure_ns: 4 * S,
            ..DriveLoad::default()
        };
        let expected = 120.0 + 300.0 * f64::powf(load_share, exponent);
        close(mean_us(&run(&spec, &load).read_ns), expected, 0.05, &format!("{load_share}^{exponent}"));
    }
}

#[test]
fn writes_slow_reads_on_shared_spindles() {
    let spec = DriveSpec { read_slowdown_by_writes: 0.85, queue_limit: 4096, ..sata() };
    let alone = run(&spec, &DriveLoad { readers: 512, ..DriveLoad::default() }).reads_per_s();
    let shared = run(&spec, &DriveLoad { readers: 512, writers: 64, ..DriveLoad::default() }).reads_per_s();
    assert!(shared < 0.8 * alone, "{shared} against {alone}");
}

#[test]
fn collection_bursts_stop_writes_at_moderate_load_only() {
    let burst = CollectionBurst { every_bytes: 4 << 20, length_ns: 8_000_000 };
    let spec = DriveSpec { collection_burst: Some(burst), ..sata() };
    let p99 = |per_s: f64, spec: &DriveSpec| {
        let load = DriveLoad { paced_writers: 7, paced_writes_per_s: per_s, ..DriveLoad::default() };
        quantile_us(&run(spec, &load).write_ns, 0.99)
    };
    assert!(p99(10e3, &sata()) < 100.0);
    assert!(p99(10e3, &spec) > 5_000.0);
    close(p99(100e3, &spec), p99(100e3, &sata()), 0.01, "saturated");
}

/// The mean stays that of the numbers, and p99 over p50 is the ratio.
#[test]
fn acknowledgements_and_flushes_have_their_tails() {
    let spec = DriveSpec {
        write_tail_ratio: 3.0,
        flush_tail_ratio: 5.0,
        flush_ns: 300_000,
        power_loss_protection: true,
        ..sata()
    };
    let mut drive = Drive::new(&spec, 7);
    let (mut writes, mut flushes) = (Vec::new(), Vec::new());
    for step in 1..50_000u64 {
        let now_ns = step * S / 1000;
        writes.push(drive.submit(now_ns, Op::Write { offset: step * 65_536, len: 4096 }) - now_ns);
        flushes.push(drive.submit(now_ns, Op::Flush) - now_ns);
    }
    for (mut latencies, mean_ns, ratio) in [(writes, 40_000.0, 3.0), (flushes, 300_000.0, 5.0)] {
        latencies.sort_unstable();
        let at = |share: f64| latencies[(latencies.len() as f64 * share) as usize] as f64;
        let mean = latencies.iter().sum::<u64>() as f64 / latencies.len() as f64;
        close(mean, mean_ns, 0.02, "mean");
        // The interface's time for a page is no part of the tail of a write.
        let link_ns = if ratio < 4.0 { 4096.0 / 500e6 * 1e9 } else { 0.0 };
        close((at(0.99) - link_ns) / (at(0.5) - link_ns), ratio, 0.05, "p99 over p50");
    }
}
