//! From the results of a cell's runs to its record in the notebook.

use block::{Answers, DirectionOutcome, Ended, EngineKind, Outcome, StreamOutcome};
use experiment::{Block, Share};
use measure::{Histogram, Second, Series};
use notebook::{CellRecord, CellState, Event, Measurement};
use words::{EventKind, Family, HistogramName, Latency, Metric, MetricName, Reason, Reasons, Statistic};

use super::jobs::LevelLoad;
use super::pace;
use super::results::Results;
use super::session::Session;
use super::steady::Steadiness;
use crate::metrics::{Metrics, event, one};
use crate::watch::limiter::{self, BlockProcessors, Pace};
use crate::watch::measurements::by_second;

/// The conditions of a cell besides its results.
pub(super) struct Terms<'a> {
    pub(super) block: &'a Block,
    /// I/Os per second that the level asks for, if it asks for a rate.
    pub(super) asked_iops: Option<f64>,
    /// The pace of all loads together, where each has one.
    pub(super) pace: Option<Pace>,
    /// The answers of each modelled drive under it.
    pub(super) answers: Vec<Answers>,
    /// True if somebody asked to stop.
    pub(super) is_stopped: bool,
}

/// The record of a cell that a conductor ran.
pub(super) fn of(session: &Session<'_>, steadiness: Option<Steadiness>) -> CellRecord {
    let asked_iops = match session.level() {
        LevelLoad::Rate { rate, .. } if session.block.find.is_none() => Some(rate),
        _ => None,
    };
    let place = &session.place;
    // The log's drive is the data's where both are one.
    let grounds = [Some(&place.data), Some(&place.log).filter(|_| !place.is_one)];
    let terms = Terms {
        block: session.block,
        asked_iops,
        pace: session
            .results
            .counted
            .as_ref()
            .and_then(|counted| pace::of(session.block, session.level(), counted)),
        answers: grounds.into_iter().flatten().filter_map(|ground| answers(&ground.engine)).collect(),
        is_stopped: session.conductor.interrupt.requested(),
    };
    of_results(&session.results, &terms, steadiness)
}

/// The record of a cell with these results.
pub(super) fn of_results(results: &Results, terms: &Terms<'_>, steadiness: Option<Steadiness>) -> CellRecord {
    let (state, reasons) = state(results, terms);
    let mut events: Vec<Event> = Vec::new();
    events.extend(results.notes.iter().map(|(kind, note)| event(*kind, note.clone())));
    events.extend(results.warnings.0.iter().map(|warning| event(EventKind::Warning, warning.clone())));
    events.extend(steadiness.iter().flat_map(Steadiness::events));
    let mut record = CellRecord {
        state,
        reasons,
        phases: results.phases.clone(),
        points: results.points.clone(),
        series: all_series(results),
        events,
        ..CellRecord::default()
    };
    if let Some(outcome) = &results.counted {
        let used = BlockProcessors { machine: results.processors(), ..of_workers(outcome) };
        let limiter = limiter::of_block(terms.pace, outcome.iops(), used);
        (record.limiter, record.limiter_figures) = (Some(limiter.name.into()), Some(limiter.figures));
        record.measurements = metrics(results, outcome, terms, steadiness.as_ref());
        record.histograms = histograms(outcome);
        record.histograms.extend(results.of_points.iter().cloned());
    } else if record.state == CellState::Done {
        (record.state, record.reasons) = (CellState::Invalid, Reason::NothingMeasured.into());
    }
    record
}

fn state(results: &Results, terms: &Terms<'_>) -> (CellState, Reasons) {
    if terms.is_stopped {
        return (CellState::Interrupted, Reason::StoppedMeasuring.into());
    }
    match results.ended {
        Ended::Complete if results.figures_hold => (CellState::Done, Reasons::default()),
        _ => (CellState::Invalid, results.warnings.clone()),
    }
}

/// The answers that a modelled drive gave so far.
pub(super) fn answers(engine: &EngineKind) -> Option<Answers> {
    match engine {
        EngineKind::Modelled(drive) => Some(drive.answers()),
        EngineKind::IoUring | EngineKind::Psync | EngineKind::Null => None,
    }
}

/// The processors that the generator itself and the kernel on its behalf took.
fn of_workers(outcome: &Outcome) -> BlockProcessors {
    let worker_s = outcome.elapsed.as_secs_f64().max(1e-9) * f64::from(outcome.workers.max(1));
    let share = |cpu_ns: u64| cpu_ns as f64 / 1e9 / worker_s;
    BlockProcessors {
        // A worker that spins until the next I/O is due could do more: that time limits nothing.
        generator: share(outcome.cpu.user_ns.saturating_sub(outcome.cpu.spun_ns)),
        kernel: share(outcome.cpu.system_ns),
        machine: None,
    }
}

/// Figures of one point.
pub(super) fn of_point(outcome: &Outcome, written_bytes: u64) -> Vec<Measurement> {
    let mut metrics = Metrics::default();
    throughput(&mut metrics, outcome);
    latencies(&mut metrics, Latency::Answer, &outcome.latency());
    latencies(&mut metrics, Latency::Service, &outcome.service());
    metrics.add(Metric::CpuPerIo, outcome.cpu_per_io_ns().unwrap_or(f64::NAN));
    metrics.add(Metric::WrittenBytes, written_bytes as f64);
    metrics.0
}

fn throughput(metrics: &mut Metrics, outcome: &Outcome) {
    metrics.add(Metric::Iops, outcome.iops());
    metrics.add(Metric::ReadIops, outcome.read_iops());
    metrics.add(Metric::WriteIops, outcome.write_iops());
    if outcome.discard.ios > 0 {
        metrics.add(Metric::DiscardIops, outcome.discard_iops());
    }
    metrics.add(Metric::Bandwidth, outcome.bytes_per_second() / 1e6);
    let seconds = outcome.elapsed.as_secs_f64();
    for (metric, bytes) in
        [(Metric::ReadThroughput, outcome.read.bytes), (Metric::WriteThroughput, outcome.write.bytes)]
    {
        // Of several sizes neither follows from the rates.
        if bytes > 0 && seconds > 0.0 {
            metrics.add(metric, bytes as f64 / seconds / 1e6);
        }
    }
}

/// The usual percentiles, and the far ones as far as the sample carries them.
fn latencies(metrics: &mut Metrics, of: Latency, histogram: &Histogram) {
    metrics.add_latency(of, histogram);
    for (statistic, quantile) in [(Statistic::P9999, 0.9999), (Statistic::P99999, 0.99999)] {
        if histogram.supports(quantile) {
            metrics.add(Metric::Latency(of, statistic), histogram.quantile_ns(quantile) as f64 / 1e6);
        }
    }
    if !histogram.is_empty() {
        metrics.add(Metric::Latency(of, Statistic::Max), histogram.max_ns() as f64 / 1e6);
    }
}

fn metrics(
    results: &Results,
    outcome: &Outcome,
    terms: &Terms<'_>,
    steadiness: Option<&Steadiness>,
) -> Vec<Measurement> {
    let mut metrics = Metrics::default();
    throughput(&mut metrics, outcome);
    if let Some(asked) = terms.asked_iops {
        metrics.add(Metric::IopsAsked, asked);
    }
    latencies(&mut metrics, Latency::Answer, &outcome.latency());
    metrics.add_latency(Latency::Service, &outcome.service());
    metrics.add_latency(Latency::Read, &outcome.read.latency);
    metrics.add_latency(Latency::Write, &outcome.write.latency);
    metrics.add_latency(Latency::Discard, &outcome.discard.latency);
    metrics.add_latency(Latency::Flush, &outcome.flush.latency);
    metrics.add_latency(Latency::Lag, &outcome.lag);
    metrics.add(Metric::CpuPerIo, outcome.cpu_per_io_ns().unwrap_or(f64::NAN));
    metrics.add(Metric::Errors, outcome.failures() as f64);
    metrics.add(Metric::IosUnfinished, outcome.unfinished as f64);
    if !outcome.lag.is_empty() {
        metrics.add(Metric::IosAfterEnd, outcome.after_end as f64);
    }
    if let Some(processors) = results.processors() {
        metrics.add(Metric::CpuIdle, processors.idle * 100.0);
        metrics.add(Metric::CpuOthers, processors.others_of_all() * 100.0);
    }
    let (others_bytes, others_s) = results.drive_others;
    if others_s > 0.0 {
        metrics.add(Metric::DriveOthers, others_bytes / others_s / 1e6);
    }
    if let Some(share) = late_share(&terms.answers) {
        metrics.add(Metric::LateCompletions, share * 100.0);
    }
    // I/Os that come at a rate wait for nobody, so lateness takes none of their number.
    if terms.asked_iops.is_none()
        && let Some(share) = late_time(&terms.answers, &outcome.service())
    {
        metrics.add(Metric::LateTime, share * 100.0);
    }
    if outcome.streams.len() > 1 {
        streams(&mut metrics, outcome);
    }
    bursts(&mut metrics, outcome);
    if let Some(steadiness) = steadiness {
        metrics.add(Metric::SteadyAttained, f64::from(u8::from(steadiness.attained)));
        metrics.add(Metric::SteadyRounds, f64::from(steadiness.rounds));
    }
    if terms.block.find.is_some()
        && let Some(found) = results.points.iter().find(|point| point.counts)
    {
        metrics.add(Metric::FoundDepth, found.depth.unwrap_or(f64::NAN));
        metrics.add(Metric::FoundRate, found.rate_asked.unwrap_or(f64::NAN));
    }
    metrics.0
}

/// The share of answers of modelled drives that this machine gave later than the model, in all loads of the
/// cell.
fn late_share(answers: &[Answers]) -> Option<f64> {
    let sum = |of: fn(&Answers) -> u64| answers.iter().map(of).sum::<u64>() as f64;
    let all = sum(|answers| answers.all);
    (all > 0.0).then(|| sum(|answers| answers.late) / all)
}

/// The share of the I/Os' time that late answers of modelled drives took.
fn late_time(answers: &[Answers], service: &Histogram) -> Option<f64> {
    let sum = |of: fn(&Answers) -> u64| answers.iter().map(of).sum::<u64>() as f64;
    let (all, mean_ns) = (sum(|answers| answers.all), service.mean_ns());
    let each_ns = sum(|answers| answers.late_ns) / all;
    (all > 0.0 && mean_ns > 0.0).then(|| (each_ns / mean_ns).min(1.0))
}

fn streams(metrics: &mut Metrics, outcome: &Outcome) {
    for stream in &outcome.streams {
        let of_stream = |metric| MetricName::Of(metric, Family::Stream(stream.name.clone()));
        metrics.add(of_stream(Metric::Iops), stream.iops());
        metrics.add(of_stream(Metric::Bandwidth), stream.bytes_per_second() / 1e6);
        let apart = [
            (&stream.read, Metric::ReadIops, Metric::ReadThroughput),
            (&stream.write, Metric::WriteIops, Metric::WriteThroughput),
        ];
        for (direction, iops, throughput) in apart.into_iter().filter(|(direction, ..)| direction.ios > 0) {
            metrics.add(of_stream(iops), stream.per_second(direction.ios));
            metrics.add(of_stream(throughput), stream.per_second(direction.bytes) / 1e6);
        }
        for (latency, direction) in directions(stream) {
            metrics.add_latency_as(&direction.latency, |statistic| {
                of_stream(Metric::Latency(latency, statistic))
            });
        }
    }
}

/// The directions of a stream: name of its histogram, latency and outcome.
fn directions(stream: &StreamOutcome) -> [(Latency, &DirectionOutcome); 4] {
    [
        (Latency::Read, &stream.read),
        (Latency::Write, &stream.write),
        (Latency::Discard, &stream.discard),
        (Latency::Flush, &stream.flush),
    ]
}

/// Rates and latencies of reads and writes inside and between the bursts of another stream.
fn bursts(metrics: &mut Metrics, outcome: &Outcome) {
    let Some(split) = &outcome.bursts else { return };
    let (inside_s, all_s) = (split.inside.as_secs_f64(), outcome.elapsed.as_secs_f64());
    let between_s = (all_s - inside_s).max(0.0);
    metrics.add(Metric::BurstShare, inside_s / all_s.max(1e-9) * 100.0);
    let reads = [
        (Metric::ReadIopsInsideBursts, Latency::ReadInsideBursts, &split.read_inside, inside_s),
        (Metric::ReadIopsBetweenBursts, Latency::ReadBetweenBursts, &split.read_between, between_s),
    ];
    let writes = [
        (Metric::WriteIopsInsideBursts, Latency::WriteInsideBursts, &split.write_inside, inside_s),
        (Metric::WriteIopsBetweenBursts, Latency::WriteBetweenBursts, &split.write_between, between_s),
    ];
    for parts in [reads, writes] {
        if parts.iter().any(|(_, _, histogram, _)| !histogram.is_empty()) {
            for (iops, latency, histogram, seconds) in parts {
                metrics.add(iops, histogram.len() as f64 / seconds);
                metrics.add_latency(latency, histogram);
            }
        }
    }
}

/// Of the cell, and of reads, writes and discards apart where there are several of them.
fn all_series(results: &Results) -> Vec<Series> {
    let mut all = results.timeline.as_ref().map(|timeline| series(&timeline.seconds())).unwrap_or_default();
    let Some(directions) = &results.directions else { return all };
    let seconds = directions.each_ref().map(measure::Timeline::seconds);
    let named = [
        (Metric::ReadIops, Latency::Read),
        (Metric::WriteIops, Latency::Write),
        (Metric::DiscardIops, Latency::Discard),
    ];
    let used: Vec<_> = named
        .into_iter()
        .zip(seconds)
        .filter(|(_, seconds)| seconds.iter().any(|second| second.count > 0))
        .collect();
    if used.len() > 1 {
        for ((iops, latency), seconds) in used {
            all.push(one(iops, seconds.iter().map(|s| s.count as f64)));
            let means = seconds.iter().map(|s| if s.count > 0 { s.mean_ns / 1e6 } else { f64::NAN });
            all.push(one(Metric::Latency(latency, Statistic::Mean), means));
        }
    }
    all
}

/// The series of all I/Os; a second without any has no latency.
pub(super) fn series(seconds: &[Second]) -> Vec<Series> {
    vec![
        one(Metric::Iops, seconds.iter().map(|s| s.count as f64)),
        one(Metric::Bandwidth, seconds.iter().map(|s| s.bytes as f64 / 1e6)),
        by_second(Metric::LATENCY_MEAN, seconds, |s| s.mean_ns),
        by_second(Metric::LATENCY_P50, seconds, |s| s.p50_ns as f64),
        by_second(Metric::LATENCY_P99, seconds, |s| s.p99_ns as f64),
        by_second(Metric::LATENCY_P999, seconds, |s| s.p999_ns as f64),
    ]
}

fn histograms(outcome: &Outcome) -> Vec<(HistogramName, Histogram)> {
    let of = |direction: &DirectionOutcome| direction.latency.clone();
    let mut named: Vec<(HistogramName, Histogram)> = vec![
        (Latency::Answer.into(), outcome.latency()),
        (Latency::Service.into(), outcome.service()),
        (Latency::Read.into(), of(&outcome.read)),
        (Latency::Write.into(), of(&outcome.write)),
        (Latency::Discard.into(), of(&outcome.discard)),
        (Latency::Flush.into(), of(&outcome.flush)),
        (Latency::Lag.into(), outcome.lag.clone()),
    ];
    if let Some(split) = &outcome.bursts {
        named.push((Latency::ReadInsideBursts.into(), split.read_inside.clone()));
        named.push((Latency::ReadBetweenBursts.into(), split.read_between.clone()));
    }
    if outcome.streams.len() > 1 {
        for stream in &outcome.streams {
            for (latency, direction) in directions(stream) {
                named.push((HistogramName::Stream(stream.name.clone(), latency), of(direction)));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_without_an_io_has_no_latency() {
        let busy = Second { count: 2, bytes: 8192, mean_ns: 3e6, p50_ns: 2_000_000, ..Second::default() };
        let series = series(&[busy.clone(), Second::default(), busy]);
        let named = |metric: Metric| {
            let name = metric.to_string();
            series.iter().find(|series| series.metric == name).unwrap().values.clone()
        };
        assert_eq!(named(Metric::Iops), [2.0, 0.0, 2.0]);
        for latency in [Metric::LATENCY_MEAN, Metric::LATENCY_P50, Metric::LATENCY_P99, Metric::LATENCY_P999]
        {
            let values = named(latency);
            assert!(values[1].is_nan() && values[0].is_finite() && values[2].is_finite(), "{latency}");
        }
        assert_eq!(named(Metric::LATENCY_MEAN)[0], 3.0);
    }
}
