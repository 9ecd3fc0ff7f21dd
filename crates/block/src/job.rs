//! The description of a block run: streams, load shape, engine, target. Plain values; [`Job::validate`] names
//! impossible combinations.

mod shape;
mod stream;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::content::Content;
use crate::error::BlockError;
use crate::journal::JournalPlace;
use crate::permit::WritePermit;
use crate::trace::TraceRecorder;

pub use crate::pattern::Pattern;
pub use shape::{Answers, Arrivals, EngineKind, ModelledDrive, Shape, Think};
pub use stream::{Discard, FileChoice, Flush, Region, SizeMix, Stream};

/// Largest depth a job may ask for.
pub const DEPTH_MAX: u32 = 4096;
/// psync has a thread for each I/O outstanding, each with books of its own of 2.5 MB.
const PSYNC_THREADS_MAX: u32 = 1024;
/// Largest single I/O, in bytes: 64 MiB.
pub const IO_SIZE_BYTES_MAX: u32 = 64 << 20;
/// Smallest single I/O and smallest alignment, in bytes: the 512-byte sector.
pub const IO_SIZE_BYTES_MIN: u32 = 512;
/// Most outstanding writes to one verified block: the limit of the ledger's 11 bits.
pub(crate) const IN_FLIGHT_MAX: u32 = (1 << 11) - 1;
/// Memory that the bytes of outstanding I/Os may take: 4 GiB.
const BUFFER_BYTES_MAX: u64 = 4 << 30;
/// Streams one job may have.
pub const STREAMS_MAX: usize = 256;
/// Targets one job may have: each takes a file descriptor.
pub const TARGETS_MAX: usize = 32_768;
/// Workers one job may have.
pub const WORKERS_MAX: u32 = 1024;

/// One block run: the requests of one load shape to its targets.
#[derive(Clone, Debug)]
pub struct Job {
    /// Kinds of I/O, drawn for each I/O by their weights.
    pub streams: Vec<Stream>,
    /// The number and the times of the starts.
    pub shape: Shape,
    /// The engine.
    pub engine: EngineKind,
    /// The targets; streams name them by index.
    pub targets: Vec<Target>,
    /// Threads that carry the load, each with the shape's depth; psync has one per unit of depth in each.
    pub workers: u32,
    /// Keep each worker to one processor: the k-th to number (this + k), modulo the processors there are.
    pub pin_from: Option<u32>,
    /// Pauses of a closed loop.
    pub think: Option<Think>,
    /// The load begins so long after the run.
    pub start_after: Duration,
    /// The load ends so long after it began, if that is before the end of the measure phase.
    pub run_for: Option<Duration>,
    /// The load ends when it has started I/Os of this many bytes in its measure phase.
    pub bytes_max: Option<u64>,
    /// Takes every I/O as it starts, for a trace of the run.
    pub record: Option<TraceRecorder>,
    /// The record of durable writes of a verified run, for [`verify_after_crash`](crate::verify_after_crash):
    /// a file on another device.
    pub journal: Option<JournalPlace>,
    /// Time before the histograms count; it is in the timeline.
    pub ramp_up: Duration,
    /// Time that is measured.
    pub measure: Duration,
    /// Longest time to wait after the measure phase for I/Os that belong to it; outstanding ones are then
    /// counted as [`unfinished`](crate::Outcome::unfinished) with their age so far, never dropped.
    pub drain_max: Duration,
    /// Seed of every random choice: the same seed gives the same I/Os in the same order.
    pub seed: u64,
    /// Open with O_DIRECT (past the page cache).
    pub direct: bool,
    /// The check of written data.
    pub verify: Verify,
    /// The contents of written data that is not checked.
    pub content: Content,
    /// Offsets are multiples of this many bytes; by default the smallest I/O size of each stream.
    pub align_bytes: Option<u32>,
}

/// The target of the I/Os.
#[derive(Clone, Debug)]
pub enum Target {
    /// A file or block device that is only read: opened O_RDONLY, so nothing can be written to it.
    ReadOnly(PathBuf),
    /// A file the tool made. Opened for writing only when a stream writes.
    Permitted(Arc<WritePermit>),
    /// No bytes at all, only addresses, for the null and modelled engines.
    AddressSpace {
        /// Size of the pretended target.
        size_bytes: u64,
    },
}

/// The check of written data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// Written blocks carry incompressible data that is not read again.
    #[default]
    Off,
    /// Written sectors carry offset, generation and checksum; after the run every written block is read and
    /// judged.
    Write,
}

impl Job {
    /// A job with one stream and the usual settings: O_DIRECT, no ramp-up, 10 s measured, 5 s of drain at
    /// most, seed 1, no verification.
    pub fn new(stream: Stream, shape: Shape, engine: EngineKind, target: Target) -> Job {
        Job {
            streams: vec![stream],
            shape,
            engine,
            targets: vec![target],
            workers: 1,
            pin_from: None,
            think: None,
            start_after: Duration::ZERO,
            run_for: None,
            bytes_max: None,
            record: None,
            journal: None,
            ramp_up: Duration::ZERO,
            measure: Duration::from_secs(10),
            drain_max: Duration::from_secs(5),
            seed: 1,
            direct: true,
            verify: Verify::Off,
            content: Content::default(),
            align_bytes: None,
        }
    }

    /// True if any stream writes or discards.
    pub fn writes(&self) -> bool {
        self.streams.iter().any(Stream::writes)
    }

    fn discards(&self) -> bool {
        self.streams.iter().any(Stream::discards)
    }

    /// True if any stream writes to the target that is only read at this path.
    fn writes_to(&self, path: &std::path::Path) -> bool {
        let is_read_only = |target: &Target| matches!(target, Target::ReadOnly(read) if read == path);
        let mut targets = self.targets.iter().enumerate().filter(|(_, target)| is_read_only(target));
        targets.any(|(index, _)| self.writes_target(index))
    }

    /// True if any stream writes to the target of this index.
    pub(crate) fn writes_target(&self, target: usize) -> bool {
        self.streams.iter().any(|stream| stream.goes_to(target) && stream.writes())
    }

    /// Length of the longest I/O in bytes.
    pub fn largest_io_bytes(&self) -> u32 {
        self.streams.iter().map(Stream::largest_bytes).max().unwrap_or(0)
    }

    /// Checks everything that can be known without touching the target.
    ///
    /// # Errors
    /// [`BlockError::BadJob`] naming the first thing that cannot be; [`BlockError::Refused`] for writes
    /// without a permit.
    pub fn validate(&self) -> Result<(), BlockError> {
        if self.streams.is_empty() || self.streams.len() > STREAMS_MAX {
            return Err(BlockError::job(
                format!("it has {} streams", self.streams.len()),
                format!("give 1 to {STREAMS_MAX}"),
            ));
        }
        for stream in &self.streams {
            stream.validate(self.direct || self.verify != Verify::Off)?;
            let end = stream.target.saturating_add(stream.files as usize);
            if stream.files == 0 || end > self.targets.len() {
                let (name, targets) = (&stream.name, self.targets.len());
                return Err(BlockError::job(
                    format!("stream \"{name}\" goes to target {} to {end} of {targets}", stream.target),
                    "name targets that the job has",
                ));
            }
            if self.journal.is_some() && stream.discards() {
                let what =
                    format!("stream \"{}\" discards what is to be verified after a crash", stream.name);
                return Err(BlockError::job(what, "leave the journal out, or the discards"));
            }
        }
        if let Some(align) = self.align_bytes
            && (align < IO_SIZE_BYTES_MIN || !align.is_multiple_of(IO_SIZE_BYTES_MIN))
        {
            return Err(BlockError::job(
                format!("alignment of {align} bytes"),
                "use a multiple of 512 bytes",
            ));
        }
        if self.measure < Duration::from_millis(1) || self.measure > Duration::from_secs(366 * 86_400) {
            return Err(BlockError::job(
                format!("measure phase of {:?}", self.measure),
                "use 1 ms up to a year",
            ));
        }
        self.validate_shape()?;
        self.validate_workers()?;
        self.targets.iter().try_for_each(|target| self.validate_target(target))
    }

    fn validate_workers(&self) -> Result<(), BlockError> {
        if self.targets.is_empty() || self.targets.len() > TARGETS_MAX {
            let what = format!("it has {} targets", self.targets.len());
            return Err(BlockError::job(what, format!("give 1 to {TARGETS_MAX}")));
        }
        if self.workers == 0 || self.workers > WORKERS_MAX {
            let what = format!("it has {} workers", self.workers);
            return Err(BlockError::job(what, format!("give 1 to {WORKERS_MAX}")));
        }
        if self.journal.is_some() && self.targets.len() > 1 {
            let what = format!("a journal of {} targets at once", self.targets.len());
            return Err(BlockError::job(what, "keep the journal of one file at a time"));
        }
        let is_durable = |stream: &Stream| stream.flush.is_some() || stream.write_through;
        if self.journal.is_some() && (self.verify == Verify::Off || !self.streams.iter().any(is_durable)) {
            let help =
                "verify it, and make its writes durable: with a flush after so many, or by writing through";
            return Err(BlockError::job(
                "a journal of a load that is not verified or makes nothing durable",
                help,
            ));
        }
        if self.bytes_max == Some(0) || self.run_for.is_some_and(|time| time.is_zero()) {
            return Err(BlockError::job("a load that ends before it begins", "let it move some bytes"));
        }
        if self.think.is_some_and(|think| think.after == 0 || !matches!(self.shape, Shape::ClosedLoop { .. }))
        {
            return Err(BlockError::job("pauses", "pause after 1 or more I/Os of a closed loop"));
        }
        Ok(())
    }

    fn validate_shape(&self) -> Result<(), BlockError> {
        let depth = self.shape.depth();
        if depth == 0 || depth > DEPTH_MAX {
            return Err(BlockError::job(format!("depth {depth}"), format!("use 1 to {DEPTH_MAX}")));
        }
        let outstanding = u64::from(depth) * u64::from(self.workers.max(1));
        let buffer_bytes = outstanding * u64::from(self.largest_io_bytes());
        if self.engine.moves_bytes() && buffer_bytes > BUFFER_BYTES_MAX {
            return Err(BlockError::job(
                format!(
                    "depth {outstanding} with I/Os of {} bytes needs {buffer_bytes} bytes of memory",
                    self.largest_io_bytes()
                ),
                format!("keep their product below {BUFFER_BYTES_MAX} bytes"),
            ));
        }
        if matches!(self.engine, EngineKind::Psync) {
            self.check_for_psync()?;
        }
        if self.verify == Verify::Write && outstanding > u64::from(IN_FLIGHT_MAX) {
            return Err(BlockError::job(
                format!("depth {outstanding} with verification"),
                format!("use at most {} when written data is verified", IN_FLIGHT_MAX),
            ));
        }
        if let Shape::OpenLoop { rate, .. } = self.shape
            && !(rate.is_finite() && (0.001..=1e9).contains(&rate))
        {
            return Err(BlockError::job(format!("rate of {rate} I/Os per second"), "use 0.001 to 1e9"));
        }
        if let Shape::Bursts { ios, every, .. } = self.shape
            && (ios == 0 || every < Duration::from_millis(1))
        {
            let what = format!("bursts of {ios} I/Os every {every:?}");
            return Err(BlockError::job(what, "use 1 I/O or more, every millisecond at most"));
        }
        Ok(())
    }

    /// Checks the number of I/Os outstanding against the threads that psync may have, whatever engine the job
    /// names: before there is a file for it.
    ///
    /// # Errors
    /// [`BlockError::BadJob`] when it needs too many.
    pub fn check_for_psync(&self) -> Result<(), BlockError> {
        let outstanding = u64::from(self.shape.depth()) * u64::from(self.workers.max(1));
        if outstanding <= u64::from(PSYNC_THREADS_MAX) {
            return Ok(());
        }
        Err(BlockError::job(
            format!("engine psync with {outstanding} I/Os outstanding, each in a thread of its own"),
            format!("use engine io_uring, or at most {PSYNC_THREADS_MAX} (depth x workers)"),
        ))
    }

    fn validate_target(&self, target: &Target) -> Result<(), BlockError> {
        match (target, self.engine.moves_bytes()) {
            (Target::AddressSpace { .. }, true) => Err(BlockError::job(
                format!("engine {} has no file", self.engine.name()),
                "name a file or block device",
            )),
            (Target::ReadOnly(_) | Target::Permitted(_), false) => Err(BlockError::job(
                format!("engine {} moves no bytes but a file is named", self.engine.name()),
                "give it an address space of a size instead",
            )),
            (Target::ReadOnly(path), true) if self.writes_to(path) => Err(BlockError::refused(
                path,
                "the job writes and the target is not a file made by this tool",
                "let the run create its own file; overwriting a raw device needs \
                 --destroy /dev/disk/by-id/NAME=SERIAL",
            )),
            (_, false) if matches!(self.engine, EngineKind::Modelled(_)) && self.discards() => {
                Err(BlockError::job("the modelled drives know no discards", "use a file or a device"))
            }
            (Target::AddressSpace { .. }, false) if self.verify == Verify::Write => Err(BlockError::job(
                format!("engine {} moves no bytes to verify", self.engine.name()),
                "verify with io_uring or psync",
            )),
            _ => Ok(()),
        }
    }
}
