//! Cost of accounting for one event: the histogram and the timeline, alone and together.
//!
//! Latencies come from a table of 4096 log-normal-like values, as on a drive; a bench that repeats one value
//! would flatter the caches and the branch predictor.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use measure::{Histogram, Timeline};

const EVENTS: usize = 4096;
/// One event each microsecond: a timeline second is closed every 10^6 events.
const STEP_NS: u64 = 1000;

/// Around 90 us, spread over a factor of about 30 (sum of 12 uniform numbers in the exponent).
fn latencies() -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..EVENTS)
        .map(|_| (90_000.0 * (0.5 * ((0..12).map(|_| uniform()).sum::<f64>() - 6.0)).exp()) as u64)
        .collect()
}

fn record(criterion: &mut Criterion) {
    let latencies = latencies();
    let mut group = criterion.benchmark_group("record");
    group.throughput(Throughput::Elements(EVENTS as u64));

    group.bench_function("histogram", |bencher| {
        let mut histogram = Histogram::new();
        bencher.iter(|| {
            for &latency_ns in black_box(&latencies) {
                histogram.record(latency_ns);
            }
        });
    });
    group.bench_function("timeline", |bencher| {
        let (mut timeline, mut now_ns) = (Timeline::new(0), 0);
        bencher.iter(|| {
            for &latency_ns in black_box(&latencies) {
                now_ns += STEP_NS;
                timeline.record(now_ns, latency_ns, 4096);
            }
        });
    });
    group.bench_function("both", |bencher| {
        let (mut histogram, mut timeline, mut now_ns) = (Histogram::new(), Timeline::new(0), 0);
        bencher.iter(|| {
            for &latency_ns in black_box(&latencies) {
                now_ns += STEP_NS;
                histogram.record(latency_ns);
                timeline.record(now_ns, latency_ns, 4096);
            }
        });
    });
    group.finish();
}

criterion_group!(benches, record);
criterion_main!(benches);
