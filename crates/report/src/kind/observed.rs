//! Somebody else's load on a server that was observed.

use super::{NOTHING, ReportKind, loads};
use words::{Metric, WorkloadKind, say};

pub(super) static KIND: ReportKind = ReportKind {
    word: WorkloadKind::Observed,
    throughput: Metric::Tps,
    // A server's counters have no percentile.
    primary: &[Metric::Tps, Metric::LATENCY_MEAN],
    exploratory: &[Metric::CpuPerTransaction, Metric::LogBytesPerTransaction],
    brief: &[Metric::Tps, Metric::LATENCY_MEAN],
    summary: &[Metric::Tps, Metric::LATENCY_MEAN, Metric::ActiveClients, Metric::CpuPerTransaction],
    columns: DEMANDS,
    drawn: &[
        (Metric::Tps, |marks| say!("reading-higher-is-better", marks)),
        (Metric::LATENCY_MEAN, |_| say!("reading-transaction-latency").to_owned()),
    ],
    counted: || say!("counted-transactions"),
    has_limiter: true,
    is_observed: true,
    hero: loads::hero,
    ..NOTHING
};

/// The demands of a transaction, and the service that it got.
pub(crate) const DEMANDS: &[Metric] = &[
    Metric::Tps,
    Metric::LATENCY_MEAN,
    Metric::ActiveClients,
    Metric::WritingShare,
    Metric::CpuPerTransaction,
    Metric::ReadsPerTransaction,
    Metric::BufferReadsPerTransaction,
    Metric::LogBytesPerTransaction,
    Metric::LogSyncsPerTransaction,
    Metric::PageWritesPerTransaction,
    Metric::DriveBusy,
];
