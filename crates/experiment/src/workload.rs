//! The loads that beds are put under: order entry, sysbench, the durability test, block I/O, and what is done to databases besides.

mod tpcc;

mod sysbench;

mod block;

mod backup;

mod scan;

mod neighbour;

use std::time::Duration;
use words::{LevelName, WorkloadKind};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Span;

pub use block::{
    Arrivals, Band, Block, BlockEngine, Burst, Content, Cursor, Discard, DiscardRule, Extent, FileChoice,
    Find, Matrix, OneOrMix, Part, Pattern, Place, Precondition, Steady, SteadyMetric, Stream, StreamTarget,
    Think, Track, WHOLE, Zones,
};
pub use sysbench::{Distribution, Sysbench, SysbenchTest};
pub use tpcc::{Crash, Durability, Home, Pacing, Profile, Tpcc};

pub use backup::{Backup, Method};
pub(crate) use block::{
    depth_max, five, nothing, one, passes_block, ten_percent_slope, tracked_iops, twenty_five,
    twenty_percent, two_passes, weight_1, yes,
};
pub use neighbour::{Kind as NeighbourKind, Mitigation, Neighbour};
pub use scan::{Filesystem, Fragmentation, Scan};
pub use words::Arm;

pub(crate) use backup::{alone, drill, five_seconds, three};
pub(crate) use neighbour::one_neighbour;
pub(crate) use scan::hundred_bytes;
pub(crate) use sysbench::{hundred_rows, one_table, ten_thousand_rows};
pub(crate) use tpcc::twenty;

/// A load, and the levels at which it is applied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[expect(clippy::large_enum_variant, reason = "an experiment has a handful of them")]
pub enum Workload {
    /// Order entry, derived from TPC-C; its results are not comparable with published TPC-C results.
    Tpcc(Tpcc),
    /// An OLTP test of sysbench.
    Sysbench(Sysbench),
    /// The durability test of TPC-C 3.5.4: crash under load, and count what was lost.
    Durability(Durability),
    /// Block I/O on files of a bed.
    Block(Block),
    /// Backup and restore, every restore proven.
    Backup(Backup),
    /// A full scan against lookups by an index.
    Scan(Scan),
    /// Databases under load beside a noisy neighbour.
    Neighbour(Neighbour),
    /// Cold scans of a table whose file lies in pieces.
    Fragmentation(Fragmentation),
}

impl Workload {
    /// The kind, as the file has it.
    pub fn kind(&self) -> WorkloadKind {
        match self {
            Workload::Tpcc(_) => WorkloadKind::Tpcc,
            Workload::Sysbench(_) => WorkloadKind::Sysbench,
            Workload::Durability(_) => WorkloadKind::Durability,
            Workload::Block(_) => WorkloadKind::Block,
            Workload::Backup(_) => WorkloadKind::Backup,
            Workload::Scan(_) => WorkloadKind::Scan,
            Workload::Neighbour(_) => WorkloadKind::Neighbour,
            Workload::Fragmentation(_) => WorkloadKind::Fragmentation,
        }
    }

    /// What tables call this workload: its name, else its kind.
    pub fn name(&self) -> &str {
        let name = match self {
            Workload::Tpcc(tpcc) => &tpcc.name,
            Workload::Sysbench(sysbench) => &sysbench.name,
            Workload::Durability(durability) => &durability.name,
            Workload::Block(block) => &block.name,
            Workload::Backup(backup) => &backup.name,
            Workload::Scan(scan) => &scan.name,
            Workload::Neighbour(neighbour) => &neighbour.name,
            Workload::Fragmentation(fragmentation) => &fragmentation.name,
        };
        name.as_deref().unwrap_or(self.kind().name())
    }

    /// The levels in the file's order, in the unit of [`Workload::level_name`]. Of a database with several instances: for each.
    pub fn levels(&self) -> Vec<f64> {
        let numbers = |levels: &[u32]| levels.iter().copied().map(f64::from).collect();
        match self {
            Workload::Tpcc(tpcc) => numbers(&tpcc.virtual_users),
            Workload::Sysbench(sysbench) => numbers(&sysbench.threads),
            Workload::Durability(durability) => vec![f64::from(durability.virtual_users)],
            Workload::Block(Block { rate: Some(rates), .. }) => rates.clone(),
            Workload::Block(block) if block.depth.is_empty() => vec![f64::from(block.own_depth())],
            Workload::Block(block) => numbers(&block.depth),
            Workload::Backup(backup) => numbers(&backup.virtual_users),
            // In per cent; rounded, for 0.01 % of all is not a whole number of binary fractions.
            Workload::Scan(scan) => {
                scan.selectivity.iter().map(|share| (share.0 * 1e12).round() / 1e10).collect()
            }
            Workload::Neighbour(neighbour) => neighbour.arms().into_iter().map(Arm::number).collect(),
            Workload::Fragmentation(fragmentation) => {
                let kib = fragmentation.fragments.iter().map(|size| size.0 as f64 / 1024.0);
                std::iter::once(0.0).chain(kib).collect()
            }
        }
    }

    /// What a level counts: `virtual users`, `threads`, `depth`, `IOPS`; of the others a word that says what its number means.
    pub fn level_name(&self) -> LevelName {
        match self {
            Workload::Tpcc(_) | Workload::Durability(_) => LevelName::VirtualUsers,
            Workload::Sysbench(_) => LevelName::Threads,
            Workload::Block(Block { rate: Some(_), .. }) => LevelName::Iops,
            Workload::Block(_) => LevelName::Depth,
            Workload::Backup(_) => LevelName::VirtualUsers,
            Workload::Scan(_) => LevelName::RowShare,
            Workload::Neighbour(_) => LevelName::Arm,
            Workload::Fragmentation(_) => LevelName::Pieces,
        }
    }

    /// The key of the file that lists the levels; of the durability test, that of its repeats.
    pub fn level_key(&self) -> &'static str {
        match self {
            Workload::Tpcc(_) | Workload::Backup(_) => "virtual_users",
            Workload::Sysbench(_) => "threads",
            Workload::Block(Block { rate: Some(_), .. }) => "rate",
            Workload::Block(_) => "depth",
            Workload::Scan(_) => "selectivity",
            Workload::Fragmentation(_) => "fragments",
            Workload::Durability(_) => "rounds",
            Workload::Neighbour(_) => "arms",
        }
    }

    /// Time under load before measuring begins; none for the durability test, which measures nothing.
    pub fn ramp_up(&self) -> Span {
        match self {
            Workload::Tpcc(tpcc) => tpcc.ramp_up,
            Workload::Sysbench(sysbench) => sysbench.ramp_up,
            Workload::Durability(_) => Span(Duration::ZERO),
            Workload::Block(block) => block.ramp_up,
            Workload::Backup(backup) => backup.ramp_up,
            Workload::Neighbour(neighbour) => neighbour.ramp_up,
            Workload::Scan(_) | Workload::Fragmentation(_) => Span(Duration::ZERO),
        }
    }

    /// Time that is measured; for the durability test, time under load before the crash; none where the work itself says how long it takes.
    pub fn measure(&self) -> Span {
        match self {
            Workload::Tpcc(tpcc) => tpcc.measure,
            Workload::Sysbench(sysbench) => sysbench.measure,
            Workload::Durability(durability) => durability.load_for,
            Workload::Block(block) => block.measure,
            Workload::Neighbour(neighbour) => neighbour.measure,
            Workload::Backup(_) | Workload::Scan(_) | Workload::Fragmentation(_) => Span(Duration::ZERO),
        }
    }

    /// Whether this load needs `[database]`: all but block I/O do.
    pub fn uses_database(&self) -> bool {
        !matches!(self, Workload::Block(_))
    }
}
