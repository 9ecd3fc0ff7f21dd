//! The goals of our own engine: starts on time, and memory that does not grow with the run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use block::{Arrivals, Control, EngineKind, Job, Pattern, Shape, SizeMix, Stream, Target};
use ground::Clock;

use crate::machine;
use crate::options::Options;

const RATE: f64 = 100_000.0;
const LATE_P99_MAX_US: f64 = 20.0;
/// With `--quiet`, others may take this share of the machine before a run, and so long is waited for that.
const OTHERS_SHARE_MAX: f64 = 0.05;
const PATIENCE: Duration = Duration::from_secs(600);

fn job(shape: Shape, seconds: f64) -> Job {
    let stream = Stream::new("reads", Pattern::Uniform, 1.0, SizeMix::fixed(4096));
    let mut job = Job::new(stream, shape, EngineKind::Null, Target::AddressSpace { size_bytes: 1 << 30 });
    job.measure = Duration::from_secs_f64(seconds);
    job
}

/// The lateness of one worker's starts at 100,000 a second on the null engine.
pub(crate) fn lateness(options: &Options) -> anyhow::Result<String> {
    let mut text = format!(
        "Starts at {RATE} I/Os per second, one worker, null engine (goal: p99 under {LATE_P99_MAX_US} us):\n"
    );
    for (name, arrivals) in [("evenly spaced", Arrivals::Fixed), ("Poisson", Arrivals::Poisson)] {
        let mut late_us = Vec::new();
        for _ in 0..options.pairs {
            if options.quiet {
                let quiet = machine::wait_for_quiet(OTHERS_SHARE_MAX, PATIENCE);
                anyhow::ensure!(quiet, "the machine is never quiet; leave out --quiet or run later");
            }
            let shape = Shape::OpenLoop { rate: RATE, depth_max: 64, arrivals };
            let outcome = block::run(&job(shape, options.seconds), &Control::new())?;
            late_us.push((outcome.lag.quantile_ns(0.99) as f64 / 1e3, outcome.iops()));
        }
        late_us.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (median, worst) = (late_us[late_us.len() / 2], late_us[late_us.len() - 1]);
        let kept = if median.0 < LATE_P99_MAX_US { "met" } else { "not met" };
        text += &format!(
            "  {name}: p99 {:.1} us (median of {} runs, worst {:.1}), {:.0} I/Os per second came about: {kept}\n",
            median.0,
            late_us.len(),
            worst.0,
            median.1
        );
    }
    Ok(text)
}

/// Resident memory after the first sixtieth of a run and at its end: 10 s and 10 min with `--seconds 30`.
pub(crate) fn memory(options: &Options) -> anyhow::Result<String> {
    let seconds = options.seconds * if options.smoke { 2.0 } else { 20.0 };
    let over = AtomicBool::new(false);
    let shape = Shape::OpenLoop { rate: 5_000.0, depth_max: 64, arrivals: Arrivals::Poisson };
    let (early_kib, late_kib) = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            Clock::Wall.sleep(Duration::from_secs_f64(seconds / 60.0));
            let (early, mut late) = (resident_kib(), 0);
            while !over.load(Ordering::Relaxed) {
                late = resident_kib();
                Clock::Wall.sleep(Duration::from_millis(20));
            }
            (early, late)
        });
        let ran = block::run(&job(shape, seconds), &Control::new());
        over.store(true, Ordering::Relaxed);
        let sizes = watch.join().unwrap_or_default();
        ran.map(|_| sizes)
    })?;
    Ok(format!(
        "Resident memory after {:.0} s of load: {early_kib} KiB; after {seconds:.0} s: {late_kib} KiB.\n",
        seconds / 60.0
    ))
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse().unwrap_or(0)
}
