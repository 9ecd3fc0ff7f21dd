//! Crashes under load: a promise is kept or it is not, and nothing is compared.

mod hero;

use super::{NOTHING, ReportKind};
use words::{Metric, WorkloadKind};

pub(super) static KIND: ReportKind = ReportKind {
    word: WorkloadKind::Durability,
    throughput: Metric::OrdersAcknowledged,
    brief: &[Metric::OrdersAcknowledged, Metric::OrdersLost, Metric::RecoveryTime],
    summary: &[Metric::OrdersAcknowledged, Metric::OrdersLost, Metric::RecoveryTime],
    columns: &[
        Metric::OrdersAcknowledged,
        Metric::OrdersLost,
        Metric::ConditionsViolated,
        Metric::RecoveryTime,
    ],
    hero: hero::of,
    ..NOTHING
};
