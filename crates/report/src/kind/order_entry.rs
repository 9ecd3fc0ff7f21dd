//! Order entry derived from TPC-C.

use super::{NOTHING, ReportKind};
use words::{Latency, Metric, Statistic, WorkloadKind};

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
        (Metric::Nopm, "{marks} Higher is better."),
        (Metric::Tpm, "All five transactions, committed, counted at the client; rollbacks are left out."),
        (
            Metric::TpmPerUser,
            "What one user gets done. A falling line: users wait for storage, for a processor or for each other.",
        ),
        (Metric::LATENCY_MEAN, "From sending a transaction to its answer, all five kinds. Lower is better."),
        (
            Metric::LATENCY_P99,
            "One transaction in a hundred takes longer. Each dot is the p99 of one cell; p99s are never averaged within a cell.",
        ),
        (
            Metric::CpuIdle,
            "Processor time that nothing used. What stays idle under load waits for storage or something else.",
        ),
        (
            Metric::IosPerTransaction,
            "Reads, writes and syncs that reached the drive, per committed transaction.",
        ),
        (
            Metric::BytesPerTransaction,
            "Bytes read and written at the drive, the log included, per committed transaction.",
        ),
        (
            Metric::BufferReadsPerTransaction,
            "Pages that the server asked the operating system for, per transaction: what more memory would save. The \
             operating system's own cache may have answered.",
        ),
    ],
    distributions: &[
        ("latency", "Latency distribution, all transactions"),
        ("new_order", "Latency distribution, new orders"),
    ],
    counted: "transactions",
    has_limiter: true,
    is_order_entry: true,
    ..NOTHING
};
