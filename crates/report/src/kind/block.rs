//! Block I/O.

mod points;

use super::{NOTHING, ReportKind};
use words::{Metric, WorkloadKind};

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
        (Metric::Iops, "{marks} Higher is better."),
        (Metric::Bandwidth, "Bytes moved per second, reads and writes together; 1 MB is a million bytes."),
        (Metric::LATENCY_MEAN, "From the intended start of an I/O to its completion. Lower is better."),
        (
            Metric::LATENCY_P99,
            "One I/O in a hundred takes longer. Each dot is the p99 of one cell; p99s are never averaged within a cell.",
        ),
        (Metric::ReadIops, "Reads only."),
        (Metric::WriteIops, "Writes only."),
        (Metric::CpuPerIo, "Processor time that the load generator itself spent on one I/O."),
        (Metric::CpuIdle, "Processor time that nothing used."),
    ],
    distributions: &[("latency", "Latency distribution")],
    counted: "I/Os",
    has_database: false,
    limits: Some(
        "What a database makes of these numbers: a block load has neither transactions nor a cache of its own.",
    ),
    has_limiter: true,
    more: |source, workload| Ok((points::figures(source, workload)?, points::tables(source, workload)?)),
    ..NOTHING
};
