//! The conduct of a block I/O cell beyond one load: preconditioning, matrices, searches, and rounds until a
//! steady state.

use crate::choice::written_words;
use crate::table::table;
use crate::units::{Share, Size, Span};

table! {
    /// What is done to the drive before the measuring, after the SNIA PTS: purge, then fill, then the load
    /// itself.
    #[derive(Copy)]
    pub struct Precondition "preconditioning" {
        /// Whether all blocks are discarded first, where the storage can; what was done is said in the
        /// results.
        purge: bool = or(false);
        /// How many times everything is written from front to back, whatever the load is (PTS: 2). 0 leaves
        /// that out.
        passes: u32 = or(2).within(0, 100);
        /// The size of those writes (PTS: 128 KiB).
        block_size: Size = or(Size(128 << 10));
        /// How long the load itself then runs before the measuring.
        run_for: Option<Span>;
    }
}

table! {
    /// Shares of reads and block sizes that every stream takes on in turn: one point for each pair.
    pub struct Matrix "matrix" {
        /// Shares of reads; the outer loop. As the streams say when left out.
        read: Vec<Share> = implied(Vec::new()).like("[\"100%\", \"50%\", \"0%\"]").distinct();
        /// Block sizes; the inner loop. As the streams say when left out.
        block_size: Vec<Size> = implied(Vec::new()).like("[\"4KiB\", \"64KiB\"]").distinct();
    }
}

table! {
    /// A search for the deepest load that keeps a latency: up to the level's depth, or up to the level's
    /// rate.
    #[derive(Copy)]
    pub struct Find "search" {
        /// The part of the I/Os that must be as fast, for example 99% or 99.9%.
        percentile: Share = required("\"99%\"");
        /// The latency that they must not exceed.
        latency: Span = required("\"1ms\"");
    }
}

table! {
    /// Rounds until the drive is in a steady state, after the SNIA PTS: over a window of rounds the tracked
    /// figure stays within an excursion, and so does the line fitted to it.
    pub struct Steady "steady state" {
        /// What must be steady, all of it at once; the IOPS of the round when left out.
        track: Vec<Track> = or(vec![Track { metric: SteadyMetric::Iops, read: None, block_size: None }])
            .like("[{ metric = \"iops\", read = \"0%\", block_size = \"4KiB\" }]")
            .filled();
        /// Rounds in the window (PTS: 5).
        window: u32 = or(5).within(2, 100);
        /// The largest difference between two rounds of the window, as a share of its average (PTS: 20%).
        excursion: Share = or(Share(0.2));
        /// The largest rise or fall of the fitted line over the window, as a share of its average (PTS: 10%).
        slope: Share = or(Share(0.1));
        /// Rounds after which one stops waiting and says "not attained" (PTS: 25).
        max_rounds: u32 = or(25).within(2, 10_000);
        /// Only every so many-th round is looked at (PTS write saturation: 30 rounds of one minute).
        every: u32 = implied(1).within(1, 1_000);
        /// Ends the rounds when so many times the size of the files was written, steady or not (PTS write
        /// saturation: 4).
        stop_after_writes: Option<f64>;
    }
}

table! {
    /// One figure that must be steady.
    #[derive(Copy)]
    pub struct Track "tracked figure" {
        /// The figure.
        metric: SteadyMetric = or(SteadyMetric::Iops);
        /// The point of the matrix that is looked at, by its share of reads; needed when the matrix has
        /// several.
        read: Option<Share>;
        /// The point of the matrix that is looked at, by its block size; needed when the matrix has several.
        block_size: Option<Size>;
    }
}

written_words! {
    /// A figure that can be steady.
    pub enum SteadyMetric {
        /// I/Os per second.
        Iops = "iops",
        /// Bytes per second.
        Bandwidth = "bandwidth",
        /// Mean latency, in nanoseconds.
        Latency = "latency",
    }
}
