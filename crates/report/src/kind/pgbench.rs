//! pgbench's scripts, as pgbench reports them.

use super::{NOTHING, ReportKind, loads};
use words::{Metric, WorkloadKind, say};

pub(super) static KIND: ReportKind = ReportKind {
    word: WorkloadKind::Pgbench,
    throughput: Metric::Tps,
    // pgbench reports no percentile.
    primary: &[Metric::Tps, Metric::LATENCY_MEAN],
    brief: &[Metric::Tps, Metric::LATENCY_MEAN],
    summary: &[Metric::Tps, Metric::LATENCY_MEAN, Metric::Errors],
    columns: &[Metric::Tps, Metric::LATENCY_MEAN, Metric::Errors],
    drawn: &[
        (Metric::Tps, |marks| say!("reading-higher-is-better", marks)),
        (Metric::LATENCY_MEAN, |_| say!("reading-transaction-latency").to_owned()),
    ],
    counted: || say!("counted-transactions"),
    hero: loads::hero,
    ..NOTHING
};
