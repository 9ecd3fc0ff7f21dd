//! Block I/O: streams of reads and writes on one file per bed.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Share, Size, Span};

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
