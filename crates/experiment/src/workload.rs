//! The loads that beds are put under: order entry and block I/O.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Share, Size, Span};

/// A load, and the levels at which it is applied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Workload {
    /// Order entry, derived from TPC-C; its results are not comparable with published TPC-C results.
    Tpcc(Tpcc),
    /// Block I/O on one file per bed.
    Block(Block),
}

/// Order entry, derived from TPC-C: every step runs the five transactions with one number of virtual users.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tpcc {
    /// What tables call this workload; `tpcc` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The size of the database: roughly 80 MB per warehouse.
    #[schemars(range(min = 1))]
    pub warehouses: u32,
    /// The levels: how many users send transactions at the same time, without think time.
    #[schemars(length(min = 1), inner(range(min = 1)))]
    pub virtual_users: Vec<u32>,
    /// Time under load before measuring begins.
    pub ramp_up: Span,
    /// Time that is measured, at least one second.
    pub measure: Span,
    /// Which warehouses a user works on.
    #[serde(default)]
    pub home: Home,
}

/// Which warehouses a virtual user works on. It decides whether reads reach the drive at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Home {
    /// Each user keeps one warehouse, as TPC-C has it: few users then touch little of the database.
    Fixed,
    /// Each transaction draws its warehouse, so that the whole database is touched.
    #[default]
    All,
}

/// Block I/O on one file per bed. Levels are queue depths (closed loop) or I/O rates (open loop).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// What tables call this workload; `block` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How I/Os are issued.
    #[serde(default)]
    pub engine: BlockEngine,
    /// The size of the file that is read and written.
    pub size: Size,
    /// Closed loop: the queue depths to run, one level each. Either this or `rate` is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1), inner(range(min = 1, max = 4096)))]
    pub depth: Vec<u32>,
    /// Open loop: the rates to run in I/Os per second, one level each. I/Os start on time however slow the drive is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Vec<f64>>,
    /// Time under load before measuring begins.
    pub ramp_up: Span,
    /// Time that is measured, at least one second.
    pub measure: Span,
    /// Whether I/O passes by the kernel's page cache (O_DIRECT).
    #[serde(default = "yes")]
    pub direct: bool,
    /// Whether blocks carry checksums that are verified when read.
    #[serde(default)]
    pub verify: bool,
    /// What is read and written; each stream gets its part of the I/Os by weight.
    #[serde(rename = "stream")]
    #[schemars(length(min = 1))]
    pub streams: Vec<Stream>,
}

pub(crate) fn yes() -> bool {
    true
}

/// How I/Os are issued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockEngine {
    /// The kernel's io_uring, with registered files and buffers.
    #[default]
    IoUring,
    /// One thread per I/O in flight, pread and pwrite.
    Psync,
    /// No I/O: measures the cost of the program itself.
    Null,
    /// No I/O: a modelled drive answers, in wall time.
    Modelled,
}

/// One kind of I/O among those of a block workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// Where in the file I/Os go.
    #[serde(default)]
    pub pattern: Pattern,
    /// The share of reads among the I/Os.
    pub read: Share,
    /// The size of an I/O, or a mix of sizes.
    pub block_size: OneOrMix,
    /// This stream's part of the I/Os, relative to the other streams' weights.
    #[serde(default = "weight_1")]
    pub weight: f64,
}

pub(crate) fn weight_1() -> f64 {
    1.0
}

/// Where in the file I/Os go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// From the front to the back, then again.
    Sequential,
    /// Every block equally often.
    #[default]
    Uniform,
    /// Zipf's law with this exponent: the block of rank k is drawn in proportion to 1/k^exponent.
    Zipf(f64),
    /// A part of the file gets most of the I/Os.
    HotSpot {
        /// The part of the file that is hot.
        share: Share,
        /// The share of I/Os that go there.
        access: Share,
    },
}

/// The size of an I/O.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMix {
    /// All I/Os have this size.
    One(Size),
    /// Sizes by share; the shares sum to 100%.
    Mix(Vec<Part>),
}

/// One size of a mix.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The size.
    pub size: Size,
    /// The share of I/Os of this size.
    pub share: Share,
}

impl OneOrMix {
    /// Every size with its share of the I/Os.
    pub fn parts(&self) -> Vec<Part> {
        match self {
            OneOrMix::One(size) => vec![Part { size: *size, share: Share(1.0) }],
            OneOrMix::Mix(parts) => parts.clone(),
        }
    }
}

impl Workload {
    /// What tables call this workload: its name, else its kind.
    pub fn name(&self) -> &str {
        match self {
            Workload::Tpcc(tpcc) => tpcc.name.as_deref().unwrap_or("tpcc"),
            Workload::Block(block) => block.name.as_deref().unwrap_or("block"),
        }
    }

    /// The levels in the file's order, in the unit of [`Workload::level_name`].
    pub fn levels(&self) -> Vec<f64> {
        match self {
            Workload::Tpcc(tpcc) => tpcc.virtual_users.iter().copied().map(f64::from).collect(),
            Workload::Block(Block { rate: Some(rates), .. }) => rates.clone(),
            Workload::Block(block) => block.depth.iter().copied().map(f64::from).collect(),
        }
    }

    /// What a level counts: `virtual users`, `depth` or `IOPS`.
    pub fn level_name(&self) -> &'static str {
        match self {
            Workload::Tpcc(_) => "virtual users",
            Workload::Block(Block { rate: Some(_), .. }) => "IOPS",
            Workload::Block(_) => "depth",
        }
    }

    /// Time under load before measuring begins.
    pub fn ramp_up(&self) -> Span {
        match self {
            Workload::Tpcc(tpcc) => tpcc.ramp_up,
            Workload::Block(block) => block.ramp_up,
        }
    }

    /// Time that is measured.
    pub fn measure(&self) -> Span {
        match self {
            Workload::Tpcc(tpcc) => tpcc.measure,
            Workload::Block(block) => block.measure,
        }
    }
}

impl fmt::Display for BlockEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BlockEngine::IoUring => "io_uring",
            BlockEngine::Psync => "psync",
            BlockEngine::Null => "null",
            BlockEngine::Modelled => "modelled",
        })
    }
}
