//! One stream as a worker draws from it: direction, size, place.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ground::Permutation;

use super::files::{FileCursors, FilePath};
use super::{Io, Odds, Op, choose, share_ends};
use crate::job::{Discard, Job, Pattern, SizeMix, Stream};
use crate::scatter::Scatter;
use crate::target::Span;
use ground::Zipf;
use ground::{Random, mix};

/// Draws of a bell that may fall outside before its middle is taken.
const DRAWS_MAX: u32 = 16;

#[derive(Debug)]
pub(super) struct StreamState {
    start: u64,
    length: u64,
    align: u64,
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
    pattern: PatternState,
    /// The odds that an I/O follows the pattern instead of continuing at the end of the last one.
    follows: Odds,
    /// The end of this worker's last I/O, relative to the start.
    last_end: u64,
    own_cursors: Option<FileCursors>,
    seed: u64,
}

#[derive(Debug)]
struct SizeSet {
    /// Upper ends of the sizes' shares of a u64 draw.
    ends: Vec<u64>,
    sizes: Vec<SizeState>,
    /// Length after which a sequential stream starts again.
    usable: u64,
}

#[derive(Debug)]
struct SizeState {
    bytes: u32,
    /// Number of aligned offsets at which an I/O of this size fits.
    positions: u64,
    zipf: Option<Zipf>,
    scatter: Scatter,
    /// First positions of the bands, and of the part behind the last one.
    bands: Vec<u64>,
}

#[derive(Debug)]
enum PatternState {
    Sequential {
        step: Option<u64>,
    },
    Backward {
        step: u64,
    },
    Uniform,
    Shuffled,
    Zipf,
    /// The exponent log h / log(1 - h) of the self-similar law (Gray et al., SIGMOD 1994).
    Pareto(f64),
    Normal(f64),
    /// Upper ends of the bands' shares of a u64 draw.
    Bands(Vec<u64>),
    Zones(Zones),
}

/// Zones with gaps between them, in bytes.
#[derive(Debug)]
struct Zones {
    range: u64,
    /// From the beginning of one to the beginning of the next.
    step: u64,
    transfer: u64,
    count: u64,
    random: bool,
}

impl StreamState {
    pub(super) fn new(stream: &Stream, span: Span, job: &Job, worker: u64) -> StreamState {
        let span = match stream.own_cursor {
            Some(moved_bytes) => moved(span, moved_bytes.saturating_mul(worker), stream),
            None => span,
        };
        let align = u64::from(stream.alignment_bytes(job.align_bytes));
        let set = |sizes: &SizeMix| SizeSet::new(sizes, stream, span, align);
        let sizes = [set(&stream.sizes), set(stream.sizes_of_writes())];
        let ios_per_file = sizes[usize::from(stream.read_share <= 0.0)].ios_per_pass();
        StreamState {
            start: span.start,
            length: span.length,
            align,
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
            pattern: PatternState::new(&stream.pattern, span, u64::from(stream.largest_bytes())),
            follows: Odds::new(stream.pattern_share),
            last_end: 0,
            own_cursors: stream.own_cursor.map(|_| FileCursors::new(stream.files)),
            seed: job.seed,
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
            self.going_on(bytes)
        } else {
            let cursors = self.own_cursors.as_ref().unwrap_or(shared);
            self.file = self.path.next(cursors, random);
            let cursor = cursors.of(self.file);
            match &self.pattern {
                PatternState::Sequential { step } => {
                    self.sequential(cursor, bytes, step.unwrap_or(0), set.usable)
                }
                PatternState::Backward { step } => self.backward(cursor, bytes, *step),
                PatternState::Uniform => random.below(size.positions) * self.align,
                PatternState::Zones(zones) => self.in_zone(zones, cursor, bytes, random),
                pattern => self.drawn(pattern, size, cursor, random) * self.align,
            }
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

    /// The position of the rarer patterns.
    fn drawn(
        &self,
        pattern: &PatternState,
        size: &SizeState,
        cursor: &AtomicU64,
        random: &mut Random,
    ) -> u64 {
        let positions = size.positions;
        match pattern {
            PatternState::Zipf => match &size.zipf {
                Some(zipf) => size.scatter.position(zipf.draw(random)),
                None => 0,
            },
            PatternState::Shuffled => {
                let drawn = cursor.fetch_add(1, Relaxed);
                let round = mix(self.seed ^ mix(drawn / positions));
                Permutation::new(positions, round).position(drawn % positions)
            }
            PatternState::Pareto(exponent) => {
                let rank = (positions as f64 * random.unit().powf(*exponent)) as u64;
                size.scatter.position(rank.min(positions - 1))
            }
            PatternState::Normal(deviation) => normal(positions, *deviation, random),
            PatternState::Bands(ends) => {
                let band = choose(ends, random);
                let (first, end) = (size.bands[band], size.bands[band + 1]);
                (first + random.below((end - first).max(1))).min(positions - 1)
            }
            PatternState::Sequential { .. }
            | PatternState::Backward { .. }
            | PatternState::Zones(_)
            | PatternState::Uniform => 0,
        }
    }

    /// The end of the last I/O, or the start when nothing fits behind it.
    fn going_on(&self, bytes: u32) -> u64 {
        let place = self.last_end.next_multiple_of(self.align);
        if place + u64::from(bytes) > self.length { 0 } else { place }
    }

    /// Takes the next stretch of a sequential stream. The cursor only ever grows; its value modulo the usable
    /// length is the place, so that workers never need more than one atomic addition.
    #[inline]
    fn sequential(&self, cursor: &AtomicU64, bytes: u32, step: u64, usable: u64) -> u64 {
        let step = if step > 0 { step } else { u64::from(bytes).next_multiple_of(self.align) };
        let place = cursor.fetch_add(step, Relaxed) % usable;
        if place + u64::from(bytes) > self.length { 0 } else { place }
    }

    /// The cursor counts bytes: they say which zone it is, and where in it a walk has come to.
    fn in_zone(&self, zones: &Zones, cursor: &AtomicU64, bytes: u32, random: &mut Random) -> u64 {
        let moved = cursor.fetch_add(u64::from(bytes), Relaxed);
        let start = moved / zones.transfer % zones.count * zones.step;
        let bytes = u64::from(bytes);
        let room = zones.range.min(self.length - start).saturating_sub(bytes);
        let place = if zones.random {
            random.below(room / self.align + 1) * self.align
        } else {
            let whole = (zones.range - zones.range % bytes).max(bytes);
            moved % zones.transfer % whole
        };
        start + if place > room { 0 } else { place }
    }

    /// As sequential, from the last place where an I/O of these bytes fits towards the start.
    fn backward(&self, cursor: &AtomicU64, bytes: u32, step: u64) -> u64 {
        let last = (self.length - u64::from(bytes)) / self.align * self.align;
        let steps = last / step + 1;
        last - cursor.fetch_add(1, Relaxed) % steps * step
    }
}

/// The span of a worker whose region is moved, from the start again where the target's span ends.
fn moved(span: Span, by_bytes: u64, stream: &Stream) -> Span {
    let room = span.length.saturating_sub(u64::from(stream.largest_bytes()));
    let grain = u64::from(stream.smallest_bytes().max(1));
    let by_bytes = if room == 0 { 0 } else { by_bytes % (room + 1) / grain * grain };
    Span { start: span.start + by_bytes, length: span.length - by_bytes }
}

/// A position under a bell around the middle, drawn again where it falls outside.
fn normal(positions: u64, deviation: f64, random: &mut Random) -> u64 {
    for _ in 0..DRAWS_MAX {
        let place = 0.5 + deviation * random.normal();
        if (0.0..1.0).contains(&place) {
            return ((positions as f64 * place) as u64).min(positions - 1);
        }
    }
    positions / 2
}

impl PatternState {
    fn new(pattern: &Pattern, span: Span, largest: u64) -> PatternState {
        match pattern {
            Pattern::Sequential => PatternState::Sequential { step: None },
            Pattern::Stride { step_bytes } => PatternState::Sequential { step: Some(*step_bytes) },
            Pattern::Backward { step_bytes } => PatternState::Backward { step: *step_bytes },
            Pattern::Uniform => PatternState::Uniform,
            Pattern::Shuffled => PatternState::Shuffled,
            Pattern::Zipf { .. } => PatternState::Zipf,
            Pattern::Pareto { h } => PatternState::Pareto(h.ln() / (1.0 - h).ln()),
            Pattern::Normal { deviation } => PatternState::Normal(*deviation),
            Pattern::HotSpot { access, .. } => PatternState::Bands(share_ends(&[*access, 1.0 - access])),
            Pattern::Zones { range_bytes, skip_bytes, transfer_bytes, random } => {
                let step = range_bytes + skip_bytes;
                let count = span.length.saturating_sub(largest) / step + 1;
                let (range, transfer) = (*range_bytes, *transfer_bytes);
                PatternState::Zones(Zones { range, step, transfer, count, random: *random })
            }
            Pattern::Bands(bands) => {
                let accesses: Vec<f64> = bands.iter().map(|band| band.1).collect();
                PatternState::Bands(share_ends(&accesses))
            }
        }
    }
}

impl SizeSet {
    fn new(mix: &SizeMix, stream: &Stream, span: Span, align: u64) -> SizeSet {
        let shares: Vec<f64> = mix.parts().iter().map(|part| part.1).collect();
        let sizes = mix.parts().iter().map(|&(bytes, _)| {
            let positions = (span.length - u64::from(bytes)) / align + 1;
            SizeState {
                bytes,
                positions,
                zipf: match stream.pattern {
                    Pattern::Zipf { theta } => Some(Zipf::new(positions, theta)),
                    _ => None,
                },
                scatter: Scatter::new(positions),
                bands: bands(&stream.pattern, positions),
            }
        });
        // With one size the wrap falls between two I/Os; with several, at the last aligned place.
        let grain = match mix.parts() {
            [(bytes, _)] => u64::from(*bytes).next_multiple_of(align).min(span.length),
            _ => align.min(span.length),
        };
        SizeSet {
            ends: share_ends(&shares),
            sizes: sizes.collect(),
            usable: span.length - span.length % grain,
        }
    }
}

impl SizeSet {
    /// I/Os that move as many bytes as one pass does, at their mean size.
    fn ios_per_pass(&self) -> u64 {
        let (mut before, mut mean) = (0, 0.0);
        for (end, size) in self.ends.iter().zip(&self.sizes) {
            mean += (end - before) as f64 / u64::MAX as f64 * f64::from(size.bytes);
            before = *end;
        }
        (self.usable as f64 / mean.max(1.0)).round() as u64
    }
}

/// First positions of the bands and the number of positions behind the last; every band has one at least
/// where there are enough.
fn bands(pattern: &Pattern, positions: u64) -> Vec<u64> {
    let shares: Vec<f64> = match pattern {
        Pattern::HotSpot { share, .. } => vec![*share, 1.0 - share],
        Pattern::Bands(bands) => bands.iter().map(|band| band.0).collect(),
        _ => return Vec::new(),
    };
    let total: f64 = shares.iter().sum();
    let count = shares.len() as u64;
    let (mut sum, mut firsts) = (0.0, vec![0]);
    for (index, share) in shares.iter().enumerate() {
        sum += share / total;
        let behind = count - 1 - index as u64;
        let last = firsts[index];
        let end = (positions as f64 * sum).round() as u64;
        firsts.push(end.max(last + 1).min(positions.saturating_sub(behind).max(last)));
    }
    firsts[shares.len()] = positions;
    firsts
}
