//! One stream of a block workload: where its I/Os go, how large they are, and when they start.

use super::pattern::Pattern;
use super::{Arrivals, DEPTH_MAX, FILES_MAX, RATES, WORKERS_MAX};
use crate::keys::choice::{forms, written_words};
use crate::keys::form::Form;
use crate::keys::reader::Node;
use crate::keys::table::table;
use crate::units::{Share, Size, Span};

table! {
    /// One kind of I/O among those of a block workload.
    pub struct Stream "stream" {
        /// The name of this stream in results; by default `stream-1` and so on.
        name: Option<String>;
        /// The pattern of the I/Os' places in the file.
        pattern: Pattern = or(Pattern::Uniform);
        /// The share of I/Os that follow `pattern`; the others continue at the end of the stream's last I/O.
        /// All by default.
        random: Option<Share>;
        /// The share of reads among the I/Os.
        read: Share = required("\"70%\"");
        /// The size of an I/O, or a mix of sizes.
        block_size: OneOrMix = required("\"4KiB\"");
        /// The size of writes, if it differs from that of reads.
        write_block_size: Option<OneOrMix>;
        /// The alignment of offsets; the smallest block size by default.
        align: Option<Size>;
        /// This stream's part of the level's I/Os, relative to the other streams' weights.
        weight: f64 = or(1.0);
        /// The file of the stream: a number from 1, or `"log"` for a file on the bed's log storage; or the
        /// first and the last of several, as `[1, 100]`. All files by default.
        target: Option<StreamTarget>;
        /// The order in which it takes its files.
        file_choice: FileChoice = implied(FileChoice::Random);
        /// Discards (TRIM, UNMAP, holes punched into files) among its I/Os: their share of all I/Os, or
        /// `"before_writes"` for one before each write, at the same place. None by default.
        discard: Option<Discard>;
        /// The start of its region, as a size or as a share of the file.
        offset: Option<Extent>;
        /// The length of its region, as a size or as a share of the file; by default to the file's end.
        length: Option<Extent>;
        /// The position of a sequential stream: shared by all workers, or one for each.
        cursor: Cursor = implied(Cursor::default());
        /// The offset of each further worker's region, with a `cursor` of its own.
        worker_offset: Option<Extent>;
        /// A load of its own, closed loop: the number of outstanding I/Os of each of its workers. With `rate`
        /// or `burst`, the highest number.
        depth: Option<u32> = optional().within(1, DEPTH_MAX);
        /// A load of its own, open loop: I/Os per second.
        rate: Option<f64> = optional().within(RATES.0, RATES.1);
        /// The spacing of its own load's I/Os; by default that of the workload.
        arrivals: Option<Arrivals>;
        /// A load of its own: bursts at fixed times.
        burst: Option<Burst>;
        /// Threads that issue its own load.
        workers: u32 = implied(1).within(1, WORKERS_MAX);
        /// Pauses of its own closed loop.
        think: Option<Think>;
        /// An fsync after this many writes of a worker, measured separately.
        fsync: Option<u32> = optional().within(1, u32::MAX);
        /// An fdatasync after this many writes of a worker, measured separately.
        fdatasync: Option<u32> = optional().within(1, u32::MAX);
        /// True if a write completes only when it would survive a loss of power (RWF_DSYNC: FUA if the drive
        /// has it).
        write_through: bool = implied(false);
        /// The amount, in the measure phase, after which a load of its own ends.
        bytes: Option<Size>;
        /// The number of passes over its region, by each of its workers, after which a load of its own ends;
        /// for regions of unknown size.
        passes: Option<u32> = optional().within(1, u32::MAX);
        /// The delay of the start of its own load after the cell's start.
        start_after: Option<Span>;
        /// The duration of its own load.
        run_for: Option<Span>;
    }
}

impl Stream {
    /// True if it runs beside the level's load instead of taking a part of it.
    pub fn has_own_load(&self) -> bool {
        self.depth.is_some() || self.rate.is_some() || self.burst.is_some()
    }

    /// True if it changes the contents of its files: by writes or by discards.
    pub fn writes(&self) -> bool {
        let discards = !matches!(self.discard, None | Some(Discard::Share(Share(0.0))));
        self.read.0 < 1.0 || discards
    }

    /// A stream with a pattern, share of reads and size, everything else left out.
    pub fn new(pattern: Pattern, read: Share, block_size: OneOrMix) -> Stream {
        Stream { pattern, read, block_size, ..Form::stand_in() }
    }
}

written_words! {
    /// The order in which a stream takes its files.
    pub enum FileChoice {
        /// A random file for each I/O.
        Random = "random",
        /// The next file after each I/O.
        RoundRobin = "round_robin",
        /// One file after the other, each to its end.
        InTurn = "in_turn",
        /// Like `in_turn`, in a random order that is the same every time.
        InTurnShuffled = "in_turn_shuffled",
    }

    /// The position of a sequential stream.
    pub enum Cursor or Shared {
        /// One position for all workers: together they read the file once.
        Shared = "shared",
        /// One position for each worker: each reads all of it.
        Each = "each",
    }

    /// The time of a discard.
    pub enum DiscardRule {
        /// Before each write, at its place.
        BeforeWrites = "before_writes",
    }

    /// A named place.
    pub enum Place {
        /// A separate file on the bed's `log` storage; on its `storage` if it has none.
        Log = "log",
    }
}

fn is_share(node: &Node<'_>) -> bool {
    node.value.as_str().is_some_and(|text| text.trim_end().ends_with('%'))
}

fn is_number(node: &Node<'_>) -> bool {
    node.value.is_integer()
}

fn is_list(node: &Node<'_>) -> bool {
    node.value.is_array()
}

forms! {
    /// Discards among the I/Os of a stream.
    #[derive(Copy)]
    pub enum Discard {
        /// This share of all I/Os.
        Share(Share) if is_share,
        /// With a rule.
        Rule(DiscardRule),
    }
}

forms! {
    /// A size, or a share of the file.
    #[derive(Copy)]
    pub enum Extent {
        /// A share of the file.
        Share(Share) if is_share,
        /// Bytes.
        Bytes(Size),
    }
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

forms! {
    /// The file of a stream.
    #[derive(Copy, Eq)]
    pub enum StreamTarget {
        /// One of the workload's files, from 1.
        File(u32) if is_number: required("1").within(1, FILES_MAX),
        /// The first and the last of several.
        Files([u32; 2]) if is_list: required("[1, 100]").within(1, FILES_MAX),
        /// A named place.
        Named(Place),
    }
}

table! {
    /// Bursts at fixed times, like checkpoints: a number of I/Os as fast as `depth` allows, then none until
    /// the next burst.
    #[derive(Copy)]
    pub struct Burst "burst" {
        /// I/Os of a burst.
        ios: u32 = required("10000").within(1, u32::MAX);
        /// The time from the start of one burst to the start of the next; the first burst comes after this
        /// time.
        every: Span = required("\"60s\"");
    }
}

table! {
    /// Pauses of a closed loop.
    #[derive(Copy)]
    pub struct Think "pause" {
        /// The pause.
        time: Span = required("\"1ms\"");
        /// I/Os of a worker between two pauses.
        after: u32 = or(1).within(1, u32::MAX);
    }
}

forms! {
    /// The size of an I/O.
    pub enum OneOrMix {
        /// Sizes by share; the shares sum to 100%.
        Mix(Vec<Part>) if is_list:
            required("[{ size = \"4KiB\", share = \"60%\" }, { size = \"64KiB\", share = \"40%\" }]"),
        /// All I/Os have this size.
        One(Size),
    }
}

table! {
    /// One size of a mix.
    #[derive(Copy)]
    pub struct Part "part of a size mix" {
        /// The size.
        size: Size = required("\"4KiB\"");
        /// The share of I/Os of this size.
        share: Share = required("\"60%\"");
    }
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
