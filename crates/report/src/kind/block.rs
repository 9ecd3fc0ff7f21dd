//! Block I/O.

mod points;

use super::{NOTHING, ReportKind};
use words::{Metric, WorkloadKind, say};

pub(super) static KIND: ReportKind = ReportKind {
    word: WorkloadKind::Block,
    throughput: Metric::Iops,
    primary: &[Metric::Iops, Metric::LATENCY_P99],
    exploratory: &[Metric::Bandwidth, Metric::LATENCY_MEAN, Metric::LATENCY_P50, Metric::CpuPerIo],
    effect: "iops",
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
    distributions: &[("latency", || say!("distribution"))],
    counted: || say!("counted-ios"),
    has_database: false,
    limits: Some(|| say!("block-limit")),
    has_limiter: true,
    more: |source, workload| Ok((points::figures(source, workload)?, points::tables(source, workload)?)),
    ..NOTHING
};
