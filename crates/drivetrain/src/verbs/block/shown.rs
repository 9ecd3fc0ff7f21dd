//! The result of a block load without an experiment: remarks on it, and the same as JSON.

use block::{Bursts, DirectionOutcome, Outcome};
use clap::ValueEnum as _;
use measure::Histogram;
use words::{Grouped, say};

use super::BlockArgs;

/// Remarks on the load besides its figures.
pub(super) fn remarks(args: &BlockArgs, bursts: Bursts, outcome: &Outcome) -> Vec<String> {
    let mut remarks = Vec::new();
    remarks.extend(pace(args).into_iter().flat_map(|asked| pace_remarks(asked, bursts, outcome)));
    remarks.extend(outcome.verify.as_ref().map(|report| say!("load-verified", found = report.kinds())));
    remarks.extend(
        outcome.journal.as_ref().map(|journal| say!("load-journal", records = journal.records.to_string())),
    );
    remarks.extend(
        outcome.warnings().0.iter().map(|warning| say!("load-warning", warning = warning.to_string())),
    );
    remarks
}

/// The pace that was asked for, of a load that starts its I/Os by the clock.
fn pace(args: &BlockArgs) -> Option<String> {
    let asked = match (&args.shapes.burst, args.rate) {
        (Some(burst), _) => format!("bursts of {burst}"),
        (None, rate) => format!("{} IOPS", rate?),
    };
    Some(asked)
}

/// Remarks on the pace (kept or missed), and on the I/Os that the end of the phase cut off.
fn pace_remarks(asked: String, bursts: Bursts, outcome: &Outcome) -> Vec<String> {
    let mut remarks = vec![match outcome.kept_pace(bursts) {
        true => say!("load-kept-pace", asked),
        false => say!("load-missed-pace", asked, iops = words::decimals(outcome.iops(), 0)),
    }];
    if outcome.after_end > 0 {
        remarks.push(say!(
            "load-after-end",
            ios = Grouped(outcome.after_end as usize),
            due = Grouped(outcome.due() as usize)
        ));
    }
    remarks
}

pub(super) fn document(args: &BlockArgs, bursts: Bursts, outcome: &Outcome) -> serde_json::Value {
    serde_json::json!({
        "rw": args.rw.to_possible_value().map(|v| v.get_name().to_owned()),
        "bs": args.bs,
        "depth": args.rate.is_none().then_some(args.depth),
        "rate_asked_iops": args.rate,
        "elapsed_s": outcome.elapsed.as_secs_f64(),
        "iops": outcome.iops(),
        "bandwidth_mb_s": outcome.bytes_per_second() / 1e6,
        "cpu_per_io_ns": outcome.cpu_per_io_ns(),
        "read": direction(&outcome.read, outcome.read_iops()),
        "write": direction(&outcome.write, outcome.write_iops()),
        "discard": (outcome.discard.ios > 0).then(|| direction(&outcome.discard, outcome.discard_iops())),
        "flush": (outcome.flush.ios > 0).then(|| latencies(&outcome.flush.latency)),
        "lag_p99_us": (!outcome.lag.is_empty()).then(|| outcome.lag.quantile_ns(0.99) as f64 / 1e3),
        "errors": outcome.failures(),
        "unfinished": outcome.unfinished,
        "due": outcome.due(),
        "after_end": outcome.after_end,
        "kept_pace": pace(args).map(|_| outcome.kept_pace(bursts)),
        "engine_features": outcome.engine_features,
        "verified": outcome.verify.as_ref().map(|v| v.kinds().to_string()),
        "journaled": outcome.journal.as_ref().map(|journal| journal.records),
        "warnings": outcome.warnings().sentences(),
    })
}

fn direction(direction: &DirectionOutcome, iops: f64) -> serde_json::Value {
    let second = |s: &measure::Second| serde_json::json!({ "ios": s.count, "bytes": s.bytes, "mean_us": s.mean_ns / 1e3, "p99_us": s.p99_ns as f64 / 1e3 });
    let mean_bytes = direction.bytes as f64 / direction.ios.max(1) as f64;
    serde_json::json!({
        "ios": direction.ios,
        "bytes": direction.bytes,
        "iops": iops,
        "mb_per_s": iops * mean_bytes / 1e6,
        "latency_us": latencies(&direction.latency),
        "service_us": latencies(&direction.service),
        "seconds": direction.timeline.seconds().iter().map(second).collect::<Vec<_>>(),
    })
}

fn latencies(histogram: &Histogram) -> serde_json::Value {
    if histogram.is_empty() {
        return serde_json::Value::Null;
    }
    let us = |q: f64| histogram.supports(q).then(|| histogram.quantile_ns(q) as f64 / 1e3);
    serde_json::json!({
        "mean": histogram.mean_ns() / 1e3, "min": histogram.min_ns() as f64 / 1e3, "max": histogram.max_ns() as f64 / 1e3,
        "p50": us(0.5), "p90": us(0.9), "p95": us(0.95), "p99": us(0.99), "p999": us(0.999), "p9999": us(0.9999),
    })
}
