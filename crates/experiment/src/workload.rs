//! The loads that beds are put under: order entry, sysbench, the durability test and block I/O.

mod tpcc;

mod sysbench;

mod block;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Span;

pub use block::{
    Arrivals, Band, Block, BlockEngine, Burst, Content, Cursor, Extent, Find, Matrix, OneOrMix, Part,
    Pattern, Place, Precondition, Steady, SteadyMetric, Stream, StreamTarget, Think, Track, WHOLE,
};
pub use sysbench::{Distribution, Sysbench, SysbenchTest};
pub use tpcc::{Crash, Durability, Home, Pacing, Profile, Tpcc};

pub(crate) use block::{
    depth_max, five, nothing, one, passes_block, ten_percent_slope, tracked_iops, twenty_five,
    twenty_percent, two_passes, weight_1, yes,
};
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
}

impl Workload {
    /// The kind, as the file has it.
    pub fn kind(&self) -> &'static str {
        match self {
            Workload::Tpcc(_) => "tpcc",
            Workload::Sysbench(_) => "sysbench",
            Workload::Durability(_) => "durability",
            Workload::Block(_) => "block",
        }
    }

    /// What tables call this workload: its name, else its kind.
    pub fn name(&self) -> &str {
        let name = match self {
            Workload::Tpcc(tpcc) => &tpcc.name,
            Workload::Sysbench(sysbench) => &sysbench.name,
            Workload::Durability(durability) => &durability.name,
            Workload::Block(block) => &block.name,
        };
        name.as_deref().unwrap_or(self.kind())
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
        }
    }

    /// What a level counts: `virtual users`, `threads`, `depth` or `IOPS`.
    pub fn level_name(&self) -> &'static str {
        match self {
            Workload::Tpcc(_) | Workload::Durability(_) => "virtual users",
            Workload::Sysbench(_) => "threads",
            Workload::Block(Block { rate: Some(_), .. }) => "IOPS",
            Workload::Block(_) => "depth",
        }
    }

    /// Time under load before measuring begins; none for the durability test, which measures nothing.
    pub fn ramp_up(&self) -> Span {
        match self {
            Workload::Tpcc(tpcc) => tpcc.ramp_up,
            Workload::Sysbench(sysbench) => sysbench.ramp_up,
            Workload::Durability(_) => Span(Duration::ZERO),
            Workload::Block(block) => block.ramp_up,
        }
    }

    /// Time that is measured; for the durability test, time under load before the crash.
    pub fn measure(&self) -> Span {
        match self {
            Workload::Tpcc(tpcc) => tpcc.measure,
            Workload::Sysbench(sysbench) => sysbench.measure,
            Workload::Durability(durability) => durability.load_for,
            Workload::Block(block) => block.measure,
        }
    }

    /// Whether this load needs `[database]`: all but block I/O do.
    pub fn uses_database(&self) -> bool {
        !matches!(self, Workload::Block(_))
    }
}
