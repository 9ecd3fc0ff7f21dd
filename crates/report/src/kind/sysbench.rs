//! sysbench's tests.

use super::{NOTHING, ReportKind, loads};
use words::{Latency, Metric, WorkloadKind, say};

pub(super) static KIND: ReportKind = ReportKind {
    word: WorkloadKind::Sysbench,
    throughput: Metric::Tps,
    primary: &[Metric::Tps, Metric::LATENCY_P99],
    exploratory: &[Metric::Qps, Metric::LATENCY_MEAN, Metric::LATENCY_P50, Metric::ClientCpuPerTransaction],
    // p95 is of imported results alone.
    brief: &[Metric::Tps, Metric::LATENCY_MEAN, Metric::LATENCY_P95, Metric::LATENCY_P99],
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
        (Metric::Tps, |marks| say!("reading-higher-is-better", marks)),
        (Metric::Qps, |_| say!("reading-qps").to_owned()),
        (Metric::LATENCY_MEAN, |_| say!("reading-transaction-latency").to_owned()),
        (Metric::LATENCY_P99, |_| say!("reading-p99").to_owned()),
        (Metric::ClientCpuPerTransaction, |_| say!("reading-transaction-cpu").to_owned()),
        (Metric::CpuIdle, |_| say!("reading-cpu-idle-load").to_owned()),
    ],
    distributions: &[(Latency::Answer, || say!("distribution"))],
    counted: || say!("counted-transactions"),
    has_limiter: true,
    hero: loads::hero,
    why: |source, workload| Ok(loads::time(source, workload)),
    ..NOTHING
};
