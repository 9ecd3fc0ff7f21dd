//! What the next I/O is: stream, offset, length, direction. Deterministic from the seed; allocates nothing per I/O.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::job::{Job, Pattern, Stream};
use crate::random::Random;
use crate::scatter::Scatter;
use crate::target::Span;
use crate::zipf::Zipf;

/// One I/O to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Io {
    pub(crate) offset: u64,
    pub(crate) length: u32,
    pub(crate) write: bool,
    /// Index of the stream in the job.
    pub(crate) stream: u16,
}

/// State that the workers of a job share: where each sequential stream is.
pub(crate) type Cursors = Arc<[AtomicU64]>;

/// Cursors for a job, all at the start.
pub(crate) fn cursors(job: &Job) -> Cursors {
    job.streams.iter().map(|_| AtomicU64::new(0)).collect()
}

/// The I/Os of one worker.
#[derive(Debug)]
pub(crate) struct Generator {
    random: Random,
    /// Upper ends of the streams' shares of a u64 draw; the last one is u64::MAX.
    stream_ends: Vec<u64>,
    streams: Vec<StreamState>,
    cursors: Cursors,
}

#[derive(Debug)]
struct StreamState {
    start: u64,
    length: u64,
    /// Length after which a sequential stream starts again.
    usable: u64,
    align: u64,
    read: Odds,
    /// Upper ends of the sizes' shares of a u64 draw.
    size_ends: Vec<u64>,
    sizes: Vec<SizeState>,
    pattern: PatternState,
}

/// A yes-or-no draw that costs nothing when the answer is certain.
#[derive(Clone, Copy, Debug)]
enum Odds {
    Always,
    Never,
    Below(u64),
}

#[derive(Debug)]
struct SizeState {
    bytes: u32,
    /// Number of aligned offsets at which an I/O of this size fits.
    positions: u64,
    zipf: Option<(Zipf, Scatter)>,
    /// Positions in the hot part, at least 1 and, unless there is only one, below `positions`.
    hot: u64,
}

#[derive(Clone, Copy, Debug)]
enum PatternState {
    Sequential,
    Uniform,
    Zipf,
    HotSpot(Odds),
}

impl Generator {
    /// The generator of the `worker`-th worker. Every span fits the largest size of its stream.
    pub(crate) fn new(job: &Job, spans: &[Span], cursors: Cursors, worker: u64) -> Generator {
        let weights: Vec<f64> = job.streams.iter().map(|stream| stream.weight).collect();
        Generator {
            random: Random::new(job.seed, worker),
            stream_ends: share_ends(&weights),
            streams: job
                .streams
                .iter()
                .zip(spans)
                .map(|(stream, span)| StreamState::new(stream, *span, job.align_bytes))
                .collect(),
            cursors,
        }
    }

    /// The next I/O.
    #[inline]
    pub(crate) fn next(&mut self) -> Io {
        let chosen = choose(&self.stream_ends, &mut self.random);
        let stream = &self.streams[chosen];
        let write = !stream.read.draw(&mut self.random);
        let size = &stream.sizes[choose(&stream.size_ends, &mut self.random)];
        let random = &mut self.random;
        let position = match stream.pattern {
            PatternState::Uniform => random.below(size.positions),
            PatternState::Sequential => {
                return stream.sequential(&self.cursors[chosen], size.bytes, write, chosen as u16);
            }
            PatternState::Zipf => match &size.zipf {
                Some((zipf, scatter)) => scatter.position(zipf.draw(random)),
                None => 0,
            },
            PatternState::HotSpot(hot) => {
                if hot.draw(random) {
                    random.below(size.hot)
                } else {
                    size.hot.min(size.positions - 1) + random.below((size.positions - size.hot).max(1))
                }
            }
        };
        Io {
            offset: stream.start + position * stream.align,
            length: size.bytes,
            write,
            stream: chosen as u16,
        }
    }
}

impl StreamState {
    fn new(stream: &Stream, span: Span, align_bytes: Option<u32>) -> StreamState {
        let align = u64::from(align_bytes.unwrap_or(stream.sizes.smallest_bytes()));
        let shares: Vec<f64> = stream.sizes.parts().iter().map(|part| part.1).collect();
        let sizes = stream.sizes.parts().iter().map(|&(bytes, _)| {
            let positions = (span.length - u64::from(bytes)) / align + 1;
            let hot = match stream.pattern {
                Pattern::HotSpot { share, .. } => {
                    ((positions as f64 * share).round() as u64).clamp(1, (positions - 1).max(1))
                }
                _ => 0,
            };
            let zipf = match stream.pattern {
                Pattern::Zipf { theta } => Some((Zipf::new(positions, theta), Scatter::new(positions))),
                _ => None,
            };
            SizeState { bytes, positions, zipf, hot }
        });
        // With one size the wrap falls between two I/Os; with several, at the last aligned place.
        let grain = match stream.sizes.parts() {
            [(bytes, _)] => u64::from(*bytes).next_multiple_of(align).min(span.length),
            _ => align.min(span.length),
        };
        StreamState {
            start: span.start,
            length: span.length,
            usable: span.length - span.length % grain,
            align,
            read: Odds::new(stream.read_share),
            sizes: sizes.collect(),
            size_ends: share_ends(&shares),
            pattern: match stream.pattern {
                Pattern::Sequential => PatternState::Sequential,
                Pattern::Uniform => PatternState::Uniform,
                Pattern::Zipf { .. } => PatternState::Zipf,
                Pattern::HotSpot { access, .. } => PatternState::HotSpot(Odds::new(access)),
            },
        }
    }

    /// Takes the next stretch of a sequential stream. The cursor only ever grows; its value modulo the usable length is
    /// the place, so that workers never need more than one atomic addition.
    #[inline]
    fn sequential(&self, cursor: &AtomicU64, bytes: u32, write: bool, stream: u16) -> Io {
        let step = u64::from(bytes).next_multiple_of(self.align);
        let mut place = cursor.fetch_add(step, Relaxed) % self.usable;
        if place + u64::from(bytes) > self.length {
            place = 0;
        }
        Io { offset: self.start + place, length: bytes, write, stream }
    }
}

impl Odds {
    fn new(probability: f64) -> Odds {
        match probability {
            p if p >= 1.0 => Odds::Always,
            p if p <= 0.0 => Odds::Never,
            p => Odds::Below((p * 2f64.powi(64)) as u64),
        }
    }

    #[inline]
    fn draw(self, random: &mut Random) -> bool {
        match self {
            Odds::Always => true,
            Odds::Never => false,
            Odds::Below(end) => random.next() < end,
        }
    }
}

/// Cumulative shares scaled to the range of a u64.
fn share_ends(weights: &[f64]) -> Vec<u64> {
    let total: f64 = weights.iter().sum();
    let mut sum = 0.0;
    let mut ends: Vec<u64> = weights
        .iter()
        .map(|weight| {
            sum += weight;
            (sum / total * 2f64.powi(64)) as u64
        })
        .collect();
    if let Some(last) = ends.last_mut() {
        *last = u64::MAX;
    }
    ends
}

/// Index of the share that a draw falls into; no draw when there is only one.
#[inline]
fn choose(ends: &[u64], random: &mut Random) -> usize {
    if ends.len() == 1 {
        return 0;
    }
    let drawn = random.next();
    ends.iter().position(|end| drawn < *end).unwrap_or(ends.len() - 1)
}

#[cfg(test)]
mod tests;
