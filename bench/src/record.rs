//! Cost of accounting for one event: the histogram and the timeline, alone and together.
//!
//! Latencies come from a table of 4096 log-normal-like values, as on a drive; a bench that repeats one value
//! would flatter the caches and the branch predictor.

use std::hint::black_box;

use ground::Random;
use measure::{Histogram, Timeline};

use crate::fastest;
use crate::options::Options;

const EVENTS: usize = 4096;
/// One event each microsecond: a timeline second is closed every 10^6 events.
const STEP_NS: u64 = 1000;

/// Around 90 us, spread over a factor of about 30 (sum of 12 uniform numbers in the exponent).
fn latencies() -> Vec<u64> {
    let mut random = Random::new(1);
    let mut normal = || (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
    (0..EVENTS).map(|_| (90_000.0 * (0.5 * normal()).exp()) as u64).collect()
}

/// Nanoseconds of each way, the least of many repeats.
pub(crate) fn run(options: &Options) -> anyhow::Result<String> {
    let latencies = latencies();
    let (mut histogram, mut timeline, mut now_ns) = (Histogram::new(), Timeline::new(0), 0);
    let mut per_event = |in_histogram: bool, in_timeline: bool| {
        let spent_ns = fastest::ns(options.seconds, || {
            for &latency_ns in black_box(&latencies) {
                if in_histogram {
                    histogram.record(latency_ns);
                }
                if in_timeline {
                    now_ns += STEP_NS;
                    timeline.record(now_ns, latency_ns, 4096);
                }
            }
        });
        spent_ns / EVENTS as f64
    };
    let (histogram, timeline, both) = (per_event(true, false), per_event(false, true), per_event(true, true));
    Ok(format!("ns per event: histogram {histogram:.1}, timeline {timeline:.1}, both {both:.1}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smoke_run_times_both() {
        let text = run(&Options::for_test(0.01, std::path::Path::new("."))).unwrap();
        assert!(text.contains("both") && !text.contains("inf"), "{text}");
    }
}
