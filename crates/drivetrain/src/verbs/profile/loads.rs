//! Measured loads as data.

use measure::Histogram;
use serde_json::{Value, json};
use study::profile::{Direction, Load, MeasuredLoads};

/// All loads for programs.
pub(super) fn document(measured: &MeasuredLoads) -> Value {
    measured.loads.iter().map(load).collect()
}

fn load(load: &Load) -> Value {
    let of = |direction: &Option<Direction>| direction.as_ref().map(direction_document);
    json!({
        "name": load.name,
        "read_share": load.read_share,
        "block_bytes": load.block_bytes,
        "is_sequential": load.is_sequential,
        "depth": load.depth,
        "offered_per_s": load.offered_per_s,
        "flush_every": load.flush_every,
        "written_before_bytes": load.written_before_bytes,
        "measured_s": load.measured_s,
        "reads": of(&load.reads),
        "writes": of(&load.writes),
        "flushes": of(&load.flushes),
        "counts": load.counts,
        "interval_s": load.interval_s,
    })
}

fn direction_document(direction: &Direction) -> Value {
    let latency: &Histogram = &direction.latency;
    let at = |quantile| latency.quantile_ns(quantile);
    json!({
        "per_s": direction.per_s,
        "mean_ns": latency.mean_ns(),
        "p50_ns": at(0.5),
        "p95_ns": at(0.95),
        "p99_ns": at(0.99),
        "p999_ns": at(0.999),
        "count": latency.len(),
    })
}
