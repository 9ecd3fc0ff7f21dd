//! Kinds of workloads.

use crate::word::words;

words! {
    /// The kind of a workload, by the word of the experiment file.
    pub enum WorkloadKind {
        /// Order entry derived from TPC-C.
        Tpcc = "tpcc",
        /// sysbench's tests: their tables and statements are others, so they are never compared with order
        /// entry.
        Sysbench = "sysbench",
        /// Crashes under load: every acknowledged order must still be there.
        Durability = "durability",
        /// Block I/O.
        Block = "block",
        /// Backup and restore.
        Backup = "backup",
        /// Scans against lookups.
        Scan = "scan",
        /// Databases beside a noisy neighbour.
        Neighbour = "neighbour",
        /// Cold scans of fragmented files.
        Fragmentation = "fragmentation",
        /// Scripts of pgbench. Its results are imported; drivetrain does not run it.
        Pgbench = "pgbench",
        /// Somebody else's load on a server that was observed. drivetrain does not run it.
        Observed = "observed",
    }
}

words! {
    /// A key of `smallest_effect`: the figures that share a smallest difference that matters.
    pub enum EffectKey {
        /// The throughput of order entry.
        Nopm = "nopm",
        /// The throughput of other loads of databases.
        Tps = "tps",
        /// The throughput of block I/O.
        Iops = "iops",
        /// The duration and the speed of operations.
        Time = "time",
        /// The latencies of every kind.
        P99 = "p99",
    }
}

impl WorkloadKind {
    /// The key of the smallest effect that judges its results, besides that of latencies.
    pub fn effect_key(self) -> EffectKey {
        match self {
            WorkloadKind::Tpcc | WorkloadKind::Durability | WorkloadKind::Neighbour => EffectKey::Nopm,
            WorkloadKind::Sysbench | WorkloadKind::Pgbench | WorkloadKind::Observed => EffectKey::Tps,
            WorkloadKind::Block => EffectKey::Iops,
            WorkloadKind::Backup | WorkloadKind::Scan | WorkloadKind::Fragmentation => EffectKey::Time,
        }
    }
}

/// Order entry, the first of the list.
impl Default for WorkloadKind {
    fn default() -> Self {
        WorkloadKind::Tpcc
    }
}
