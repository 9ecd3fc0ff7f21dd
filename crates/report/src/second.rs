//! The series that a report draws second by second.

use words::{Axis, Latency, Metric, Statistic};

/// A series that is drawn second by second.
#[derive(Clone, Copy)]
pub(crate) struct Drawn {
    pub(crate) metric: Metric,
    pub(crate) title: &'static str,
    pub(crate) axis_label: &'static str,
    pub(crate) axis: Axis,
    /// True if it takes a whole row.
    pub(crate) wide: bool,
}

const fn drawn_series(
    metric: Metric,
    title: &'static str,
    axis_label: &'static str,
    axis: Axis,
    wide: bool,
) -> Drawn {
    Drawn { metric, title, axis_label, axis, wide }
}

/// Drawn for every kind of load that has them.
const TPM: Drawn = drawn_series(
    Metric::Tpm,
    "Transactions per minute, second by second",
    "transactions per minute",
    Axis::FromZero,
    true,
);
const CPU_IDLE: Drawn =
    drawn_series(Metric::CpuIdle, "CPU idle, second by second", "% of CPU time", Axis::Percent, false);
const DRIVE_READS: Drawn = drawn_series(
    Metric::DriveReads,
    "Reads at the drive, second by second",
    "reads per second",
    Axis::FromZero,
    false,
);
const DRIVE_WRITES: Drawn = drawn_series(
    Metric::DriveWrites,
    "Writes at the drive, second by second",
    "writes per second",
    Axis::FromZero,
    false,
);

/// Of loads, in the order of the page.
pub(crate) const OF_LOADS: [Drawn; 8] = [
    TPM,
    drawn_series(
        Metric::Tps,
        "Transactions per second, second by second",
        "transactions per second",
        Axis::FromZero,
        true,
    ),
    drawn_series(
        Metric::Iops,
        "I/O operations per second, second by second",
        "I/O operations per second",
        Axis::FromZero,
        true,
    ),
    drawn_series(Metric::LATENCY_P99, "p99 latency, second by second", "ms", Axis::LogWhenWide, true),
    CPU_IDLE,
    DRIVE_READS,
    DRIVE_WRITES,
    drawn_series(Metric::Bandwidth, "Bandwidth, second by second", "MB per second", Axis::FromZero, false),
];

/// For backups, scans and neighbours: the drive's activity comes first.
pub(crate) const OF_OPERATIONS: [Drawn; 9] = [
    drawn_series(
        Metric::ReadBandwidth,
        "Read from the drive, second by second",
        "MB per second",
        Axis::FromZero,
        true,
    ),
    drawn_series(
        Metric::WriteBandwidth,
        "Written to the drive, second by second",
        "MB per second",
        Axis::FromZero,
        true,
    ),
    TPM,
    drawn_series(
        Metric::Latency(Latency::DriveRead, Statistic::Mean),
        "Mean read latency of the drive, second by second",
        "ms",
        Axis::LogWhenWide,
        false,
    ),
    drawn_series(
        Metric::Latency(Latency::DriveWrite, Statistic::Mean),
        "Mean write latency of the drive, second by second",
        "ms",
        Axis::LogWhenWide,
        false,
    ),
    DRIVE_READS,
    DRIVE_WRITES,
    drawn_series(
        Metric::NeighbourRate,
        "The neighbour's own progress, second by second",
        "MB per second",
        Axis::FromZero,
        false,
    ),
    CPU_IDLE,
];
