//! The choice of the next I/O: stream, offset, length, direction. Deterministic from the seed; allocates
//! nothing per I/O.

use std::sync::Arc;

use ground::Random;

use crate::job::Job;
use crate::target::Span;
use crate::trace::{TraceIo, TraceOp};

mod files;
mod stream;

pub(crate) use files::FileCursors;
use stream::StreamState;

/// One I/O to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Io {
    pub(crate) offset: u64,
    pub(crate) length: u32,
    /// Index of the stream in the job.
    pub(crate) stream: u8,
    /// Index of the target in the job.
    pub(crate) target: u16,
    pub(crate) op: Op,
}

/// The operation of an I/O.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Op {
    #[default]
    Read,
    Write,
    /// A write that is done only when it would survive a loss of power.
    WriteThrough,
    /// Tells the target that its data there is no longer needed.
    Discard,
    /// Makes earlier writes durable; moves no bytes.
    Fsync,
    /// The same, without the file's times.
    Fdatasync,
}

impl Io {
    /// As a line of a trace.
    pub(crate) fn traced(&self, at_ns: u64) -> TraceIo {
        let op = match self.op {
            Op::Read => TraceOp::Read,
            Op::Write | Op::WriteThrough => TraceOp::Write,
            Op::Discard => TraceOp::Trim,
            Op::Fsync | Op::Fdatasync => TraceOp::Flush,
        };
        TraceIo { at_ns, op, offset_bytes: self.offset, length_bytes: u64::from(self.length) }
    }
}

impl Op {
    /// True if it moves bytes to the target.
    #[inline]
    pub(crate) fn writes(self) -> bool {
        matches!(self, Op::Write | Op::WriteThrough)
    }

    /// True if it moves no bytes and makes earlier ones durable.
    #[inline]
    pub(crate) fn flushes(self) -> bool {
        matches!(self, Op::Fsync | Op::Fdatasync)
    }
}

/// State that the workers of a job share: where each sequential stream is.
pub(crate) type Cursors = Arc<[FileCursors]>;

/// Cursors for a job, all at the start.
pub(crate) fn cursors(job: &Job) -> Cursors {
    job.streams.iter().map(|stream| FileCursors::new(stream.files)).collect()
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

/// A yes-or-no draw that costs nothing when the answer is certain.
#[derive(Clone, Copy, Debug)]
enum Odds {
    Always,
    Never,
    Below(u64),
}

impl Generator {
    /// The generator of the `worker`-th worker. Every span fits the largest size of its stream.
    pub(crate) fn new(job: &Job, spans: &[Span], cursors: Cursors, worker: u64) -> Generator {
        let weights: Vec<f64> = job.streams.iter().map(|stream| stream.weight).collect();
        Generator {
            random: Random::stream(job.seed, worker),
            stream_ends: share_ends(&weights),
            streams: job
                .streams
                .iter()
                .zip(spans)
                .map(|(stream, span)| StreamState::new(stream, *span, job, worker))
                .collect(),
            cursors,
        }
    }

    /// The next I/O.
    #[inline]
    pub(crate) fn next(&mut self) -> Io {
        let chosen = choose(&self.stream_ends, &mut self.random);
        let stream = &mut self.streams[chosen];
        stream.next(chosen as u8, &self.cursors[chosen], &mut self.random)
    }

    /// A flush of the stream with this index.
    pub(crate) fn flush(&self, stream: u8, data_only: bool) -> Io {
        let op = if data_only { Op::Fdatasync } else { Op::Fsync };
        Io { offset: 0, length: 0, stream, target: self.streams[usize::from(stream)].last_target(), op }
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
            Odds::Below(end) => random.next_u64() < end,
        }
    }
}

/// Cumulative shares scaled to the range of a u64.
pub(crate) fn share_ends(weights: &[f64]) -> Vec<u64> {
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
pub(crate) fn choose(ends: &[u64], random: &mut Random) -> usize {
    if ends.len() == 1 {
        return 0;
    }
    let drawn = random.next_u64();
    ends.iter().position(|end| drawn < *end).unwrap_or(ends.len() - 1)
}

#[cfg(test)]
mod tests;
