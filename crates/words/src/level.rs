//! The units of a workload's levels.

use crate::word::words;

words! {
    /// The unit that a level counts.
    pub enum LevelName {
        /// Users of order entry.
        VirtualUsers = "virtual users",
        /// Threads of sysbench.
        Threads = "threads",
        /// Clients of pgbench, and of a load that was observed.
        Clients = "clients",
        /// I/Os outstanding.
        Depth = "depth",
        /// I/Os per second that are asked for.
        Iops = "IOPS",
        /// The speed of a replay relative to its recording.
        Speed = "speed",
        /// The share of a table's rows that a query asks for, in per cent.
        RowShare = "% of the rows",
        /// An arm of a neighbour workload, by its number (see [`crate::Arm`]).
        Arm = "arm",
        /// The size of the pieces of a file, KiB; 0 for a file in one piece.
        Pieces = "KiB pieces",
        /// Ranks of a fleet, each with the same load.
        Ranks = "ranks",
    }
}

impl LevelName {
    /// True for an amount of load, which is divided among load generators; a depth is that of each, and the
    /// others are conditions.
    pub fn is_amount(self) -> bool {
        matches!(self, LevelName::VirtualUsers | LevelName::Threads | LevelName::Clients | LevelName::Iops)
    }
}
