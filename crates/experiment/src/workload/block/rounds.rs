//! How a cell of block I/O is conducted beyond one load: preconditioning, matrices, searches, and rounds
//! until a steady state.

use schemars::JsonSchema;
use serde::Serialize;

use crate::units::{Share, Size, Span};
use crate::words::written_words;

/// What is done to the drive before the measuring, after the SNIA PTS: purge, then fill, then the load
/// itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Precondition {
    /// Whether all blocks are discarded first, where the storage can; what was done is said in the results.
    #[serde(default)]
    pub purge: bool,
    /// How many times everything is written from front to back, whatever the load is (PTS: 2). 0 leaves that
    /// out.
    #[serde(default = "two_passes")]
    #[schemars(range(min = 0, max = 100))]
    pub passes: u32,
    /// The size of those writes (PTS: 128 KiB).
    #[serde(default = "passes_block")]
    pub block_size: Size,
    /// How long the load itself then runs before the measuring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_for: Option<Span>,
}

pub(crate) fn two_passes() -> u32 {
    2
}

pub(crate) fn passes_block() -> Size {
    Size(128 << 10)
}

/// Shares of reads and block sizes that every stream takes on in turn: one point for each pair.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// Shares of reads; the outer loop. As the streams say when left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<Share>,
    /// Block sizes; the inner loop. As the streams say when left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub block_size: Vec<Size>,
}

/// A search for the deepest load that keeps a latency: up to the level's depth, or up to the level's rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Find {
    /// The part of the I/Os that must be as fast, for example 99% or 99.9%.
    pub percentile: Share,
    /// The latency that they must not exceed.
    pub latency: Span,
}

/// Rounds until the drive is in a steady state, after the SNIA PTS: over a window of rounds the tracked
/// figure stays within an excursion, and so does the line fitted to it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Steady {
    /// What must be steady, all of it at once; the IOPS of the round when left out.
    #[serde(default = "tracked_iops")]
    #[schemars(length(min = 1))]
    pub track: Vec<Track>,
    /// Rounds in the window (PTS: 5).
    #[serde(default = "five")]
    #[schemars(range(min = 2, max = 100))]
    pub window: u32,
    /// The largest difference between two rounds of the window, as a share of its average (PTS: 20%).
    #[serde(default = "twenty_percent")]
    pub excursion: Share,
    /// The largest rise or fall of the fitted line over the window, as a share of its average (PTS: 10%).
    #[serde(default = "ten_percent_slope")]
    pub slope: Share,
    /// Rounds after which one stops waiting and says "not attained" (PTS: 25).
    #[serde(default = "twenty_five")]
    #[schemars(range(min = 2, max = 10000))]
    pub max_rounds: u32,
    /// Only every so many-th round is looked at (PTS write saturation: 30 rounds of one minute).
    #[serde(default = "super::one", skip_serializing_if = "super::is_one")]
    #[schemars(range(min = 1, max = 1000))]
    pub every: u32,
    /// Ends the rounds when so many times the size of the files was written, steady or not (PTS write
    /// saturation: 4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_after_writes: Option<f64>,
}

/// One figure that must be steady.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Track {
    /// The figure.
    #[serde(default)]
    pub metric: SteadyMetric,
    /// The point of the matrix that is looked at, by its share of reads; needed when the matrix has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Share>,
    /// The point of the matrix that is looked at, by its block size; needed when the matrix has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_size: Option<Size>,
}

/// A figure that can be steady.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SteadyMetric {
    /// I/Os per second.
    #[default]
    Iops,
    /// Bytes per second.
    Bandwidth,
    /// Mean latency, in nanoseconds.
    Latency,
}

written_words! {
    SteadyMetric { Iops => "iops", Bandwidth => "bandwidth", Latency => "latency" }
}

pub(crate) fn tracked_iops() -> Vec<Track> {
    vec![Track { metric: SteadyMetric::Iops, read: None, block_size: None }]
}

pub(crate) fn five() -> u32 {
    5
}

pub(crate) fn twenty_percent() -> Share {
    Share(0.2)
}

pub(crate) fn ten_percent_slope() -> Share {
    Share(0.1)
}

pub(crate) fn twenty_five() -> u32 {
    25
}
