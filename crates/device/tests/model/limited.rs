//! Limits in front of a drive: rates, bursts, and the independence of directions.

use device::{Bucket, Drive, DriveSpec, Op};

use crate::load::{DriveLoad, S, mean_us, run};

fn nvme() -> DriveSpec {
    device::catalogue::find("kingston-dc1500m-960g").expect("in the catalogue").spec.clone()
}

fn limited(bucket: Bucket) -> DriveSpec {
    DriveSpec { limits: vec![bucket], ..nvme() }
}

fn operations(rate: f64, burst: f64) -> Bucket {
    Bucket { read_tokens: 1.0, write_tokens: 1.0, ..Bucket::new(rate, burst) }
}

#[test]
fn a_mix_passes_at_the_rate_of_its_limit() {
    for mixed in [1, 8, 64] {
        let spec = limited(operations(4000.0, 0.0));
        let outcome = run(&spec, &DriveLoad { mixed, measure_ns: 4 * S, ..DriveLoad::default() });
        let rate = outcome.reads_per_s() + outcome.writes_per_s();
        assert!((rate / 4000.0 - 1.0).abs() < 0.003, "{mixed}: {rate}");
    }
}

#[test]
fn below_its_limit_a_drive_answers_as_without() {
    let load = DriveLoad { readers: 1, ..DriveLoad::default() };
    let free = mean_us(&run(&nvme(), &load).read_ns);
    let limited = mean_us(&run(&limited(operations(50_000.0, 0.0)), &load).read_ns);
    assert!((limited / free - 1.0).abs() < 0.01, "{limited} us instead of {free} us");
}

#[test]
fn a_limit_of_reads_leaves_writes_alone() {
    let reads = Bucket { read_tokens: 1.0, ..Bucket::new(1000.0, 0.0) };
    let load = DriveLoad { readers: 16, writers: 2, measure_ns: 2 * S, ..DriveLoad::default() };
    let outcome = run(&limited(reads), &load);
    assert!((outcome.reads_per_s() / 1000.0 - 1.0).abs() < 0.01, "{}", outcome.reads_per_s());
    assert!(mean_us(&outcome.write_ns) < 40.0, "{}", mean_us(&outcome.write_ns));
}

#[test]
fn a_flush_passes_and_the_free_drive_can_be_limited() {
    let mut drive = Drive::new(&DriveSpec { limits: vec![operations(10.0, 0.0)], ..DriveSpec::free() }, 1);
    let write = Op::Write { offset: 0, len: 4096 };
    assert_eq!((drive.submit(0, write), drive.submit(0, write)), (0, 100_000_000));
    assert_eq!(drive.submit(0, Op::Flush), 0, "a flush takes no tokens");
}
