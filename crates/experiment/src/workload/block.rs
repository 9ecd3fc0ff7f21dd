//! Block I/O: streams of reads and writes on the files of a bed, and how a cell of them is conducted.

mod check;
mod check_rounds;
mod check_stream;
mod pattern;
mod rounds;
mod scale;
mod stream;
mod trace;

use std::time::Duration;

use words::{LevelName, ScaleChange, ScaleClause, ScaledPart};

use super::{FileKind, numbers};
use crate::checker::Checker;
use crate::file::Experiment;
use crate::keys::choice::written_words;
use crate::keys::form::Form;
use crate::keys::table::table;
use crate::shrink::Rule;
use crate::units::{Percent, Share, Size, Span};

pub use pattern::{Band, HotSpot, Pattern, Zones};
pub use rounds::{Find, Matrix, Precondition, Steady, SteadyMetric, Track};
pub use stream::{
    Burst, Cursor, Discard, DiscardRule, Extent, FileChoice, OneOrMix, Part, Place, Stream, StreamTarget,
    Think,
};
pub use trace::Trace;

/// The size of files and devices that are used as large as they are.
pub const WHOLE: Size = Size(1 << 60);

/// More I/Os in flight than this are a slip of the pen rather than a wish.
const DEPTH_MAX: u32 = 4_096;
/// More threads, files or streams than these, too.
const WORKERS_MAX: u32 = 1_024;
const FILES_MAX: u32 = 32_768;
const STREAMS_MAX: usize = 256;
/// I/Os per second between one in a quarter of an hour and more than any drive serves.
const RATES: (f64, f64) = (0.001, 1e9);
/// The points of a cell have no series of their own; shorter ones would be all start and end.
const POINT_MIN: Duration = Duration::from_millis(50);

table! {
    /// Block I/O on files of a bed. Levels are queue depths (closed loop) or I/O rates (open loop).
    ///
    /// A stream with its own `depth`, `rate` or `burst` runs beside the others. Streams without share the
    /// level's load by weight.
    pub struct Block "block workload" {
        /// The name of this workload in tables; `block` by default.
        name: Option<String>;
        /// The engine of the I/Os.
        engine: BlockEngine = or(BlockEngine::IoUring);
        /// The size of each file. Optional with `paths`: by default all of each existing file.
        size: Size = implied(WHOLE);
        /// Files and block devices by name, instead of files that the run names itself. An existing file is
        /// only read, unless this tool made it; a device is only read, unless `--destroy PATH=SERIAL` allows
        /// to overwrite it. Missing files are created. Relative paths are relative to the bed's storage.
        paths: Vec<String> = implied(Vec::new()).like("[\"/dev/disk/by-id/...\"]").at_most(FILES_MAX as usize);
        /// The number of files of that size on the bed's storage; a stream uses all of them unless it names
        /// one.
        files: u32 = implied(1).within(1, FILES_MAX);
        /// True to go on with the files that the cell before left, where they have this size, instead of
        /// fresh ones for each cell.
        reuse: bool = implied(false);
        /// Closed loop: the queue depths, one level each; with several workers, of each worker. Give either
        /// this or `rate`, and neither if every stream has its own load.
        depth: Vec<u32> = levels(DEPTHS).within(1, DEPTH_MAX).implied(Vec::new());
        /// Open loop: the rates in I/Os per second of all workers together, one level each. I/Os start on
        /// time even if the drive is slow.
        rate: Option<Vec<f64>> = optional().like("[1000, 5000]").distinct().filled().within(RATES.0, RATES.1);
        /// Open loop: the spacing of the I/Os.
        arrivals: Arrivals = implied(Arrivals::default());
        /// Open loop: the most outstanding I/Os of a worker; further arrivals wait, and their wait counts.
        depth_max: u32 = implied(1024).within(1, DEPTH_MAX);
        /// Threads that issue the I/Os of the level's load.
        workers: u32 = implied(1).within(1, WORKERS_MAX);
        /// True to pin each worker to one processor.
        pin: bool = implied(false);
        /// Time under load before the measurement; of each point of a matrix, curve or search.
        ramp_up: Span = required("\"5s\"");
        /// Measured time, at least one second; of each point of a matrix, curve or search, at least 50 ms.
        measure: Span = required("\"20s\"");
        /// Ends the measuring before its time once the rate has fallen by a tenth and two windows of this
        /// length after that are alike within 3 %, and last for a third of the time: a write cache is full.
        /// For loads without points.
        until_settled: Option<Span>;
        /// True to bypass the kernel's page cache (O_DIRECT).
        direct: bool = or(true);
        /// True to write checksums into blocks and verify them when the blocks are read.
        verify: bool = or(false);
        /// A curve: the load runs at its maximum rate at the level's depth, then at these percentages of that
        /// rate, for example `["10%", "50%", "100%", "120%"]`.
        curve: Option<Vec<Percent>> = optional().like("[\"10%\", \"50%\", \"100%\"]").distinct().filled();
        /// Shares of reads and block sizes to run one after the other within a cell.
        matrix: Option<Matrix>;
        /// A search for the deepest load that stays below a latency.
        find: Option<Find>;
        /// The preparation of the drive before the measurement.
        precondition: Option<Precondition>;
        /// Rounds that are repeated until the drive is in a steady state.
        steady: Option<Steady>;
        /// The contents of the written bytes.
        content: Option<Content>;
        /// The trace that a replay followed; only `drivetrain replay` writes it.
        trace: Option<Trace>;
        /// The streams of I/Os: one at least, but for a replay.
        streams as stream: Vec<Stream> = tables("[[workload.stream]]").at_most(STREAMS_MAX).implied(Vec::new());
    }
}

const DEPTHS: &str = "[1, 8, 32]";

table! {
    /// The contents of written bytes, for drives and file systems that compress or deduplicate.
    #[derive(Copy)]
    pub struct Content "content" {
        /// The share of every 4 KiB that compression removes: 50% is a ratio of 2 to 1.
        compressible: Share = or(Share(0.0));
        /// The share of the 4 KiB blocks that repeat another block: 50% is a ratio of 2 to 1.
        duplicates: Share = or(Share(0.0));
    }
}

written_words! {
    /// The engine of the I/Os.
    pub enum BlockEngine {
        /// The kernel's io_uring, with registered files and buffers.
        IoUring = "io_uring",
        /// One thread per I/O in flight, pread and pwrite.
        Psync = "psync",
        /// No I/O: measures the cost of the program itself.
        Null = "null",
        /// No I/O: a modelled drive answers, in wall time.
        Modelled = "modelled",
    }

    /// The spacing of I/Os in an open loop.
    pub enum Arrivals or Poisson {
        /// Exponential gaps, as of independent callers.
        Poisson = "poisson",
        /// Evenly spaced.
        Fixed = "fixed",
    }
}

impl Block {
    /// A workload with these times, everything else left out.
    pub fn new(ramp_up: Span, measure: Span) -> Block {
        Block { ramp_up, measure, ..Form::stand_in() }
    }

    /// The number of files or devices.
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

    /// True if a cell consists of several points, each with its own ramp-up and measuring.
    pub fn has_points(&self) -> bool {
        self.curve.is_some() || self.matrix.is_some() || self.find.is_some() || self.steady.is_some()
    }
}

impl FileKind for Block {
    fn levels(&self) -> Vec<f64> {
        match (&self.trace, &self.rate) {
            (Some(trace), _) => vec![trace.speed.unwrap_or(f64::from(self.depth_max))],
            (None, Some(rates)) => rates.clone(),
            (None, None) if self.depth.is_empty() => vec![f64::from(self.own_depth())],
            (None, None) => numbers(&self.depth),
        }
    }

    fn level_name(&self) -> LevelName {
        match &self.trace {
            Some(trace) if trace.speed.is_some() => LevelName::Speed,
            None if self.rate.is_some() => LevelName::Iops,
            _ => LevelName::Depth,
        }
    }

    fn level_key(&self) -> &'static str {
        match &self.trace {
            Some(trace) if trace.speed.is_none() => "depth_max",
            None if self.rate.is_some() => "rate",
            _ => "depth",
        }
    }

    fn ramp_up(&self) -> Span {
        self.ramp_up
    }

    fn measure(&self) -> Span {
        self.measure
    }

    fn measure_min(&self) -> Option<(Duration, &'static str)> {
        match self.has_points() {
            true => Some((POINT_MIN, "write 50 ms at least")),
            false => {
                Some((Duration::from_secs(1), "write one second at least: series have one-second steps"))
            }
        }
    }

    fn uses_database(&self) -> bool {
        false
    }

    fn database_bytes(&self) -> u64 {
        0
    }

    fn ranks_most(&self) -> Option<u32> {
        Some(if self.paths.is_empty() { self.workers.min(self.files) } else { self.workers })
    }

    fn deal(&mut self, share: &dyn Fn(u32) -> (u32, u32)) {
        let (all, own) = (self.workers, share(self.workers).1);
        // A rate is that of all workers together.
        for rate in self.rate.iter_mut().flatten() {
            *rate *= f64::from(own) / f64::from(all);
        }
        self.workers = own;
        self.files = share(self.files).1;
    }

    fn check(&self, checker: &mut Checker<'_>, path: &str, _experiment: &Experiment) {
        checker.block(path, self);
    }

    fn scale(&mut self, factor: f64, changes: &mut Vec<ScaleChange>) {
        scale::scale_block(self, factor, changes);
    }

    fn rule(&self) -> Rule {
        let points = self.has_points().then_some(ScaleClause::Points);
        let bursts = self.streams.iter().any(|stream| stream.burst.is_some());
        let bursts = bursts.then_some(ScaleClause::Bursts);
        let clauses = points.into_iter().chain(bursts).collect();
        Rule {
            sizes: &[ScaledPart::Files],
            clauses,
            has_times: true,
            stays: &[ScaledPart::Depths, ScaledPart::Rates],
            ..Rule::default()
        }
    }
}
