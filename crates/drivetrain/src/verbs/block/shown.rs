//! The result of a block load without an experiment, as text and as JSON.

use block::{Bursts, DirectionOutcome, Outcome};
use clap::ValueEnum as _;
use measure::Histogram;

use super::BlockArgs;

pub(super) fn text(args: &BlockArgs, outcome: &Outcome) -> String {
    let load =
        args.rate.map_or_else(|| format!("depth {}", args.depth), |rate| format!("{rate} IOPS requested"));
    let mut text = format!(
        "{:.0} IOPS, {:.1} MB/s over {:.1} s at {load}\n\n{:7} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n",
        outcome.iops(),
        outcome.bytes_per_second() / 1e6,
        outcome.elapsed.as_secs_f64(),
        "",
        "IOPS",
        "mean us",
        "p50 us",
        "p90 us",
        "p99 us",
        "p99.9 us",
        "max us"
    );
    for (name, direction, iops) in [
        ("read", &outcome.read, outcome.read_iops()),
        ("write", &outcome.write, outcome.write_iops()),
        ("discard", &outcome.discard, outcome.discard_iops()),
    ] {
        if direction.ios > 0 {
            text.push_str(&row(name, iops, &direction.latency));
            if args.rate.is_some() {
                text.push_str(&row("service", iops, &direction.service));
            }
        }
    }
    if outcome.flush.ios > 0 {
        let rate = outcome.flush.ios as f64 / outcome.elapsed.as_secs_f64().max(1e-9);
        text.push_str(&row("flush", rate, &outcome.flush.latency));
    }
    if let Some((asked, bursts)) = pace(args) {
        text.push_str(&pace_text(asked, bursts, outcome));
    }
    if let Some(cpu) = outcome.cpu_per_io_ns() {
        text.push_str(&format!("\nour own cost {cpu:.0} ns of processor time per I/O\n"));
    }
    if let Some(report) = &outcome.verify {
        text.push_str(&format!("verified: {}\n", report.summary()));
    }
    if let Some(journal) = &outcome.journal {
        text.push_str(&format!("journal: {} durable writes of blocks\n", journal.records));
    }
    for warning in outcome.warnings() {
        text.push_str(&format!("warning: {warning}\n"));
    }
    text
}

/// What was asked in words, and the bursts, of a load that starts its I/Os by the clock.
fn pace(args: &BlockArgs) -> Option<(String, Bursts)> {
    let shape = args.shapes.shape(args.rate, args.depth).ok()?;
    let asked = match (&args.shapes.burst, args.rate) {
        (Some(burst), _) => format!("bursts of {burst}"),
        (None, rate) => format!("{} IOPS", rate?),
    };
    Some((asked, Bursts::of(&shape)))
}

/// Whether the pace was kept, and the I/Os that the end of the phase cut off.
fn pace_text(asked: String, bursts: Bursts, outcome: &Outcome) -> String {
    let mut text = match outcome.kept_pace(bursts) {
        true => format!("\nkept its pace of {asked}; the highest rate was not measured\n"),
        false => format!(
            "\nmissed its pace: {:.0} IOPS of {asked} requested; the latencies include the time for which I/Os waited to be started\n",
            outcome.iops()
        ),
    };
    if outcome.after_end > 0 {
        text.push_str(&format!(
            "{} of {} I/Os that were due came back after the end of the phase: in the latencies, in no rate\n",
            outcome.after_end,
            outcome.due()
        ));
    }
    text
}

fn row(name: &str, iops: f64, latency: &Histogram) -> String {
    let us = |ns: f64| format!("{:.1}", ns / 1e3);
    let quantile =
        |q: f64| if latency.supports(q) { us(latency.quantile_ns(q) as f64) } else { "-".to_owned() };
    format!(
        "{name:7} {iops:>10.0} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n",
        us(latency.mean_ns()),
        quantile(0.5),
        quantile(0.9),
        quantile(0.99),
        quantile(0.999),
        us(latency.max_ns() as f64)
    )
}

pub(super) fn document(args: &BlockArgs, outcome: &Outcome) -> serde_json::Value {
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
        "kept_pace": pace(args).map(|(_, bursts)| outcome.kept_pace(bursts)),
        "engine_features": outcome.engine_features,
        "verified": outcome.verify.as_ref().map(|v| v.summary()),
        "journaled": outcome.journal.as_ref().map(|journal| journal.records),
        "warnings": outcome.warnings().sentences(),
    })
}

fn direction(direction: &DirectionOutcome, iops: f64) -> serde_json::Value {
    let second = |s: &measure::Second| serde_json::json!({ "ios": s.count, "bytes": s.bytes, "mean_us": s.mean_ns / 1e3, "p99_us": s.p99_ns as f64 / 1e3 });
    serde_json::json!({
        "ios": direction.ios,
        "bytes": direction.bytes,
        "iops": iops,
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
