//! Block I/O: all jobs of a run in one table, then what each load of a job costs.

mod curves;
mod hero;
mod matrix;
mod points;
mod tails;

use super::{NOTHING, ReportKind};
use crate::error::ReportError;
use crate::figure::Figure;
use crate::level::LevelUnit;
use crate::loaded_run::LoadedRun;
use crate::number;
use crate::source::Source;
use experiment::{BlockEngine, Workload};
use words::{Latency, Metric, Statistic, WorkloadKind, say};

pub(super) static KIND: ReportKind = ReportKind {
    word: WorkloadKind::Block,
    throughput: Metric::Iops,
    primary: &[Metric::Iops, Metric::LATENCY_P99],
    exploratory: &[Metric::Bandwidth, Metric::LATENCY_MEAN, Metric::LATENCY_P50, Metric::CpuPerIo],
    brief: &[
        Metric::Iops,
        Metric::Bandwidth,
        Metric::LATENCY_MEAN,
        Metric::LATENCY_P50,
        Metric::LATENCY_P99,
        Metric::Latency(Latency::Answer, Statistic::P999),
        Metric::Errors,
    ],
    summary: &[Metric::Iops, Metric::Bandwidth, Metric::LATENCY_MEAN, Metric::LATENCY_P99, Metric::CpuIdle],
    columns: &[
        Metric::Iops,
        Metric::Bandwidth,
        Metric::LATENCY_MEAN,
        Metric::LATENCY_P99,
        Metric::CpuPerIo,
        Metric::CpuIdle,
        Metric::Errors,
    ],
    drawn: &[
        (Metric::Iops, |marks| say!("reading-higher-is-better", marks)),
        (Metric::Bandwidth, |_| say!("reading-bandwidth").to_owned()),
        (Metric::LATENCY_MEAN, |_| say!("reading-io-latency").to_owned()),
        (Metric::LATENCY_P99, |_| say!("reading-io-p99").to_owned()),
        (Metric::ReadIops, |_| say!("reading-reads").to_owned()),
        (Metric::WriteIops, |_| say!("reading-writes").to_owned()),
        (Metric::CpuPerIo, |_| say!("reading-io-cpu").to_owned()),
        (Metric::CpuIdle, |_| say!("reading-cpu-idle").to_owned()),
    ],
    counted: || say!("counted-ios"),
    has_database: false,
    limits: Some(|| say!("block-limit")),
    has_limiter: true,
    has_time: |source, workload| Ok(!points::has_steps(&points::points(source, workload)?)),
    hero: |source, workload| is_first(source.loaded, workload).then(|| hero::of(source)).flatten(),
    points: matrix::told,
    why: |source, workload| why(source, workload),
    more: |source, workload| Ok((points::figures(source, workload)?, points::tables(source, workload)?)),
    ..NOTHING
};

/// The unit of the depths of a job with several workers, of one process or of so many ranks, which each have
/// one; `None` for one worker, and for any other load.
pub(crate) fn depth_of_each(load: &Workload, ranks: u32) -> Option<LevelUnit> {
    let Workload::Block(block) = load else { return None };
    let workers = block.workers.saturating_mul(ranks);
    (workers > 1).then_some(LevelUnit::DepthOfEach(workers))
}

/// True for a job without I/Os, of the null engine.
pub(crate) fn moves_nothing(load: &Workload) -> bool {
    matches!(load, Workload::Block(block) if block.engine == BlockEngine::Null)
}

/// True for a job that goes through the page cache of the kernel.
pub(crate) fn is_buffered(load: &Workload) -> bool {
    matches!(load, Workload::Block(block) if !block.direct)
}

/// The unlike points of a matrix that the figures of one cell are taken from together, in words; `None` where
/// they are those of one load.
pub(crate) fn points_together(load: &Workload) -> Option<String> {
    let Workload::Block(block) = load else { return None };
    let matrix = block.matrix.as_ref()?;
    let all = matrix.read.len().max(1) * matrix.block_size.len().max(1);
    let mut tracked: Vec<String> = Vec::new();
    for track in block.steady.iter().flat_map(|steady| &steady.track) {
        let reads = track.read.map(|share| say!("block-reads-share", share = number::percent(share.0)));
        let point = [track.block_size.map(|size| size.to_string()), reads];
        let point = point.into_iter().flatten().collect::<Vec<_>>().join(" / ");
        if !tracked.contains(&point) {
            tracked.push(point);
        }
    }
    // A tracked figure without a point is that of all of them.
    if tracked.is_empty() || tracked.iter().any(String::is_empty) {
        return (all > 1).then(|| say!("caution-all-points", count = all));
    }
    (tracked.len() > 1).then(|| words::list(tracked))
}

/// The jobs of a run, in the order of its file.
fn jobs(loaded: &LoadedRun) -> Vec<&str> {
    let is_block = |workload: &&str| loaded.kind(workload).word == WorkloadKind::Block;
    loaded.workloads().into_iter().filter(is_block).collect()
}

/// True for the first job, with which the figures of all jobs stand.
fn is_first(loaded: &LoadedRun, workload: &str) -> bool {
    let is_block = |workload: &&str| loaded.kind(workload).word == WorkloadKind::Block;
    loaded.names().find(is_block) == Some(workload)
}

/// The figures of all jobs together, with the first of them: what one job costs is read against the others.
fn why(source: &Source<'_>, workload: &str) -> Result<Vec<Figure>, ReportError> {
    if !is_first(source.loaded, workload) {
        return Ok(Vec::new());
    }
    Ok(curves::figure(source)?.into_iter().chain(tails::figure(source)?).collect())
}

/// More panels than these are not read side by side: the tables have every job.
const PANELS_MOST: usize = 24;

/// The way to read a figure, with the number of jobs that it leaves out: `shown` of `all` jobs are drawn.
fn with_cut(reading: &str, (shown, all): (usize, usize)) -> String {
    match shown < all {
        true => format!("{reading} {}", say!("block-panels-cut", shown, all)),
        false => reading.to_owned(),
    }
}

/// The streams of a job, in the order of its file.
fn streams(loaded: &LoadedRun, job: &str) -> Vec<String> {
    let Some(Workload::Block(block)) = loaded.asked(job) else { return Vec::new() };
    let name = |(index, stream): (usize, &experiment::Stream)| {
        stream.name.clone().unwrap_or_else(|| format!("stream-{}", index + 1))
    };
    block.streams.iter().enumerate().map(name).collect()
}

/// The directions of a stream that have latencies.
const DIRECTIONS: [Latency; 4] = [Latency::Read, Latency::Write, Latency::Discard, Latency::Flush];

/// True if a stream's rate is that of several of its directions: then it belongs to none of them. Flushes are
/// no part of it.
fn is_mixed(directions: &[Latency]) -> bool {
    directions.iter().filter(|latency| **latency != Latency::Flush).count() > 1
}

/// The I/Os of a row of a stream; `None`: those of all directions.
fn direction(latency: Option<Latency>) -> &'static str {
    match latency {
        None => say!("block-all"),
        Some(Latency::Write) => say!("block-writes"),
        Some(Latency::Discard) => say!("block-discards"),
        Some(Latency::Flush) => say!("block-flushes"),
        Some(_) => say!("block-reads"),
    }
}
