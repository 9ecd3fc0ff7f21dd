//! One stream as a worker draws from it: direction, size, place.

use ground::{Random, mix};

use super::files::{FileCursors, FilePath};
use super::{Io, Odds, Op, choose, share_ends};
use crate::job::{Discard, Job, SizeMix, Stream};
use crate::pattern::{Places, Placing};
use crate::target::Span;

#[derive(Debug)]
pub(super) struct StreamState {
    start: u64,
    read: Odds,
    write_op: Op,
    discard: Odds,
    /// Each write follows a discard of its place.
    discards_first: bool,
    /// The write that follows the last discard.
    after_discard: Option<Io>,
    /// The first of its targets.
    target: u16,
    path: FilePath,
    /// The file of the last I/O, from the first of its targets.
    file: u32,
    /// Sizes of reads, then of writes.
    sizes: [SizeSet; 2],
    placing: Placing,
    /// The odds that an I/O follows the pattern instead of continuing at the end of the last one.
    follows: Odds,
    /// The end of this worker's last I/O, relative to the start.
    last_end: u64,
    own_cursors: Option<FileCursors>,
}

#[derive(Debug)]
struct SizeSet {
    /// Upper ends of the sizes' shares of a u64 draw.
    ends: Vec<u64>,
    sizes: Vec<Places>,
}

impl StreamState {
    pub(super) fn new(stream: &Stream, span: Span, job: &Job, worker: u64) -> StreamState {
        let span = match stream.own_cursor {
            Some(moved_bytes) => moved(span, moved_bytes.saturating_mul(worker), stream),
            None => span,
        };
        let align = u64::from(stream.alignment_bytes(job.align_bytes));
        let placing = Placing::new(&stream.pattern, span.length, align, stream.largest_bytes(), job.seed);
        let set = |sizes: &SizeMix| SizeSet::new(sizes, stream, span, align, &placing);
        let sizes = [set(&stream.sizes), set(stream.sizes_of_writes())];
        let ios_per_file = sizes[usize::from(stream.read_share <= 0.0)].ios_per_pass();
        StreamState {
            start: span.start,
            read: Odds::new(stream.read_share),
            write_op: if stream.write_through { Op::WriteThrough } else { Op::Write },
            discard: match stream.discard {
                Discard::Share(share) => Odds::new(share),
                Discard::Never | Discard::BeforeWrites => Odds::Never,
            },
            discards_first: stream.discard == Discard::BeforeWrites,
            after_discard: None,
            target: stream.target as u16,
            path: FilePath::new(stream.files, stream.choice, ios_per_file, mix(job.seed)),
            file: 0,
            sizes,
            placing,
            follows: Odds::new(stream.pattern_share),
            last_end: 0,
            own_cursors: stream.own_cursor.map(|_| FileCursors::new(stream.files)),
        }
    }

    /// The target of its last I/O.
    pub(super) fn last_target(&self) -> u16 {
        self.target + self.file as u16
    }

    #[inline]
    pub(super) fn next(&mut self, number: u8, shared: &FileCursors, random: &mut Random) -> Io {
        if let Some(write) = self.after_discard.take() {
            return write;
        }
        let discard = self.discard.draw(random);
        let write = !self.read.draw(random);
        let set = &self.sizes[usize::from(write)];
        let size = &set.sizes[choose(&set.ends, random)];
        let bytes = size.bytes;
        let op = match write {
            _ if discard => Op::Discard,
            true => self.write_op,
            false => Op::Read,
        };
        let place = if !self.follows.draw(random) {
            self.placing.going_on(self.last_end, bytes)
        } else {
            let cursors = self.own_cursors.as_ref().unwrap_or(shared);
            self.file = self.path.next(cursors, random);
            self.placing.next(size, cursors.of(self.file), random)
        };
        self.last_end = place + u64::from(bytes);
        let target = self.last_target();
        let io = Io { offset: self.start + place, length: bytes, stream: number, target, op };
        if self.discards_first && op.writes() {
            self.after_discard = Some(io);
            return Io { op: Op::Discard, ..io };
        }
        io
    }
}

/// The span of a worker whose region is moved, from the start again where the target's span ends.
fn moved(span: Span, by_bytes: u64, stream: &Stream) -> Span {
    let room = span.length.saturating_sub(u64::from(stream.largest_bytes()));
    let grain = u64::from(stream.smallest_bytes().max(1));
    let by_bytes = if room == 0 { 0 } else { by_bytes % (room + 1) / grain * grain };
    Span { start: span.start + by_bytes, length: span.length - by_bytes }
}

impl SizeSet {
    fn new(mix: &SizeMix, stream: &Stream, span: Span, align: u64, placing: &Placing) -> SizeSet {
        let shares: Vec<f64> = mix.parts().iter().map(|part| part.1).collect();
        // With one size the wrap falls between two I/Os; with several, at the last aligned place.
        let grain = match mix.parts() {
            [(bytes, _)] => u64::from(*bytes).next_multiple_of(align).min(span.length),
            _ => align.min(span.length),
        };
        let usable = span.length - span.length % grain;
        let places = mix.parts().iter().map(|&(bytes, _)| placing.places(&stream.pattern, bytes, usable));
        SizeSet { ends: share_ends(&shares), sizes: places.collect() }
    }

    /// I/Os that move as many bytes as one pass does, at their mean size.
    fn ios_per_pass(&self) -> u64 {
        let usable = self.sizes.first().map_or(0, |places| places.usable);
        let (mut before, mut mean) = (0, 0.0);
        for (end, size) in self.ends.iter().zip(&self.sizes) {
            mean += (end - before) as f64 / u64::MAX as f64 * f64::from(size.bytes);
            before = *end;
        }
        (usable as f64 / mean.max(1.0)).round() as u64
    }
}
