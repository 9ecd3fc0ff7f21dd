//! sysbench's tests.

use super::{NOTHING, ReportKind};
use words::{Metric, WorkloadKind};

pub(super) static KIND: ReportKind = ReportKind {
    word: WorkloadKind::Sysbench,
    throughput: Metric::Tps,
    primary: &[Metric::Tps, Metric::LATENCY_P99],
    exploratory: &[Metric::Qps, Metric::LATENCY_MEAN, Metric::LATENCY_P50, Metric::ClientCpuPerTransaction],
    effect: "tps",
    summary: &[Metric::Tps, Metric::Qps, Metric::LATENCY_MEAN, Metric::LATENCY_P99, Metric::CpuIdle],
    columns: &[
        Metric::Tps,
        Metric::Qps,
        Metric::LATENCY_MEAN,
        Metric::LATENCY_P99,
        Metric::CpuIdle,
        Metric::ClientCpuPerTransaction,
        Metric::LongestGap,
        Metric::Errors,
    ],
    drawn: &[
        (Metric::Tps, "{marks} Higher is better."),
        (
            Metric::Qps,
            "All statements of completed transactions, BEGIN and COMMIT among them, as sysbench counts.",
        ),
        (Metric::LATENCY_MEAN, "From sending a transaction to its answer. Lower is better."),
        (
            Metric::LATENCY_P99,
            "One transaction in a hundred takes longer. Each dot is the p99 of one cell; p99s are never averaged within a cell.",
        ),
        (
            Metric::ClientCpuPerTransaction,
            "Processor time that the load generator itself spent on one transaction.",
        ),
        (
            Metric::CpuIdle,
            "Processor time that nothing used. What stays idle under load waits for storage or something else.",
        ),
    ],
    distributions: &[("latency", "Latency distribution")],
    counted: "transactions",
    has_limiter: true,
    ..NOTHING
};
