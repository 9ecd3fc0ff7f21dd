//! The figures of a procedure, in the terms and units of the studies.

use std::collections::BTreeMap;

/// A figure that the simulation of a procedure gives. Studies count and name otherwise than results do, so
/// these are no metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcedureFigure {
    /// New orders per minute.
    Nopm,
    /// Batches per minute, as the studies count transactions.
    Tpm,
    /// Batches per minute of one user.
    TpmPerUser,
    /// Idle time of the processors, %.
    CpuIdle,
    /// Reads per second.
    ReadIops,
    /// Writes per second.
    WriteIops,
    /// Mean latency of reads, ms.
    ReadMs,
    /// Mean latency of writes, ms.
    WriteMs,
    /// Mean latency of reads and writes, ms.
    LatencyMs,
    /// Rate of a backup, MB/s.
    BackupMbPerS,
    /// I/Os per second.
    Iops,
    /// Bandwidth, GB/s.
    GbPerS,
    /// Bandwidth, MB/s.
    MbPerS,
    /// Reads per second between bursts of writes.
    CalmReads,
    /// Reads per second during a burst of writes.
    BurstReads,
    /// Time of a backup, s.
    BackupS,
    /// Mean latency of the I/Os of a backup, ms.
    BackupMs,
    /// Time of a restore, s.
    RestoreS,
    /// Rate of a restore, MB/s.
    RestoreMbPerS,
    /// Mean latency of the I/Os of a restore, ms.
    RestoreMs,
    /// Time of a query, ms.
    ElapsedMs,
    /// Processor time of a query, ms.
    CpuMs,
    /// Scans of a table.
    Scans,
    /// Pages that were read.
    LogicalReads,
    /// Pages that were read from the storage on demand.
    PhysicalReads,
    /// Pages that were read ahead.
    AheadReads,
}

/// Figures of a simulated procedure.
pub type Figures = BTreeMap<ProcedureFigure, f64>;
