//! The series that a report draws second by second.

use crate::sentences::Text;
use words::{Axis, Latency, Metric, Statistic, say};

/// A series that is drawn second by second.
#[derive(Clone, Copy)]
pub(crate) struct Drawn {
    pub(crate) metric: Metric,
    pub(crate) title: Text,
    pub(crate) axis_label: Text,
    pub(crate) axis: Axis,
    /// True if it takes a whole row.
    pub(crate) wide: bool,
}

const fn drawn_series(metric: Metric, title: Text, axis_label: Text, axis: Axis, wide: bool) -> Drawn {
    Drawn { metric, title, axis_label, axis, wide }
}

/// Drawn for every kind of load that has them.
const TPM: Drawn =
    drawn_series(Metric::Tpm, || say!("second-tpm"), || say!("second-axis-tpm"), Axis::FromZero, true);
const CPU_IDLE: Drawn = drawn_series(
    Metric::CpuIdle,
    || say!("second-cpu-idle"),
    || say!("second-axis-cpu"),
    Axis::Percent,
    false,
);
const DRIVE_READS: Drawn = drawn_series(
    Metric::DriveReads,
    || say!("second-drive-reads"),
    || say!("second-axis-reads"),
    Axis::FromZero,
    false,
);
const DRIVE_WRITES: Drawn = drawn_series(
    Metric::DriveWrites,
    || say!("second-drive-writes"),
    || say!("second-axis-writes"),
    Axis::FromZero,
    false,
);

/// Of loads, in the order of the page.
pub(crate) const OF_LOADS: [Drawn; 8] = [
    TPM,
    drawn_series(Metric::Tps, || say!("second-tps"), || say!("second-axis-tps"), Axis::FromZero, true),
    drawn_series(Metric::Iops, || say!("second-iops"), || say!("second-axis-iops"), Axis::FromZero, true),
    drawn_series(
        Metric::LATENCY_P99,
        || say!("second-p99"),
        || say!("second-axis-ms"),
        Axis::LogWhenWide,
        true,
    ),
    CPU_IDLE,
    DRIVE_READS,
    DRIVE_WRITES,
    drawn_series(
        Metric::Bandwidth,
        || say!("second-bandwidth"),
        || say!("second-axis-mb"),
        Axis::FromZero,
        false,
    ),
];

/// For backups, scans and neighbours: what users got comes first, then the drive's activity.
pub(crate) const OF_OPERATIONS: [Drawn; 9] = [
    TPM,
    drawn_series(
        Metric::ReadBandwidth,
        || say!("second-read-bandwidth"),
        || say!("second-axis-mb"),
        Axis::FromZero,
        true,
    ),
    drawn_series(
        Metric::WriteBandwidth,
        || say!("second-write-bandwidth"),
        || say!("second-axis-mb"),
        Axis::FromZero,
        true,
    ),
    drawn_series(
        Metric::Latency(Latency::DriveRead, Statistic::Mean),
        || say!("second-read-latency"),
        || say!("second-axis-ms"),
        Axis::LogWhenWide,
        false,
    ),
    drawn_series(
        Metric::Latency(Latency::DriveWrite, Statistic::Mean),
        || say!("second-write-latency"),
        || say!("second-axis-ms"),
        Axis::LogWhenWide,
        false,
    ),
    DRIVE_READS,
    DRIVE_WRITES,
    drawn_series(
        Metric::NeighbourRate,
        || say!("second-neighbour"),
        || say!("second-axis-mb"),
        Axis::FromZero,
        false,
    ),
    CPU_IDLE,
];
