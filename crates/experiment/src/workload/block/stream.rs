//! One stream of a block workload: where its I/Os go, how large they are, and when they start.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Arrivals, is_false, is_one, one};
use crate::units::{Share, Size, Span};
use crate::words::written_words;

/// One kind of I/O among those of a block workload.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// What results call this stream; `stream-1` and so on when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where in the file I/Os go.
    #[serde(default)]
    pub pattern: Pattern,
    /// The share of I/Os that follow `pattern`; the others go on where the stream's last I/O ended. All when
    /// left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random: Option<Share>,
    /// The share of reads among the I/Os.
    pub read: Share,
    /// The size of an I/O, or a mix of sizes.
    pub block_size: OneOrMix,
    /// The size of writes, where it differs from that of reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_block_size: Option<OneOrMix>,
    /// Offsets are multiples of this; the smallest block size when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub align: Option<Size>,
    /// This stream's part of the level's I/Os, relative to the other streams' weights.
    #[serde(default = "weight_1")]
    pub weight: f64,
    /// The file it keeps to: a number from 1, or `"log"` for a file on the bed's log storage; or the first
    /// and the last of several, as `[1, 100]`. All files when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<StreamTarget>,
    /// How it goes from one of its files to another.
    #[serde(default, skip_serializing_if = "FileChoice::is_default")]
    pub file_choice: FileChoice,
    /// Discards (TRIM, UNMAP, holes punched into files) among its I/Os: their share of all I/Os, or
    /// `"before_writes"` for one of the same place before each write. None when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discard: Option<Discard>,
    /// Where its region begins, as a size or as a share of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Extent>,
    /// How long its region is, as a size or as a share of the file; to the file's end when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Extent>,
    /// Whether workers share one place in a sequential stream or each has its own.
    #[serde(default, skip_serializing_if = "Cursor::is_shared")]
    pub cursor: Cursor,
    /// How far each further worker's region is moved, with a `cursor` of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker_offset: Option<Extent>,
    /// A load of its own, closed loop: this many I/Os of each of its workers outstanding. With `rate` or
    /// `burst`, at most that many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 4096))]
    pub depth: Option<u32>,
    /// A load of its own, open loop: I/Os per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// The spacing of its own load's I/Os; as the workload says when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    /// A load of its own: bursts on a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<Burst>,
    /// Threads that issue its own load.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[schemars(range(min = 1, max = 1024))]
    pub workers: u32,
    /// Pauses of its own closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<Think>,
    /// An fsync after so many writes of a worker, measured apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub fsync: Option<u32>,
    /// An fdatasync after so many writes of a worker, measured apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub fdatasync: Option<u32>,
    /// Whether a write is done only when it would survive a loss of power (RWF_DSYNC: FUA where the drive has
    /// it).
    #[serde(default, skip_serializing_if = "is_false")]
    pub write_through: bool,
    /// A load of its own ends when it has moved so much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Size>,
    /// A load of its own ends when each of its workers has moved so many times its region; for regions of
    /// unknown size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub passes: Option<u32>,
    /// A load of its own begins this long after the cell's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_after: Option<Span>,
    /// A load of its own ends this long after it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_for: Option<Span>,
}

pub(crate) fn weight_1() -> f64 {
    1.0
}

impl Stream {
    /// Whether it runs beside the level's load instead of taking a part of it.
    pub fn has_own_load(&self) -> bool {
        self.depth.is_some() || self.rate.is_some() || self.burst.is_some()
    }

    /// Whether it changes what its files hold: by writes or by discards.
    pub fn writes(&self) -> bool {
        let discards = !matches!(self.discard, None | Some(Discard::Share(Share(0.0))));
        self.read.0 < 1.0 || discards
    }

    /// A stream with a pattern, share of reads and size, everything else left out.
    pub fn new(pattern: Pattern, read: Share, block_size: OneOrMix) -> Stream {
        Stream {
            name: None,
            pattern,
            random: None,
            read,
            block_size,
            write_block_size: None,
            align: None,
            weight: weight_1(),
            target: None,
            file_choice: FileChoice::default(),
            discard: None,
            offset: None,
            length: None,
            cursor: Cursor::default(),
            worker_offset: None,
            depth: None,
            rate: None,
            arrivals: None,
            burst: None,
            workers: one(),
            think: None,
            fsync: None,
            fdatasync: None,
            write_through: false,
            bytes: None,
            passes: None,
            start_after: None,
            run_for: None,
        }
    }
}

/// Where in the file I/Os go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// From the front to the back, then again.
    Sequential,
    /// Every block equally often, with replacement.
    #[default]
    Uniform,
    /// Every block once in random order, then again in another.
    Shuffled,
    /// Zipf's law with this exponent: the block of rank k is drawn in proportion to 1/k^exponent.
    Zipf(f64),
    /// The self-similar law with this parameter h: a share h of the blocks gets 1 - h of the I/Os, and so on
    /// within both.
    Pareto(f64),
    /// A bell over the file, its middle in the middle: this is its standard deviation as a share of the file.
    Normal(Share),
    /// A part of the file gets most of the I/Os.
    HotSpot {
        /// The part of the file that is hot.
        share: Share,
        /// The share of I/Os that go there.
        access: Share,
    },
    /// The file in bands from the front, each with its share of the I/Os.
    Bands(Vec<Band>),
    /// From the front to the back in steps of this size.
    Stride(Size),
    /// From the back to the front in steps of this size.
    Backward(Size),
    /// Zones with gaps between them, one after the other from the front.
    Zones(Zones),
}

/// Zones with gaps between them: so much is moved in one, then the next begins behind the gap.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Zones {
    /// The size of a zone.
    pub range: Size,
    /// The gap between two zones.
    pub skip: Size,
    /// What is moved in a zone before the next: more than its size goes over it again.
    pub transfer: Size,
    /// Anywhere in the zone, instead of from its front on.
    #[serde(default, skip_serializing_if = "is_false")]
    pub random: bool,
}

/// How a stream goes from one of its files to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileChoice {
    /// Each I/O to any of them.
    #[default]
    Random,
    /// Each I/O to the next one.
    RoundRobin,
    /// One after the other, each to its end.
    InTurn,
    /// As `in_turn`, in an order of chance that is the same every time.
    InTurnShuffled,
}

written_words! {
    FileChoice {
        Random => "random",
        RoundRobin => "round_robin",
        InTurn => "in_turn",
        InTurnShuffled => "in_turn_shuffled"
    }
    Cursor { Shared => "shared", Each => "each" }
}

impl FileChoice {
    fn is_default(&self) -> bool {
        *self == FileChoice::default()
    }
}

/// Discards among the I/Os of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Discard {
    /// This share of all I/Os.
    Share(Share),
    /// With a rule.
    Rule(DiscardRule),
}

/// When something is discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiscardRule {
    /// Before each write, its place.
    BeforeWrites,
}

/// A band of a file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// The part of the file; all bands sum to 100%.
    pub share: Share,
    /// The share of I/Os that go there; all bands sum to 100%.
    pub access: Share,
}

/// A size, or a share of the file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Extent {
    /// A share of the file.
    Share(Share),
    /// Bytes.
    Bytes(Size),
}

impl Extent {
    /// The bytes it is of a file of `size_bytes`, rounded down to `grain_bytes` where it is a share.
    pub fn bytes_of(self, size_bytes: u64, grain_bytes: u64) -> u64 {
        match self {
            Extent::Bytes(size) => size.0,
            Extent::Share(Share(share)) if share >= 1.0 => size_bytes,
            Extent::Share(Share(share)) => {
                let bytes = (size_bytes as f64 * share) as u64;
                bytes - bytes % grain_bytes.max(1)
            }
        }
    }
}

/// The file a stream keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum StreamTarget {
    /// One of the workload's files, from 1.
    File(u32),
    /// The first and the last of several.
    Files([u32; 2]),
    /// A place with a name.
    Named(Place),
}

/// A place with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A file of its own on the bed's `log` storage; on its `storage` when the bed has none.
    Log,
}

/// Whether workers share one place in a sequential stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cursor {
    /// Together they read it once.
    #[default]
    Shared,
    /// Each reads all of it.
    Each,
}

impl Cursor {
    fn is_shared(&self) -> bool {
        *self == Cursor::Shared
    }
}

/// Bursts on a clock, as of checkpoints: so many I/Os as fast as `depth` allows, then none until the next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Burst {
    /// I/Os of a burst.
    #[schemars(range(min = 1))]
    pub ios: u32,
    /// From the start of one burst to the start of the next; the first comes after one such time.
    pub every: Span,
}

/// Pauses of a closed loop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Think {
    /// The pause.
    pub time: Span,
    /// I/Os of a worker between two pauses.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub after: u32,
}

/// The size of an I/O.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMix {
    /// All I/Os have this size.
    One(Size),
    /// Sizes by share; the shares sum to 100%.
    Mix(Vec<Part>),
}

/// One size of a mix.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
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
