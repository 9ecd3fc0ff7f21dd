//! The conduct of a block I/O cell beyond one load: preconditioning, matrices, searches, and rounds until a
//! steady state.

use crate::keys::choice::written_words;
use crate::keys::table::table;
use crate::units::{Share, Size, Span};

table! {
    /// The preparation of the drive before the measurement, after the SNIA PTS: purge, then fill, then the
    /// load itself.
    #[derive(Copy)]
    pub struct Precondition "preconditioning" {
        /// True to discard all blocks first, if the storage can; the results say what was done.
        purge: bool = or(false);
        /// The number of sequential writes of the whole target, before any load (PTS: 2). 0 omits them.
        passes: u32 = or(2).within(0, 100);
        /// The size of those writes (PTS: 128 KiB).
        block_size: Size = or(Size(128 << 10));
        /// The time for which the load itself then runs before the measurement.
        run_for: Option<Span>;
    }
}

table! {
    /// Shares of reads and block sizes for every stream: one point for each combination.
    pub struct Matrix "matrix" {
        /// Shares of reads; the outer loop. By default those of the streams.
        read: Vec<Share> = implied(Vec::new()).like("[\"100%\", \"50%\", \"0%\"]").distinct();
        /// Block sizes; the inner loop. By default those of the streams.
        block_size: Vec<Size> = implied(Vec::new()).like("[\"4KiB\", \"64KiB\"]").distinct();
    }
}

table! {
    /// A search for the highest load that stays below a latency: up to the level's depth, or up to the
    /// level's rate.
    #[derive(Copy)]
    pub struct Find "search" {
        /// The share of the I/Os that must stay below the latency, for example 99% or 99.9%.
        percentile: Share = required("\"99%\"");
        /// The latency that they must not exceed.
        latency: Span = required("\"1ms\"");
    }
}

table! {
    /// Rounds until the drive is in a steady state, after the SNIA PTS: over a window of rounds the tracked
    /// figure stays within an excursion, and so does the line fitted to it.
    pub struct Steady "steady state" {
        /// The figures that must all be steady at once; by default the IOPS of the round.
        track: Vec<Track> = or(vec![Track { metric: SteadyMetric::Iops, read: None, block_size: None }])
            .like("[{ metric = \"iops\", read = \"0%\", block_size = \"4KiB\" }]")
            .filled();
        /// Rounds in the window (PTS: 5).
        window: u32 = or(5).within(2, 100);
        /// The largest difference between two rounds of the window, as a share of its average (PTS: 20%).
        excursion: Share = or(Share(0.2));
        /// The largest rise or fall of the fitted line over the window, as a share of its average (PTS: 10%).
        slope: Share = or(Share(0.1));
        /// The round at which the cell stops and reports "not attained" (PTS: 25).
        max_rounds: u32 = or(25).within(2, 10_000);
        /// Only every n-th round counts (PTS write saturation: 30 rounds of one minute).
        every: u32 = implied(1).within(1, 1_000);
        /// Ends the rounds when this many times the size of the files was written, steady or not (PTS write
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
        /// The tracked point of the matrix, by its share of reads; required if the matrix has several.
        read: Option<Share>;
        /// The tracked point of the matrix, by its block size; required if the matrix has several.
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
