//! Seven NVMe drives measured with one reader at depth 1 beside 7 writers at depth 64, open loop, 4 KiB
//! uniform.
//!
//! Four numbers per drive are fitted (latency of an idle read, delay by meeting a write, its exponent, share
//! of the writes' queue that a read waits), so this shows that the model has the right shape, not that it
//! predicts. Four drives come out: mean read latency at every load within 1.5 %. The P5520 misses by up to 16
//! %. The two 7450 do not come out at all without bursts of collection, and with them only in kind. Where a
//! measured writer sees less than the average queue (PM9A3, CM7-R, P5520), write latency at saturation is 1.5
//! to 3 times too high.

use device::{CollectionBurst, DriveSpec, Duplex, ReadLatency};

use crate::load::{DriveLoad, Outcome, S, mean_us, quantile_us, run};

const WRITES_PER_S: [f64; 7] = [10e3, 30e3, 50e3, 70e3, 90e3, 120e3, 200e3];

struct Measured {
    name: &'static str,
    read_mean_us: [f64; 7],
    idle_read_us: f64,
    interference_us: f64,
    exponent: f64,
    queued_write_share: f64,
    write_4k_per_s: f64,
    /// Largest error of the mean read latency, relative.
    tolerance: f64,
}

const DRIVES: [Measured; 5] = [
    Measured {
        name: "PE8110 960G",
        read_mean_us: [74.0, 105.0, 135.0, 167.0, 4602.0, 4604.0, 4597.0],
        idle_read_us: 58.6,
        interference_us: 133.1,
        exponent: 1.0,
        queued_write_share: 0.85,
        write_4k_per_s: 86_320.0,
        tolerance: 0.015,
    },
    Measured {
        name: "SN640 960G",
        read_mean_us: [105.0, 168.0, 8799.0, 8797.0, 8810.0, 8821.0, 8832.0],
        idle_read_us: 50.6,
        interference_us: 167.8,
        exponent: 0.7,
        queued_write_share: 0.952,
        write_4k_per_s: 49_600.0,
        tolerance: 0.015,
    },
    Measured {
        name: "PM9A3 960G",
        read_mean_us: [75.0, 94.0, 116.0, 135.0, 953.0, 955.0, 953.0],
        idle_read_us: 64.7,
        interference_us: 75.6,
        exponent: 1.0,
        queued_write_share: 0.136,
        write_4k_per_s: 75_000.0,
        tolerance: 0.015,
    },
    Measured {
        name: "CM7-R 3.84T",
        read_mean_us: [70.0, 79.0, 88.0, 97.0, 106.0, 120.0, 166.0],
        idle_read_us: 65.4,
        interference_us: 56.6,
        exponent: 1.0,
        queued_write_share: 0.012,
        write_4k_per_s: 125_000.0,
        tolerance: 0.015,
    },
    Measured {
        name: "P5520 1.92T",
        read_mean_us: [72.0, 129.0, 144.0, 160.0, 170.0, 172.0, 513.0],
        idle_read_us: 44.8,
        interference_us: 152.9,
        exponent: 0.6,
        queued_write_share: 0.088,
        write_4k_per_s: 125_000.0,
        tolerance: 0.165,
    },
];

fn spec(drive: &Measured) -> DriveSpec {
    DriveSpec {
        read_latency: vec![ReadLatency { size_bytes: 4096, latency_ns: (drive.idle_read_us * 1e3) as u64 }],
        read_tail_ratio: 1.3,
        read_units: 32,
        read_4k_per_s: 800e3,
        read_bandwidth_bytes_per_s: 6.5e9,
        write_bandwidth_bytes_per_s: 1.7e9,
        duplex: Duplex::Full,
        queue_limit: 1024,
        write_ack_ns: 10_000,
        write_4k_per_s: drive.write_4k_per_s,
        write_8k_per_s: drive.write_4k_per_s / 2.0,
        // Small, so that a rate just above the steady one fills it within the warm-up.
        write_buffer_bytes: 256 << 10,
        interference_ns: (drive.interference_us * 1e3) as u64,
        interference_exponent: drive.exponent,
        queued_write_share: drive.queued_write_share,
        ..DriveSpec::free()
    }
}

fn beside(writes_per_s: f64, spec: &DriveSpec) -> Outcome {
    let load = DriveLoad {
        readers: 1,
        paced_writers: 7,
        paced_writes_per_s: writes_per_s,
        span_bytes: 400 << 30,
        warm_up_ns: 2 * S,
        measure_ns: 2 * S,
        ..DriveLoad::default()
    };
    run(spec, &load)
}

#[test]
fn mean_read_latency_under_write_load_has_the_measured_shape() {
    for drive in &DRIVES {
        assert_eq!(spec(drive).validate(), Ok(()), "{}", drive.name);
        for (writes_per_s, measured_us) in WRITES_PER_S.into_iter().zip(drive.read_mean_us) {
            let got_us = mean_us(&beside(writes_per_s, &spec(drive)).read_ns);
            let error = got_us / measured_us - 1.0;
            assert!(
                error.abs() <= drive.tolerance,
                "{} at {writes_per_s} writes/s: {got_us:.0} us, measured {measured_us} us, error {error:.3}",
                drive.name
            );
        }
    }
}

/// The tail is not fitted: it follows from the Erlang shape of the delay. On the PE8110, whose delay is the
/// best known, p99 and p99.9 come within 12 % below saturation; at saturation the model's queue is too
/// regular and p99 is 20 % low.
#[test]
fn the_tail_of_reads_follows_on_the_best_known_drive() {
    let measured = [(10e3, 315.0, 457.0), (30e3, 397.0, 521.0), (50e3, 419.0, 548.0), (70e3, 448.0, 603.0)];
    for (writes_per_s, p99_us, p999_us) in measured {
        let reads = beside(writes_per_s, &spec(&DRIVES[0])).read_ns;
        for (quantile, measured_us, tolerance) in [(0.99, p99_us, 0.12), (0.999, p999_us, 0.25)] {
            let error = quantile_us(&reads, quantile) / measured_us - 1.0;
            assert!(
                error.abs() <= tolerance,
                "{writes_per_s} writes/s, quantile {quantile}: error {error:.3}"
            );
        }
    }
}

#[test]
fn write_latency_is_flat_and_then_n_over_x() {
    for (drive, flat_to, saturated_us) in [(&DRIVES[0], 3, 5190.0), (&DRIVES[1], 1, 8965.0)] {
        for (index, writes_per_s) in WRITES_PER_S.into_iter().enumerate() {
            let got_us = mean_us(&beside(writes_per_s, &spec(drive)).write_ns);
            if index <= flat_to {
                assert!((8.0..14.0).contains(&got_us), "{} at {writes_per_s}: {got_us}", drive.name);
            } else {
                let error = got_us / saturated_us - 1.0;
                assert!(error.abs() < 0.02, "{} at {writes_per_s}: {got_us}, error {error:.3}", drive.name);
            }
        }
    }
}

/// Measured on the 7450 PRO: write p99 12 us or less idle, 9.3 ms at 30 000/s, 5.8 ms (all queue) at
/// saturation.
#[test]
fn collection_bursts_give_the_kind_of_tail_seen_on_the_7450() {
    let burst = CollectionBurst { every_bytes: 14 << 20, length_ns: 9_500_000 };
    let spec = DriveSpec {
        write_4k_per_s: 78_650.0,
        write_8k_per_s: 40_000.0,
        queued_write_share: 0.0,
        collection_burst: Some(burst),
        ..spec(&DRIVES[0])
    };
    let moderate = beside(30e3, &spec).write_ns;
    assert!((6_000.0..12_000.0).contains(&quantile_us(&moderate, 0.99)), "{}", quantile_us(&moderate, 0.99));
    assert!(quantile_us(&moderate, 0.5) < 20.0);
    let saturated = beside(120e3, &spec).write_ns;
    assert!((quantile_us(&saturated, 0.99) / 5770.0 - 1.0).abs() < 0.03, "{}", quantile_us(&saturated, 0.99));
}
