//! From what a cell's runs found to its record in the notebook.

use block::{DirectionOutcome, Ended, EngineKind, Outcome, StreamOutcome};
use experiment::Share;
use measure::{Histogram, Series};
use notebook::{CellRecord, CellState, Event, Measurement};

use super::jobs::Load;
use super::pace;
use super::place::Place;
use super::session::Session;
use super::steady::Steadiness;
use crate::limiter;
use crate::metrics::{Metrics, one};

/// The record of a cell.
pub(super) fn of(session: &Session<'_>, steadiness: Option<Steadiness>) -> CellRecord {
    let (state, reason) = state(session);
    let mut events: Vec<Event> = Vec::new();
    let event =
        |kind: &str, message: &str| Event { kind: kind.to_owned(), count: 1, message: message.to_owned() };
    events.extend(session.notes.iter().map(|(kind, note)| event(kind, note)));
    events.extend(session.warnings.iter().map(|warning| event("warning", warning)));
    events.extend(steadiness.iter().flat_map(Steadiness::events));
    let mut record = CellRecord {
        state,
        reason,
        phases: session.phases.clone(),
        points: session.points.clone(),
        series: all_series(session),
        events,
        ..CellRecord::default()
    };
    if let Some(outcome) = &session.counted {
        let asked = match session.level() {
            Load::Rate { rate, .. } if session.block.find.is_none() => Some(rate),
            _ => None,
        };
        let (user, kernel) = processor_shares(outcome);
        let limiter = limiter::of_block(pace::of(session, outcome), outcome.iops(), user, kernel);
        (record.limiter, record.limiter_detail) = (Some(limiter.name.to_owned()), Some(limiter.detail));
        record.measurements = metrics(session, outcome, asked, steadiness.as_ref());
        record.histograms = histograms(outcome);
    } else if record.state == CellState::Done {
        (record.state, record.reason) =
            (CellState::Invalid, Some("nothing that counts was measured".to_owned()));
    }
    record
}

fn state(session: &Session<'_>) -> (CellState, Option<String>) {
    if session.conductor.interrupt.requested() {
        let reason = "stopped by the user before the measure phase was over".to_owned();
        return (CellState::Interrupted, Some(reason));
    }
    match session.ended {
        Ended::Complete if session.warnings.is_empty() => (CellState::Done, None),
        // Only I/Os that were late to return: the figures say so, and hold.
        Ended::Complete if session.warnings.iter().all(|w| w.contains("drain limit")) => {
            (CellState::Done, None)
        }
        _ => (CellState::Invalid, Some(session.warnings.join("; "))),
    }
}

/// Shares of one processor per worker that the generator itself and the kernel on its behalf took.
fn processor_shares(outcome: &Outcome) -> (f64, f64) {
    let worker_s = outcome.elapsed.as_secs_f64().max(1e-9) * f64::from(outcome.workers.max(1));
    (outcome.cpu.user_ns as f64 / 1e9 / worker_s, outcome.cpu.system_ns as f64 / 1e9 / worker_s)
}

/// Figures of one point.
pub(super) fn of_point(outcome: &Outcome, written_bytes: u64) -> Vec<Measurement> {
    let mut metrics = Metrics::default();
    throughput(&mut metrics, outcome);
    latencies(&mut metrics, "latency", &outcome.latency());
    latencies(&mut metrics, "service", &outcome.service());
    metrics.add("cpu_per_io", outcome.cpu_per_io_ns().unwrap_or(f64::NAN), "ns");
    metrics.add("written_bytes", written_bytes as f64, "B");
    metrics.0
}

fn throughput(metrics: &mut Metrics, outcome: &Outcome) {
    metrics.add("iops", outcome.iops(), "1/s");
    metrics.add("read_iops", outcome.read_iops(), "1/s");
    metrics.add("write_iops", outcome.write_iops(), "1/s");
    if outcome.discard.ios > 0 {
        metrics.add("discard_iops", outcome.discard_iops(), "1/s");
    }
    metrics.add("bandwidth", outcome.bytes_per_second() / 1e6, "MB/s");
}

/// The usual percentiles, and the far ones as far as the sample carries them.
fn latencies(metrics: &mut Metrics, prefix: &str, histogram: &Histogram) {
    metrics.add_latency(prefix, histogram);
    for (name, quantile) in [("p9999", 0.9999), ("p99999", 0.99999)] {
        if histogram.supports(quantile) {
            metrics.add(&format!("{prefix}_{name}"), histogram.quantile_ns(quantile) as f64 / 1e6, "ms");
        }
    }
    if !histogram.is_empty() {
        metrics.add(&format!("{prefix}_max"), histogram.max_ns() as f64 / 1e6, "ms");
    }
}

fn metrics(
    session: &Session<'_>,
    outcome: &Outcome,
    asked: Option<f64>,
    steadiness: Option<&Steadiness>,
) -> Vec<Measurement> {
    let mut metrics = Metrics::default();
    throughput(&mut metrics, outcome);
    if let Some(asked) = asked {
        metrics.add("iops_asked", asked, "1/s");
    }
    latencies(&mut metrics, "latency", &outcome.latency());
    metrics.add_latency("service", &outcome.service());
    metrics.add_latency("read_latency", &outcome.read.latency);
    metrics.add_latency("write_latency", &outcome.write.latency);
    metrics.add_latency("discard_latency", &outcome.discard.latency);
    metrics.add_latency("flush_latency", &outcome.flush.latency);
    metrics.add_latency("lag", &outcome.lag);
    metrics.add("cpu_per_io", outcome.cpu_per_io_ns().unwrap_or(f64::NAN), "ns");
    metrics.add("errors", outcome.failures() as f64, "count");
    if let Some(share) = late_share(&session.place) {
        metrics.add("late_completions", share * 100.0, "%");
    }
    if outcome.streams.len() > 1 {
        streams(&mut metrics, outcome);
    }
    bursts(&mut metrics, outcome);
    if let Some(steadiness) = steadiness {
        metrics.add("steady_attained", f64::from(u8::from(steadiness.attained)), "flag");
        metrics.add("steady_rounds", f64::from(steadiness.rounds), "count");
    }
    if session.block.find.is_some()
        && let Some(found) = session.points.iter().find(|point| point.counts)
    {
        metrics.add("found_depth", found.depth.unwrap_or(f64::NAN), "I/O");
        metrics.add("found_rate", found.rate_asked.unwrap_or(f64::NAN), "1/s");
    }
    metrics.0
}

/// The share of answers of modelled drives that this machine gave later than the model, in all loads of the cell.
fn late_share(place: &Place) -> Option<f64> {
    // The log's drive is the data's where both are one.
    let grounds = [Some(&place.data), Some(&place.log).filter(|_| !place.is_one)];
    let answers: Vec<block::Answers> = grounds
        .into_iter()
        .flatten()
        .filter_map(|ground| match &ground.engine {
            EngineKind::Modelled(drive) => Some(drive.answers()),
            _ => None,
        })
        .collect();
    let sum = |of: fn(&block::Answers) -> u64| answers.iter().map(of).sum::<u64>() as f64;
    let all = sum(|answers| answers.all);
    (all > 0.0).then(|| sum(|answers| answers.late) / all)
}

fn streams(metrics: &mut Metrics, outcome: &Outcome) {
    for stream in &outcome.streams {
        let name = &stream.name;
        metrics.add(&format!("stream_{name}_iops"), stream.iops(), "1/s");
        for (what, direction) in directions(stream) {
            metrics.add_latency(&format!("stream_{name}_{what}_latency"), &direction.latency);
        }
    }
}

fn directions(stream: &StreamOutcome) -> [(&'static str, &DirectionOutcome); 4] {
    [("read", &stream.read), ("write", &stream.write), ("discard", &stream.discard), ("flush", &stream.flush)]
}

/// What reads and writes felt inside and between the bursts of another stream.
fn bursts(metrics: &mut Metrics, outcome: &Outcome) {
    let Some(split) = &outcome.bursts else { return };
    let (inside_s, all_s) = (split.inside.as_secs_f64(), outcome.elapsed.as_secs_f64());
    let between_s = (all_s - inside_s).max(0.0);
    metrics.add("burst_share", inside_s / all_s.max(1e-9) * 100.0, "%");
    let parts = [
        ("read", &split.read_inside, &split.read_between),
        ("write", &split.write_inside, &split.write_between),
    ];
    for (what, inside, between) in parts {
        for (when, histogram, seconds) in [("inside", inside, inside_s), ("between", between, between_s)] {
            if inside.len() + between.len() > 0 {
                metrics.add(&format!("{what}_iops_{when}_bursts"), histogram.len() as f64 / seconds, "1/s");
                metrics.add_latency(&format!("{what}_latency_{when}_bursts"), histogram);
            }
        }
    }
}

/// Of the cell, and of reads, writes and discards apart where there are several of them.
fn all_series(session: &Session<'_>) -> Vec<Series> {
    let mut all = session.timeline.as_ref().map(series).unwrap_or_default();
    let Some(directions) = &session.directions else { return all };
    let seconds = directions.each_ref().map(measure::Timeline::seconds);
    let words = ["read", "write", "discard"].into_iter().zip(seconds);
    let used: Vec<_> = words.filter(|(_, seconds)| seconds.iter().any(|second| second.count > 0)).collect();
    if used.len() > 1 {
        for (word, seconds) in used {
            all.push(one(&format!("{word}_iops"), "1/s", seconds.iter().map(|s| s.count as f64)));
            let means = seconds.iter().map(|s| if s.count > 0 { s.mean_ns / 1e6 } else { f64::NAN });
            all.push(one(&format!("{word}_latency_mean"), "ms", means));
        }
    }
    all
}

fn series(timeline: &measure::Timeline) -> Vec<Series> {
    let seconds = timeline.seconds();
    vec![
        one("iops", "1/s", seconds.iter().map(|s| s.count as f64)),
        one("bandwidth", "MB/s", seconds.iter().map(|s| s.bytes as f64 / 1e6)),
        one("latency_mean", "ms", seconds.iter().map(|s| s.mean_ns / 1e6)),
        one("latency_p99", "ms", seconds.iter().map(|s| s.p99_ns as f64 / 1e6)),
    ]
}

fn histograms(outcome: &Outcome) -> Vec<(String, Histogram)> {
    let of = |direction: &DirectionOutcome| direction.latency.clone();
    let mut named = vec![
        ("latency".to_owned(), outcome.latency()),
        ("service".to_owned(), outcome.service()),
        ("read".to_owned(), of(&outcome.read)),
        ("write".to_owned(), of(&outcome.write)),
        ("discard".to_owned(), of(&outcome.discard)),
        ("flush".to_owned(), of(&outcome.flush)),
    ];
    if let Some(split) = &outcome.bursts {
        named.push(("read inside bursts".to_owned(), split.read_inside.clone()));
        named.push(("read between bursts".to_owned(), split.read_between.clone()));
    }
    if outcome.streams.len() > 1 {
        for stream in &outcome.streams {
            for (what, direction) in directions(stream) {
                named.push((format!("stream {}: {what}", stream.name), of(direction)));
            }
        }
    }
    named.retain(|(_, histogram)| !histogram.is_empty());
    named
}

/// A share of I/Os as a percentile: `p99.9`.
pub(super) fn percentile(share: Share) -> String {
    format!("p{}", share.to_string().trim_end_matches('%'))
}
