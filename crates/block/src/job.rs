//! What a block run is to do: streams, load shape, engine, target. Plain values; [`Job::validate`] says what cannot be.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use device::DriveSpec;

use crate::error::BlockError;
use crate::permit::WritePermit;

/// Largest depth a job may ask for.
pub const DEPTH_MAX: u32 = 4096;
/// Largest single I/O, in bytes: 64 MiB.
pub const IO_SIZE_BYTES_MAX: u32 = 64 << 20;
/// Smallest single I/O and smallest alignment, in bytes: the 512-byte sector.
pub const IO_SIZE_BYTES_MIN: u32 = 512;
/// Memory that the bytes of outstanding I/Os may take: 4 GiB.
const BUFFER_BYTES_MAX: u64 = 4 << 30;
/// Streams one job may have.
pub const STREAMS_MAX: usize = 256;

/// One block run: what is asked of one target by one load shape.
#[derive(Clone, Debug)]
pub struct Job {
    /// Kinds of I/O, drawn for each I/O by their weights.
    pub streams: Vec<Stream>,
    /// How many I/Os are started when.
    pub shape: Shape,
    /// What carries them out.
    pub engine: EngineKind,
    /// Where they go.
    pub target: Target,
    /// Time before the histograms count; it is in the timeline.
    pub ramp_up: Duration,
    /// Time that is measured.
    pub measure: Duration,
    /// Longest time to wait after the measure phase for I/Os that belong to it; what is not back by then is counted
    /// as [`unfinished`](crate::Outcome::unfinished) with its age so far, never dropped.
    pub drain_max: Duration,
    /// Seed of every random choice: the same seed gives the same I/Os in the same order.
    pub seed: u64,
    /// Open with O_DIRECT (past the page cache).
    pub direct: bool,
    /// Whether written data is checked after the run.
    pub verify: Verify,
    /// Offsets are multiples of this many bytes; by default the smallest I/O size of each stream.
    pub align_bytes: Option<u32>,
}

/// One kind of I/O within a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// Name in results.
    pub name: String,
    /// Where the next I/O goes.
    pub pattern: Pattern,
    /// Share of reads, 0.0 (all writes) to 1.0 (all reads).
    pub read_share: f64,
    /// How long I/Os are.
    pub sizes: SizeMix,
    /// Share of all I/Os relative to the other streams' weights.
    pub weight: f64,
    /// Part of the target it keeps to; the whole by default.
    pub region: Option<Region>,
}

/// A part of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First byte.
    pub start_bytes: u64,
    /// Length.
    pub length_bytes: u64,
}

/// How a stream chooses offsets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pattern {
    /// One after the other, from the start again after the end. All workers of a job share the cursor.
    Sequential,
    /// Every position equally likely, with replacement.
    Uniform,
    /// The k-th most popular position is chosen with probability proportional to 1 / k^theta; popular positions
    /// are scattered over the region.
    Zipf {
        /// Exponent, above 0 and up to 10.
        theta: f64,
    },
    /// The first `share` of the region receives `access` of the I/Os, the rest the others; uniform within both.
    HotSpot {
        /// Part of the region that is hot, above 0 and below 1.
        share: f64,
        /// Part of the I/Os that go there, 0 to 1.
        access: f64,
    },
}

/// The sizes of a stream's I/Os with their shares.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeMix(Vec<(u32, f64)>);

impl SizeMix {
    /// Every I/O is `size_bytes` long.
    pub fn fixed(size_bytes: u32) -> SizeMix {
        SizeMix(vec![(size_bytes, 1.0)])
    }

    /// Sizes in bytes with their relative shares; checked by [`Job::validate`].
    pub fn mix(sizes: impl IntoIterator<Item = (u32, f64)>) -> SizeMix {
        SizeMix(sizes.into_iter().collect())
    }

    /// Sizes in bytes with their relative shares, as given.
    pub fn parts(&self) -> &[(u32, f64)] {
        &self.0
    }

    /// Largest size in bytes, 0 when the mix is empty.
    pub fn largest_bytes(&self) -> u32 {
        self.0.iter().map(|part| part.0).max().unwrap_or(0)
    }

    /// Smallest size in bytes, 0 when the mix is empty.
    pub fn smallest_bytes(&self) -> u32 {
        self.0.iter().map(|part| part.0).min().unwrap_or(0)
    }
}

/// When I/Os are started.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Keep `depth` I/Os outstanding: the next starts when one completes.
    ClosedLoop {
        /// Outstanding I/Os.
        depth: u32,
    },
    /// Start I/Os at a rate, whatever the target does. An arrival that finds `depth_max` outstanding waits and its
    /// waiting time is part of its latency; it never vanishes.
    OpenLoop {
        /// I/Os per second.
        rate: f64,
        /// Most I/Os outstanding at a time.
        depth_max: u32,
        /// Spacing of the arrivals.
        arrivals: Arrivals,
    },
}

impl Shape {
    /// Most I/Os that can be outstanding.
    pub fn depth(&self) -> u32 {
        match *self {
            Shape::ClosedLoop { depth } => depth,
            Shape::OpenLoop { depth_max, .. } => depth_max,
        }
    }
}

/// Spacing of arrivals in an open loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Every 1/rate seconds.
    Fixed,
    /// Exponential gaps with mean 1/rate: independent callers.
    Poisson,
}

/// What carries out the I/Os.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one per job, and a box would only burden its callers")]
pub enum EngineKind {
    /// io_uring in one thread: registered file and buffers, one system call per batch.
    IoUring,
    /// pread and pwrite in as many threads as the depth.
    Psync,
    /// Completes everything at once: what is left is our own cost.
    Null,
    /// A modelled drive in wall time; moves no bytes.
    Modelled(DriveSpec),
}

impl EngineKind {
    /// Name in results and messages.
    pub fn name(&self) -> &'static str {
        match self {
            EngineKind::IoUring => "io_uring",
            EngineKind::Psync => "psync",
            EngineKind::Null => "null",
            EngineKind::Modelled(_) => "modelled",
        }
    }

    /// Whether the engine needs a file or device.
    pub fn moves_bytes(&self) -> bool {
        matches!(self, EngineKind::IoUring | EngineKind::Psync)
    }
}

/// Where the I/Os go.
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

/// Whether written data is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// Written blocks carry incompressible data that is not read again.
    #[default]
    Off,
    /// Written sectors carry offset, generation and checksum; after the run every written block is read and judged.
    Write,
}

impl Job {
    /// A job with one stream and the usual settings: O_DIRECT, no ramp-up, 10 s measured, 5 s of drain at most,
    /// seed 1, no verification.
    pub fn new(stream: Stream, shape: Shape, engine: EngineKind, target: Target) -> Job {
        Job {
            streams: vec![stream],
            shape,
            engine,
            target,
            ramp_up: Duration::ZERO,
            measure: Duration::from_secs(10),
            drain_max: Duration::from_secs(5),
            seed: 1,
            direct: true,
            verify: Verify::Off,
            align_bytes: None,
        }
    }

    /// Whether any stream writes.
    pub fn writes(&self) -> bool {
        self.streams.iter().any(|stream| stream.read_share < 1.0)
    }

    /// Length of the longest I/O in bytes.
    pub fn largest_io_bytes(&self) -> u32 {
        self.streams.iter().map(|stream| stream.sizes.largest_bytes()).max().unwrap_or(0)
    }

    /// Checks everything that can be known without touching the target.
    ///
    /// # Errors
    /// [`BlockError::BadJob`] naming the first thing that cannot be; [`BlockError::Refused`] for writes without a permit.
    pub fn validate(&self) -> Result<(), BlockError> {
        if self.streams.is_empty() || self.streams.len() > STREAMS_MAX {
            return Err(BlockError::job(
                format!("it has {} streams", self.streams.len()),
                format!("give 1 to {STREAMS_MAX}"),
            ));
        }
        for stream in &self.streams {
            stream.validate()?;
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
        self.validate_target()
    }

    fn validate_shape(&self) -> Result<(), BlockError> {
        let depth = self.shape.depth();
        if depth == 0 || depth > DEPTH_MAX {
            return Err(BlockError::job(format!("depth {depth}"), format!("use 1 to {DEPTH_MAX}")));
        }
        let buffer_bytes = u64::from(depth) * u64::from(self.largest_io_bytes());
        if self.engine.moves_bytes() && buffer_bytes > BUFFER_BYTES_MAX {
            return Err(BlockError::job(
                format!(
                    "depth {depth} with I/Os of {} bytes needs {buffer_bytes} bytes of memory",
                    self.largest_io_bytes()
                ),
                format!("keep their product below {BUFFER_BYTES_MAX} bytes"),
            ));
        }
        if self.verify == Verify::Write && depth > crate::ledger::IN_FLIGHT_MAX {
            return Err(BlockError::job(
                format!("depth {depth} with verification"),
                format!("use at most {} when written data is verified", crate::ledger::IN_FLIGHT_MAX),
            ));
        }
        if let Shape::OpenLoop { rate, .. } = self.shape
            && !(rate.is_finite() && (0.001..=1e9).contains(&rate))
        {
            return Err(BlockError::job(format!("rate of {rate} I/Os per second"), "use 0.001 to 1e9"));
        }
        Ok(())
    }

    fn validate_target(&self) -> Result<(), BlockError> {
        match (&self.target, self.engine.moves_bytes()) {
            (Target::AddressSpace { .. }, true) => Err(BlockError::job(
                format!("engine {} has no file", self.engine.name()),
                "name a file or block device",
            )),
            (Target::ReadOnly(_) | Target::Permitted(_), false) => Err(BlockError::job(
                format!("engine {} moves no bytes but a file is named", self.engine.name()),
                "give it an address space of a size instead",
            )),
            (Target::ReadOnly(path), true) if self.writes() => Err(BlockError::refused(
                path,
                "the job writes and the target is not a file made by this tool",
                "let the run create its own file; overwriting a raw device needs --destroy /dev/disk/by-id/... \
                 and its serial number, which this version does not offer",
            )),
            (Target::AddressSpace { .. }, false) if self.verify == Verify::Write => Err(BlockError::job(
                format!("engine {} moves no bytes to verify", self.engine.name()),
                "verify with io_uring or psync",
            )),
            _ => Ok(()),
        }
    }
}

impl Stream {
    /// A stream over the whole target with weight 1.
    pub fn new(name: impl Into<String>, pattern: Pattern, read_share: f64, sizes: SizeMix) -> Stream {
        Stream { name: name.into(), pattern, read_share, sizes, weight: 1.0, region: None }
    }

    fn validate(&self) -> Result<(), BlockError> {
        let bad = |what: String, help: &str| {
            Err(BlockError::job(format!("stream \"{}\": {what}", self.name), help.to_owned()))
        };
        if !(0.0..=1.0).contains(&self.read_share) {
            return bad(format!("read share {}", self.read_share), "use 0 to 1");
        }
        if !(self.weight.is_finite() && self.weight > 0.0) {
            return bad(format!("weight {}", self.weight), "use a number above 0");
        }
        let parts = self.sizes.parts();
        if parts.is_empty() || parts.len() > 64 {
            return bad(format!("{} block sizes", parts.len()), "give 1 to 64");
        }
        for &(size, share) in parts {
            if !(IO_SIZE_BYTES_MIN..=IO_SIZE_BYTES_MAX).contains(&size) || size % IO_SIZE_BYTES_MIN != 0 {
                return bad(
                    format!("block size of {size} bytes"),
                    "use a multiple of 512 bytes up to 64 MiB",
                );
            }
            if !(share.is_finite() && share > 0.0) {
                return bad(format!("share {share} of block size {size}"), "use a number above 0");
            }
        }
        if let Some(region) = self.region
            && region.start_bytes % u64::from(IO_SIZE_BYTES_MIN) != 0
        {
            return bad(format!("region start {}", region.start_bytes), "use a multiple of 512 bytes");
        }
        match self.pattern {
            Pattern::Zipf { theta } if !(theta > 0.0 && theta <= 10.0) => {
                bad(format!("zipf exponent {theta}"), "use above 0 and up to 10")
            }
            Pattern::HotSpot { share, .. } if !(share > 0.0 && share < 1.0) => {
                bad(format!("hot share {share}"), "use above 0 and below 1")
            }
            Pattern::HotSpot { access, .. } if !(0.0..=1.0).contains(&access) => {
                bad(format!("hot access share {access}"), "use 0 to 1")
            }
            _ => Ok(()),
        }
    }
}
