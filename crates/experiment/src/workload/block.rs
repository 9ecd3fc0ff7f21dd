//! Block I/O: streams of reads and writes on the files of a bed, and how a cell of them is conducted.

mod check;
mod check_rounds;
mod check_stream;
mod read;
mod read_stream;
mod rounds;
mod scale;
mod stream;

use schemars::JsonSchema;
use serde::Serialize;

use words::{LevelName, WorkloadKind};

use super::{FileKind, numbers};
use crate::check::Checker;
use crate::file::Experiment;
use crate::units::{Percent, Share, Size, Span};
use crate::words::written_words;

#[cfg(test)]
pub(crate) use read::{BLOCK_KEYS, FIND_KEYS};
pub use rounds::{Find, Matrix, Precondition, Steady, SteadyMetric, Track};
pub(crate) use scale::POINTS_IN_WORDS;
pub use stream::{
    Band, Burst, Cursor, Discard, DiscardRule, Extent, FileChoice, OneOrMix, Part, Pattern, Place, Stream,
    StreamTarget, Think, Zones,
};

pub(crate) use rounds::{
    five, passes_block, ten_percent_slope, tracked_iops, twenty_five, twenty_percent, two_passes,
};
pub(crate) use stream::weight_1;

/// Block I/O on files of a bed. Levels are queue depths (closed loop) or I/O rates (open loop).
///
/// A stream with a `depth`, `rate` or `burst` of its own runs beside the others; those without share the
/// level's load by weight.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// What tables call this workload; `block` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How I/Os are issued.
    #[serde(default)]
    pub engine: BlockEngine,
    /// The size of each file that is read and written. May be left out with `paths`: then all of each that is
    /// there.
    #[serde(default = "whole", skip_serializing_if = "is_whole")]
    pub size: Size,
    /// Files and block devices by name, in place of files that the run names itself. What is there is only
    /// read, unless this tool made it or, of a device, `--destroy PATH=SERIAL` allows to overwrite it; what
    /// is not there is made. Relative paths lie below the bed's storage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32768))]
    pub paths: Vec<String>,
    /// Files of that size on the bed's storage; streams spread over all of them unless they name one.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[schemars(range(min = 1, max = 32768))]
    pub files: u32,
    /// Closed loop: the queue depths to run, one level each; of each worker when there are several. Either
    /// this or `rate` is given, and neither when every stream has a load of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1), inner(range(min = 1, max = 4096)))]
    pub depth: Vec<u32>,
    /// Open loop: the rates to run in I/Os per second of all workers together, one level each. I/Os start on
    /// time however slow the drive is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Vec<f64>>,
    /// Open loop: the spacing of the I/Os.
    #[serde(default, skip_serializing_if = "Arrivals::is_default")]
    pub arrivals: Arrivals,
    /// Open loop: the most I/Os of a worker outstanding at a time; beyond it arrivals wait, and their waiting
    /// counts.
    #[serde(default = "depth_max", skip_serializing_if = "is_depth_max")]
    #[schemars(range(min = 1, max = 4096))]
    pub depth_max: u32,
    /// Threads that issue the I/Os of the level's load.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[schemars(range(min = 1, max = 1024))]
    pub workers: u32,
    /// Whether each worker keeps to one processor, in turn.
    #[serde(default, skip_serializing_if = "is_false")]
    pub pin: bool,
    /// Time under load before measuring begins; of each point of a matrix, curve or search.
    pub ramp_up: Span,
    /// Time that is measured, at least one second; of each point of a matrix, curve or search, at least 50
    /// ms.
    pub measure: Span,
    /// Whether I/O passes by the kernel's page cache (O_DIRECT).
    #[serde(default = "yes")]
    pub direct: bool,
    /// Whether blocks carry checksums that are verified when read.
    #[serde(default)]
    pub verify: bool,
    /// A curve: the load runs as fast as it can at the level's depth, then at these percentages of what it
    /// reached, for example `["10%", "50%", "100%", "120%"]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Vec<Percent>>,
    /// Reads and sizes to run one after the other within a cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matrix: Option<Matrix>,
    /// A search for the deepest load that keeps a latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub find: Option<Find>,
    /// What is done to the drive before the measuring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precondition: Option<Precondition>,
    /// Rounds that are repeated until the drive is in a steady state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<Steady>,
    /// What the written bytes are like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Content>,
    /// What is read and written.
    #[serde(rename = "stream")]
    #[schemars(length(min = 1))]
    pub streams: Vec<Stream>,
}

/// The size of files and devices that are used as large as they are.
pub const WHOLE: Size = Size(1 << 60);

fn whole() -> Size {
    WHOLE
}

fn is_whole(size: &Size) -> bool {
    *size == WHOLE
}

pub(crate) fn yes() -> bool {
    true
}

pub(crate) fn one() -> u32 {
    1
}

pub(crate) fn depth_max() -> u32 {
    1024
}

fn is_one(count: &u32) -> bool {
    *count == 1
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_depth_max(depth: &u32) -> bool {
    *depth == depth_max()
}

impl Block {
    /// How many files or devices there are.
    pub fn file_count(&self) -> u32 {
        if self.paths.is_empty() { self.files } else { self.paths.len() as u32 }
    }

    /// Streams that share the level's load by weight.
    pub fn shared(&self) -> impl Iterator<Item = &Stream> {
        self.streams.iter().filter(|stream| !stream.has_own_load())
    }

    /// The most I/Os outstanding of the streams with loads of their own: the level of a workload that has no
    /// other.
    pub fn own_depth(&self) -> u32 {
        self.streams.iter().filter(|stream| stream.has_own_load()).fold(0, |sum, stream| {
            sum.saturating_add(stream.depth.unwrap_or(1).saturating_mul(stream.workers))
        })
    }

    /// Whether a cell consists of several points, each with its own ramp-up and measuring.
    pub fn has_points(&self) -> bool {
        self.curve.is_some() || self.matrix.is_some() || self.find.is_some() || self.steady.is_some()
    }
}

/// How I/Os are issued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
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

/// The spacing of I/Os in an open loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// As independent callers: exponential gaps.
    #[default]
    Poisson,
    /// Evenly spaced.
    Fixed,
}

impl Arrivals {
    fn is_default(&self) -> bool {
        *self == Arrivals::default()
    }
}

/// What written bytes are like, for drives and filesystems that compress or deduplicate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// The share of every 4 KiB that compression takes away: 50% is a ratio of 2 to 1.
    #[serde(default = "nothing")]
    pub compressible: Share,
    /// The share of the 4 KiB blocks that hold what another block holds: 50% is a ratio of 2 to 1.
    #[serde(default = "nothing")]
    pub duplicates: Share,
}

pub(crate) fn nothing() -> Share {
    Share(0.0)
}

written_words! {
    BlockEngine { IoUring => "io_uring", Psync => "psync", Null => "null", Modelled => "modelled" }
    Arrivals { Poisson => "poisson", Fixed => "fixed" }
}

impl FileKind for Block {
    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn kind(&self) -> WorkloadKind {
        WorkloadKind::Block
    }

    fn levels(&self) -> Vec<f64> {
        match &self.rate {
            Some(rates) => rates.clone(),
            None if self.depth.is_empty() => vec![f64::from(self.own_depth())],
            None => numbers(&self.depth),
        }
    }

    fn level_name(&self) -> LevelName {
        if self.rate.is_some() { LevelName::Iops } else { LevelName::Depth }
    }

    fn level_key(&self) -> &'static str {
        if self.rate.is_some() { "rate" } else { "depth" }
    }

    fn ramp_up(&self) -> Span {
        self.ramp_up
    }

    fn measure(&self) -> Span {
        self.measure
    }

    fn uses_database(&self) -> bool {
        false
    }

    fn database_bytes(&self) -> u64 {
        0
    }

    fn check(&self, checker: &mut Checker<'_>, path: &str, _experiment: &Experiment) {
        checker.block(path, self);
    }

    fn scale(&mut self, factor: f64, changes: &mut Vec<String>) {
        scale::scale_block(self, factor, changes);
    }
}
