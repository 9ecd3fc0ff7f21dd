//! The loads that beds are put under: order entry, sysbench, the durability test, block I/O, and what is done
//! to databases besides.

mod backup;
mod block;
mod durability;
mod fragmentation;
mod neighbour;
mod scan;
mod sysbench;
mod tpcc;

use std::time::Duration;
use words::{LevelName, WorkloadKind};

use schemars::JsonSchema;
use serde::Serialize;

use crate::check::Checker;
use crate::file::Experiment;
use crate::keys::Keyed;
use crate::reader::{Node, Reader};
use crate::units::Span;

pub use block::{
    Arrivals, Band, Block, BlockEngine, Burst, Content, Cursor, Discard, DiscardRule, Extent, FileChoice,
    Find, Matrix, OneOrMix, Part, Pattern, Place, Precondition, Steady, SteadyMetric, Stream, StreamTarget,
    Think, Track, WHOLE, Zones,
};
pub use durability::{Crash, Durability};
pub use fragmentation::{Filesystem, Fragmentation};
pub use sysbench::{Distribution, Sysbench, SysbenchTest};
pub use tpcc::{Home, Pacing, Profile, Tpcc};

pub use backup::{Backup, Method};
pub(crate) use block::{
    depth_max, five, nothing, one, passes_block, ten_percent_slope, tracked_iops, twenty_five,
    twenty_percent, two_passes, weight_1, yes,
};
pub use neighbour::{Mitigation, Neighbour, NeighbourKind};
pub use scan::Scan;
pub use words::Arm;

pub(crate) use block::POINTS_IN_WORDS;
#[cfg(test)]
pub(crate) use block::{BLOCK_KEYS, FIND_KEYS};
/// Bounds beyond which a number is a slip of the pen rather than a wish.
pub(crate) const WAREHOUSES_MAX: u32 = 1_000_000;
pub(crate) const USERS_MAX: u32 = 100_000;
pub(crate) const CONNECTIONS_MAX: u32 = 10_000;

/// Levels that are whole numbers.
pub(crate) fn numbers(levels: &[u32]) -> Vec<f64> {
    levels.iter().copied().map(f64::from).collect()
}

/// A kind of workload in the file: its levels and times, its checks, and what scaling makes of it.
pub(crate) trait FileKind {
    /// The name that the file gives it.
    fn name(&self) -> Option<&str>;

    /// The word of its kind.
    fn kind(&self) -> WorkloadKind;

    /// The levels in the file's order.
    fn levels(&self) -> Vec<f64>;

    /// What a level counts.
    fn level_name(&self) -> LevelName;

    /// The key that lists the levels.
    fn level_key(&self) -> &'static str;

    /// Time under load before measuring begins.
    fn ramp_up(&self) -> Span {
        Span(Duration::ZERO)
    }

    /// Time that is measured.
    fn measure(&self) -> Span {
        Span(Duration::ZERO)
    }

    /// The key of the time that is measured, and what is done in it.
    fn measure_key(&self) -> (&'static str, &'static str) {
        ("measure", "measuring")
    }

    /// Whether it measures for a time that its file says.
    fn is_timed(&self) -> bool {
        true
    }

    /// Whether it needs `[database]`.
    fn uses_database(&self) -> bool {
        true
    }

    /// The size of the database that it loads; 0 without one.
    fn database_bytes(&self) -> u64;

    /// Says what no single value can show.
    fn check(&self, checker: &mut Checker<'_>, path: &str, experiment: &Experiment);

    /// Shrinks what the rule of scaling names, and says each change.
    fn scale(&mut self, factor: f64, changes: &mut Vec<String>);
}

/// A load, and the levels at which it is applied.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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
    /// The workload as its kind.
    pub(crate) fn of(&self) -> &dyn FileKind {
        match self {
            Workload::Tpcc(tpcc) => tpcc,
            Workload::Sysbench(sysbench) => sysbench,
            Workload::Durability(durability) => durability,
            Workload::Block(block) => block,
            Workload::Backup(backup) => backup,
            Workload::Scan(scan) => scan,
            Workload::Neighbour(neighbour) => neighbour,
            Workload::Fragmentation(fragmentation) => fragmentation,
        }
    }

    /// The workload as its kind, to be changed.
    pub(crate) fn of_mut(&mut self) -> &mut dyn FileKind {
        match self {
            Workload::Tpcc(tpcc) => tpcc,
            Workload::Sysbench(sysbench) => sysbench,
            Workload::Durability(durability) => durability,
            Workload::Block(block) => block,
            Workload::Backup(backup) => backup,
            Workload::Scan(scan) => scan,
            Workload::Neighbour(neighbour) => neighbour,
            Workload::Fragmentation(fragmentation) => fragmentation,
        }
    }

    /// Reads the keys of a kind.
    pub(crate) fn read(kind: WorkloadKind, reader: &mut Reader, node: &Node<'_>) -> Workload {
        match kind {
            WorkloadKind::Tpcc => Workload::Tpcc(Tpcc::read(reader, node)),
            WorkloadKind::Sysbench => Workload::Sysbench(Sysbench::read(reader, node)),
            WorkloadKind::Durability => Workload::Durability(Durability::read(reader, node)),
            WorkloadKind::Block => Workload::Block(reader.block(node)),
            WorkloadKind::Backup => Workload::Backup(Backup::read(reader, node)),
            WorkloadKind::Scan => Workload::Scan(Scan::read(reader, node)),
            WorkloadKind::Neighbour => Workload::Neighbour(Neighbour::read(reader, node)),
            WorkloadKind::Fragmentation => Workload::Fragmentation(Fragmentation::read(reader, node)),
        }
    }

    /// The kind, as the file has it.
    pub fn kind(&self) -> WorkloadKind {
        self.of().kind()
    }

    /// What tables call this workload: its name, else its kind.
    pub fn name(&self) -> &str {
        self.of().name().unwrap_or(self.kind().name())
    }

    /// The levels in the file's order, in the unit of [`Workload::level_name`]. Of a database with several
    /// instances: for each.
    pub fn levels(&self) -> Vec<f64> {
        self.of().levels()
    }

    /// What a level counts.
    pub fn level_name(&self) -> LevelName {
        self.of().level_name()
    }

    /// The key of the file that lists the levels; of the durability test, that of its repeats.
    pub fn level_key(&self) -> &'static str {
        self.of().level_key()
    }

    /// Time under load before measuring begins; none for the durability test, which measures nothing.
    pub fn ramp_up(&self) -> Span {
        self.of().ramp_up()
    }

    /// Time that is measured; for the durability test, time under load before the crash; none where the work
    /// itself says how long it takes.
    pub fn measure(&self) -> Span {
        self.of().measure()
    }

    /// Whether this load needs `[database]`: all but block I/O do.
    pub fn uses_database(&self) -> bool {
        self.of().uses_database()
    }
}
