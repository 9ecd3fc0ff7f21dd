//! Block I/O: all jobs of a run in one table, then what each load of a job costs.

mod curves;
mod hero;
mod points;
mod tails;

use super::{NOTHING, ReportKind};
use crate::error::ReportError;
use crate::figure::Figure;
use crate::loaded_run::LoadedRun;
use crate::source::Source;
use experiment::Workload;
use words::{Latency, Metric, Statistic, WorkloadKind, say};

pub(super) static KIND: ReportKind = ReportKind {
    word: WorkloadKind::Block,
    throughput: Metric::Iops,
    primary: &[Metric::Iops, Metric::LATENCY_P99],
    exploratory: &[Metric::Bandwidth, Metric::LATENCY_MEAN, Metric::LATENCY_P50, Metric::CpuPerIo],
    effect: "iops",
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
    hero: |source, _| hero::of(source),
    why: |source, workload| why(source, workload),
    more: |source, workload| Ok((points::figures(source, workload)?, points::tables(source, workload)?)),
    ..NOTHING
};

/// The jobs of a run, in the order of its file.
fn jobs(loaded: &LoadedRun) -> Vec<&str> {
    let is_block = |workload: &&str| loaded.kind(workload).word == WorkloadKind::Block;
    loaded.workloads().into_iter().filter(is_block).collect()
}

/// The figures of all jobs together, with the first of them: what one job costs is read against the others.
fn why(source: &Source<'_>, workload: &str) -> Result<Vec<Figure>, ReportError> {
    if jobs(source.loaded).first() != Some(&workload) {
        return Ok(Vec::new());
    }
    Ok(curves::figure(source)?.into_iter().chain(tails::figure(source)?).collect())
}

/// The streams of a job, in the order of its file.
fn streams(loaded: &LoadedRun, job: &str) -> Vec<String> {
    let experiment = experiment::parse(&loaded.run.experiment_toml, &loaded.run.name).ok();
    let workloads = experiment.iter().flat_map(|experiment| &experiment.workload);
    let named = workloads.filter_map(|workload| match workload {
        Workload::Block(block) if workload.name() == job => Some(block),
        _ => None,
    });
    let name = |(index, stream): (usize, &experiment::Stream)| {
        stream.name.clone().unwrap_or_else(|| format!("stream-{}", index + 1))
    };
    named.flat_map(|block| block.streams.iter().enumerate().map(name)).collect()
}
