//! One kind of I/O within a job: where, how long, which way.

use super::{IO_SIZE_BYTES_MAX, IO_SIZE_BYTES_MIN};
use crate::error::BlockError;
use crate::pattern::Pattern;

/// One kind of I/O within a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// Name in results.
    pub name: String,
    /// The pattern of offsets.
    pub pattern: Pattern,
    /// Share of reads, 0.0 (all writes) to 1.0 (all reads).
    pub read_share: f64,
    /// Share of I/Os that follow the pattern; the others go on where the worker's last I/O of this stream
    /// ended.
    pub pattern_share: f64,
    /// The sizes of I/Os.
    pub sizes: SizeMix,
    /// The sizes of writes, if they differ.
    pub write_sizes: Option<SizeMix>,
    /// Offsets are multiples of this; by default the job's alignment, else the smallest size.
    pub align_bytes: Option<u32>,
    /// Share of all I/Os relative to the other streams' weights.
    pub weight: f64,
    /// The index of its target in the job, from 0; the first of them if there are several.
    pub target: usize,
    /// The number of its targets, from `target` on. They have one size.
    pub files: u32,
    /// The order in which it takes its targets.
    pub choice: FileChoice,
    /// Discards among its I/Os.
    pub discard: Discard,
    /// Part of the target it keeps to; the whole by default.
    pub region: Option<Region>,
    /// Set if each worker walks a sequential stream by itself: the offset of each further worker's region.
    pub own_cursor: Option<u64>,
    /// A flush after this many writes of a worker.
    pub flush: Option<Flush>,
    /// Writes are done only when they would survive a loss of power (RWF_DSYNC).
    pub write_through: bool,
}

/// The order in which a stream takes its files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileChoice {
    /// Each I/O to any of them.
    #[default]
    Random,
    /// Each I/O to the next one.
    RoundRobin,
    /// One after the other, each to its end.
    InTurn,
    /// As `InTurn`, in an order of chance that is the same every time.
    InTurnShuffled,
}

/// Discards (TRIM, UNMAP, holes punched into files) among the I/Os of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Discard {
    /// None.
    #[default]
    Never,
    /// This share of all I/Os; the others are reads and writes.
    Share(f64),
    /// Before each write the same place is discarded.
    BeforeWrites,
}

/// Calls that make writes durable, measured apart from the writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flush {
    /// Completed writes of one worker between two calls, at least 1.
    pub every: u32,
    /// fdatasync instead of fsync.
    pub data_only: bool,
}

/// A part of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First byte.
    pub start_bytes: u64,
    /// Length.
    pub length_bytes: u64,
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

impl Stream {
    /// A stream over the whole target with weight 1.
    pub fn new(name: impl Into<String>, pattern: Pattern, read_share: f64, sizes: SizeMix) -> Stream {
        Stream {
            name: name.into(),
            pattern,
            read_share,
            pattern_share: 1.0,
            sizes,
            write_sizes: None,
            align_bytes: None,
            weight: 1.0,
            target: 0,
            files: 1,
            choice: FileChoice::default(),
            discard: Discard::default(),
            region: None,
            own_cursor: None,
            flush: None,
            write_through: false,
        }
    }

    /// True if it changes the contents of its targets: by writes or by discards.
    pub fn writes(&self) -> bool {
        self.read_share < 1.0 || self.discards()
    }

    /// True if any of its I/Os is a discard.
    pub fn discards(&self) -> bool {
        self.discard != Discard::Never && self.discard != Discard::Share(0.0)
    }

    /// True if it uses the target of this index.
    pub(crate) fn goes_to(&self, target: usize) -> bool {
        (self.target..self.target + self.files as usize).contains(&target)
    }

    /// Sizes of writes.
    pub fn sizes_of_writes(&self) -> &SizeMix {
        self.write_sizes.as_ref().unwrap_or(&self.sizes)
    }

    /// True if it writes pieces that begin or end inside sectors.
    pub(crate) fn writes_odd(&self, align_of_job: Option<u32>) -> bool {
        let is_odd = |bytes: u32| !bytes.is_multiple_of(IO_SIZE_BYTES_MIN);
        let sizes = self.sizes_of_writes().parts().iter().any(|(size, _)| is_odd(*size));
        self.writes() && (sizes || is_odd(self.alignment_bytes(align_of_job)))
    }

    /// Largest size of reads and writes, in bytes.
    pub fn largest_bytes(&self) -> u32 {
        self.sizes.largest_bytes().max(self.sizes_of_writes().largest_bytes())
    }

    /// Smallest size of reads and writes, in bytes.
    pub fn smallest_bytes(&self) -> u32 {
        self.sizes.smallest_bytes().min(self.sizes_of_writes().smallest_bytes())
    }

    /// The alignment of offsets, with the job's own wish.
    pub(crate) fn alignment_bytes(&self, of_job: Option<u32>) -> u32 {
        self.align_bytes.or(of_job).unwrap_or(self.smallest_bytes())
    }

    /// `whole_sectors`: direct I/O and stamps need them, the page cache takes any size.
    pub(super) fn validate(&self, whole_sectors: bool) -> Result<(), BlockError> {
        let bad = |what: String, help: &str| {
            Err(BlockError::job(format!("stream \"{}\": {what}", self.name), help.to_owned()))
        };
        if !(0.0..=1.0).contains(&self.read_share) {
            return bad(format!("read share {}", self.read_share), "use 0 to 1");
        }
        if let Discard::Share(share) = self.discard
            && !(0.0..=1.0).contains(&share)
        {
            return bad(format!("share of discards {share}"), "use 0 to 1");
        }
        if !(self.weight.is_finite() && self.weight > 0.0) {
            return bad(format!("weight {}", self.weight), "use a number above 0");
        }
        if !(0.0..=1.0).contains(&self.pattern_share) {
            return bad(format!("pattern share {}", self.pattern_share), "use 0 to 1");
        }
        if let Some(found) = faulty_sizes(&self.sizes, whole_sectors)
            .or_else(|| faulty_sizes(self.sizes_of_writes(), whole_sectors))
        {
            return bad(found.0, found.1);
        }
        if let Some(align) = self.align_bytes.filter(|align| *align == 0 || align % IO_SIZE_BYTES_MIN != 0) {
            return bad(format!("alignment of {align} bytes"), "use a multiple of 512 bytes");
        }
        if self.flush.is_some_and(|flush| flush.every == 0) {
            return bad("a flush after every 0 writes".to_owned(), "use 1 or more");
        }
        if let Some(region) = self.region
            && region.start_bytes % u64::from(IO_SIZE_BYTES_MIN) != 0
        {
            return bad(format!("region start {}", region.start_bytes), "use a multiple of 512 bytes");
        }
        match self.pattern.fault() {
            Some((what, help)) => bad(what, help),
            None => Ok(()),
        }
    }
}

/// The fault of a mix of sizes, and the remedy.
fn faulty_sizes(sizes: &SizeMix, whole_sectors: bool) -> Option<(String, &'static str)> {
    let parts = sizes.parts();
    if parts.is_empty() || parts.len() > 64 {
        return Some((format!("{} block sizes", parts.len()), "give 1 to 64"));
    }
    parts.iter().find_map(|&(size, share)| {
        let grain = if whole_sectors { IO_SIZE_BYTES_MIN } else { 1 };
        if !(grain..=IO_SIZE_BYTES_MAX).contains(&size) || size % grain != 0 {
            let help = "use a multiple of 512 bytes up to 64 MiB";
            return Some((format!("block size of {size} bytes"), help));
        }
        let share_fits = share.is_finite() && share > 0.0;
        (!share_fits).then(|| (format!("share {share} of block size {size}"), "use a number above 0"))
    })
}
