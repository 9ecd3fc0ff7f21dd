//! Cost of one submission to the model, and operations per second per core.
//!
//! The clock moves on so that the drive stands at about the load named: what matters to the cost is how many
//! operations are inside the drive.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use device::{Drive, DriveSpec, Op, catalogue};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const OPERATIONS: usize = 1 << 16;

/// Reads and writes of 4 KiB at random offsets, made ahead so that only the model is timed.
fn operations(read_percent: u64) -> Vec<Op> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let operation = |_| {
        let offset = random.next_u64() % (1 << 24) * 4096;
        let read = random.next_u64() % 100 < read_percent;
        if read { Op::Read { offset, len: 4096 } } else { Op::Write { offset, len: 4096 } }
    };
    (0..OPERATIONS).map(operation).collect()
}

fn bench(criterion: &mut Criterion, name: &str, spec: &DriveSpec, read_percent: u64, per_s: f64) {
    let operations = operations(read_percent);
    let gap_ns = (1e9 / per_s) as u64;
    let mut drive = Drive::new(spec, 1);
    let mut now_ns = 0;
    let mut group = criterion.benchmark_group("submit");
    group.throughput(Throughput::Elements(OPERATIONS as u64));
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            let mut sum = 0u64;
            for &op in &operations {
                now_ns += gap_ns;
                sum = sum.wrapping_add(drive.submit(now_ns, op));
            }
            black_box(sum)
        });
    });
    group.finish();
}

fn submit(criterion: &mut Criterion) {
    let drive =
        |name: &str| catalogue::find(name).map(|entry| entry.spec.clone()).expect("a drive of the catalogue");
    let (nvme, sata) = (drive("kingston-dc1500m-960g"), drive("micron-5200-eco-1920g"));
    // About 1, 30 and 1024 commands inside the drive; the last is more than it can do.
    bench(criterion, "nvme mixed 70/30, light", &nvme, 70, 10e3);
    bench(criterion, "nvme mixed 70/30, busy", &nvme, 70, 240e3);
    bench(criterion, "nvme mixed 70/30, overloaded", &nvme, 70, 5e6);
    bench(criterion, "nvme reads, busy", &nvme, 100, 240e3);
    bench(criterion, "nvme writes, busy", &nvme, 0, 120e3);
    bench(criterion, "sata mixed 70/30, busy", &sata, 70, 50e3);
    bench(criterion, "free", &drive("free"), 70, 1e6);
}

criterion_group!(benches, submit);
criterion_main!(benches);
