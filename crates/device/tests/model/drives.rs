//! The drives of the catalogue have the figures of their files.

use device::{Drive, DriveSpec, Op, catalogue};

use crate::load::{DriveLoad, S, mean_us, run};

fn spec(name: &str) -> DriveSpec {
    catalogue::find(name).unwrap_or_else(|| panic!("{name} is not in the catalogue")).spec.clone()
}

fn close(got: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (got / expected - 1.0).abs() <= tolerance,
        "{what}: {got:.1}, expected {expected:.1} +- {tolerance}"
    );
}

#[test]
fn reads_reach_the_published_rate_at_the_published_depth() {
    let published = [
        ("kingston-dc1500m-960g", 128, 440e3),
        ("kingston-dc500m-1920g", 32, 98e3),
        ("micron-5200-eco-1920g", 32, 95e3),
        ("skhynix-pe6011", 128, 615e3),
        ("skhynix-se4011", 128, 67.8e3),
        ("fusionio-iodrive-80", 128, 102e3),
        ("raid10-10x15k-sas", 320, 3.7e3),
    ];
    for (name, depth, per_s) in published {
        let outcome =
            run(&spec(name), &DriveLoad { readers: depth, measure_ns: 2 * S, ..DriveLoad::default() });
        close(outcome.reads_per_s(), per_s, 0.025, name);
    }
}

#[test]
fn published_latencies_at_depth_follow_from_the_rates() {
    // Study storagereview-skhynix: 0.205 ms and 1.9 ms with 128 threads per drive.
    for (name, published_us) in [("skhynix-pe6011", 205.0), ("skhynix-se4011", 1900.0)] {
        let outcome = run(&spec(name), &DriveLoad { readers: 128, ..DriveLoad::default() });
        close(mean_us(&outcome.read_ns), published_us, 0.04, name);
    }
}

#[test]
fn the_iodrive_reaches_its_mixed_rate() {
    let load =
        DriveLoad { mixed: 128, read_share: 0.7, warm_up_ns: S, measure_ns: 2 * S, ..DriveLoad::default() };
    let outcome = run(&spec("fusionio-iodrive-80"), &load);
    close(outcome.reads_per_s() + outcome.writes_per_s(), 88e3, 0.03, "70/30 random 4 KiB");
}

#[test]
fn reads_of_the_disk_array_fall_during_write_bursts() {
    let array = spec("raid10-10x15k-sas");
    let load = DriveLoad {
        readers: 320,
        writers: 64,
        warm_up_ns: 40 * S,
        measure_ns: 20 * S,
        ..DriveLoad::default()
    };
    close(run(&array, &load).reads_per_s(), 2000.0, 0.05, "reads/s while writing never stops");
}

#[test]
fn the_free_drive_costs_nothing() {
    assert_eq!(spec("free"), DriveSpec::free());
    let mut drive = Drive::new(&spec("free"), 1);
    for now_ns in [0, 5, 3, u64::MAX] {
        for op in [Op::Read { offset: 0, len: 1 << 20 }, Op::Write { offset: 9, len: 4096 }, Op::Flush] {
            assert_eq!(drive.submit(now_ns, op), now_ns);
        }
    }
}

#[test]
fn nvme_and_sata_differ_as_they_should() {
    let load = DriveLoad { mixed: 8, warm_up_ns: S, measure_ns: 2 * S, ..DriveLoad::default() };
    let per_s = |name: &str| {
        let outcome = run(&spec(name), &load);
        outcome.reads_per_s() + outcome.writes_per_s()
    };
    let (nvme, sata) = (per_s("kingston-dc1500m-960g"), per_s("micron-5200-eco-1920g"));
    assert!(nvme > 1.8 * sata, "{nvme} against {sata}");
}
