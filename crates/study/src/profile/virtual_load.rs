//! A load on a modelled drive in virtual time, in place of the target: the prediction of a measured load, and
//! the load of a profile without a machine.

use device::{Bucket, DriveSpec};
use measure::Histogram;
use simulate::{DriveLoad, run_on_drive};

use super::load::{Direction, Load};

/// Operations of a prediction: the percentile that one in a hundred exceeds is then known to about 5 %.
const OPERATIONS: f64 = 20_000.0;
/// Writes that keep the medium busy for this share of the time fill the buffer.
const SATURATED: f64 = 0.95;

/// The load that `asked` describes, for its whole time, on the idle drive of these numbers. Results that
/// `asked` has are not looked at.
#[must_use]
pub fn run_load(spec: &DriveSpec, asked: &Load, seed: u64) -> Load {
    run(spec, asked, 1.0, seed)
}

/// A measured load as the model predicts it. A load of many operations is run for a part of its time; where
/// its writes fill the buffer, or its operations empty a bucket, buffer and bucket are as much smaller, so
/// that each state of the drive has its share of the time.
#[must_use]
pub fn replay_load(spec: &DriveSpec, load: &Load, seed: u64) -> Load {
    replay_part(spec, load, OPERATIONS, seed)
}

/// [`replay_load`] with about so many operations.
pub(super) fn replay_part(spec: &DriveSpec, load: &Load, operations: f64, seed: u64) -> Load {
    let expected = load.per_s() * load.whole_s();
    let share = if expected > operations { operations / expected } else { 1.0 };
    if share >= 1.0 {
        return run(spec, load, 1.0, seed);
    }
    let mut spec = spec.clone();
    let cost_ns = if load.is_sequential {
        load.block_bytes as f64 / spec.write_bandwidth_bytes_per_s * 1e9
    } else {
        spec.write_cost_ns(load.block_bytes)
    };
    let writes_per_s = load.writes.as_ref().map_or(0.0, |writes| writes.per_s);
    if writes_per_s * cost_ns / 1e9 >= SATURATED {
        spec.write_buffer_bytes = (spec.write_buffer_bytes as f64 * share) as u64;
    }
    let smaller = |bucket: &Bucket| Bucket { burst_tokens: bucket.burst_tokens * share, ..*bucket };
    spec.limits = spec.limits.iter().map(smaller).collect();
    run(&spec, load, share, seed)
}

fn run(spec: &DriveSpec, asked: &Load, share: f64, seed: u64) -> Load {
    let whole_s = asked.whole_s();
    let drive_load = DriveLoad {
        read_share: asked.read_share,
        block_bytes: u32::try_from(asked.block_bytes).unwrap_or(u32::MAX),
        is_sequential: asked.is_sequential,
        depth: asked.depth,
        offered_per_s: asked.offered_per_s,
        flush_every: asked.flush_every,
        before_s: (whole_s - asked.measured_s) * share,
        measured_s: asked.measured_s * share,
        interval_s: asked.interval_s * share,
    };
    let outcome = run_on_drive(spec, &drive_load, seed);
    let direction = |latency: Histogram| {
        let per_s = latency.len() as f64 / drive_load.measured_s;
        (!latency.is_empty()).then_some(Direction { per_s, latency })
    };
    Load {
        reads: direction(outcome.reads),
        writes: direction(outcome.writes),
        flushes: direction(outcome.flushes),
        counts: outcome.counts,
        interval_s: drive_load.interval_s,
        measured_s: drive_load.measured_s,
        ..asked.clone()
    }
}
