//! Order entry derived from TPC-C.

use super::{NOTHING, ReportKind, loads};
use words::{Latency, Metric, Statistic, WorkloadKind, say};

pub(super) static KIND: ReportKind = ReportKind {
    word: WorkloadKind::Tpcc,
    throughput: Metric::Nopm,
    primary: &[Metric::Nopm, Metric::LATENCY_P99],
    exploratory: &[
        Metric::Tpm,
        Metric::LATENCY_MEAN,
        Metric::Latency(Latency::NewOrder, Statistic::P99),
        Metric::IosPerTransaction,
        Metric::ReadsPerTransaction,
        Metric::BytesPerTransaction,
        Metric::BufferReadsPerTransaction,
    ],
    brief: &[Metric::Nopm, Metric::LATENCY_MEAN, Metric::LATENCY_P99],
    summary: &[Metric::Nopm, Metric::Tpm, Metric::LATENCY_MEAN, Metric::LATENCY_P99, Metric::CpuIdle],
    columns: &[
        Metric::Nopm,
        Metric::Tpm,
        Metric::LATENCY_MEAN,
        Metric::LATENCY_P99,
        Metric::CpuIdle,
        Metric::IosPerTransaction,
        Metric::BytesPerTransaction,
        Metric::LateCompletions,
        Metric::LongestGap,
        Metric::Errors,
    ],
    drawn: &[
        (Metric::Nopm, |marks| say!("reading-higher-is-better", marks)),
        (Metric::Tpm, |_| say!("reading-tpm").to_owned()),
        (Metric::TpmPerUser, |_| say!("reading-tpm-per-user").to_owned()),
        (Metric::LATENCY_MEAN, |_| say!("reading-latency-of-five").to_owned()),
        (Metric::LATENCY_P99, |_| say!("reading-p99").to_owned()),
        (Metric::CpuIdle, |_| say!("reading-cpu-idle-load").to_owned()),
        (Metric::IosPerTransaction, |_| say!("reading-ios").to_owned()),
        (Metric::BytesPerTransaction, |_| say!("reading-bytes").to_owned()),
        (Metric::BufferReadsPerTransaction, |_| say!("reading-pool-misses").to_owned()),
    ],
    distributions: &[
        (Latency::Answer, || say!("distribution-all")),
        (Latency::NewOrder, || say!("distribution-new-orders")),
    ],
    counted: || say!("counted-transactions"),
    has_limiter: true,
    hero: loads::hero,
    why: |source, workload| Ok(loads::time(source, workload)),
    is_order_entry: true,
    ..NOTHING
};
